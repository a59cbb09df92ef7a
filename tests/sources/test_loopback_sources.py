"""arXiv, PubMed, Europe PMC, DBLP, CORE and Serper Scholar, asked over loopback."""

import logging

import pytest
from pytest_httpserver import HTTPServer
from tests.sources.loopback import FIRST_YEAR, KEY, SERVICES, SHELF, TITLED, Loopback, failing

from paper_search.models import SearchConstraints, SearchQuery, SearchStrategy, SourceStatus
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.testing.sources import SourceContract, check_source

NO_WAITING = SourceSettings(interval_s=0, max_retries=0)


@pytest.fixture(autouse=True)
def _quiet_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test server logs the addresses that it is asked, keys and all; that is not our doing."""
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


async def test_it_keeps_the_contract_of_sources(service: Loopback, httpserver: HTTPServer) -> None:
    broken = failing(httpserver, service.adapter.name)
    contract = SourceContract(
        query="learning",
        nothing="zzznothing",
        year=FIRST_YEAR + 3,
        secrets=[KEY],
        many=len(TITLED),
        failing={wrong: HttpSource(item, NO_WAITING) for wrong, item in broken.items()},
    )
    await check_source(source_of(service), contract)


async def test_all_pages_are_turned_and_what_has_no_title_is_counted(service: Loopback) -> None:
    answer = await source_of(service).report(strategy())
    [entry] = answer.sources
    assert sorted(paper.title for paper in answer.papers) == sorted(b.title for b in TITLED)
    assert (entry.status, entry.kept) == (SourceStatus.OK, len(TITLED))
    assert entry.dropped == len(SHELF) - len(TITLED)
    assert entry.hits in {len(SHELF), None}
    assert (entry.pages or 0) > 2


async def test_no_more_is_asked_for_than_is_wanted(service: Loopback) -> None:
    answer = await source_of(service).report(strategy(max_results=4))
    assert len(answer.papers) == 4
    assert (answer.sources[0].pages or 0) <= 2


async def test_the_end_is_not_asked_for_where_a_page_holds_all_that_there_is(
    service: Loopback,
) -> None:
    year = FIRST_YEAR + 3
    answer = await source_of(service).report(strategy(year_from=year, year_to=year))
    assert answer.sources[0].kept == sum(book.year == year for book in TITLED)
    # PubMed gives ids first, DBLP knows no years, and Serper does not say how many there are.
    expected = {"pubmed": 2, "dblp": 3, "serper_scholar": 2}
    assert answer.sources[0].pages == expected.get(service.adapter.name, 1)


async def test_years_are_kept_to(service: Loopback) -> None:
    wanted = strategy(year_from=FIRST_YEAR + 2, year_to=FIRST_YEAR + 4)
    answer = await source_of(service).report(wanted)
    expected = [b for b in TITLED if FIRST_YEAR + 2 <= b.year <= FIRST_YEAR + 4]
    assert len(answer.papers) == len(expected)


async def test_every_record_says_where_it_was_seen(service: Loopback) -> None:
    answer = await source_of(service).report(strategy())
    [entry] = answer.sources
    for paper in answer.papers:
        [sighting] = paper.sightings
        assert (sighting.source, sighting.query) == (service.adapter.name, entry.query)
        assert sighting.seen_at
        assert (sighting.rank or 0) >= 1
    assert answer.papers[0].sightings[0].rank == 1


async def test_a_key_is_sent_where_the_service_wants_it(service: Loopback) -> None:
    await source_of(service).search("learning", max_results=2)
    sent = str(service.asked)
    assert (KEY in sent) is bool(service.adapter.key)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (429, SourceStatus.RATE_LIMITED),
        (500, SourceStatus.BAD_RESPONSE),
        (503, SourceStatus.BAD_RESPONSE),
    ],
)
@pytest.mark.parametrize("name", SERVICES)
async def test_a_refusal_is_told(
    name: str, httpserver: HTTPServer, status: int, expected: SourceStatus
) -> None:
    adapter = SERVICES[name](httpserver).adapter
    refuse_all(httpserver, status)
    [entry] = (await HttpSource(adapter, NO_WAITING).report(strategy())).sources
    assert entry.status is expected
    assert adapter.title in (entry.error or "")


@pytest.mark.parametrize("name", ["core", "serper_scholar"])
async def test_a_key_that_is_refused_says_what_to_set(name: str, httpserver: HTTPServer) -> None:
    adapter = SERVICES[name](httpserver).adapter
    refuse_all(httpserver, 403)
    [entry] = (await HttpSource(adapter, NO_WAITING).report(strategy())).sources
    assert entry.status is SourceStatus.UNAUTHORISED
    assert (adapter.key_variable or "?") in (entry.error or "")
    assert (adapter.key_page or "?") in (entry.error or "")
    assert KEY not in entry.model_dump_json()


def refuse_all(server: HTTPServer, status: int) -> None:
    server.clear()
    for path in ("/arxiv", "/pubmed/esearch.fcgi", "/epmc/search", "/dblp", "/core", "/serper"):
        server.expect_request(path).respond_with_data("out of order", status=status)


async def test_long_queries_are_posted(httpserver: HTTPServer) -> None:
    query = "learning OR " + " OR ".join(f"word{number}" for number in range(150))
    for name in ("arxiv", "pubmed", "europe_pmc"):
        service = SERVICES[name](httpserver)
        papers = await source_of(service).search(query, max_results=20)
        assert len(papers) == 20, name


async def test_records_of_pubmed_keep_the_order_of_relevance(httpserver: HTTPServer) -> None:
    papers = await source_of(SERVICES["pubmed"](httpserver)).search("learning", max_results=10)
    assert [paper.pmid for paper in papers] == [str(book.number) for book in TITLED[:10]]


async def test_pubmed_is_told_who_asks(httpserver: HTTPServer) -> None:
    service = SERVICES["pubmed"](httpserver)
    await source_of(service).search("learning", max_results=2)
    assert {request["email"] for request in service.asked} == {"a@example.org"}
    assert {request["tool"] for request in service.asked} == {"paper-search"}


async def test_dblp_is_asked_words_and_the_rest_is_checked(httpserver: HTTPServer) -> None:
    service = SERVICES["dblp"](httpserver)
    query = '"sorting part" learning NOT "part 1"'
    [entry] = (await source_of(service).report(strategy(query))).sources
    assert entry.query == "sorting part learning"
    assert entry.kept == len(TITLED) - 1
    assert entry.excluded == 1
    assert "phrases are checked" in (entry.note or "")


async def test_full_texts_are_not_asked_of_core(httpserver: HTTPServer) -> None:
    service = SERVICES["core"](httpserver)
    await source_of(service).search("learning", max_results=2)
    assert service.asked[0]["exclude"] == ["fullText"]
