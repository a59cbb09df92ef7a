"""A question that names a work is answered by looking that work up, not by its number as text."""

import httpx
import pytest
from tests.sources.adapters import ADAPTERS
from tests.sources.cards import URL, Cards, source_of

from paper_search.models import (
    Purpose,
    RankedQuery,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    SourceStatus,
)
from paper_search.sources.adapter import Request, Translated
from paper_search.sources.http_source import HttpSource

DOI, ARXIV, PMID, PMCID = "doi:10.1000/a.1", "arxiv:2101.00001", "pmid:123", "pmcid:pmc7"
BRACKETS = "doi:10.1002/(sici)1097[3:a]49:8<693::aid>3.0.co;2-o"


def request_for(service: str, work: str) -> Request | None:
    adapter, limits = ADAPTERS[service], SearchConstraints(max_results=5)
    found = adapter.translate_work(*work.split(":", 1))
    return adapter.first(found, limits, 5) if found is not None else None


@pytest.mark.parametrize(
    ("adapter", "work", "name", "value"),
    [
        ("openalex", DOI, "filter", "doi:10.1000/a.1"),
        ("openalex", PMID, "filter", "pmid:123"),
        ("openalex", ARXIV, "filter", "doi:10.48550/arxiv.2101.00001"),
        ("crossref", DOI, "filter", "doi:10.1000/a.1"),
        ("datacite", DOI, "query", 'doi:"10.1000/a.1"'),
        ("datacite", ARXIV, "query", 'doi:"10.48550/arxiv.2101.00001"'),
        ("pubmed", DOI, "term", '"10.1000/a.1"[aid]'),
        ("pubmed", PMID, "term", "123[uid]"),
        ("pubmed", PMCID, "term", '"pmc7"[pmcid]'),
        ("europe_pmc", DOI, "query", 'DOI:"10.1000/a.1"'),
        ("europe_pmc", PMID, "query", "(EXT_ID:123 AND SRC:MED)"),
        ("europe_pmc", PMCID, "query", 'PMCID:"pmc7"'),
        ("arxiv", ARXIV, "id_list", "2101.00001"),
        ("europe_pmc", BRACKETS, "query", 'DOI:"10.1002/(sici)1097[3:a]49:8<693::aid>3.0.co;2-o"'),
        ("datacite", BRACKETS, "query", 'doi:"10.1002/(sici)1097[3:a]49:8<693::aid>3.0.co;2-o"'),
        ("pubmed", BRACKETS, "term", '"10.1002/(sici)1097 3:a 49:8<693::aid>3.0.co;2-o"[aid]'),
    ],
)
def test_a_service_is_asked_for_the_work_by_its_identifier(adapter, work, name, value):
    request = request_for(adapter, work)
    assert request.params[name] == value
    assert "search" not in request.params
    assert "search_query" not in request.params


def test_core_scholar_and_doaj_are_asked_for_it_in_their_own_way():
    asked = [request_for(adapter, DOI) for adapter in ("core", "serper_scholar", "doaj")]
    core, scholar, doaj = (request for request in asked if request is not None)
    assert core.json["q"] == 'doi:"10.1000/a.1"'
    assert '"10.1000/a.1"' in str(scholar.json)
    assert doaj.url.endswith("/doi:%2210.1000%2Fa.1%22")


@pytest.mark.parametrize(
    ("adapter", "work"),
    [
        ("dblp", DOI),
        ("semantic_scholar", DOI),
        ("crossref", ARXIV),
        ("crossref", "doi:10.1000/a,type:book"),
        ("openalex", "doi:10.1000/a|10.1000/b"),
        ("arxiv", DOI),
        ("doaj", PMID),
    ],
)
def test_what_a_service_cannot_look_up_is_not_asked(adapter, work):
    assert request_for(adapter, work) is None


class NamedCards(Cards):
    """Finds a card by its DOI."""

    ranks_text = True

    def translate_work(self, kind: str, value: str) -> Translated | None:
        return Translated(f"{kind}={value}") if kind == "doi" else None


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def source(asked: list[str]) -> HttpSource:
    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params["q"])
        cards = [{"id": "1", "title": "On bees", "year": 1990}]
        return httpx.Response(200, json={"papers": cards, "total": 1})

    return source_of(answer, NamedCards(URL))


def strategy(text: str, *works: str) -> SearchStrategy:
    return SearchStrategy(
        queries=[],
        ranked=[RankedQuery(text=text)],
        works=list(works),
        sources=["cards"],
        filters=SearchConstraints(year_from=2020),
    )


async def test_a_named_work_is_found_whatever_the_limits_and_stands_first(source, asked):
    report = await source.report(strategy("bees", DOI))
    assert asked[0] == "doi=10.1000/a.1"
    assert len(asked) == 2
    assert report.papers[0].title == "On bees"
    assert [entry.status for entry in report.sources] == [SourceStatus.OK, SourceStatus.OK]
    assert [entry.purpose for entry in report.sources] == [Purpose.WORK, Purpose.SEARCH]


async def test_a_service_that_cannot_look_it_up_says_so(source, asked):
    report = await source.report(strategy("2101.00001", ARXIV))
    assert asked == []
    [entry] = report.sources
    assert entry.status is SourceStatus.EMPTY
    assert ARXIV in str(entry.note)


@pytest.mark.parametrize("query", ["10.1000/a.1", "10.1000/a.1[doi]", "DO=10.1000/A.1"])
async def test_a_query_that_is_a_doi_is_looked_up(source, asked, query):
    given = strategy("", DOI).model_copy(
        update={
            "queries": [SearchQuery(keywords=[], boolean_query=query)],
            "ranked": [],
            "works": [],
        }
    )
    report = await source.report(given)
    assert asked == ["doi=10.1000/a.1"]
    assert [paper.title for paper in report.papers] == ["On bees"]
    assert [(entry.purpose, entry.limit) for entry in report.sources] == [(Purpose.WORK, 5)]
