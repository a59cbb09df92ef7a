"""What all web services share: the remainder, what cannot be read, the cache, and the contract."""

import asyncio
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.sources.cards import KEY, URL, Cards, source_of, strategy
from tests.virtual_time import Clock

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import ConfigError
from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpCallLimitError, utc_now
from paper_search.http.limits import process_limiter
from paper_search.http.network import limits_scope
from paper_search.models import Purpose, RawPaper, SearchConstraints, SourceReport, SourceStatus
from paper_search.sources.adapter import Adapter, Page, Request
from paper_search.sources.arxiv import Arxiv
from paper_search.sources.base import journal
from paper_search.sources.client import SourceSettings, explain_failure
from paper_search.sources.core_works import Core
from paper_search.sources.crossref import Crossref
from paper_search.sources.datacite import Datacite
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.openalex import OpenAlex
from paper_search.sources.pubmed import Pubmed
from paper_search.sources.semantic_scholar import SemanticScholar

CARDS = [
    {"id": 1, "title": "Deep graphs", "abstract": "A survey of them."},
    {"id": 2, "title": "Deep graphs of glass", "abstract": "We build one."},
    {"id": 3, "title": "A survey of graphs"},
    {"id": 4, "title": "Graphs without an abstract"},
]


class Catalogue:
    """Answers with the same cards, and keeps what it was asked."""

    def __init__(self, cards: list[dict[str, Any]]) -> None:
        self.cards = cards
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return httpx.Response(200, json={"papers": self.cards, "total": len(self.cards)})


class Keyed(Cards):
    needs_key = True


def endless(request: httpx.Request) -> httpx.Response:
    """Answer with one of 70 cards, and lead to the next."""
    page = int(request.url.params.get("page", 1))
    cards = [{"id": page, "title": "Of graphs"}]
    return httpx.Response(200, json={"papers": cards, "total": 70, "next": page + 1})


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue(CARDS)


async def test_records_are_read_and_checked_in_a_thread_so_that_other_sources_go_on(catalogue):
    threads: set[int] = set()

    class Watched(RawPaper):
        def __getattribute__(self, name: str) -> Any:
            if name == "abstract":
                threads.add(threading.get_ident())
            return super().__getattribute__(name)

    class Watching(Cards):
        def read(self, answer: HttpAnswer, request: Request) -> Page:
            page = super().read(answer, request)
            return replace(page, papers=[Watched(**paper.__dict__) for paper in page.papers])

    report = await source_of(catalogue, Watching(URL)).report(strategy("graphs NOT survey"))
    assert len(report.papers) == 2
    assert threads
    assert threading.get_ident() not in threads


async def test_a_stored_answer_bears_the_time_at_which_its_request_was_sent(catalogue, tmp_path):
    settings = SourceSettings(cache_path=tmp_path / "http.db")
    source = source_of(catalogue, Cards(URL), settings)
    before = utc_now().isoformat()
    [sent] = (await source.report(strategy("graphs"))).sources
    after = utc_now().isoformat()
    [stored] = (await source.report(strategy("graphs"))).sources
    assert before <= (sent.asked_at or "") <= after
    assert before <= (stored.asked_at or "") <= after
    assert (sent.requests[0].is_stored, stored.requests[0].is_stored) == (False, True)


async def test_what_was_not_sent_bears_no_time():
    def broken(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody there")

    source = source_of(broken, Cards(URL), SourceSettings(max_retries=0))
    first, *others = (await source.report(strategy("graphs", "glass"))).sources
    assert first.asked_at
    assert [(row.asked_at, row.requests) for row in others] == [("", [])]
    forbidden = source_of(broken, Cards(URL), SourceSettings(max_calls=0))
    [row] = (await forbidden.report(strategy("graphs", "glass"))).sources
    assert (row.asked_at, row.is_asked) == ("", False)
    with pytest.raises(ServiceError, match="not asked: max_calls is 0"):
        await forbidden.count("graphs", SearchConstraints())


def page_of_arxiv(request: httpx.Request, holes: list[int]) -> httpx.Response:
    """Answer with a page of 150 preprints; an empty one where one of the holes is."""
    start = int(request.url.params["start"])
    end = min(150, start + int(request.url.params["max_results"]))
    entry = "<entry><id>http://arxiv.org/abs/2601.{:05}v1</id><title>Deep graphs</title></entry>"
    is_hole = start in holes
    if is_hole:
        holes.remove(start)
    entries = "" if is_hole else "".join(entry.format(number) for number in range(start, end))
    total = "<totalResults>150</totalResults>"
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom">{total}{entries}</feed>'
    return httpx.Response(200, text=feed, headers={"content-type": "application/atom+xml"})


@pytest.mark.parametrize(
    ("holes", "kept", "requests"),
    [([], 150, 2), ([0], 150, 3), ([100], 150, 3), ([100] * 2, 100, 3)],
)
async def test_an_empty_page_in_the_middle_is_asked_for_once_more(holes, kept, requests):
    left = [*holes]
    source = source_of(lambda request: page_of_arxiv(request, left), Arxiv())
    [said] = (await source.report(strategy("graphs", max_results=150))).sources
    assert (said.kept, len(said.requests)) == (kept, requests)
    assert ("returned 100 of 150: the service stopped" in str(said.note)) is (kept < 150)


async def test_an_answer_that_lacks_something_is_not_kept(tmp_path):
    """Nor does it make a repeated search ask for what came whole."""
    holes, settings = [100] * 2, SourceSettings(cache_path=tmp_path / "http.db")
    source = source_of(lambda request: page_of_arxiv(request, holes), Arxiv(), settings)
    entries = [
        (await source.report(strategy("graphs", max_results=150))).sources[0] for _ in range(3)
    ]
    assert [entry.kept for entry in entries] == [100, 150, 150]
    stored = [[request.is_stored for request in entry.requests] for entry in entries]
    assert stored == [[False, False, False], [True, False], [True, True]]


async def test_a_source_that_is_left_alone_leaves_a_row_of_what_was_sent():
    arrival = asyncio.Event()

    async def never(_: httpx.Request) -> httpx.Response:
        arrival.set()
        await asyncio.sleep(60)
        return httpx.Response(200)

    source = source_of(never)
    with journal() as rows:
        counting = asyncio.ensure_future(source.count("graphs", SearchConstraints()))
        await arrival.wait()
        counting.cancel()
        await asyncio.wait({counting})
    [row] = [read() for read in rows]
    assert (row.purpose, row.status, row.query) == (Purpose.COUNT, SourceStatus.TIMEOUT, "graphs")
    assert row.attempts == 1


async def test_a_count_is_empty_only_without_hits():
    totals = {"moss": 21, "peat": 0}

    def service(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"papers": [], "total": totals[request.url.params["q"]]})

    with journal() as rows:
        for word in totals:
            await source_of(service).count(word, SearchConstraints())
    read = [row() for row in rows]
    assert [(row.hits, row.status.value) for row in read] == [(21, "ok"), (0, "empty")]


async def test_a_count_turns_no_page_and_asks_for_the_smallest_without_a_cache():
    sizes: list[int] = []

    class Sized(Cards):
        def first(self, query: Any, filters: Any, wanted: int) -> Any:
            sizes.append(wanted)
            return super().first(query, filters, wanted)

    counted = await source_of(endless, Sized(URL)).count("graphs", SearchConstraints())
    assert (counted.hits, len(counted.papers), sizes[-1]) == (70, 1, 1)


async def test_a_count_of_a_broader_query_says_so_and_a_failure_is_raised(catalogue):
    counted = await source_of(catalogue).count("graphs NOT survey", SearchConstraints())
    assert (counted.hits, counted.is_at_most) == (4, True)
    with pytest.raises(ServiceError, match="expected"):
        await source_of(catalogue).count("( )", SearchConstraints())


async def test_a_service_that_needs_a_key_is_not_asked_for_a_count(catalogue):
    assert await source_of(catalogue, Keyed(URL)).count("graphs", SearchConstraints()) is None
    assert catalogue.asked == []


async def test_an_error_in_disguise_is_not_kept_in_the_cache(tmp_path):
    answers = [{"error": "out of order"}, {"papers": CARDS}]
    settings = SourceSettings(cache_path=tmp_path / "http.db")
    source = source_of(lambda _: httpx.Response(200, json=answers.pop(0)), Cards(URL), settings)
    with pytest.raises(ServiceError, match="out of order"):
        await source.search("graphs")
    assert len(await source.search("graphs")) == 4


async def test_the_rate_of_the_service_is_kept_unless_the_person_sets_another():
    clock = Clock()
    adapter = Cards("https://slow.example/")
    adapter.interval_s = 3.0
    for interval, host in ((None, "slow"), (0.5, "fast")):
        adapter.url = f"https://{host}.example/"
        settings = SourceSettings(interval_s=interval)
        source = source_of(endless, adapter, settings, sleep=clock.sleep, clock=clock)
        await source.search("graphs", max_results=3)
    # The turns are those of the whole process, whose clock stands nearly still here.
    slow, fast = clock.waits[:2], clock.waits[2:]
    assert 4.0 < slow[1] <= 6.0
    assert 0.0 < fast[1] <= 1.0


@pytest.mark.parametrize(
    ("service", "allowed"),
    [
        (Crossref, (1, 1, 3)),
        (OpenAlex, (1, 5, 1)),
        (Pubmed, (3, 10, 3)),
        (Datacite, (500 / 300, 500 / 300, 1000 / 300)),
    ],
)
def test_a_key_or_an_address_brings_the_pace_that_the_service_allows_it(service, allowed):
    """Requests in a second: anonymous, with a key, with an address."""
    paces = (service(), service("key"), service(contact="me@x.org"))
    for adapter, per_s in zip(paces, allowed, strict=True):
        assert 0.9 * per_s <= 1 / adapter.interval_s <= per_s


def test_settings_become_limits_of_the_source(tmp_path):
    config = AppConfig(home=tmp_path, contact="me@x.org", source_deadline_s=7.0)
    settings = SearchSourceConfig(name="cards", rate_limit=4.0, max_calls=3)
    made = open_source(Cards(URL), config, settings).settings
    assert made == SourceSettings(
        interval_s=0.25,
        max_calls=3,
        deadline_s=7.0,
        contact="me@x.org",
        cache_path=tmp_path / "cache" / "http.db",
        limits_path=tmp_path / "cache" / "limits.db",
    )
    unset = open_source(Cards(URL), config, SearchSourceConfig(name="cards")).settings
    assert unset.interval_s is None


def test_a_source_that_needs_a_key_says_which_and_where():
    with pytest.raises(ConfigError, match=r"set CARDS_API_KEY, see https://cards\."):
        open_source(Keyed(URL, key=""), AppConfig(), SearchSourceConfig(name="cards"))


async def test_without_its_key_nothing_is_sent(catalogue):
    source = source_of(catalogue, Keyed(URL, key=""))
    [said] = (await source.report(strategy("graphs"))).sources
    assert said.status is SourceStatus.UNAUTHORISED
    assert "CARDS_API_KEY" in str(said.error)
    assert catalogue.asked == []


async def report_of_refusals(tmp_path: Path, answer: httpx.Response, key: str) -> SourceReport:
    """Return what a search of three queries is told, the second in a row."""
    asked: list[httpx.Request] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer

    settings = SourceSettings(limits_path=tmp_path / "limits.db")
    clock = Clock()

    def source() -> HttpSource:
        adapter = Cards(URL, key=key)
        return source_of(refuse, adapter, settings, clock=clock, sleep=clock.sleep)

    first = await source().report(strategy("graphs", "trees", "sand"))
    sent = len(asked)
    [again] = (await source().report(strategy("graphs"))).sources
    assert [report.status.is_failure for report in first.sources] == [True] * 3
    assert sent == (1 if "retry-after" in answer.headers else 2)
    assert len(asked) == sent
    assert again.attempts == 0
    return again


async def test_a_refusal_ends_the_search_of_a_service_and_of_the_next_run(tmp_path):
    said = await report_of_refusals(tmp_path, httpx.Response(429, text="Add funds"), key="")
    assert said.status is SourceStatus.RATE_LIMITED
    assert re.fullmatch(
        r"Card catalogue recently refused requests and is not asked again before "
        r"\d{4}-\d\d-\d\d \d\d:\d\d UTC; "
        r"set CARDS_API_KEY to a free key from https://cards\.example/keys",
        str(said.error),
    )


def test_a_limit_of_calls_is_named_by_the_variable_that_sets_it():
    for adapter, variable in ((Pubmed(), "PUBMED_MAX_CALLS"), (Cards(URL), "CARDS_MAX_CALLS")):
        failure = explain_failure(HttpCallLimitError(""), adapter, patience_s=1.0)
        assert str(failure).endswith(f"is reached ({variable})")


async def test_whoever_has_a_key_is_told_no_other_help(tmp_path):
    answer = httpx.Response(429, headers={"retry-after": "36000"})
    said = await report_of_refusals(tmp_path, answer, key=KEY)
    assert said.status is SourceStatus.EXHAUSTED
    assert "CARDS_API_KEY" not in str(said.error)


@pytest.mark.parametrize("left_s", ["86400", "300"])
async def test_a_spent_budget_is_spent_for_the_next_run_too_however_soon_renewed(tmp_path, left_s):
    answer = httpx.Response(
        429, headers={"retry-after": left_s}, json={"message": "Insufficient budget."}
    )
    settings = SourceSettings(limits_path=tmp_path / "limits.db")
    reports = [
        (await source_of(lambda _: answer, OpenAlex(), settings).report(strategy("graphs")))
        for _ in range(2)
    ]
    said = [source for report in reports for source in report.sources]
    assert [report.status for report in said] == [SourceStatus.EXHAUSTED] * 2
    assert [report.attempts for report in said] == [1, 0]


async def test_a_refusal_with_the_status_of_success_is_remembered_too(tmp_path):
    class Cross(Cards):
        def read(self, answer: HttpAnswer, request: Request) -> Page:
            raise ServiceError(f"{answer.status} {request.url}", status=SourceStatus.RATE_LIMITED)

    settings = SourceSettings(limits_path=tmp_path / "limits.db")
    source = source_of(lambda _: httpx.Response(200, json={}), Cross(URL), settings)
    first = await source.report(strategy("graphs", "trees"))
    again = await source.report(strategy("graphs"))
    assert [report.attempts for report in (*first.sources, *again.sources)] == [1, 0, 0]
    known = process_limiter(tmp_path / "limits.db").refusal(limits_scope(httpx.URL(URL), [KEY]))
    assert known.reason == "it said so in an answer"


async def test_one_query_that_fails_is_no_failure_of_those_that_find_nothing(catalogue):
    catalogue.cards = []
    source = source_of(catalogue)
    assert await source.search_advanced(strategy("graphs", "( )")) == []
    with pytest.raises(ServiceError, match="expected"):
        await source.search_advanced(strategy("( )"))


async def test_what_is_left_of_a_budget_stands_in_the_report():
    headers = {
        "x-ratelimit-limit": "1000",
        "x-ratelimit-remaining": "990",
        "x-ratelimit-reset": "7200",
    }
    answer = httpx.Response(200, headers=headers, json={"papers": CARDS, "total": 4})
    [said] = (await source_of(lambda _: answer).report(strategy("graphs"))).sources
    assert re.search(r"990 of 1,000 left until \d{4}-\d\d-\d\d \d\d:\d\d UTC", str(said.note))


async def test_records_that_state_no_language_stay_and_are_counted():
    works = [
        {"id": f"10.5000/{number}", "attributes": {"titles": [{"title": "Graphs"}], **stated}}
        for number, stated in enumerate([{"language": "de"}, {"language": "en"}, {}, {}])
    ]
    answer = httpx.Response(200, json={"data": works, "meta": {"total": 4}})
    source = source_of(lambda _: answer, Datacite())
    [said] = (await source.report(strategy("graphs", language="en"))).sources
    assert (said.kept, said.excluded) == (3, 1)
    assert "2 state no language and were kept" in str(said.note)


async def told(answer: httpx.Response, adapter: Adapter | None = None, **limits: Any) -> Any:
    """Return the one entry of the report on a search that gets this answer."""
    source = source_of(lambda _: answer, adapter or Cards(URL), SourceSettings(max_retries=0))
    [said] = (await source.report(strategy("graphs", **limits))).sources
    return said


async def test_a_service_that_stops_early_says_how_much_is_missing():
    said = await told(httpx.Response(200, json={"papers": CARDS, "total": 500}))
    assert "returned 4 of 500: the service stopped" in str(said.note)
    whole = await told(httpx.Response(200, json={"papers": CARDS, "total": 4}))
    assert "stopped" not in str(whole.note)


@pytest.mark.parametrize(("hits", "most", "is_said"), [(9, 9, True), (9, 2, False), (2, 9, False)])
async def test_a_service_that_gives_no_more_than_it_does_says_so(hits, most, is_said):
    few = Cards(URL)
    few.most_results = 3
    answer = httpx.Response(200, json={"papers": CARDS[:hits], "total": hits})
    said = await told(answer, few, max_results=most)
    assert ("returns at most 3 records per query" in str(said.note)) is is_said
    assert said.kept == min(hits, most, 3)


async def test_an_estimate_of_all_does_not_end_a_bulk_search():
    def answer(request: httpx.Request) -> httpx.Response:
        start, token = (2, None) if "token" in request.url.params else (0, "T")
        papers = [{"paperId": str(start + n), "title": "Graphs"} for n in range(2)]
        return httpx.Response(200, json={"total": 1, "data": papers, "token": token})

    [said] = (await source_of(answer, SemanticScholar()).report(strategy("graphs"))).sources
    assert (said.kept, said.hits, said.pages) == (4, 1, 2)


async def test_a_search_that_ran_out_of_time_says_that_there_may_be_more():
    works = [{"id": "https://openalex.org/W1", "title": "Graphs"}]
    body = {"meta": {"count": 1, "timed_out": True}, "results": works}
    said = await told(httpx.Response(200, json=body), OpenAlex())
    assert (said.kept, "may have more" in str(said.note)) == (1, True)


async def test_a_slow_service_is_waited_for_longer_than_the_others():
    limits: dict[str, float] = {}

    def answer(request: httpx.Request) -> httpx.Response:
        limits[request.url.host] = request.extensions["timeout"]["read"]
        return httpx.Response(503)

    for adapter in (Core(), Datacite()):
        await source_of(answer, adapter, SourceSettings(max_retries=0)).report(strategy("graphs"))
    assert limits == {"api.core.ac.uk": 50.0, "api.datacite.org": 20.0}


async def test_too_broad_a_query_is_no_used_up_budget():
    body = {"reason": "broad_boolean_query", "creditsRequired": 10}
    said = await told(httpx.Response(429, json=body, headers={"retry-after": "1"}), OpenAlex())
    assert said.status is SourceStatus.RATE_LIMITED
