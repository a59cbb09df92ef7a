"""Collections of Zotero as files of papers, and as what `export --to` brings up to date."""

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from tests.cli.conftest import QUESTION, Cli
from tests.zotero_server import KEY, ZoteroServer, zotero_at
from werkzeug import Response


@pytest.fixture
def zotero(httpserver: HTTPServer, home: Path, monkeypatch: pytest.MonkeyPatch) -> ZoteroServer:
    """A library on the web whose key the environment has, with one collection."""
    assert home.is_dir()
    server = zotero_at(httpserver, KEY)
    server.add_collection("BEES2345", "Bees")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server


def test_a_collection_is_added_like_a_file_and_twice_adds_nothing(cli, zotero):
    zotero.add_item("BEES2345", "AAAA2222", title="Bees dance", DOI="10.1000/bees")
    zotero.add_item("BEES2345", "BBBB2222", title="", DOI="10.1000/nothing")
    first = cli("library", "add", "zotero:Bees", code=0)
    assert "zotero:Bees: 1 added, 0 updated, 0 unchanged, 1 rejected" in first.stdout
    assert "zotero:Bees:2: the title is missing" in first.stderr
    (again,) = cli("library", "add", "zotero:Bees", "--json").document
    assert (again["file"], again["added"], again["unchanged"]) == ("zotero:Bees", 0, 1)
    assert cli("library", "search", "dance", "--json").document["total"] == 1


def test_a_key_is_neither_printed_nor_written(cli, zotero, home, tmp_path):
    zotero.add_item("BEES2345", "AAAA2222", title="Bees dance")
    told = [cli("--debug", "library", "add", "zotero:Bees")]
    zotero.faults = [Response(f"Invalid key {KEY}", 403)]
    told += [cli("library", "add", "zotero:Bees"), cli("config"), cli("doctor")]
    assert zotero.requests[0].headers["Zotero-API-Key"] == KEY
    assert [ended for ended in told if KEY in ended.stdout + ended.stderr] == []
    files = [path for path in (*home.rglob("*"), *tmp_path.rglob("*")) if path.is_file()]
    assert [file for file in files if KEY.encode() in file.read_bytes()] == []


@pytest.fixture
def thread(cli: Cli, zotero: ZoteroServer) -> str:
    """A thread that ended with papers 1 and 2 relevant, and 3 irrelevant."""
    assert zotero.items == {}
    begun = cli("find", QUESTION, "--source", "sample", "--no-strategy-review", "--json")
    thread_id = str(begun.document["thread_id"])
    ended = cli("resume", thread_id, "--approve", "--relevant", "1,2", "--irrelevant", "3")
    assert ended.code == 0, ended.stderr
    return thread_id


def test_the_included_papers_go_to_the_collection_once(cli, zotero, thread):
    first = cli("export", thread, "--to", "zotero:Bees")
    assert first.code == 0, first.stderr
    assert "Bees in Zotero: 2 created" in first.stdout
    assert "included papers only (2 included); left out: " in first.stderr
    writes = len(zotero.writes)
    again = cli("export", thread, "--to", "zotero:Bees", "--json").document
    assert (again["collection"], again["created"], again["unchanged"]) == ("Bees", 0, 2)
    assert len(zotero.writes) == writes
    excluded = ("export", thread, "--to", "zotero:Bees", "--decision", "excluded", "--json")
    assert cli(*excluded).document["created"] == 1
    left_out = cli("export", thread, "--to", "zotero:Bees", "--json").document
    assert left_out["unchanged"] == 3, "what is there is brought up to date, also if left out now"


def test_what_zotero_refuses_fails_the_command_and_is_told(cli, zotero, thread):
    papers = cli("export", thread, "--decision", "included", "--json").document["papers"]
    zotero.refused_titles = {papers[0]["title"]}
    ended = cli("export", thread, "--to", "zotero:Bees", code=1)
    assert "1 created, 1 refused" in ended.stdout
    assert "'title' is refused" in ended.stderr
