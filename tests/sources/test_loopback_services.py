"""Every service of papers, asked over loopback."""

import math
import re
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.sources.catalogues import SERVICES as CATALOGUES
from tests.sources.loopback import FIRST_YEAR, KEY, PAGE, SHELF, TITLED, Loopback, failing
from tests.sources.loopback import SERVICES as OTHERS

from paper_search.models import SearchConstraints, SearchStrategy, SourceStatus
from paper_search.query import parse
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.testing.skills import fake_strategy
from paper_search.testing.sources import SourceContract, check_source

NO_WAITING = SourceSettings(interval_s=0, max_retries=0)
SERVICES = CATALOGUES | OTHERS
KEYED = {"openalex": 401, "semantic_scholar": 403, "core": 403, "serper_scholar": 403}


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest, httpserver: HTTPServer) -> Loopback:
    return SERVICES[request.param](httpserver)


def source_of(service: Loopback) -> HttpSource:
    return HttpSource(service.adapter, NO_WAITING)


def strategy(query: str = "learning", **filters: Any) -> SearchStrategy:
    return fake_strategy(query, sources=(), **filters)


async def test_it_keeps_the_contract_of_sources(service, httpserver):
    broken = failing(httpserver, service.adapter)
    contract = SourceContract(
        query="learning",
        nothing="zzznothing",
        year=FIRST_YEAR + 3,
        secrets=[KEY],
        many=len(TITLED),
        failing={wrong: HttpSource(item, NO_WAITING) for wrong, item in broken.items()},
    )
    await check_source(source_of(service), contract)


async def test_all_pages_are_turned_and_what_has_no_title_is_counted(service):
    answer = await source_of(service).report(strategy())
    [entry] = answer.sources
    assert [paper.title for paper in answer.papers] == [book.title for book in TITLED]
    assert (entry.status, entry.kept) == (SourceStatus.OK, len(TITLED))
    assert entry.dropped == len(SHELF) - len(TITLED)
    assert entry.hits == (None if service.adapter.name == "serper_scholar" else len(SHELF))
    assert (entry.pages or 0) > 2
    if service.adapter.name in {"crossref", "europe_pmc"}:  # their cursors do not end
        assert entry.pages == math.ceil(len(SHELF) / PAGE)
    for place, paper in enumerate(answer.papers, start=1):
        [sighting] = paper.sightings
        seen = (sighting.source, sighting.query, sighting.rank)
        assert seen == (service.adapter.name, entry.query, place)
        assert sighting.seen_at


async def test_the_end_is_not_asked_for_where_a_page_holds_all_that_there_is(service):
    year = FIRST_YEAR + 3
    answer = await source_of(service).report(strategy(year_from=year, year_to=year))
    assert answer.sources[0].kept == sum(book.year == year for book in TITLED)
    # PubMed gives ids first, DBLP knows no years, and Serper does not say how many there are.
    expected = {"pubmed": 2, "dblp": 3, "serper_scholar": 2}
    assert answer.sources[0].pages == expected.get(service.adapter.name, 1)


@pytest.mark.parametrize(
    ("contact", "is_sent"), [("jane@x.org", True), ("jane.Abbott@x.org", False)]
)
async def test_an_address_goes_along_where_it_is_not_refused(httpserver, contact, *, is_sent):
    settings = SourceSettings(interval_s=0.0, contact=contact)
    service = SERVICES["doaj"](httpserver)
    await HttpSource(service.adapter, settings).search("learning", max_results=1)
    [asked] = service.asked
    assert (contact in asked["headers"]["User-Agent"]) == is_sent


async def test_pubmed_is_told_who_asks(httpserver):
    service = SERVICES["pubmed"](httpserver)
    await source_of(service).search("learning", max_results=2)
    assert {request["email"] for request in service.asked} == {"a@example.org"}
    assert {request["tool"] for request in service.asked} == {"paper-search"}


@pytest.mark.parametrize("name", CATALOGUES)
async def test_a_language_is_a_filter_or_is_checked_on_our_side(name, httpserver):
    service = SERVICES[name](httpserver)
    await source_of(service).report(strategy(language="German"))
    said = str([{**request, "headers": None} for request in service.asked])
    wanted = {"openalex": "language:de", "doaj": "bibjson.journal.language:DE"}
    translated = service.adapter.translate(parse("learning"), SearchConstraints(language="de"))
    assert wanted.get(name, "") in said
    assert translated.language == (None if name in wanted else "de")


async def test_types_are_kept_to_by_who_has_no_filter_for_them(httpserver):
    source = source_of(SERVICES["doaj"](httpserver))
    limited = strategy()
    limited.filters.publication_types = ["book"]
    [entry] = (await source.report(limited)).sources
    assert (entry.kept, entry.excluded) == (0, len(TITLED))
    limited.filters.publication_types = ["book", "article-journal"]
    assert len((await source.report(limited)).papers) == len(TITLED)


@pytest.mark.parametrize("name", KEYED)
async def test_a_key_that_is_refused_says_what_to_set(name, httpserver):
    service = SERVICES[name](httpserver)
    refuse_all(httpserver, KEYED[name], f'{{"message": "Forbidden {KEY}"}}')
    [entry] = (await source_of(service).report(strategy())).sources
    assert entry.status is SourceStatus.UNAUTHORISED
    assert (service.adapter.key_variable or "?") in (entry.error or "")
    assert (service.adapter.key_page or "?") in (entry.error or "")
    assert KEY not in entry.model_dump_json()


def refuse_all(server: HTTPServer, status: int, body: str) -> None:
    server.clear()
    kind: Any = "text/html" if body.startswith("<") else "application/json"
    server.expect_request(re.compile(".*")).respond_with_data(body, status, content_type=kind)


async def test_works_with_more_authors_than_are_listed_are_told(httpserver):
    service = SERVICES["openalex"](httpserver)
    [entry] = (await source_of(service).report(strategy())).sources
    assert "1 work has more than 100 authors" in (entry.note or "")
