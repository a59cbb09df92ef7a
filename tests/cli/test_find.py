"""`paper-search find` without a terminal."""

import json
import shlex

import pytest

QUESTION = "hepatotoxicity of molecules"
SAMPLE = ("--source", "sample")


def printed_command(text: str) -> list[str]:
    """The arguments of the approving command among the lines."""
    line = next(line for line in text.splitlines() if line.strip().startswith("approve:"))
    words = shlex.split(line.split("approve:")[1])
    assert words[0] == "paper-search"
    return words[1:]


def test_a_round_on_another_subject_is_judged_by_that_subject(cli):
    result = cli(*printed_command(cli("find", "depression in adolescents", *SAMPLE).stderr))
    [approve] = [printed_command(result.stderr)]
    other = cli(*approve[:2], "--reject", "focus on sleep quality instead", *approve[3:])
    ended = cli(*printed_command(other.stderr), "--json").document["checkpoint"]["payload"]
    first = ended["collection"]["papers"][0]
    assert "sleep quality" in first["relevance_reason"]
    assert "depression" not in first["relevance_reason"]
    assert ended["fit"].startswith(f"of {len(ended['collection']['papers'])} papers, ")


def test_max_iterations_ends_a_search_that_nobody_approves(cli):
    """HUM-15"""
    ended = cli("find", QUESTION, *SAMPLE, "--max-iterations", "1", "--json")
    ended = cli("resume", ended.document["thread_id"], "--reject", "no", "--json", code=0)
    assert ended.document["ended_by"] == "limit_reached"
    assert ended.document["papers"] == []


def test_papers_that_go_to_a_file_are_named_in_the_messages(cli, tmp_path):
    file = tmp_path / "papers.json"
    ended = cli("find", "neural networks", *SAMPLE, "--yes", "--output", str(file))
    papers = json.loads(file.read_text())["papers"]
    assert len(papers) > 10
    named = [f"{number:>3}. {paper['title']}" for number, paper in enumerate(papers[:10], start=1)]
    assert [line.rpartition(" (")[0] for line in ended.stderr.splitlines()[:10]] == named
    assert ended.stderr.splitlines()[10] == f"     and {len(papers) - 10} more"
    assert ended.stdout == ""


def test_nothing_is_overwritten_unasked_and_no_search_is_wasted_on_it(cli, tmp_path):
    """SEC-12"""
    file = tmp_path / "papers.bib"
    file.write_text("precious")
    ended = cli("find", QUESTION, *SAMPLE, "--yes", "--output", str(file), code=2)
    assert "--force" in ended.stderr
    assert file.read_text() == "precious"
    assert cli("threads", "--json").document == []
    ended = cli("find", QUESTION, *SAMPLE, "--yes", "--output", str(file), "--force", code=0)
    assert "precious" not in file.read_text()


def test_where_the_papers_go_is_part_of_the_command_that_continues(cli, tmp_path):
    file = tmp_path / "two words.ris"
    ended = cli("find", QUESTION, *SAMPLE, "--no-strategy-review", "--output", file.name, code=3)
    ended = cli(*printed_command(ended.stderr), code=0)
    assert file.read_text().startswith("TY  - ")


@pytest.mark.parametrize("is_before", [True, False])
def test_the_home_is_taken_before_and_after_the_command_and_named_in_the_one_that_continues(
    cli, home, tmp_path, is_before, monkeypatch
):
    elsewhere = tmp_path / "elsewhere"
    home.rename(elsewhere)
    monkeypatch.setenv("PAPER_SEARCH_HOME", str(tmp_path / "unused"))
    option = ("--home", "elsewhere")
    words = ("find", QUESTION, *SAMPLE)
    ended = cli(*option, *words) if is_before else cli(*words, *option)
    command = printed_command(ended.stderr)
    assert command[-2:] == ["--home", str(elsewhere)]
    assert cli(*command).code == 3
    assert not (tmp_path / "unused").exists()


def test_a_search_in_which_every_source_failed_has_failed_and_says_why(cli, monkeypatch):
    """API-26"""
    monkeypatch.setenv("SERPAPI_API_KEY", "CANARY-key")
    monkeypatch.setenv("SERPAPI_MAX_CALLS", "1")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    ended = cli("find", "graphs", "--source", "serpapi_scholar", "--yes", code=1)
    assert "source serpapi_scholar FAILED" in ended.stderr
    assert "CANARY" not in ended.stdout + ended.stderr


def test_a_home_that_cannot_be_written_is_an_error_that_says_what_to_do(cli, tmp_path):
    """PER-08"""
    file = tmp_path / "a-file"
    file.write_text("precious")
    ended = cli("find", QUESTION, "--yes", "--home", str(file), code=1)
    assert "--home" in ended.stderr
    assert file.read_text() == "precious"


@pytest.mark.parametrize("content", [b"garbage " * 100, b"SQLite format 3\x00 and then nothing"])
def test_a_file_that_is_no_database_of_ours_is_left_as_it_is(cli, home, content):
    """PER-09"""
    file = home / "threads.db"
    file.write_bytes(content)
    for words in (("find", QUESTION, "--yes"), ("threads",), ("show", "x")):
        ended = cli(*words, code=1)
        assert "threads.db" in ended.stderr
    assert file.read_bytes() == content


def test_titles_cannot_steer_the_terminal(cli, tmp_path):
    file = tmp_path / "evil.jsonl"
    title = "Evil \x1b[2J\x07[bold red]graph[/] :smile: \u202egnol"
    file.write_text(json.dumps({"title": title, "source": "x", "year": 2020}) + "\n")
    assert cli("library", "add", str(file)).code == 0
    ended = cli("find", "evil graph", "--source", "library", "--yes")
    assert "[bold red]graph[/]" in ended.stdout
    assert ":smile:" in ended.stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(ended.stdout + ended.stderr)


def test_debug_shows_the_traceback(home):
    from typer.testing import CliRunner

    from paper_search.cli.app import app

    assert home.is_dir()
    result = CliRunner().invoke(app, ["--debug", "find", ""])
    assert type(result.exception).__name__ == "QuestionError"


STRATEGY = """\
Database: Ovid MEDLINE(R) ALL <1946 to November 2026>
Search Strategy:
--------------------------------------------------------------------------------
1     exp Graph Theory/ (12345)
2     (graph adj2 network$).ti,ab. (2345)
3     1 or 2 (13000)
4     (molecul$ or drug?).tw. (999999)
5     3 and 4 (345)
"""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1. exp Asthma/\n2. (wheez$ or cough\n3. 1 or 2", "line 2, column 20: expected ')'"),
        ("What helps against asthma in children at school?", "contains no search strategy"),
    ],
)
def test_a_file_that_is_no_sound_strategy_is_refused(cli, tmp_path, content, said):
    file = tmp_path / "strategy.txt"
    file.write_text(content, encoding="utf-8")
    ended = cli("find", "--strategy", str(file), *SAMPLE, code=2)
    assert said in ended.stderr
