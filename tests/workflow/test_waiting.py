"""What a slow source had left to say joins the result of the same round when a person waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pytest_httpserver import HTTPServer
from tests.answers import reply_to
from tests.skills.test_searcher import Turning
from tests.workflow.doubles import edit, reject

from paper_search.errors import AlreadyDecidedError, InvalidDecisionError, StaleDecisionError
from paper_search.models import (
    EndReason,
    PaperCollection,
    RawPaper,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
    UserFeedback,
)
from paper_search.skills import RelevanceScorer, Searcher
from paper_search.testing.handlers import ScriptedHandler
from paper_search.testing.skills import FakeSkills, fake_strategy
from paper_search.testing.sources import FakeSource
from paper_search.workflow import Checkpoint, ResultPayload, SearchWorkflow

WAIT = {"action": "edit", "revised_data": {"wait_for_sources": True}}
QUICK = "abcd"


class Late(FakeSource):
    """Does not answer while it is `late`, however long it is waited for."""

    is_late = True

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        found = await super().search_advanced(strategy)
        if self.is_late:
            await asyncio.sleep(3600)
        return found


def papers(name: str, *numbers: int) -> list[RawPaper]:
    return [
        RawPaper(id=f"{name}{number}", title=f"Paper {number} of {name}", source=name)
        for number in numbers
    ]


class Asking(FakeSkills):
    """Has all of some sources asked."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self._names = names

    async def build(self, request: Any) -> SearchStrategy:
        await super().build(request)
        return fake_strategy("x", self._names)


def waiting(
    late: FakeSource, *, scorer: Any = None, handler: Any = None, **options: Any
) -> SearchWorkflow:
    """Return a search over four quick sources and a late one."""
    sources = [*(FakeSource(name, papers(name, 1, 2)) for name in QUICK), late]
    skills = Asking([source.source_name for source in sources])
    searcher = Searcher(sources, straggler_s=0.1, deadline_s=1.0, patience_s=0.1)
    roles = (skills, skills, searcher, skills, scorer or skills, skills)
    return SearchWorkflow(*roles, handler, **options)


def shown(checkpoint: Checkpoint | PaperCollection) -> ResultPayload:
    assert isinstance(checkpoint, Checkpoint)
    assert isinstance(checkpoint.payload, ResultPayload)
    return checkpoint.payload


def ids(collection: PaperCollection) -> set[str]:
    return {paper.id for paper in (*collection.papers, *collection.set_aside)}


@pytest.mark.parametrize("scorer", [None, RelevanceScorer()], ids=["foreign", "own"])
async def test_the_rest_of_a_slow_source_joins_the_result_of_the_same_round(scorer: Any) -> None:
    late = Late("late", papers("late", 1, 2, 3))
    flow = waiting(late, scorer=scorer)
    await flow.start("q", thread_id="t")
    before = shown(await reply_to(flow, "t", "approve"))
    assert before.unfinished_sources == ["late"]
    assert "late1" not in ids(before.collection)
    late.is_late = False
    after = await reply_to(flow, "t", WAIT)
    payload = shown(after)
    assert ids(payload.collection) == ids(before.collection) | {"late1", "late2", "late3"}
    assert payload.iteration == before.iteration == 0
    assert payload.unfinished_sources == []
    assert [report.source for report in payload.reports] == [*QUICK, "late"]
    assert (payload.reports[-1].status, payload.reports[-1].kept) == (SourceStatus.OK, 3)
