"""The services of look-ups, asked over loopback for what is missing."""

import re
from dataclasses import replace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.sources.loopback import serve

from paper_search.config import AppConfig
from paper_search.errors import UnknownNameError
from paper_search.http.body import HttpAnswer
from paper_search.models import Author, Purpose, RawPaper, SourceStatus
from paper_search.skills.gap_filler import GapFiller
from paper_search.sources import enrichment
from paper_search.sources.client import SourceSettings
from paper_search.sources.enrichment.services import (
    CoreLookup,
    CrossrefLookup,
    EuropePmcLookup,
    OpenAlexLookup,
    SemanticScholarLookup,
    UnpaywallLookup,
)
from paper_search.sources.openalex import OpenAlex
from paper_search.sources.service import Page, Request

KEY = "CANARY-key-of-an-enricher"
CONTACT = "a@university.edu"
PATHS = (
    *("/openalex", "/crossref", "/s2/paper/batch", "/unpaywall/10.1000/1"),
    *("/europe_pmc/search", "/core"),
)


def paper(number: int, **fields: Any) -> RawPaper:
    given = {
        "id": f"test:{number}",
        "title": title(number),
        "doi": f"10.1000/{number}",
        "source": "test",
        "year": 2020,
        "authors": [Author(name="Ada Jones")],
    }
    return RawPaper.model_validate(given | fields)


def title(number: int) -> str:
    return f"On the many ways to sort papers, part {number}"


class Services:
    """All services but Unpaywall; `asked` holds what they were asked, in order."""

    def __init__(self, server: HTTPServer) -> None:
        self.server = server
        answers = (self.openalex, self.crossref, self.semantic_scholar, self.europe_pmc, self.core)
        paths = ("/openalex", "/crossref", "/s2/paper/batch", "/europe_pmc/search", "/core")
        self.asked = serve(server, OpenAlex(), dict(zip(paths, answers, strict=True))).asked

    def openalex(self, given: dict[str, Any]) -> Any:
        kind, _, values = given["filter"].partition(":")
        results = [
            {
                "id": f"https://openalex.org/W{value[-1]}",
                "doi": f"https://doi.org/{value}" if kind == "doi" else "https://doi.org/10.1000/9",
                "title": title(int(value[-1])),
                "ids": {"pmid": f"https://pubmed.ncbi.nlm.nih.gov/{value}"}
                if kind == "pmid"
                else {},
                "abstract_inverted_index": {"From": [0], "OpenAlex": [1]},
                "best_oa_location": {"pdf_url": "https://open.org/a.pdf"},
                "open_access": {"is_oa": True, "oa_url": "https://open.org/a.pdf"},
            }
            for value in reversed(values.split("|"))
        ]
        return {"meta": {"count": len(results)}, "results": results}

    def crossref(self, given: dict[str, Any]) -> Any:
        if "filter" in given:
            numbers = [int(part[-1]) for part in given["filter"].split(",")]
        else:
            numbers = [8, int(given["query.bibliographic"].split()[8])]
        items = [
            {
                "DOI": f"10.1000/{number}",
                "title": [title(number)],
                "author": [{"given": "Ada", "family": "Jones"}],
                "issued": {"date-parts": [[2020]]},
                "abstract": "<jats:p>From Crossref</jats:p>",
            }
            for number in numbers
        ]
        return {"status": "ok", "message": {"items": items, "total-results": len(items)}}

    def semantic_scholar(self, given: dict[str, Any]) -> Any:
        return [
            None
            if row.endswith("4")
            else {
                "paperId": "s" * 39 + row[-1],
                "title": title(int(row[-1])),
                "externalIds": {"DOI": f"10.1000/{row[-1]}", "ArXiv": "2001.00005"},
                "abstract": "From Semantic Scholar",
                "openAccessPdf": {"url": "https://s2.org/a.pdf"},
            }
            for row in given["ids"]
        ]

    def europe_pmc(self, given: dict[str, Any]) -> Any:
        results = [
            {"id": n, "source": "MED", "doi": f"10.1000/{n}", "title": f"{title(int(n))}.",
             "abstractText": "From Europe PMC"}
            for n in re.findall(r'DOI:"10.1000/(\d)"', given["query"])
        ]  # fmt: skip
        return {"hitCount": len(results), "resultList": {"result": results}}

    def core(self, given: dict[str, Any]) -> Any:
        results = [
            {"id": int(n), "doi": f"10.1000/{n}", "title": title(int(n)), "abstract": "From CORE"}
            for n in re.findall(r'doi:"10.1000/(\d)"', given["q"])
        ]
        return {"totalHits": len(results), "results": results}


@pytest.fixture
def services(httpserver: HTTPServer) -> Services:
    return Services(httpserver)


def adapters(server: HTTPServer) -> dict[str, enrichment.Lookup]:
    return {
        "openalex": OpenAlexLookup(KEY, endpoint=server.url_for("/openalex")),
        "crossref": CrossrefLookup(endpoint=server.url_for("/crossref")),
        "semantic_scholar": SemanticScholarLookup(KEY, endpoint=server.url_for("/s2")),
        "europe_pmc": EuropePmcLookup(endpoint=server.url_for("/europe_pmc")),
        "core": CoreLookup(KEY, endpoint=server.url_for("/core")),
        "unpaywall": UnpaywallLookup(contact=CONTACT, endpoint=server.url_for("/unpaywall")),
    }


def enricher(
    server: HTTPServer, name: str, max_calls: int | None = None
) -> enrichment.HttpEnricher:
    settings = SourceSettings(interval_s=0, max_retries=0, max_calls=max_calls)
    return enrichment.HttpEnricher(adapters(server)[name], settings)


@pytest.mark.parametrize(
    ("name", "abstract"),
    [
        ("openalex", "From OpenAlex"),
        ("crossref", "From Crossref"),
        ("semantic_scholar", "From Semantic Scholar"),
        ("europe_pmc", "From Europe PMC"),
        ("core", "From CORE"),
    ],
)
async def test_many_works_are_one_question(services, name, abstract):
    works = [paper(1), paper(2), paper(3)]
    report = await GapFiller([enricher(services.server, name)]).fill(works)
    assert [work.abstract for work in report.works] == [abstract] * 3
    assert len(services.asked) == 1
    [entry] = report.sources
    assert (entry.source, entry.status, entry.hits) == (f"{name} (enrichment)", SourceStatus.OK, 3)
    prefix = {"semantic_scholar": "s2"}.get(name, name)
    assert all(work.field_sources["abstract"].startswith(f"{prefix}:") for work in report.works)


async def test_a_doi_is_found_by_the_title(services):
    report = await GapFiller([enricher(services.server, "crossref")]).fill([paper(5, doi=None)])
    assert report.works[0].doi == "10.1000/5"
    assert services.asked[0]["query.bibliographic"] == f"{title(5)} Jones"


async def test_a_work_without_a_doi_is_found_by_other_identifiers(services):
    by_pmid, by_arxiv = paper(7, doi=None, pmid="7"), paper(5, doi=None, arxiv_id="2001.00005")
    openalex = GapFiller([enricher(services.server, "openalex")])
    assert (await openalex.fill([by_pmid, by_arxiv])).works[0].doi == "10.1000/9"
    s2 = GapFiller([enricher(services.server, "semantic_scholar")])
    assert (await s2.fill([by_arxiv])).works[0].doi == "10.1000/5"
    assert services.asked[-1]["ids"] == ["ARXIV:2001.00005"]


async def test_europe_pmc_is_asked_for_all_names_of_a_work(services):
    works = [
        paper(1, pmid="7", pmcid="PMC1234567"),
        paper(2, doi=None, pmcid="PMC7654321", arxiv_id="2001.00005"),
    ]
    answer = await enricher(services.server, "europe_pmc").look_up(works)
    assert services.asked[0]["query"] == (
        'DOI:"10.1000/1" OR (EXT_ID:7 AND SRC:MED) OR PMCID:"PMC1234567" OR PMCID:"PMC7654321"'
    )
    assert answer.answered == {works[0].id, works[1].id}
    await enricher(services.server, "core").look_up([paper(3, arxiv_id="2001.00005")])
    assert services.asked[1]["q"] == 'doi:"10.1000/3" OR arxivId:"2001.00005"'


@pytest.mark.parametrize("works", [1, 2])
async def test_a_service_answers_that_does_not_know_a_work_but_none_that_fails(httpserver, works):
    """To be told 404 for a single work is an answer; for a list of them it is a failure."""
    for path in ("/openalex", "/unpaywall/10.1000/1", "/unpaywall/10.1000/2"):
        httpserver.expect_request(path).respond_with_data("no", status=404)
    wanted = [paper(1), paper(2)][:works]
    unpaywall = await enricher(httpserver, "unpaywall").look_up([*wanted, paper(3, doi=None)])
    assert unpaywall.answered == {work.id for work in wanted}
    openalex = await enricher(httpserver, "openalex").look_up(wanted)
    assert bool(openalex.answered) is (openalex.report.error is None) is (works == 1)


async def test_what_is_unknown_stays_as_it_is(services):
    report = await GapFiller([enricher(services.server, "semantic_scholar")]).fill([paper(4)])
    assert report.works == [paper(4)]
    assert report.sources[0].status is SourceStatus.EMPTY


async def test_unpaywall_is_asked_for_open_texts_only(httpserver):
    body = {
        "doi": "10.1000/1",
        "title": title(1),
        "is_oa": True,
        "best_oa_location": {"url_for_pdf": None},
        "oa_locations": [{"url_for_pdf": f"https://repo.org/{name}.pdf"} for name in "ab"],
    }
    query = {"email": CONTACT}
    asked = httpserver.expect_ordered_request
    asked("/unpaywall/10.1000/1", query_string=query).respond_with_json(body)
    unknown = {"error": True, "message": "'10.1000/2' isn't in Unpaywall"}
    asked("/unpaywall/10.1000/2", query_string=query).respond_with_json(unknown, 404)
    works = [paper(1), paper(2), paper(3, full_text_url="https://own.org"), paper(4, doi=None)]
    report = await GapFiller([enricher(httpserver, "unpaywall")]).fill(works)
    httpserver.check_assertions()
    assert report.works[0].full_text_url == "https://repo.org/a.pdf"
    assert report.works[1:] == works[1:]
    assert report.sources[0].status is SourceStatus.OK
    assert report.sources[0].attempts == 2


async def test_the_budget_is_kept(services):
    works = [paper(number, doi=None) for number in range(1, 6)]
    report = await GapFiller([enricher(services.server, "crossref", max_calls=2)]).fill(works)
    assert len(services.asked) == 2
    assert sum(bool(work.doi) for work in report.works) == 2
    assert "3 works were not looked up" in (report.sources[0].note or "")


@pytest.mark.parametrize("name", enrichment.enricher_names())
@pytest.mark.parametrize(
    ("status", "expected"), [(429, SourceStatus.RATE_LIMITED), (500, SourceStatus.BAD_RESPONSE)]
)
async def test_a_failure_is_told_and_loses_no_paper(httpserver, name, status, expected):
    for path in PATHS:
        httpserver.expect_request(path).respond_with_data("no", status=status)
    report = await GapFiller([enricher(httpserver, name)]).fill([paper(1)])
    assert report.works == [paper(1)]
    [entry] = report.sources
    assert entry.status is expected
    assert entry.error
    assert KEY not in entry.model_dump_json()


@pytest.mark.parametrize("body", ['{"error": "out of order"}', "[17, null]", '"soon"', "{", "<a>"])
@pytest.mark.parametrize("name", enrichment.enricher_names())
async def test_a_strange_answer_is_told_and_loses_no_paper(httpserver, name, body):
    for path in PATHS:
        httpserver.expect_request(path).respond_with_data(body, content_type="application/json")
    report = await GapFiller([enricher(httpserver, name)]).fill([paper(1)])
    assert report.works == [paper(1)]
    assert report.sources[0].status in {SourceStatus.BAD_RESPONSE, SourceStatus.EMPTY}


async def test_records_that_could_not_be_read_are_told(services):
    class Odd(CrossrefLookup):
        def read(self, answer: HttpAnswer, request: Request) -> Page:
            return replace(super().read(answer, request), notes=("1 record could not be read",))

    odd = Odd(endpoint=services.server.url_for("/crossref"))
    filler = GapFiller([enrichment.HttpEnricher(odd, SourceSettings(interval_s=0, max_calls=1))])
    [entry] = (await filler.fill([paper(1)])).sources
    assert entry.note == "1 record could not be read; filled 1 abstracts"


async def test_what_would_break_a_filter_is_not_asked_for(services):
    odd = paper(1, doi="10.1000/a,b|c")
    await GapFiller([enricher(services.server, "openalex")]).fill([odd])
    await GapFiller([enricher(services.server, "crossref")]).fill([odd])
    assert services.asked == []


async def test_what_is_not_asked_for_want_of_an_address_says_so():
    made = enrichment.create_enrichers(AppConfig(enrichers=["unpaywall"]))
    (row,) = (await GapFiller(made).fill([paper(1)])).sources
    assert (row.source, row.purpose) == ("unpaywall (enrichment)", Purpose.FILL)
    assert (row.status, row.query, row.requests) == (SourceStatus.EMPTY, "", [])
    assert "PAPER_SEARCH_CONTACT" in str(row.note)


@pytest.mark.parametrize(
    "closed",
    [{"enrich_max_calls": 0}, {"sources": {"crossref": {"name": "crossref", "max_calls": 0}}}],
)
async def test_a_service_that_no_request_may_go_to_fills_no_gaps_either(closed):
    made = enrichment.create_enrichers(AppConfig(enrichers=["crossref"], **closed))
    (row,) = (await GapFiller(made).fill([paper(1, abstract=None)])).sources
    assert (row.is_asked, row.requests) == (False, [])
    assert "PAPER_SEARCH_ENRICH_MAX_CALLS, or the service's own limit, is 0" in str(row.note)


def test_the_settings_name_the_enrichers():
    assert set(enrichment.enricher_names()) == set(adapters(HTTPServer()))
    made = enrichment.create_enrichers(AppConfig(enrichers=["crossref", "openalex", "unpaywall"]))
    assert [instance.enricher_name for instance in made] == ["crossref", "openalex", "unpaywall"]
    assert all(isinstance(instance, enrichment.Enricher) for instance in made)
    made = enrichment.create_enrichers(AppConfig(enrichers=["unpaywall"], contact=CONTACT))
    assert [instance.enricher_name for instance in made] == ["unpaywall"]
    with pytest.raises(UnknownNameError, match="unknown enricher 'scopus'"):
        enrichment.create_enrichers(AppConfig(enrichers=["scopus"]))
