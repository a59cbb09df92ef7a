"""Following citations over loopback: within a budget, from one service to the next."""

import asyncio
from urllib.parse import quote

import pytest
from pytest_httpserver import HTTPServer
from tests.sources.citations import CITATIONS, REFERENCES, SEED, UNKNOWN, Net, doi, title, year
from tests.sources.loopback import KEY

from paper_search.models import Purpose, SearchStrategy, Seed, SourceStatus
from paper_search.sources import ServiceError
from paper_search.sources.base import interruptible
from paper_search.sources.client import ServiceClient, SourceSettings
from paper_search.testing.skills import fake_strategy
from paper_search.testing.sources import SourceContract, check_source

ALL = {title(number) for number in (*REFERENCES, *CITATIONS)}


@pytest.fixture
def net(httpserver: HTTPServer) -> Net:
    return Net(httpserver)


def strategy(*seeds: Seed, **filters: int) -> SearchStrategy:
    plain = fake_strategy("learning", sources=["snowball"], **filters)
    return plain.model_copy(update={"seeds": list(seeds)})


BY_WORK = Seed(openalex_id=f"W{SEED}")
BY_DOI = Seed(doi=doi(SEED))


async def test_it_keeps_the_contract_of_sources(net):
    contract = SourceContract(
        query=doi(SEED), nothing="10.1000/404", year=year(CITATIONS[3]), secrets=[KEY]
    )
    await check_source(net.source(), contract)


async def test_what_a_paper_cites_and_is_cited_by_is_found(net):
    answer = await net.source().report(strategy(BY_WORK))
    assert {paper.title for paper in answer.papers} == ALL
    assert [row.query for row in answer.sources] == ["OpenAlex cited_by:W1", "OpenAlex cites:W1"]
    assert [entry.kept for entry in answer.sources] == [len(REFERENCES), len(CITATIONS)]
    assert all(entry.status is SourceStatus.OK for entry in answer.sources)
    assert answer.papers[0].sightings[0].query == "OpenAlex cited_by:W1"


async def test_a_paper_without_openalex_id_is_looked_up_first(net):
    answer = await net.source().report(strategy(BY_DOI))
    assert {paper.title for paper in answer.papers} == ALL
    assert net.asked[0]["filter"] == f"doi:{doi(SEED)}"
    assert set(net.paths) == {"/works"}
    looked_up = answer.sources[0]
    assert (looked_up.note, looked_up.kept) == ("1 are known there", 0)
    assert f"doi%3A{quote(doi(SEED), safe='')}" in (looked_up.requests[0].text or "")
    assert all(row.purpose is Purpose.CITATION for row in answer.sources)


async def test_papers_that_one_service_does_not_know_go_to_the_next(net):
    answer = await net.source().report(strategy(BY_WORK, Seed(doi=UNKNOWN), max_results=200))
    asked = [entry.query or "" for entry in answer.sources]
    assert asked == [
        "OpenAlex ids of 2 papers",
        "OpenAlex cited_by:W1",
        "OpenAlex cites:W1",
        f"Semantic Scholar references of DOI:{UNKNOWN}",
        f"Semantic Scholar citations of DOI:{UNKNOWN}",
    ]
    assert answer.sources[3].dropped == 1


@pytest.mark.parametrize("status", [401, 429, 500])
async def test_a_service_that_fails_is_replaced_by_the_next(net, status):
    net.refusals["works"] = status
    answer = await net.source().report(strategy(BY_DOI))
    assert {paper.title for paper in answer.papers} == ALL
    assert answer.sources[0].status.is_failure
    assert "OpenAlex" in (answer.sources[0].error or "")
    assert KEY not in answer.model_dump_json()


async def test_when_all_services_fail_the_reasons_are_told(net):
    net.refusals |= {"works": 500, "s2": 403, "oc": 503}
    answer = await net.source().report(strategy(BY_DOI))
    assert answer.papers == []
    assert all(entry.status.is_failure for entry in answer.sources)
    said = " ".join(entry.error or "" for entry in answer.sources)
    assert all(name in said for name in ("OpenAlex", "Semantic Scholar", "OpenCitations"))
    with pytest.raises(ServiceError):
        await net.source().search_advanced(strategy(BY_DOI))


async def test_a_service_that_does_not_know_a_paper_is_no_failure(net):
    answer = await net.source().report(strategy(Seed(arxiv_id="2101.00001")))
    assert [entry.status for entry in answer.sources] == [SourceStatus.EMPTY] * 3
    assert answer.sources[0].note == "0 are known there"
    assert "does not know it" in (answer.sources[1].note or "")


async def test_what_was_read_before_the_source_is_ended_is_kept(net, monkeypatch):
    get = ServiceClient.get
    interruption = interruptible()
    asking = asyncio.ensure_future(net.source().report(strategy(BY_WORK)))

    async def end_before_citations(self, request, records, ends_at):
        if request.params["filter"].startswith("cites:"):
            interruption.end(asking, "too slow")
        return await get(self, request, records, ends_at)

    monkeypatch.setattr(ServiceClient, "get", end_before_citations)
    answer = await asking
    assert {paper.title for paper in answer.papers} == set(map(title, REFERENCES))
    assert [row.status for row in answer.sources] == [SourceStatus.OK, SourceStatus.TIMEOUT]
    assert (answer.sources[-1].error, set(net.paths)) == ("too slow", {"/works"})


async def test_no_more_calls_are_made_than_are_allowed(net):
    source = net.source(SourceSettings(interval_s=0, max_retries=0, max_calls=2))
    answer = await source.report(strategy(BY_DOI, Seed(doi=UNKNOWN)))
    assert len(net.asked) == 2
    assert answer.sources[-1].status is SourceStatus.EXHAUSTED
    limits = [entry.error or "" for entry in answer.sources if "MAX_CALLS" in (entry.error or "")]
    assert limits
    assert all("SNOWBALL_MAX_CALLS" in error for error in limits)
    await source.report(strategy(BY_DOI))
    assert len(net.asked) == 4  # the budget is that of one search


async def test_no_more_records_are_given_than_are_wanted_from_both_directions(net):
    answer = await net.source().report(strategy(BY_WORK, max_results=8))
    assert len(answer.papers) == 8
    assert [entry.kept for entry in answer.sources] == [4, 4]


async def test_years_are_kept_to_by_every_service(net):
    for refused in ({}, {"works": 500}, {"works": 500, "s2": 500}):
        net.refusals = refused
        answer = await net.source().report(strategy(BY_DOI, year_from=2003, year_to=2004))
        assert {paper.year for paper in answer.papers} == {2003, 2004}


async def test_without_seeds_nothing_is_asked_and_it_says_what_to_do(net):
    answer = await net.source().report(strategy())
    [entry] = answer.sources
    assert (entry.status, net.asked) == (SourceStatus.EMPTY, [])
    assert "mark papers relevant" in (entry.note or "")


async def test_only_the_first_of_many_seeds_are_followed(net):
    seeds = [BY_WORK, *(Seed(openalex_id=f"W{number}") for number in range(1000, 1040))]
    answer = await net.source().report(strategy(*seeds))
    assert "only 20 of 41 papers are followed" in (answer.sources[0].note or "")
    assert net.asked[0]["filter"].count("|") == 19


async def test_what_a_service_does_not_show_is_no_failure_and_is_counted(net):
    net.refusals["works"] = 500
    net.has_gaps = True
    answer = await net.source().report(strategy(BY_DOI))
    withheld, _, references, citations = answer.sources[1:]
    assert (withheld.status, withheld.error) == (SourceStatus.EMPTY, None)
    assert "withholds them" in str(withheld.note)
    assert "returned 5 of 6: the service stopped" in str(references.note)
    assert "returned 22 of 25: the service stopped" in str(citations.note)


async def test_a_trail_that_is_too_long_says_so(net):
    net.refusals |= {"works": 500, "s2": 500}
    net.citations = range(21, 221)
    answer = await net.source().report(strategy(BY_DOI, max_results=400))
    citations = answer.sources[-1]
    assert (citations.hits, citations.kept) == (200, 110)
    assert "stopped after 12 pages" in str(citations.note)
