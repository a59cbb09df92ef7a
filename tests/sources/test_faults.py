"""The API part of the fault matrix: every way a service can fail is a line in the report."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qsl

import pytest
from tests.fault_server import FaultServer
from tests.sources.cards import KEY, Cards, XmlCards, strategy
from tests.virtual_time import Clock

from paper_search.models import RawPaper, SearchReport, SourceReport, SourceStatus
from paper_search.skills import Deduplicator, Searcher
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource


@pytest.fixture
async def server() -> AsyncIterator[FaultServer]:
    async with FaultServer() as faults:
        yield faults


@pytest.fixture
def clock() -> Clock:
    return Clock()


def cards(server: FaultServer, path: str, clock: Any = None, **settings: Any) -> HttpSource:
    base, _, query = path.partition("?")
    adapter = Cards(server.url(base), params=dict(parse_qsl(query)))
    time = {"sleep": clock.sleep, "clock": clock} if clock else {}
    return HttpSource(adapter, SourceSettings(**{"max_retries": 0, **settings}), **time)


async def line(source: HttpSource, **filters: Any) -> SourceReport:
    """Ask one question; return what the report says, which never holds the key."""
    report = await source.report(strategy("graph", **filters))
    assert KEY not in report.model_dump_json()
    [said] = report.sources
    return said


async def test_api_01_a_429_is_waited_for_and_then_reported(server, clock):
    said = await line(cards(server, "/status?code=429&retry_after=2", clock, max_retries=2))
    assert clock.waits == [2.0, 2.0]
    assert (said.status, said.attempts) == (SourceStatus.RATE_LIMITED, 3)
    assert "429" in str(said.error)


@pytest.mark.parametrize(
    ("header", "waits", "status"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", [], SourceStatus.RATE_LIMITED),
        ("soon", 1, SourceStatus.RATE_LIMITED),
        ("-5", 1, SourceStatus.RATE_LIMITED),
        ("54000", [], SourceStatus.EXHAUSTED),
        ("999999", [], SourceStatus.EXHAUSTED),
    ],
)
async def test_api_02_retry_after_of_every_kind(server, clock, header, waits, status):
    source = cards(server, f"/status?code=429&retry_after={header}", clock, max_retries=1)
    said = await line(source)
    assert said.status is status
    assert (len(clock.waits) if isinstance(waits, int) else clock.waits) == waits
    assert said.attempts == (1 if status is SourceStatus.EXHAUSTED else 2)


async def test_api_02_what_is_exhausted_is_not_asked_the_other_queries(server):
    source = cards(server, "/status?code=429&retry_after=54000")
    report = await source.report(strategy("aa", "bb", "cc"))
    assert server.requests["/status"] == 1
    assert [item.status for item in report.sources] == [SourceStatus.EXHAUSTED] * 3
    assert [str(item.error).count("not sent") for item in report.sources] == [0, 1, 1]


@pytest.mark.parametrize("path", ["/reset", "/status?code=401"])
async def test_what_must_fail_again_is_not_asked_again(server, path):
    report = await cards(server, path).report(strategy("aa", "bb"))
    assert server.requests.total() == 1
    assert report.sources[0].status is report.sources[1].status
    assert "not sent" in str(report.sources[1].error)


async def test_api_03_the_deadline_holds_for_all_queries_together(server, clock):
    source = cards(server, "/status?code=429&retry_after=4", clock, max_retries=3, deadline_s=30.0)
    report = await source.report(strategy(*"abcdefghij"))
    assert clock.now <= 1030.0
    assert {item.status.value for item in report.sources} <= {"rate_limited", "timeout"}
    assert len(report.sources) == 10


@pytest.mark.parametrize("code", [500, 502, 503, 504])
async def test_api_04_two_failures_and_an_answer_are_one_answer(server, clock, code):
    said = await line(cards(server, f"/flaky?code={code}", clock, max_retries=3), max_results=1)
    assert (said.status, said.attempts, said.kept) == (SourceStatus.OK, 3, 1)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (400, SourceStatus.BAD_RESPONSE),
        (401, SourceStatus.UNAUTHORISED),
        (403, SourceStatus.UNAUTHORISED),
        (404, SourceStatus.BAD_RESPONSE),
    ],
)
async def test_api_05_a_refusal_is_not_asked_again_and_says_what_to_do(server, code, status):
    said = await line(cards(server, f"/status?code={code}&error=bad {KEY}", max_retries=3))
    assert (said.status, said.attempts) == (status, 1)
    if status is SourceStatus.UNAUTHORISED:
        assert "check CARDS_API_KEY, see https://cards.example/keys" in str(said.error)


async def test_api_05_a_missing_key_is_told_apart_from_a_refused_one(server):
    source = HttpSource(Cards(server.url("/status"), key="", params={"code": "401"}))
    assert "set CARDS_API_KEY, see https://cards.example/keys" in str((await line(source)).error)


@pytest.mark.parametrize("path", ["/slow-headers", "/slow-body"])
async def test_api_06_api_07_api_08_a_slow_answer_is_cut_and_asked_again(server, path):
    said = await line(cards(server, path, timeout_s=0.1, max_retries=1))
    assert (said.status, said.attempts) == (SourceStatus.TIMEOUT, 2)
    late = await line(cards(server, path, timeout_s=60.0, deadline_s=0.3))
    assert late.status is SourceStatus.TIMEOUT


BAD, EXHAUSTED = SourceStatus.BAD_RESPONSE, SourceStatus.EXHAUSTED


@pytest.mark.parametrize(
    ("path", "status", "reason"),
    [
        ("/truncated-json", BAD, ""),
        ("/truncated-length", BAD, "cut off"),
        ("/truncated-chunked", BAD, "cut off"),
        ("/cut-gzip", BAD, "cut off"),
        ("/captcha", BAD, "web page"),
        ("/error-200", EXHAUSTED, ""),
        ("/empty", BAD, "answered without content"),
        ("/no-content", BAD, "answered without content"),
        ("/gzip-bomb", BAD, "larger than"),
        ("/double-gzip", BAD, "gzip, gzip"),
        ("/brotli", BAD, "'br'"),
        ("/bad-gzip", BAD, "cannot be decompressed"),
        ("/deep-json", BAD, "too deeply"),
        ("/redirect-loop", BAD, "too often"),
    ],
)
async def test_what_is_no_answer_is_a_failure_with_its_reason(server, path, status, reason):
    """API-09, API-10, API-11, API-12, API-19, API-20, API-22, API-24"""
    said = await line(cards(server, path))
    assert (said.status, said.kept) == (status, 0)
    assert reason in str(said.error)
    assert "robot" not in str(said.error)
    assert server.requests.total() <= 4


@pytest.mark.parametrize(
    ("path", "limit", "kept", "pages"),
    [
        ("/pages?ids=same", 500, 10, 2),
        ("/pages?ids=fresh", 25, 25, 3),
        ("/pages?ids=fresh", 10**9, 1000, 100),
    ],
)
async def test_pages_without_end_end(server, path, limit, kept, pages):
    """API-15, API-16, API-17"""
    said = await line(cards(server, path), max_results=limit)
    assert (said.kept, said.pages, said.hits) == (kept, pages, 10**9)


@pytest.mark.parametrize(
    "good",
    [
        {},
        {"papers": None},
        {"papers": "none"},
        {"papers": {"title": "x"}},
        {"papers": [], "total": "many", "next": "x"},
        {"renamed": [{"title": "x"}]},
    ],
)
async def test_api_13_an_answer_of_another_shape_is_an_empty_answer(good):
    async with FaultServer(good) as server:
        assert (await line(cards(server, "/ok"))).status is SourceStatus.EMPTY


async def test_api_13_api_14_one_bad_record_of_a_hundred_is_counted():
    entries: list[Any] = [{"id": n, "title": f"Paper {n}", "year": None} for n in range(100)]
    entries[57] = {"id": 57, "title": ["a", "list"]}
    async with FaultServer({"papers": entries}) as server:
        said = await line(cards(server, "/ok"), max_results=200)
    assert (said.status, said.kept, said.dropped) == (SourceStatus.OK, 99, 1)


async def test_api_15_a_cursor_that_comes_again_ends_the_search():
    entry = {"id": 1, "title": "Paper 1"}
    async with FaultServer({"papers": [entry], "next": 1}) as server:
        said = await line(cards(server, "/ok?page=1"), max_results=5)
    assert (said.kept, said.pages) == (1, 2)


async def test_api_16_fresh_cursors_whose_records_are_all_excluded_end(server):
    report = await cards(server, "/pages?ids=fresh").report(
        strategy("graph NOT paper", max_results=10)
    )
    [said] = report.sources
    assert (said.kept, said.excluded, said.pages) == (0, 140, 14)
    assert "stopped after 14 pages" in str(said.note)


async def test_api_20_odd_text_is_replaced_and_can_be_stored(server):
    for path in ("/bad-charset", "/surrogates"):
        report = await cards(server, path).report(strategy("graph"))
        assert len(report.papers) == 1
        assert "\x00" not in report.papers[0].title
        assert SearchReport.model_validate_json(report.model_dump_json()) == report


async def test_api_21_numbers_that_cannot_be_are_left_out():
    entry = {"id": 1, "title": "T", "year": "20O1", "cited": -5}
    other = {"id": 2, "title": "U", "year": 1e999, "cited": float("nan")}
    async with FaultServer({"papers": [entry, other]}) as server:
        papers = await cards(server, "/ok").search("graph")
    assert [(paper.year, paper.citation_count) for paper in papers] == [(None, 0), (None, 0)]


@pytest.mark.parametrize(
    "path", ["/laughs", "/outside-entity", "/deep-xml", "/wrong-root", "/captcha", "/ok"]
)
async def test_api_23_xml_that_attacks_its_reader_is_a_bad_response(server, path):
    source = HttpSource(XmlCards(server.url(path)), SourceSettings(max_retries=0))
    said = await line(source)
    assert said.status is SourceStatus.BAD_RESPONSE
    assert "root:" not in str(said.error)


@pytest.mark.parametrize("to", ["http://localhost:9/", "file:///etc/passwd", "//x.example/", "//["])
async def test_api_24_no_redirect_takes_the_key_elsewhere(server, to):
    said = await line(cards(server, f"/redirect?to={to}"))
    assert said.status is SourceStatus.BAD_RESPONSE
    assert server.requests.total() == 1


@pytest.mark.parametrize("path", ["/reset", "/garbage"])
async def test_api_25_a_broken_connection_is_unreachable_and_the_others_go_on(server, path):
    sources = {"bad": cards(server, path), "good": cards(server, "/ok")}
    report = await Searcher(sources).report(strategy("graph", max_results=1))
    assert [source.status.value for source in report.sources] == ["unreachable", "ok"]


@pytest.mark.parametrize("url", ["http://no-such-host.invalid/", "https://127.0.0.1:{port}/ok"])
async def test_api_25_no_name_and_no_tls_are_unreachable(server, url):
    adapter = Cards(url.format(port=server.port))
    said = await line(HttpSource(adapter, SourceSettings(max_retries=0)))
    assert said.status is SourceStatus.UNREACHABLE


async def test_api_26_all_sources_failing_gives_every_reason(server):
    paths = {"a": "/reset", "b": "/captcha", "c": "/status?code=401", "d": "/error-200"}
    sources = {name: cards(server, path) for name, path in paths.items()}
    report = await Searcher(sources).report(strategy("graph"))
    assert report.papers == []
    told = [source.status.value for source in report.sources]
    assert told == ["unreachable", "bad_response", "unauthorised", "exhausted"]
    assert all(source.error for source in report.sources)


class Buggy(Cards):
    """An adapter with a bug."""

    def read(self, answer: Any, request: Any) -> Any:
        del answer, request
        return {}[f"no such key {KEY}"]


async def test_api_27_a_bug_of_one_adapter_cancels_nobody(server):
    sources = {"bug": HttpSource(Buggy(server.url("/ok"))), "good": cards(server, "/ok")}
    report = await Searcher(sources).report(strategy("aa", "bb", max_results=1))
    assert {source.source for source in report.sources} == {"cards"}
    assert [source.status.value for source in report.sources] == ["bug", "bug", "ok", "ok"]
    assert "KeyError" in str(report.sources[0].error)
    assert "test_faults.py:" in str(report.sources[0].error)
    assert KEY not in report.model_dump_json()
    assert len(report.papers) == 1


async def test_api_29_no_host_gets_more_requests_at_once_than_it_bears():
    async with FaultServer() as server:
        sources = [cards(server, "/ok") for _ in range(8)]
        queries = [f"word{number}" for number in range(6)]
        await asyncio.gather(*(one.report(strategy(*queries, max_results=1)) for one in sources))
        assert server.requests["/ok"] == 48
        assert server.most_at_once == 1


async def test_api_30_one_work_from_five_sources_is_merged_once():
    dois = ["10.1000/ABC", "https://doi.org/10.1000/abc", "doi:10.1000/abc", "10.1000/abc", None]
    title = "Merging the records of one work that many services hold"
    records = [
        RawPaper(id=f"s{n}:1", source=f"s{n}", title=title, doi=doi, year=2020)
        for n, doi in enumerate(dois)
    ]
    [work] = await Deduplicator().deduplicate(records)
    assert sorted(work.merged_from) == [record.id for record in records]
    assert str(work.doi).lower() == "10.1000/abc"
