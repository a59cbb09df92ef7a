"""What the threads of a report have of their own: reviews, some with a time limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from paper_search.errors import ExportError
from paper_search.persistence import LedgerEntry, LedgerStatus
from paper_search.report.document import Approval, Report
from paper_search.report.models import ResearchPlan, SearchResult
from paper_search.report_workflow.context import PlanApprovals, ReportRecords
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.report_workflow.listing import ReportCatalog, ReportInfo
from paper_search.report_workflow.products import final_output
from paper_search.report_workflow.reviews import (
    ACTIONS,
    HITLAction,
    Review,
    ReviewDecision,
    answer_model,
    past_decision,
)
from paper_search.report_workflow.state import ReportParams, WorkflowState
from paper_search.steps.types import PARAMS
from paper_search.threads.catalog import DecisionInfo
from paper_search.threads.decisions import to_storable
from paper_search.threads.questions import OpenQuestion, QuestionRef
from paper_search.threads.session import ThreadSession

SILENCE = "timeout"
"""Who decided where nobody did in time and the run is set to approve then."""


class ReportSession(ThreadSession[WorkflowState, Review, Report]):
    workflow = WORKFLOW
    begins_with = ReportCatalog.begins_with
    noun = "report"
    after_the_end = "Output it with `paper-search export THREAD`, or start a new one"
    records_type = ReportRecords
    question_type = Review
    decision_type = ReviewDecision
    reference_field = "review"
    actions = ACTIONS
    audited = ("action", "feedback", "review", "decided_by")
    decided_fields = frozenset({"is_complete", "ended_by", "human_approved", "human_note"})
    edited_after: ClassVar[Mapping[str, str]] = {"human_review": "planner"}

    @property
    def records(self) -> ReportRecords:
        return ReportRecords(self._persistence.store, self.thread_id)

    async def approve_by_timeout(self, waiting: OpenQuestion[Review]) -> bool:
        """Go on with what nobody answered in time, if the run is set to; return whether it did.

        Silence is a decision like any other: it counts once, and an answer that was stored before
        it is the one that is applied.
        """
        if not (waiting.question.auto_approve_on_timeout and waiting.question.is_overdue()):
            return False
        silence = ReviewDecision(
            action=HITLAction.APPROVE, review=waiting.question.reference, decided_by="timeout"
        )
        plain = to_storable(silence.model_dump(mode="json"))
        entry = await self.ledger.record(self.thread_id, waiting.interrupt_id, plain, SILENCE)
        await self.apply(entry)
        return True

    async def results(self) -> list[SearchResult]:
        return await self.records.results((await self.state()).result_ids)

    async def result(self) -> Report:
        """Return the report; of one that has not ended, nothing but its sources."""
        state = await self.state()
        data = state.collected_data
        product = data.get("final_output") or data.get("fallback_output") or {}
        report = Report.of(product, await self.results(), state.analysis, state.critique)
        counting = await self._counting()
        latest = counting[max(counting)] if counting and state.human_approved else None
        approval = Approval(by=latest.decided_by, at=latest.decided_at) if latest else None
        people = {number: entry.decided_by for number, entry in counting.items()}
        return report.model_copy(update={"approval": approval, "deciders": people})

    async def preview(self) -> Report:
        """Return the report as it stands, which is what a person is asked about.

        Raises:
            ThreadNotFoundError: there is no such report.
            ExportError: nothing is written yet.
        """
        state = await self.state()
        if state.draft is None:
            raise ExportError(f"report {self.thread_id!r} has no draft yet: it waits with its plan")
        params = ReportParams.model_validate((await self.channels()).get(PARAMS) or {})
        results = await self.results()
        product = {**final_output(state, params, results), "status": "draft"}
        report = Report.of(product, results, state.analysis, state.critique)
        people = {n: entry.decided_by for n, entry in (await self._counting()).items()}
        return report.model_copy(update={"deciders": people})

    async def _counting(self) -> dict[int, LedgerEntry]:
        entries = await self.ledger.entries(self.thread_id)
        counting = [entry for entry in entries if entry.status is not LedgerStatus.SUPERSEDED]
        return {self.reference_of(entry).position: entry for entry in counting}

    def _answers(self, question: Review, state: WorkflowState) -> Any:
        del state  # a review says which decisions it takes
        return answer_model(question)

    def past_decision(self, reference: QuestionRef, decision: Any) -> ReviewDecision | None:
        return past_decision(reference, decision)

    def as_stored(self, decision: BaseModel, reference: QuestionRef) -> dict[str, Any]:
        """See `ThreadSession`; whoever answers is a person, and nobody can pass for another."""
        whole = decision.model_copy(update={"decided_by": "person", "decider": None})
        return super().as_stored(whole, reference)

    def _as_told(self, entry: LedgerEntry) -> dict[str, Any]:
        return entry.decision | {"decider": entry.decided_by}

    async def propose(self) -> None:
        state = await self.state()
        if state.research_plan is not None:
            approvals = PlanApprovals(self.records)
            await approvals.propose(state.research_plan, state.human_reviews)

    async def undo_effects(self, reference: QuestionRef) -> None:
        if reference.kind == "plan_review":
            await PlanApprovals(self.records).revoke(0)


class ReportDetail(ReportInfo):
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
