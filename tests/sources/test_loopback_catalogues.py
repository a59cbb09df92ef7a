"""OpenAlex, Crossref, Semantic Scholar, DOAJ and DataCite, asked over loopback."""

import logging
import re
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.sources.catalogues import SERVICES
from tests.sources.loopback import FIRST_YEAR, KEY, SHELF, TITLED, Loopback

from paper_search.models import SearchConstraints, SearchQuery, SearchStrategy, SourceStatus
from paper_search.query import parse
from paper_search.sources.client import SourceSettings
from paper_search.sources.crossref import Crossref
from paper_search.sources.http_source import HttpSource
from paper_search.testing.sources import SourceContract, check_source

NO_WAITING = SourceSettings(interval_s=0, max_retries=0)
KEYED = ["openalex", "semantic_scholar"]


@pytest.fixture(autouse=True)
def _quiet_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test server logs what it is asked; that is not our doing."""
    monkeypatch.setattr(logging.getLogger("werkzeug"), "disabled", True)


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest, httpserver: HTTPServer) -> Loopback:
    return SERVICES[request.param](httpserver)


def source_of(service: Loopback) -> HttpSource:
    return HttpSource(service.adapter, NO_WAITING)


def strategy(query: str = "learning", **filters: int | str) -> SearchStrategy:
    return SearchStrategy(
        queries=[SearchQuery(keywords=[], boolean_query=query)],
        sources=[],
        filters=SearchConstraints.model_validate(filters),
    )


async def test_it_keeps_the_contract_of_sources(service: Loopback) -> None:
    contract = SourceContract(
        query="learning", nothing="zzznothing", year=FIRST_YEAR + 3, secrets=[KEY]
    )
    await check_source(source_of(service), contract)


async def test_all_pages_are_turned_and_what_has_no_title_is_counted(service: Loopback) -> None:
    answer = await source_of(service).report(strategy())
    [entry] = answer.sources
    assert [paper.title for paper in answer.papers] == [book.title for book in TITLED]
    assert (entry.status, entry.kept, entry.hits) == (SourceStatus.OK, len(TITLED), len(SHELF))
    assert entry.dropped == len(SHELF) - len(TITLED)
    assert (entry.pages or 0) > 2


async def test_no_more_is_asked_for_than_is_wanted(service: Loopback) -> None:
    answer = await source_of(service).report(strategy(max_results=4))
    assert (len(answer.papers), answer.sources[0].pages) == (4, 1)


async def test_the_end_is_not_asked_for_where_a_page_holds_all_that_there_is(
    service: Loopback,
) -> None:
    year = FIRST_YEAR + 3
    answer = await source_of(service).report(strategy(year_from=year, year_to=year))
    assert answer.sources[0].kept == sum(book.year == year for book in TITLED)
    assert answer.sources[0].pages == 1


async def test_years_are_kept_to(service: Loopback) -> None:
    wanted = strategy(year_from=FIRST_YEAR + 2, year_to=FIRST_YEAR + 4)
    answer = await source_of(service).report(wanted)
    expected = [b.title for b in TITLED if FIRST_YEAR + 2 <= b.year <= FIRST_YEAR + 4]
    assert [paper.title for paper in answer.papers] == expected


async def test_every_record_says_where_it_was_seen(service: Loopback) -> None:
    answer = await source_of(service).report(strategy())
    [entry] = answer.sources
    for place, paper in enumerate(answer.papers, start=1):
        [sighting] = paper.sightings
        assert (sighting.source, sighting.query, sighting.rank) == (
            service.adapter.name,
            entry.query,
            place,
        )
        assert sighting.seen_at


@pytest.mark.parametrize("name", SERVICES)
async def test_a_key_is_sent_in_a_header_to_who_wants_one(
    name: str, httpserver: HTTPServer
) -> None:
    service = SERVICES[name](httpserver)
    await source_of(service).search("learning", max_results=2)
    [asked] = service.asked
    assert any(KEY in value for value in asked.pop("headers").values()) is (name in KEYED)
    assert KEY not in str(asked)


@pytest.mark.parametrize(
    ("contact", "is_sent"), [("jane@x.org", True), ("jane.Abbott@x.org", False)]
)
async def test_an_address_goes_along_where_it_is_not_refused(
    httpserver: HTTPServer, contact: str, *, is_sent: bool
) -> None:
    settings = SourceSettings(interval_s=0.0, contact=contact)
    service = SERVICES["doaj"](httpserver)
    await HttpSource(service.adapter, settings).search("learning", max_results=1)
    [asked] = service.asked
    assert (contact in asked["headers"]["User-Agent"]) == is_sent


async def test_crossref_is_told_the_address_in_the_query_too(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/works").respond_with_json({"message": {"items": []}})
    adapter = Crossref(contact="me@x.org", endpoint=httpserver.url_for("/works"))
    await HttpSource(adapter, SourceSettings(interval_s=0.0)).search("learning")
    request, _ = httpserver.log[-1]
    assert request.args["mailto"] == "me@x.org"


async def test_a_language_is_a_filter_or_is_checked_on_our_side(service: Loopback) -> None:
    await source_of(service).report(strategy(language="German"))
    said = str([{**request, "headers": None} for request in service.asked])
    wanted = {
        "openalex": "language:de",
        "doaj": "bibjson.journal.language:DE",
    }
    translated = service.adapter.translate(parse("learning"), SearchConstraints(language="de"))
    if service.adapter.name in wanted:
        assert wanted[service.adapter.name] in said
        assert translated.language is None
    else:
        assert translated.language == "de"


async def test_types_are_kept_to_by_who_has_no_filter_for_them(httpserver: HTTPServer) -> None:
    source = source_of(SERVICES["doaj"](httpserver))
    limited = strategy()
    limited.filters.publication_types = ["book"]
    [entry] = (await source.report(limited)).sources
    assert (entry.kept, entry.excluded) == (0, len(TITLED))
    limited.filters.publication_types = ["book", "article-journal"]
    assert len((await source.report(limited)).papers) == len(TITLED)


REFUSALS: list[tuple[int, Any, SourceStatus]] = [
    (429, {"message": "Too Many Requests.", "code": "429"}, SourceStatus.RATE_LIMITED),
    (500, "<html>oops</html>", SourceStatus.BAD_RESPONSE),
    (400, {"error": "no such field"}, SourceStatus.BAD_RESPONSE),
]


@pytest.mark.parametrize(("status", "body", "expected"), REFUSALS)
async def test_a_refusal_is_told(
    service: Loopback, httpserver: HTTPServer, status: int, body: Any, expected: SourceStatus
) -> None:
    refuse_all(httpserver, status, body)
    [entry] = (await source_of(service).report(strategy())).sources
    assert entry.status is expected
    assert service.adapter.title in (entry.error or "")


@pytest.mark.parametrize("name", KEYED)
async def test_a_key_that_is_refused_says_what_to_set(name: str, httpserver: HTTPServer) -> None:
    service = SERVICES[name](httpserver)
    refuse_all(httpserver, 403 if "scholar" in name else 401, {"message": f"Forbidden {KEY}"})
    [entry] = (await source_of(service).report(strategy())).sources
    assert entry.status is SourceStatus.UNAUTHORISED
    assert (service.adapter.key_variable or "?") in (entry.error or "")
    assert (service.adapter.key_page or "?") in (entry.error or "")
    assert KEY not in entry.model_dump_json()


async def test_a_spent_budget_is_not_waited_for(httpserver: HTTPServer) -> None:
    service = SERVICES["openalex"](httpserver)
    spent = {"error": "Rate limit exceeded", "message": "Insufficient budget.", "retryAfter": 54321}
    httpserver.clear()
    httpserver.expect_request("/openalex").respond_with_json(
        spent, status=429, headers={"Retry-After": "54321"}
    )
    patient = HttpSource(service.adapter, SourceSettings(interval_s=0, max_retries=3))
    [entry] = (await patient.report(strategy())).sources
    assert (entry.status, entry.attempts) == (SourceStatus.EXHAUSTED, 1)


async def test_works_with_more_authors_than_are_listed_are_told(httpserver: HTTPServer) -> None:
    service = SERVICES["openalex"](httpserver)
    [entry] = (await source_of(service).report(strategy())).sources
    assert "1 works have more than 100 authors" in (entry.note or "")


def refuse_all(server: HTTPServer, status: int, body: Any) -> None:
    server.clear()
    handler = server.expect_request(re.compile(".*"))
    if isinstance(body, str):
        handler.respond_with_data(body, status=status, content_type="text/html")
    else:
        handler.respond_with_json(body, status=status)
