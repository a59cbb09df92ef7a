"""Which searches there are, and how they stand."""

from __future__ import annotations

from pydantic import Field

from paper_search.models import PaperCollection, SourceReport
from paper_search.models.scope import Translation
from paper_search.models.usage import StepSpending
from paper_search.persistence import Persistence
from paper_search.threads.catalog import (
    BriefInfo,
    Catalog,
    DecisionInfo,
    StatusFacts,
    ThreadStatus,
)
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind
from paper_search.workflow.session import SearchSession
from paper_search.workflow.state import IterationRecord


class ThreadInfo(BriefInfo):
    """One thread in a list."""

    checkpoint: CheckpointKind | None = None
    """Which question it waits with."""
    iteration: int = 0
    usage: list[StepSpending] = Field(default_factory=list)
    """What each step spent on models."""
    papers: int | None = None
    """How many the latest result has, or None."""
    graph: str = "paper_search"


class ThreadDetail(ThreadInfo):
    """One thread in full."""

    open_checkpoint: Checkpoint | None = None
    collection: PaperCollection | None = None
    """The latest result."""
    reports: list[SourceReport] = Field(default_factory=list)
    history: list[IterationRecord] = Field(default_factory=list)
    decisions: list[DecisionInfo] = Field(default_factory=list)
    """Who decided what when, and what was refused, in the order of time."""
    translations: list[Translation] = Field(default_factory=list)
    """What each source will be sent, where a strategy waits and the sources were looked at."""


class ThreadCatalog(Catalog[SearchSession, ThreadInfo]):
    """Lists, shows, prunes and deletes searches."""

    def __init__(self, persistence: Persistence) -> None:
        super().__init__(persistence, SearchSession)

    async def show(self, thread_id: str) -> ThreadDetail:
        """Return all that there is to know of a thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        info = await self.info(thread_id)
        session = self.session(thread_id)
        state = await session.state()
        question = await session.open_question()
        return ThreadDetail(
            **info.model_dump(),
            open_checkpoint=question.question if question else None,
            collection=await session.result(),
            reports=state.reports,
            history=state.history,
            decisions=await self.decisions(thread_id),
        )

    def _info(self, status: StatusFacts) -> ThreadInfo:
        result = status.values.get("result")
        return ThreadInfo(
            **status.facts,
            checkpoint=status.asked["kind"] if status.asked else None,
            iteration=status.values.get("current_iteration", 0),
            usage=status.values.get("usage", []),
            papers=len(result["paper_ids"]) if result else None,
        )


__all__ = ["DecisionInfo", "ThreadCatalog", "ThreadDetail", "ThreadInfo", "ThreadStatus"]
