import asyncio
import contextlib
import threading
import time
from typing import Any

import httpx
import pytest
from tests.virtual_time import in_virtual_time

from paper_search import models
from paper_search.errors import SearchSourceError
from paper_search.http.body import HttpAnswer
from paper_search.query import Node, render
from paper_search.skills import Searcher
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.http_source import HttpSource
from paper_search.testing.skills import fake_strategy
from paper_search.testing.sources import FakeSource


def strategy(*sources: str, queries: tuple[str, ...] = ("q",)) -> models.SearchStrategy:
    return fake_strategy(*queries, sources=sources)


class Source:
    """Answers with the given papers or error, after a while, and keeps what it was asked."""

    def __init__(self, name: str, answer: Any = None, delay_s: float = 0.0) -> None:
        self.source_name = name
        self.answer = [paper(f"{name}-1", name)] if answer is None else answer
        self.delay_s = delay_s
        self.finished = False
        self.asked: list[models.SearchStrategy] = []

    async def search(self, query: str, **options: Any) -> list[models.RawPaper]:
        raise AssertionError(f"the strategy is to be asked as a whole, not {query!r}, {options}")

    async def search_advanced(self, strategy: models.SearchStrategy) -> Any:
        self.asked.append(strategy)
        await asyncio.sleep(self.delay_s)
        self.finished = True
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Reporting(Source):
    async def report(self, strategy: models.SearchStrategy) -> Any:
        return await self.search_advanced(strategy)


def paper(name: str, source: str = "s", title: str = "T") -> models.RawPaper:
    return models.RawPaper(id=name, title=title, source=source)


def ids(papers: list[models.RawPaper]) -> list[str]:
    return [work.id for work in papers]


@pytest.mark.parametrize("seeds", [[], [models.Seed(doi="10.1/x")]])
async def test_without_queries_nobody_is_asked_who_follows_no_papers(seeds):
    source = Source("a")
    without = strategy("a", queries=()).model_copy(update={"seeds": seeds})
    report = await Searcher([source]).report(without)
    assert not source.asked
    [entry] = report.sources
    assert (report.papers, entry.query, entry.status) == ([], "", models.SourceStatus.EMPTY)
    assert entry.note == "not asked: the strategy has no query that it takes"


@pytest.mark.parametrize(
    ("name", "update"),
    [
        ("a", {"native": {"a": "exp x/"}}),
        ("snowball", {"seeds": [models.Seed(doi="10.1/x")]}),
        ("a", {"works": ["pmid:7"]}),
    ],
)
async def test_a_strategy_without_queries_still_has_its_strings_seeds_and_works_asked(name, update):
    source = Source(name)
    without = strategy(name, queries=()).model_copy(update=update)
    assert ids(await Searcher([source]).search(without)) == [f"{name}-1"]
    assert len(source.asked) == 1


@in_virtual_time
async def test_results_come_in_the_order_of_the_strategy():
    searcher = Searcher([Source("a"), Source("b", delay_s=0.02), Source("c")])
    assert ids(await searcher.search(strategy("b", "nowhere", "a", "b"))) == ["b-1", "a-1"]


def test_sources_are_kept_by_name():
    first, second = Source("a"), Source("b")
    assert Searcher([first, second])._sources == {"a": first, "b": second}
    assert Searcher({"x": first})._sources == {"x": first}


class HTTPError(Exception):
    def __init__(self, status_code: int) -> None:
        super().__init__(f"answered {status_code}")
        self.status_code = status_code


class WithStatusError(SearchSourceError):
    status = models.SourceStatus.EXHAUSTED


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (TimeoutError(), models.SourceStatus.TIMEOUT),
        (HTTPError(401), models.SourceStatus.UNAUTHORISED),
        (HTTPError(403), models.SourceStatus.UNAUTHORISED),
        (HTTPError(429), models.SourceStatus.RATE_LIMITED),
        (HTTPError(503), models.SourceStatus.UNREACHABLE),
        (HTTPError(400), models.SourceStatus.BAD_RESPONSE),
        (ConnectionRefusedError("no"), models.SourceStatus.UNREACHABLE),
        (caused(SearchSourceError("failed"), HTTPError(429)), models.SourceStatus.RATE_LIMITED),
        (caused(SearchSourceError("failed"), OSError("net")), models.SourceStatus.UNREACHABLE),
        (SearchSourceError("odd answer"), models.SourceStatus.BAD_RESPONSE),
        (WithStatusError("used up"), models.SourceStatus.EXHAUSTED),
        (ZeroDivisionError("oops"), models.SourceStatus.BUG),
        (asyncio.CancelledError(), models.SourceStatus.BUG),
    ],
)
async def test_a_failing_source_is_reported_and_the_others_are_kept(error, status, caplog):
    slow = Source("slow", delay_s=0.02)
    report = await Searcher([Source("bad", error), slow]).report(strategy())
    assert ids(report.papers) == ["slow-1"]
    assert slow.finished
    assert [(source.source, source.status) for source in report.sources] == [
        ("bad", status),
        ("slow", models.SourceStatus.OK),
    ]
    assert type(error).__name__ in (report.sources[0].error or "")
    assert caplog.messages == [f"source bad failed ({status.value}): {report.sources[0].error}"]


@in_virtual_time
async def test_cancelling_the_search_is_not_swallowed():
    task = asyncio.create_task(Searcher([Source("a", delay_s=30)]).search(strategy()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("kind", ["plain", "reporting"])
async def test_records_without_a_title_are_dropped_and_counted(kind):
    papers = [paper("1"), paper("2", title="  "), paper("3", title="")]
    row = models.SourceReport(source="a", status=models.SourceStatus.OK, kept=3)
    whole = Reporting("a", models.SearchReport(papers=papers, sources=[row]))
    source = whole if kind == "reporting" else Source("a", papers)
    report = await Searcher([source]).report(strategy())
    assert ids(report.papers) == ["1"]
    assert (report.sources[0].kept, report.sources[0].dropped) == (1, 2)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (Source("a", "text"), "the source returned str, not a list of RawPaper"),
        (Source("a", [{}]), "in a list, the source returned dict, not RawPaper"),
        (Reporting("a", []), "the source returned list, not SearchReport"),
    ],
)
async def test_an_answer_of_the_wrong_kind_is_a_bug_of_the_source(source, error):
    report = await Searcher([source]).report(strategy())
    assert report.papers == []
    assert report.sources[0].status is models.SourceStatus.BUG
    assert report.sources[0].error == f"TypeError: {error}"


class Deaf(Source):
    """Goes on when it is cancelled."""

    async def search_advanced(self, strategy: models.SearchStrategy) -> Any:
        assert strategy.queries
        while not self.finished:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.05)
        return []


@in_virtual_time
async def test_a_source_that_ignores_cancellation_costs_its_deadline_and_no_more():
    """API-28"""
    deaf = Deaf("deaf")
    searcher = Searcher([deaf, Source("b")], deadline_s=0.1, patience_s=0.05)
    started = asyncio.get_running_loop().time()
    report = await searcher.report(strategy())
    deaf.finished = True
    assert asyncio.get_running_loop().time() - started == pytest.approx(0.15)
    assert ids(report.papers) == ["b-1"]
    assert [source.status for source in report.sources] == [
        models.SourceStatus.TIMEOUT,
        models.SourceStatus.OK,
    ]
    await asyncio.sleep(0.1)


class Plain(Source):
    """Written without a thought of asyncio; waits for another source to be asked."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.other_was_asked = threading.Event()

    def search_advanced(self, strategy: models.SearchStrategy) -> Any:  # type: ignore[override]  # on purpose
        assert strategy.queries
        assert self.other_was_asked.wait(240)
        return self.answer


class Signalling(Source):
    def __init__(self, name: str, signal: threading.Event) -> None:
        super().__init__(name)
        self.signal = signal

    async def search_advanced(self, strategy: models.SearchStrategy) -> Any:
        self.signal.set()
        return await super().search_advanced(strategy)


async def test_a_source_that_is_not_asynchronous_does_not_hold_up_the_others():
    """API-28"""
    plain = Plain("plain")
    searcher = Searcher([plain, Signalling("b", plain.other_was_asked)])
    assert ids(await searcher.search(strategy())) == ["plain-1", "b-1"]


class Blocking(Source):
    """Says that it is asynchronous, and is not; stops when something was logged."""

    def __init__(self, name: str, log: pytest.LogCaptureFixture) -> None:
        super().__init__(name)
        self.log = log

    async def search_advanced(self, strategy: models.SearchStrategy) -> Any:
        assert strategy.queries
        while not self.log.messages:
            time.sleep(0.05)  # noqa: ASYNC251  # the fault that is injected
        return self.answer


async def test_a_source_that_blocks_the_loop_is_named(caplog):
    """API-28"""
    report = await Searcher([Source("a"), Blocking("bad", caplog)], stall_s=0.5).report(strategy())
    assert "source bad blocks the program" in caplog.text
    assert [source.note is not None for source in report.sources] == [False, True]
    assert "blocked the program for" in str(report.sources[1].note)


async def test_an_unknown_source_is_a_line_that_names_the_known_ones():
    report = await Searcher([Source("a"), Source("b")]).report(strategy("nowhere", "b"))
    assert ids(report.papers) == ["b-1"]
    assert [source.source for source in report.sources] == ["b", "nowhere"]
    assert report.sources[1].status.is_failure
    assert "known sources: a, b" in str(report.sources[1].error)


async def test_a_strategy_of_500_queries_is_capped_and_says_so():
    source = Source("a")
    queries = tuple(f"q{number}" for number in range(500))
    report = await Searcher([source]).report(strategy(queries=queries))
    assert [query.boolean_query for query in source.asked[0].queries] == list(queries[:50])
    assert "only the first 50 of 500 queries" in str(report.sources[0].note)
    said = Searcher([FakeSource("one", [])]).translations(strategy("one", queries=queries))
    assert [message.query for message in said] == list(queries[:50])


@pytest.mark.parametrize(
    ("delays", "options", "unfinished"),
    [
        ({**dict.fromkeys("abcd", 0.2), "e": 0.3}, {}, []),
        ({**dict.fromkeys("abcd", 0.2), "e": 0.5}, {}, ["e"]),  # as long again as the others took
        ({"a": 0, "b": 0, "c": 0.3}, {}, []),  # each of few is waited for
        ({**dict.fromkeys("abcd", 0), "e": 30, "f": 90}, {"is_waiting": True}, ["f"]),
    ],
)
@in_virtual_time
async def test_how_long_a_source_behind_the_others_is_waited_for(delays, options, unfinished):
    sources = [Source(name, delay_s=delay) for name, delay in delays.items()]
    report = await Searcher(sources, straggler_s=0.01).report(strategy(), **options)
    assert [entry.source for entry in report.sources if entry.is_unfinished] == unfinished
    assert len(report.papers) == len(delays) - len(unfinished)


class Salvaging(Source):
    """Gives what it has when it is ended."""

    async def search_advanced(self, strategy: models.SearchStrategy) -> Any:
        with contextlib.suppress(asyncio.CancelledError):
            await super().search_advanced(strategy)
        return self.answer


@in_virtual_time
async def test_a_source_that_was_ended_is_unfinished_whatever_it_says_itself():
    report = await Searcher([Salvaging("a", delay_s=30)], deadline_s=0.1).report(strategy())
    assert ids(report.papers) == ["a-1"]
    assert [(entry.kept, entry.is_unfinished) for entry in report.sources] == [(1, True)]


class Turning(Adapter):
    """A service of three pages; the third does not come."""

    name = "turning"
    title = "Turning"
    interval_s = 0.0
    page_size = 2

    def translate(self, tree: Node, filters: models.SearchConstraints) -> Translated:
        return Translated(f"{render(tree)}{filters.language or ''}")

    def first(self, query: Translated, filters: models.SearchConstraints, wanted: int) -> Request:
        del filters, wanted
        return Request("https://turning.example/", {"q": query.text, "page": 1})

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        page = int(request.params["page"])
        entries = answer.json()
        papers = [paper(f"{page}-{entry}") for entry in entries]
        return Page(papers, next=request.turned(page=page + 1))


async def two_pages(request: httpx.Request) -> httpx.Response:
    if request.url.params["page"] == "3":
        await asyncio.sleep(30)
    return httpx.Response(200, json=["a", "b"])


@pytest.mark.parametrize("limits", [{"deadline_s": 0.5}, {"straggler_s": 0.1}])
@in_virtual_time
async def test_what_a_source_has_read_is_kept_when_it_is_not_waited_for(limits):
    async with httpx.AsyncClient(transport=httpx.MockTransport(two_pages)) as client:
        slow = HttpSource(Turning(), client=client)
        searcher = Searcher([*map(Source, "abcd"), slow], **limits)
        report = await searcher.report(strategy(queries=("graph", "tree")))
    assert ids(report.papers)[4:] == ["1-a", "1-b", "2-a", "2-b"]
    first, second = report.sources[-2:]
    assert (first.status, first.kept) == (models.SourceStatus.PARTIAL, 4)
    assert second.status is models.SourceStatus.TIMEOUT
    assert first.is_unfinished
    assert second.is_unfinished


def test_what_each_source_will_be_sent_stands_under_the_query_of_the_strategy():
    long = " OR ".join(f"protein{number}" for number in range(1_000))
    fakes = [FakeSource("one", []), FakeSource("two", [])]
    asked = strategy("two", "none", "one", queries=("q", long))
    said = Searcher(fakes).translations(asked)
    assert [(message.source, message.query) for message in said] == [
        ("two", "q"),
        ("two", long),
        ("none", ""),
        ("one", "q"),
        ("one", long),
    ]
    assert [bool(message.error) for message in said] == [False, False, True, False, False]
    assert said[1].texts == [long]
    assert said[0].texts == ["q"]


async def test_the_answers_of_a_source_that_knows_no_conditions_are_checked_for_them():
    titles = ["Wild bees", "Honey bees", "Bee keeping and mites"]
    papers = [
        models.RawPaper(id=title, title=title, abstract="-", source="theirs") for title in titles
    ]
    conditions = ["NOT honey", "bees OR mites"]
    strategy = fake_strategy("bees", sources=["theirs"], conditions=conditions)
    report = await Searcher([FakeSource("theirs", papers)]).report(strategy)
    assert [paper.title for paper in report.papers] == ["Wild bees", "Bee keeping and mites"]
    assert (report.sources[0].kept, report.sources[0].excluded) == (2, 1)
