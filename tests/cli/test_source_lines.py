"""What a person reads about the sources: one line each, and one line where there is no network."""

import shlex
import socket
from pathlib import Path
from typing import Any

import pytest

from paper_search.cli.source_lines import failure_lines, no_network, public_sources_hint
from paper_search.config import WEB_SOURCES
from paper_search.models import SourceReport, SourceStatus
from paper_search.workflow.counts import summaries

QUESTION = "hepatotoxicity of molecules"


def unreached(source: str, **fields: Any) -> SourceReport:
    given = {"error": f"{source} cannot be reached", **fields}
    return SourceReport(source=source, status=SourceStatus.UNREACHABLE, **given)


def test_the_queries_to_a_source_are_summed_up_and_each_note_is_there_once():
    reports = [
        SourceReport(source="a", query="x", status=SourceStatus.OK, hits=7, kept=2, note="cut"),
        SourceReport(source="b", status=SourceStatus.EMPTY, note="checked"),
        SourceReport(
            source="a", status=SourceStatus.EMPTY, hits=3, kept=1, dropped=2, note="late; cut"
        ),
    ]
    a, b = summaries(reports)
    assert (a.source, a.status, a.hits, a.kept) == ("a", SourceStatus.OK, 10, 3)
    assert a.note == "cut; late; 2 without a title or unreadable"
    assert (b.status, b.hits, b.kept, b.note) == (SourceStatus.EMPTY, None, 0, "checked")


@pytest.mark.parametrize(
    ("statuses", "whole"),
    [
        (["timeout", "unreachable"], "timeout"),
        (["ok", "timeout"], "partial"),
        (["empty", "timeout"], "partial"),
        (["empty", "empty"], "empty"),
        (["empty", "ok"], "ok"),
    ],
)
def test_a_source_that_failed_for_some_queries_answered_in_part(statuses, whole):
    reports = [SourceReport(source="a", status=SourceStatus(status)) for status in statuses]
    assert summaries(reports)[0].status.value == whole


def test_a_failure_of_the_library_is_told_beside_the_missing_network():
    broken = unreached("library", error="its file is damaged")
    offline, other = failure_lines([unreached("a"), unreached("b"), broken])
    assert offline.startswith("No network: none of the two services")
    assert other == "source library FAILED (unreachable): its file is damaged"


@pytest.mark.parametrize(
    "reports",
    [
        [],
        [unreached("a"), unreached("a")],
        [unreached("a"), SourceReport(source="b", status=SourceStatus.TIMEOUT)],
        [unreached("a"), SourceReport(source="b", status=SourceStatus.EMPTY)],
        [unreached("library"), unreached("sample")],
    ],
)
def test_one_service_alone_or_any_answer_says_nothing_of_the_network(reports):
    assert no_network(reports) is None


OWN = SourceReport(source="library", status=SourceStatus.OK, kept=1)
SAMPLE = SourceReport(source="library", status=SourceStatus.OK, kept=1, is_sample=True)


@pytest.mark.parametrize(("reports", "papers"), [([OWN], 0), ([SAMPLE], 1), ([], 0)])
def test_under_nothing_and_under_the_sample_stands_the_command_that_searches_the_world(
    reports, papers, monkeypatch
):
    monkeypatch.setattr("sys.argv", ["paper-search"])
    line = public_sources_hint('can\'t "this" $work?', reports, papers, Path("/a home"))
    assert line is not None
    assert line.startswith("Search eight public services: ")
    words = shlex.split(line.partition(": ")[2])
    assert words == [
        *("paper-search", "find", "--source", "web", "--home", "/a home"),
        'can\'t "this" $work?',
    ]
    own_papers, the_world = ([OWN], 1), ([SAMPLE, *map(unreached, WEB_SOURCES)], 0)
    for known, count in (own_papers, the_world):
        assert public_sources_hint("graphs", known, count, None) is None


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> str:
    """Every service is behind a proxy where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
    for name in ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv(name, proxy)
    monkeypatch.delenv("NO_PROXY", raising=False)
    return proxy


def test_without_a_network_a_search_ends_with_one_line_and_keeps_an_entry_for_every_source(
    cli, offline
):
    assert offline
    ended = cli("find", QUESTION, "--source", "web", "--yes", "--json", code=1)
    about_sources = [line for line in ended.stderr.splitlines() if "reached" in line]
    assert len(about_sources) == 1
    assert about_sources[0].startswith("No network: none of the eight services could be reached.")
    reports = ended.document["reports"]
    assert {report["source"] for report in reports} == set(WEB_SOURCES)
    assert {report["status"] for report in reports} == {"unreachable"}


def test_without_a_network_the_question_about_the_result_says_so_once(cli, offline):
    assert offline
    ended = cli("find", QUESTION, "--source", "web", "--no-strategy-review", code=3)
    assert ended.stderr.count("No network: none of the eight services could be reached.") == 1
    assert "FAILED" not in ended.stderr


def test_a_result_has_a_line_for_each_source_and_details_on_request(cli, reviewing):
    payload = cli("show", reviewing, "--json").document["open_checkpoint"]["payload"]
    sent = [report["query"] for report in payload["reports"]]
    short = cli("show", reviewing).stdout
    assert len([line for line in short.splitlines() if line.startswith("sample ")]) == 1
    full = cli("show", reviewing, "--details").stdout
    assert len([line for line in full.splitlines() if line.startswith("sample ")]) == len(sent)


def test_the_world_can_be_searched_from_the_result_of_the_sample(cli, reviewing, done, home):
    start = "Search eight public services: paper-search find --source web"
    assert f"{start} '{QUESTION}'" in cli("show", reviewing).stdout
    assert f"{start} '{QUESTION}'" in cli("show", done).stdout
    ended = cli("find", QUESTION, "--source", "library", "--yes", "--home", str(home))
    assert f"{start} --home {home} '{QUESTION}'\n" in ended.stderr
    assert ended.stderr.count("Search eight public services") == 1


def test_the_details_of_the_sources_are_a_key_away(cli, reviewing):
    ended = cli("resume", reviewing, typed=["s", "q"], code=3)
    menu = "[a]pprove  [r]elevant"
    ended.shows(menu, "Query", menu)
    assert "Query" not in ended.stderr.partition(menu)[0]


def test_a_mistake_in_a_proxy_is_one_sentence_that_names_the_variable(cli, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example.org")
    ended = cli("find", QUESTION, "--source", "web", "--yes")
    assert ended.stderr.count("HTTPS_PROXY is no address of a proxy") == 1
    assert "bug" not in ended.stderr
