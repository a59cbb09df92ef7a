"""The reports in a list of threads, and all threads together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from paper_search.models.usage import StepSpending
from paper_search.persistence import Persistence
from paper_search.threads.catalog import BriefInfo, Catalog, StatusFacts
from paper_search.threads.catalogs import Catalogs
from paper_search.threads.records import ROOT
from paper_search.workflow.listing import ThreadCatalog

if TYPE_CHECKING:
    from paper_search.report_workflow.engine import ReportDetail, ReportSession

SEARCH = "paper_search"
REPORT = "research_report"


class ReportInfo(BriefInfo):
    waits_for: str | None = None
    phase: str = ""
    version: int | None = None
    """Of the latest draft."""
    usage: list[StepSpending] = Field(default_factory=list)
    graph: str = "research_report"


class ReportCatalog(Catalog["ReportSession", ReportInfo]):
    listed_in = (ROOT, "reports")
    begins_with = "original_query"

    @property
    def session_type(self) -> type[ReportSession]:
        from paper_search.report_workflow.engine import ReportSession  # noqa: PLC0415  # slow import

        return ReportSession

    async def show(self, thread_id: str) -> ReportDetail:
        """Return one report in full. Raises the errors of `info`."""
        from paper_search.report_workflow.engine import ReportDetail  # noqa: PLC0415  # slow import

        info = await self.info(thread_id)
        session = self.session(thread_id)
        state = await session.state()
        question = await session.open_question()
        return ReportDetail(
            **info.model_dump(),
            open_review=question.question if question else None,
            research_plan=state.research_plan,
            sources=len(state.result_ids),
            checkpoints=state.checkpoints,
            errors=[str(error) for error in state.errors],
            report=await session.result() if state.is_complete else None,
            decisions=await self.decisions(thread_id),
        )

    def _info(self, status: StatusFacts) -> ReportInfo:
        values = status.values
        return ReportInfo(
            **status.facts,
            waits_for=status.asked["kind"] if status.asked else None,
            phase=values.get("status") or "",
            version=(values.get("draft") or {}).get("version"),
            usage=values.get("usage", []),
        )


class ThreadCatalogs(Catalogs):
    def __init__(self, persistence: Persistence) -> None:
        self.searches = ThreadCatalog(persistence)
        self.reports = ReportCatalog(persistence)
        super().__init__(persistence, {SEARCH: self.searches, REPORT: self.reports})
