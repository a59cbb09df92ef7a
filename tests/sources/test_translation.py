"""What a source says it will be sent is what it sends."""

from collections.abc import AsyncIterator

import httpx
import pytest
from tests.sources.cards import Cards
from tests.sources.test_shown_is_sent import CONTACT, KEY

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.models import RankedQuery, SearchConstraints, SearchStrategy, Seed
from paper_search.query import Node, judge
from paper_search.sources import create_source
from paper_search.sources.adapter import Translated
from paper_search.sources.base import translations
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.sources.pubmed import Pubmed
from paper_search.sources.query_run import NativeQuery
from paper_search.sources.translation import translate_question
from paper_search.testing.sources import FakeSource

QUERY = '("graph neural network*" OR gnn*) AND title:protein'
RANKED = RankedQuery(text="graph neural networks for protein structure")
LIMITS = SearchConstraints(year_from=2010, year_to=2020, language="en", max_results=30)


def strategy(*queries: str, ranked: list[RankedQuery] | None = None, **given: object):
    fields = {
        "queries": [{"keywords": [], "boolean_query": text} for text in queries],
        "ranked": ranked or [],
        "sources": [],
        "filters": LIMITS,
    }
    return SearchStrategy.model_validate({**fields, **given})


@pytest.fixture
def sent() -> list[httpx.Request]:
    return []


@pytest.fixture
async def client(sent: list[httpx.Request]) -> AsyncIterator[httpx.AsyncClient]:
    def refuse(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(400, text="refused")

    async with httpx.AsyncClient(transport=httpx.MockTransport(refuse)) as given:
        yield given


def source_of(name: str, client: httpx.AsyncClient) -> HttpSource:
    settings = {name: SearchSourceConfig(name=name, api_key=KEY)}
    made = create_source(name, AppConfig(sources=settings, contact=CONTACT))
    bound = SourceSettings(interval_s=0, max_retries=0, contact=CONTACT)
    return HttpSource(made.adapter, bound, client=client)


async def test_a_query_that_cannot_be_said_has_its_reason_in_place_of_a_text(client):
    [said] = source_of("arxiv", client).translations(strategy("NOT graphs"))
    assert (said.query, said.texts, said.requests) == ("NOT graphs", [], [])
    assert "only excludes" in str(said.error)


async def test_a_bug_of_an_adapter_is_told_and_not_raised():
    class Broken(Cards):
        def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
            raise RuntimeError(f"upside down: {tree} {filters}")

    [said] = HttpSource(Broken("https://cards.example")).translations(strategy("graphs"))
    assert "a bug in" in str(said.error)
    assert "upside down" in str(said.error)


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("crossref", SourceSettings(max_calls=0), "max_calls is 0"),
        ("serpapi_scholar", SourceSettings(), "set SERPAPI_API_KEY"),
    ],
)
async def test_a_source_that_may_not_be_asked_says_so_once(name, settings, reason, client):
    adapter = source_of(name, client).adapter
    adapter.key = ""
    [said] = HttpSource(adapter, settings).translations(strategy("a", "b"))
    assert reason in str(said.error)
    assert (said.query, said.texts) == ("", [])


def test_a_library_searches_the_query_as_it_is_written(tmp_path):
    source = create_source("library", AppConfig(home=tmp_path))
    said = translations(source, strategy(QUERY, "(((", ranked=[RANKED], works=["doi:10.1000/1"]))
    assert [one.texts for one in said] == [["doi:10.1000/1"], [RANKED.text], [QUERY], ["((("]]
    assert [bool(message.error) for message in said] == [False, False, False, True]
    assert {note for message in said for note in message.notes} == {
        "searched on this machine; nothing is sent"
    }


@pytest.mark.parametrize(
    ("seeds", "note"),
    [
        ([], "nothing to follow"),
        ([Seed(doi="10.1000/1")], "follows what 1 work cites and is cited by"),
        (
            [Seed(doi=f"10.1000/{n}") for n in range(30)],
            "follows what 20 works cite and are cited by",
        ),
    ],
)
def test_snowballing_says_how_many_works_it_follows(seeds, note):
    [said] = translations(create_source("snowball", AppConfig()), strategy("a", seeds=seeds))
    assert said.notes[0].startswith(note)


def test_a_source_that_does_not_say_it_is_given_the_query_as_it_is():
    [said] = translations(FakeSource("theirs", []), strategy(QUERY))
    assert said.texts == [QUERY]
    assert "not known" in said.notes[0]


@pytest.mark.parametrize(
    ("name", "years"),
    [
        ("openalex", "publication_year:2010-2020"),
        ("semantic_scholar", "2010-2020"),
        ("crossref", "from-pub-date:2010-01-01,until-pub-date:2020-12-31"),
        ("serpapi_scholar", "2010"),
        ("pubmed", ""),
        ("arxiv", ""),
    ],
)
async def test_the_years_go_beside_a_string_of_ones_own_or_are_checked(client, sent, name, years):
    source = source_of(name, client)
    [said] = source.translations(strategy(sources=[name], native={name: "own"}))
    await source.report(strategy(sources=[name], native={name: "own"}))
    assert said.texts == ["own"]
    assert any(years in value for value in sent[0].url.params.values())
    assert ("checked in the results" in str(said.notes)) is (not years)


def test_limits_that_a_string_of_ones_own_leaves_out_are_checked():
    conditions = {"year_from": 2010, "conditions": ["NOT survey"]}
    filters = SearchConstraints.model_validate(conditions)
    [query] = translate_question(Pubmed(), NativeQuery("own"), filters, {})
    papers = {"title": "Graphs", "abstract": "", "year": 2012}
    assert query.remainder is not None
    assert judge(query.remainder, papers)
    assert not judge(query.remainder, papers | {"year": 2009})
    assert not judge(query.remainder, papers | {"title": "A survey"})
