"""The SerpApi source: paging, failures, and a key that nobody sees."""

import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.http.answers import Answers
from tests.sources.cards import strategy

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import SearchSourceError
from paper_search.models import SourceStatus
from paper_search.sources import NonRetryableError, ReportingSource, RetryableError
from paper_search.sources.serpapi_scholar import USUAL_CALLS, ScholarAdapter, SerpAPIScholarSource
from paper_search.testing.sources import SourceContract, check_source

KEY = "CANARY-serpapi-key"
NOTHING = {
    "search_metadata": {"status": "Success"},
    "search_information": {"organic_results_state": "Fully empty"},
    "error": "Google hasn't returned any results for this query.",
}


def entry(number: int, year: int = 2019) -> dict[str, Any]:
    return {
        "title": f"Paper {number}",
        "result_id": f"id{number}",
        "publication_info": {"summary": f"A Author - Venue, {year} - x.org"},
    }


def page(*entries: Any, total: int = 1000, is_last: bool = False) -> httpx.Response:
    body = {"search_information": {"total_results": total}, "organic_results": list(entries)}
    there = {} if is_last else {"serpapi_pagination": {"next": "https://serpapi.com/search.json"}}
    return httpx.Response(200, json={**body, **there})


answer = httpx.Response
LATER, NEVER = RetryableError, NonRetryableError


def make(
    scholar: Callable[[httpx.Request], httpx.Response], max_calls: int | None = None
) -> SerpAPIScholarSource:
    """Return the source, which waits for nothing."""

    async def sleep(seconds: float) -> None:
        del seconds

    client = httpx.AsyncClient(transport=httpx.MockTransport(scholar))
    return SerpAPIScholarSource(
        KEY, rate_limit_rps=0, client=client, sleep=sleep, max_calls=max_calls
    )


@pytest.mark.parametrize(
    ("answer", "error", "status", "attempts"),
    [
        (answer(429), LATER, SourceStatus.RATE_LIMITED, 2),
        (
            answer(429, json={"error": "Your account has run out of searches."}),
            LATER,
            SourceStatus.EXHAUSTED,
            2,
        ),
        (answer(500), LATER, SourceStatus.BAD_RESPONSE, 4),
        (httpx.ReadTimeout("slow"), LATER, SourceStatus.TIMEOUT, 4),
        (httpx.ConnectError("no route"), LATER, SourceStatus.UNREACHABLE, 4),
        (answer(401, json={"error": "Invalid API key."}), NEVER, SourceStatus.UNAUTHORISED, 1),
        (answer(400, json={"error": "Missing query `q`."}), NEVER, SourceStatus.BAD_RESPONSE, 1),
        (
            answer(200, json={"error": "Your account credit is too low"}),
            NEVER,
            SourceStatus.EXHAUSTED,
            1,
        ),
        (answer(200, json={"error": f"Bad {KEY}"}), NEVER, SourceStatus.BAD_RESPONSE, 1),
        (answer(200, json=[1, 2]), NEVER, SourceStatus.BAD_RESPONSE, 1),
    ],
)
async def test_a_failure_has_its_class_and_its_status(caplog, answer, error, status, attempts):
    """API-01, API-05, API-06, API-11, API-25"""
    scholar = Answers(answer)
    source = make(scholar)
    with caplog.at_level(logging.DEBUG), pytest.raises(error) as caught:
        await source.search("graph")
    assert type(caught.value) is error
    assert isinstance(caught.value, SearchSourceError)
    # Where nothing can be connected to, the time that it waits may leave one attempt out.
    fewest = attempts - (status is SourceStatus.UNREACHABLE)
    assert fewest <= len(scholar.asked) <= attempts
    [entry_] = (await source.report(strategy("graph"))).sources
    assert (entry_.status, entry_.kept) == (status, 0)
    assert fewest <= entry_.attempts <= attempts
    assert ("see what is left at" in str(entry_.error)) == (
        status is SourceStatus.EXHAUSTED and error is LATER
    )
    for text in (str(caught.value), repr(caught.value), repr(source), entry_.model_dump_json()):
        assert KEY not in text
    assert KEY not in caplog.text


async def test_an_error_on_a_later_page_keeps_what_was_collected():
    scholar = Answers(page(*map(entry, range(20))), httpx.Response(401))
    source = make(scholar)
    assert len(await source.search("graph", max_results=40)) == 20
    scholar.asked.clear()
    report = await source.report(strategy("graph", max_results=40))
    assert len(report.papers) == 20
    assert report.sources[0].status is SourceStatus.PARTIAL
    assert "SERPAPI_API_KEY" in (report.sources[0].error or "")


@pytest.mark.parametrize(
    ("paging", "requests", "papers"),
    [({}, 3, 3), ({"serpapi_pagination": {"current": 1}}, 1, 2)],
)
async def test_a_short_page_is_followed_unless_it_says_that_it_is_the_last(
    paging, requests, papers
):
    pages = ({"organic_results": [entry(n) for n in numbers]} for numbers in ([1, 2], [3], []))
    scholar = Answers(*(answer(200, json=page | paging) for page in pages))
    found = await make(scholar).search("graph", max_results=100)
    assert (len(scholar.asked), len(found)) == (requests, papers)


@pytest.mark.parametrize(
    "body",
    [
        {"organic_results": None},
        {"organic_results": {"a": 1}},
        {"organic_results": "none"},
        {"organic_results": [None, 5, "x", []]},
        {"search_information": [], "organic_results": []},
        {"search_information": {"total_results": "many"}},
    ],
)
async def test_an_answer_of_another_shape_is_empty(body):
    """API-13"""
    assert await make(Answers(httpx.Response(200, json=body), page())).search("graph") == []


async def test_max_calls_counts_every_attempt():
    scholar = Answers(httpx.Response(500))
    source = make(scholar, max_calls=2)
    with pytest.raises(RetryableError):
        await source.search("graph")
    assert len(scholar.asked) == 2
    [said] = (await source.report(strategy("graph"))).sources
    assert (said.status, len(scholar.asked)) == (SourceStatus.EXHAUSTED, 2)


async def test_max_calls_of_zero_sends_nothing():
    scholar = Answers(page(entry(1)))
    assert await make(scholar, max_calls=0).search("graph") == []
    assert scholar.asked == []


@pytest.mark.parametrize(("calls", "expected"), [(None, USUAL_CALLS), (3, 3), (0, 0)])
def test_the_factory_makes_a_source_from_its_settings(calls, expected):
    settings = SearchSourceConfig(name="scholar", api_key=KEY, rate_limit=4.0, max_calls=calls)
    source = ScholarAdapter.source(AppConfig(), settings)
    assert isinstance(source, ReportingSource)
    assert source.source_name == "serpapi_scholar"
    assert KEY not in repr(source) + str(source)
    assert (source.settings.interval_s, source.settings.max_calls) == (0.25, expected)


def test_its_own_arguments_are_settings():
    made = SerpAPIScholarSource(KEY, timeout_s=3.0, max_retries=1, max_calls=7).settings
    assert (made.interval_s, made.timeout_s, made.max_retries, made.max_calls) == (0.5, 3.0, 1, 7)


@pytest.mark.parametrize(("limit", "num"), [(7, "7"), (50, "20")])
async def test_a_request_has_the_limits_in_the_words_of_the_service(limit, num):
    scholar = Answers(page(is_last=True))
    limits = {"max_results": limit, "year_from": 2010, "year_to": 2012, "language": "de"}
    await make(scholar).search("graph", **limits)
    years = {"as_ylo": "2010", "as_yhi": "2012"}
    base = {"engine": "google_scholar", "q": "graph", "start": "0", "api_key": KEY}
    assert dict(scholar.asked[0].url.params) == base | years | {"num": num, "lr": "lang_de"}


async def test_it_keeps_the_contract_of_sources():
    def scholar(request: httpx.Request) -> httpx.Response:
        years = (
            int(request.url.params.get("as_ylo", 2000)),
            int(request.url.params.get("as_yhi", 2030)),
        )
        start = int(request.url.params["start"])
        if "zzz" in request.url.params["q"]:
            return httpx.Response(200, json=NOTHING)
        known = [entry(number, 2015 + number % 3) for number in range(30)]
        kept = [item for n, item in enumerate(known) if years[0] <= 2015 + n % 3 <= years[1]]
        return page(*kept[start : start + int(request.url.params["num"])])

    contract = SourceContract(query="graph", nothing="zzz", year=2016, secrets=[KEY])
    await check_source(make(scholar), contract)
