"""From a mark to what the paper cites: proposed, approved, followed over loopback."""

from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.sources.citations import CITATIONS, REFERENCES, SEED, Net, doi, title
from tests.workflow import doubles
from tests.workflow.doubles import edit, reject

from paper_search import models
from paper_search.skills import QueryBuilder, RelevanceScorer, Searcher
from paper_search.testing.llm import FakeLLM, grades_of
from paper_search.testing.skills import ScriptedHandler
from paper_search.testing.sources import FakeSource
from paper_search.workflow import Checkpoint, Decision, SearchWorkflow, StrategyPayload

FOLLOWED = {title(number) for number in (*REFERENCES, *CITATIONS)}


@pytest.fixture
def net(httpserver: HTTPServer) -> Net:
    return Net(httpserver)


def shelf() -> FakeSource:
    return FakeSource(
        "shelf",
        [
            models.RawPaper(id="seed", title="The seed", doi=doi(SEED), source="shelf"),
            models.RawPaper(id="plain", title="Without any identifier", source="shelf"),
        ],
    )


def workflow(
    net: Net | None, handler: ScriptedHandler, found: FakeSource | None = None, **roles: Any
) -> SearchWorkflow:
    sources = [found or shelf(), *([net.source()] if net else [])]
    builder = QueryBuilder(None, available_sources=[source.source_name for source in sources])
    roles |= {"query_builder": builder, "searcher": Searcher(sources)}
    return doubles.workflow(handler=handler, **roles)


def mark(*ids: str) -> Decision:
    return edit(models.UserFeedback(marked_relevant=list(ids)).model_dump())


def proposed(checkpoint: Checkpoint) -> models.SearchStrategy:
    return checkpoint.payload.strategy


def sources_of(handler: ScriptedHandler) -> list[list[str]]:
    payloads = [request.payload for request in handler.asked]
    return [shown.strategy.sources for shown in payloads if isinstance(shown, StrategyPayload)]


def titles(collection: models.PaperCollection) -> set[str]:
    return {paper.title for paper in collection.papers}


async def test_papers_that_a_model_graded_best_are_followed_after_the_marked_ones(net):
    judge = RelevanceScorer(FakeLLM(grades_of({"On learning": 3}, default=1)))
    other = models.RawPaper(id="other", title="Graded low", doi="10.5/low", source="shelf")
    marked = models.RawPaper(id="marked", title="Graded lower", doi="10.5/marked", source="shelf")
    seed = models.RawPaper(id="seed", title="On learning", doi=doi(SEED), source="shelf")
    found = FakeSource("shelf", [other, seed, marked])
    handler = ScriptedHandler(["approve", mark("marked"), "approve", "approve"])
    await workflow(net, handler, found, relevance_scorer=judge).run("learning")
    assert [seed.doi for seed in proposed(handler.asked[2]).seeds] == ["10.5/marked", doi(SEED)]


async def test_a_marked_paper_is_followed_in_the_next_round(net):
    handler = ScriptedHandler(["approve", mark("seed"), "approve", "approve"])
    collection = await workflow(net, handler).run("learning")
    assert sources_of(handler) == [["shelf"], ["shelf", models.SNOWBALL]]
    assert [seed.doi for seed in proposed(handler.asked[2]).seeds] == [doi(SEED)]
    assert titles(collection) >= FOLLOWED
    assert {paper.source for paper in collection.papers} == {"shelf", models.SNOWBALL}
    reports = handler.asked[3].payload.reports
    followed = [report.status for report in reports if report.source == models.SNOWBALL]
    assert followed == [
        models.SourceStatus.EMPTY,
        models.SourceStatus.OK,
        models.SourceStatus.OK,
    ]  # ids come first


OF_NO_USE = {"marked_relevant": ["plain"], "marked_irrelevant": ["seed"]}


@pytest.mark.parametrize("said", [reject("only newer ones"), edit(OF_NO_USE)], ids=["none", "odd"])
async def test_nothing_is_followed_but_a_relevant_paper_with_identifiers(net, said):
    handler = ScriptedHandler(["approve", said, "approve", "approve"])
    await workflow(net, handler).run("learning")
    assert sources_of(handler) == [["shelf"], ["shelf"]]
    assert net.asked == []
