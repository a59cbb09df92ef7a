"""`paper-search strategy`."""

from tests.cli.test_find import SAMPLE, STRATEGY

from paper_search.query import parse
from paper_search.query.dialects import DIALECTS


def test_the_strategy_is_printed_in_the_language_of_each_database(cli, done):
    for database in DIALECTS:
        ended = cli("strategy", done, "--database", database, code=0)
        assert parse(ended.stdout), database


def test_json_has_the_text_and_what_has_no_counterpart(cli, done):
    document = cli("strategy", done, "--database", "pubmed", "--json").document
    assert document["is_approved"]
    assert document["text"] == cli("strategy", done, "--database", "pubmed").stdout.rstrip("\n")
    assert document["left_out"] == []


def test_a_thread_that_is_not_there_has_no_strategy(cli):
    assert cli("strategy", "nobody", "--database", "ovid").code == 4


def test_a_strategy_says_first_which_line_loses_which_known_paper(cli, tmp_path):
    (tmp_path / "strategy.txt").write_text(STRATEGY, encoding="utf-8")
    (tmp_path / "known.ris").write_text(
        "TY  - JOUR\nTI  - A graph network of molecules\nAB  - We build it.\nPY  - 2020\nER  - \n"
        "TY  - JOUR\nTI  - A graph network of cities\nAB  - We map them.\nPY  - 2020\nER  - \n",
        encoding="utf-8",
    )
    files = (
        "--strategy",
        str(tmp_path / "strategy.txt"),
        "--must-find",
        str(tmp_path / "known.ris"),
    )
    said = cli("find", *files, *SAMPLE).stderr
    assert "  line 2: 2, 2 by it alone" in said
    assert "concept 2 (line 4): finds 1 of 2 known papers" in said
    assert "  loses A graph network of cities" in said
    assert "relative recall: 1 of 2 known papers (50%, 95 % interval 9% to 91%)" in said
    assert said.index("relative recall") < said.index("is searched")
