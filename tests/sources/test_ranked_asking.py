"""How a web service is asked the ranked queries of a strategy."""

from typing import Any

import httpx
import pytest
from tests.sources.cards import URL, Cards, source_of
from tests.sources.catalogues import SERVICES as CATALOGUES
from tests.sources.loopback import SERVICES as OTHERS
from tests.sources.loopback import TITLED

from paper_search.models import RankedQuery, SearchConstraints, SourceStatus
from paper_search.query import And, conditions_in, normalise
from paper_search.sources.adapter import Translated
from paper_search.sources.client import SourceSettings
from paper_search.sources.http_source import HttpSource
from paper_search.sources.ranked_text import content_words, rarest_words
from paper_search.testing.skills import fake_strategy


class RankedCards(Cards):
    """Wants all words; the condition is left for our side."""

    ranks_text = True

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        rest = conditions_in(filters.every_condition)
        remainder = normalise(And(tuple(rest))) if rest else None
        tries = rarest_words(content_words(query.text), 3)
        return tuple(Translated(" ".join(words), (), remainder) for words in tries)


class Catalogue:
    """Answers with pages of ten cards, for queries that it knows."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        query = request.url.params["q"]
        self.asked.append(query)
        there, page = self.known.get(query, 0), int(request.url.params.get("page", 0))
        numbers = range(10 * page, min(10 * page + 10, there))
        cards: list[dict[str, Any]] = [
            {"id": f"{query} {number}", "title": f"Graphs {number}" + " of bees" * (number % 2)}
            for number in numbers
        ]
        more = {"next": page + 1} if 10 * page + 10 < there else {}
        return httpx.Response(200, json={"papers": cards, "total": there, **more})


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue()


@pytest.fixture
def source(catalogue: Catalogue) -> HttpSource:
    return source_of(catalogue, RankedCards(URL))


def strategy(*texts: str, condition: str = "", booleans: tuple[str, ...] = (), most: int = 100):
    limits = {"max_results": most, "conditions": [condition] if condition else []}
    ranked = [RankedQuery(text=text) for text in texts]
    return fake_strategy(*booleans, sources=["cards"], **limits).model_copy(
        update={"ranked": ranked}
    )


async def test_ranked_queries_are_asked_before_boolean_ones(source, catalogue):
    catalogue.known = {"deep graphs": 2, "bees": 3}
    report = await source.report(strategy("Which deep graphs?", booleans=("bees",)))
    assert catalogue.asked == ["deep graphs", "bees"]
    assert [(row.query, row.kept) for row in report.sources] == [("deep graphs", 2), ("bees", 3)]
    seen = [paper.sightings[0] for paper in report.papers]
    assert [(item.query, item.rank) for item in seen[:3]] == [
        ("deep graphs", 1),
        ("deep graphs", 2),
        ("bees", 1),
    ]


async def test_what_is_asked_next_is_asked_only_if_nothing_was_found(source, catalogue):
    catalogue.known = {"deep graphs": 2}
    report = await source.report(strategy("deep graphs zzyzx"))
    assert catalogue.asked == ["deep graphs zzyzx", "deep graphs"]
    first, second = report.sources
    assert (first.query, first.kept, first.attempts) == ("deep graphs zzyzx", 0, 1)
    assert (second.query, second.kept, second.attempts, second.hits) == ("deep graphs", 2, 1, 2)
    assert [paper.sightings[0].query for paper in report.papers] == ["deep graphs"] * 2


async def test_a_boolean_query_turns_pages_until_there_is_enough(source, catalogue):
    catalogue.known = {"graphs": 100}
    await source.report(strategy(booleans=("graphs NOT bees",), most=20))
    assert len(catalogue.asked) == 4


async def test_a_condition_that_cannot_be_read_is_a_failure_and_nothing_is_sent(source, catalogue):
    report = await source.report(strategy("deep graphs", condition="NOT (bees"))
    [entry] = report.sources
    assert entry.status is SourceStatus.BAD_RESPONSE
    assert entry.query == "deep graphs"
    assert not catalogue.asked


RANKING = {**CATALOGUES, **OTHERS}


@pytest.mark.parametrize("name", RANKING)
async def test_every_service_that_ranks_answers_a_question(name, httpserver):
    service = RANKING[name](httpserver)
    source = HttpSource(service.adapter, SourceSettings(interval_s=0.0, max_retries=0))
    found = await source.report(strategy("What is known about learning?", most=15))
    [entry] = found.sources
    assert entry.status is SourceStatus.OK
    assert entry.pages == (2 if name == "pubmed" else 1)
    titles = [paper.title for paper in found.papers]
    assert titles == [book.title for book in TITLED][: len(titles)]
    assert len(titles) >= 12
    assert all(paper.sightings[0].query == entry.query for paper in found.papers)
    assert [paper.sightings[0].rank for paper in found.papers] == list(range(1, len(titles) + 1))
