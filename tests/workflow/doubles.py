"""Doctored skills, and short ways to say what a test's person answers."""

import asyncio
from collections.abc import Callable
from typing import Any

from tests.answers import reply_to

from paper_search.models import Paper, RawPaper, SearchStrategy, UserFeedback
from paper_search.skills import (
    Deduplicator,
    IntentParser,
    QueryBuilder,
    RelevanceScorer,
    ResultOrganizer,
    Searcher,
)
from paper_search.testing.skills import FakeSkills
from paper_search.testing.sources import FakeSource
from paper_search.workflow import Checkpoint, Decision, DecisionAction, SearchWorkflow


class Crash(BaseException):
    """The end of a process, without the process."""


STEPS = ["parse", "build", "search", "deduplicate", "score", "organize"]


ROLES = ("intent_parser", "query_builder", "searcher", "deduplicator", "relevance_scorer",
         "result_organizer")  # fmt: skip


def workflow(skills: Any = None, handler: Any = None, **options: Any) -> Any:
    """Return a workflow with one object in all six roles, but for those that are named."""
    one = skills or FakeSkills()
    return SearchWorkflow(*(options.pop(role, one) for role in ROLES), handler, **options)


async def at_result(flow: SearchWorkflow) -> Any:
    """Begin a search and approve its strategy; return the question about its result."""
    await flow.start("q", thread_id="t")
    return await reply_to(flow, "t", "approve")


def with_real_skills(
    source: FakeSource, llm: Any = None, handler: Any = None, **options: Any
) -> SearchWorkflow:
    """Return a workflow that searches the source `fake` as the program does."""
    return SearchWorkflow(
        IntentParser(llm, has_fallback=True),
        QueryBuilder(llm, available_sources=["fake"]),
        Searcher([source]),
        Deduplicator(),
        RelevanceScorer(llm, batch_size=1),
        ResultOrganizer(),
        handler,
        **options,
    )


def edit(data: Any = None, note: str | None = None) -> Decision:
    return Decision(action=DecisionAction.EDIT, revised_data=data, note=note)


def reject(note: str | None = None, data: Any = None) -> Decision:
    return Decision(action=DecisionAction.REJECT, revised_data=data, note=note)


def mark_last(checkpoint: Checkpoint) -> Decision:
    """Mark the last paper shown as relevant and ask for another round."""
    return edit(UserFeedback(marked_relevant=[checkpoint.payload.collection.papers[-1].id]))


def unmarked(papers: list[Paper]) -> list[Paper]:
    """Return papers without what a person decided, which the seeds' algorithm does not show."""
    return [paper.model_copy(update={"screening": None}) for paper in papers]


class FailingSkills(FakeSkills):
    """Skills of which one raises, until it is repaired."""

    def __init__(self, method: str, error: BaseException) -> None:
        super().__init__()
        self.is_broken = True
        inner: Callable[..., Any] = getattr(self, method)

        async def broken(*args: Any) -> Any:
            if self.is_broken:
                raise error
            return await inner(*args)

        setattr(self, method, broken)


class Builder(FakeSkills):
    """Proposes one strategy, whatever was asked before."""

    def __init__(self, strategy: SearchStrategy) -> None:
        super().__init__()
        self.strategy = strategy

    async def build(self, request: Any) -> SearchStrategy:
        await super().build(request)
        return self.strategy


class Late(FakeSource):
    """Does not answer while it is late, however long it is waited for; then after some time."""

    is_late = True
    late_s = 3600.0

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        found = await super().search_advanced(strategy)
        if self.is_late:
            await asyncio.sleep(self.late_s)
        return found
