"""One report's thread, driven: every door of the program goes through here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from paper_search.config import current_person
from paper_search.errors import PersistenceError
from paper_search.persistence import Persistence
from paper_search.report.document import Report
from paper_search.report.models import SearchResult, now
from paper_search.report_workflow.breakpoints import (
    BreakpointName,
    HITLAction,
    Review,
    ReviewDecision,
    ReviewRef,
)
from paper_search.report_workflow.decisions import check_decision, loose_decision, named_review
from paper_search.report_workflow.forks import fork
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.report_workflow.services import ReportServices
from paper_search.report_workflow.shelf import ReportShelf
from paper_search.report_workflow.state import SCHEMA_VERSION, ReportParams, WorkflowState
from paper_search.steps.compiler import PARAMS, compile_workflow
from paper_search.workflow.driven import DrivenThread
from paper_search.workflow.replays import to_storable

SILENCE = "timeout"
"""Who decided where nobody did in time and the run is set to approve then."""


@dataclass(frozen=True)
class OpenReview:
    """A question that waits on a thread, and the interrupt that an answer must name."""

    interrupt_id: str
    review: Review

    def is_overdue(self, at: datetime | None = None) -> bool:
        """Whether the time to answer is over."""
        return (at or now()) >= self.review.expires_at


def report_graph(persistence: Persistence, services: ReportServices | None = None) -> Any:
    """Return the research-report graph on a place for threads; without services, to read only."""
    return compile_workflow(
        WORKFLOW,
        services=services,
        checkpointer=persistence.checkpointer,
        store=persistence.store,
    )


class ReportSession(DrivenThread[WorkflowState, OpenReview, ReviewRef]):
    """Reads and drives one report.

    Args:
        graph: made by `report_graph` on the same place.
        persistence: where the thread lives.
        thread_id: which one.
        events: takes what the steps report.
    """

    begins_with = "original_query"
    noun = "report"
    reference_field = "review"
    after_the_end = "Write it out with `paper-search report --thread`, or start a new one"

    @property
    def shelf(self) -> ReportShelf:
        """Return where the records of the report are."""
        return ReportShelf(self._persistence.store, self._thread_id)

    async def begin(self, question: str, params: ReportParams) -> None:
        """Run a new report up to its first question or its end.

        Raises:
            ThreadExistsError: the thread carries something already.
        """
        await self._begin({"original_query": question, PARAMS: params.model_dump(mode="json")})

    def checked(self, question: OpenReview, decision: Any) -> dict[str, Any]:
        """See `DrivenThread.checked`; whoever answers is a person."""
        valid = check_decision(question.review, decision)
        return _as_stored(valid, question.review.reference)

    async def approve_by_timeout(self, question: OpenReview) -> bool:
        """Go on with what nobody answered in time, if the run is set to; return whether it did.

        Silence is a decision like any other: it counts once, and an answer that was stored before
        it is the one that is applied.
        """
        if not (question.review.auto_approve_on_timeout and question.is_overdue()):
            return False
        silence = ReviewDecision(
            action=HITLAction.APPROVE, review=question.review.reference, decided_by="timeout"
        )
        plain = to_storable(silence.model_dump(mode="json"))
        entry = await self._ledger.record(self._thread_id, question.interrupt_id, plain, SILENCE)
        await self.apply(entry)
        return True

    async def fork(
        self, kinds: tuple[BreakpointName, ...], number: int | None, by: str | None
    ) -> None:
        """Ask a question again that was decided.

        Raises:
            StaleDecisionError: it was never decided, or the history was pruned.
        """
        await self.state()  # a report of another version is left alone
        person = by or current_person()
        await fork(self._graph, self._persistence, self._thread_id, kinds, number, person)

    async def results(self) -> list[SearchResult]:
        """Return everything that was collected, in order."""
        return await self.shelf.results((await self.state()).result_ids)

    async def report(self) -> Report:
        """Return the report; of one that has not ended, nothing but its sources."""
        state = await self.state()
        data = state.collected_data
        product = data.get("final_output") or data.get("fallback_output") or {}
        return Report.of(product, await self.results(), state.analysis, state.critique)

    def _read(self, values: Mapping[str, Any]) -> WorkflowState:
        version = values.get("schema_version", SCHEMA_VERSION)
        if version != SCHEMA_VERSION:
            raise PersistenceError(
                f"report {self._thread_id!r} was written with schema version {version}; "
                f"this program reads {SCHEMA_VERSION}"
            )
        known = {name: values[name] for name in WorkflowState.model_fields if name in values}
        return WorkflowState.model_validate(known)

    async def _shown(self, interrupt: Any, values: Mapping[str, Any]) -> OpenReview:
        del values  # a review shows all that is needed
        return OpenReview(interrupt.id, Review.model_validate(interrupt.value))

    def _reference(self, value: Any) -> ReviewRef:
        return ReviewRef.model_validate(value)

    def _named(self, decision: Any) -> ReviewRef | None:
        return named_review(decision)

    def _says(self, stored: Mapping[str, Any], decision: Any, named: ReviewRef) -> bool:
        said = loose_decision(named, decision)
        return said is not None and to_storable(_as_stored(said, named)) == dict(stored)


def _as_stored(decision: ReviewDecision, named: ReviewRef) -> dict[str, Any]:
    """Return a person's decision on a question as it is stored: nobody can pass for a timeout."""
    whole = decision.model_copy(update={"review": named, "decided_by": "person"})
    return whole.model_dump(mode="json")
