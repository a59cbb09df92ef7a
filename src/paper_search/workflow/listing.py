"""The searches in a list of threads, without importing what runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from paper_search.models.usage import StepSpending
from paper_search.threads.catalog import BriefInfo, Catalog, StatusFacts
from paper_search.threads.records import ROOT
from paper_search.workflow.checkpoints import CheckpointKind

if TYPE_CHECKING:
    from paper_search.workflow.session import SearchSession, ThreadDetail


class ThreadInfo(BriefInfo):
    checkpoint: CheckpointKind | None = None
    iteration: int = 0
    usage: list[StepSpending] = Field(default_factory=list)
    papers: int | None = None
    """The number in the latest result, if there is one."""
    graph: str = "paper_search"


class ThreadCatalog(Catalog["SearchSession", ThreadInfo]):
    listed_in = (ROOT, "threads")
    begins_with = "question"

    @property
    def session_type(self) -> type[SearchSession]:
        from paper_search.workflow.session import SearchSession  # noqa: PLC0415  # slow import

        return SearchSession

    async def show(self, thread_id: str) -> ThreadDetail:
        """Return one thread in full. Raises the errors of `info`."""
        from paper_search.workflow.session import ThreadDetail  # noqa: PLC0415  # slow import

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
            searched=sorted(state.searched),
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
