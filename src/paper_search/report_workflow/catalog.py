"""Which reports there are, and how they stand."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from paper_search.persistence import LedgerEntry, Persistence
from paper_search.report.document import Report
from paper_search.report.models import ResearchPlan
from paper_search.report_workflow.breakpoints import Review
from paper_search.report_workflow.session import ReportSession, report_graph
from paper_search.report_workflow.shelf import ReportShelf
from paper_search.workflow.catalog import BriefInfo, Catalog, DecisionInfo, Standing


class ReportInfo(BriefInfo):
    """One report in a list."""

    waits_for: str | None = None
    """Which question it waits with."""
    phase: str = ""
    version: int | None = None
    """Of the latest draft."""
    graph: str = "research_report"


class ReportDetail(ReportInfo):
    """One report in full."""

    open_review: Review | None = None
    research_plan: ResearchPlan | None = None
    sources: int = 0
    """How many were collected."""
    checkpoints: list[str] = Field(default_factory=list)
    """What happened on the way, with the time."""
    errors: list[str] = Field(default_factory=list)
    report: Report | None = None
    """The report, where it has ended."""
    decisions: list[DecisionInfo] = Field(default_factory=list)
    """Who decided what when, and what was refused, in the order of time."""


class ReportCatalog(Catalog[ReportInfo]):
    """Lists, shows, prunes and deletes reports.

    Args:
        persistence: where they live.
    """

    def __init__(self, persistence: Persistence) -> None:
        super().__init__(persistence)
        self._graph = report_graph(persistence)

    def session(self, thread_id: str) -> ReportSession:
        """See `Catalog.session`."""
        return ReportSession(self._graph, self._persistence, thread_id)

    async def reports(self, *, limit: int = 100, offset: int = 0) -> list[ReportInfo]:
        """Return reports, the one that changed last first."""
        return await self.threads(limit=limit, offset=offset)

    async def show(self, thread_id: str) -> ReportDetail:
        """Return all that there is to know of a report.

        Raises:
            ThreadNotFoundError: there is no such report.
        """
        info = await self.info(thread_id)
        session = self.session(thread_id)
        state = await session.state()
        question = await session.open_question()
        return ReportDetail(
            **info.model_dump(),
            open_review=question.review if question else None,
            research_plan=state.research_plan,
            sources=len(state.result_ids),
            checkpoints=state.checkpoints,
            errors=[str(each) for each in state.errors],
            report=await session.report() if state.is_complete else None,
            decisions=await self.decisions(thread_id),
        )

    def _shelf(self, thread_id: str) -> ReportShelf:
        return ReportShelf(self._persistence.store, thread_id)

    def _info(self, standing: Standing) -> ReportInfo:
        values = standing.values
        return ReportInfo(
            **standing.facts,
            waits_for=standing.asked["kind"] if standing.asked else None,
            phase=values.get("status") or "",
            version=(values.get("draft") or {}).get("version"),
        )

    def _told(self, entry: LedgerEntry) -> dict[str, Any]:
        said = entry.decision
        return {
            "action": said["action"],
            "feedback": said.get("feedback"),
            "review": said["review"],
            "decided_by": said["decided_by"],
        }
