"""ReportWorkflow: runs the research-report graph from Python; and the session of its threads."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from paper_search.config import AppConfig
from paper_search.errors import ExportError, InvalidDecisionError, ThreadWaitingError
from paper_search.models.source_report import quantity
from paper_search.persistence import LedgerEntry, LedgerStatus, Persistence
from paper_search.report.document import Approval, Report
from paper_search.report.models import (
    MAX_QUESTION_CHARS,
    MIN_QUESTION_CHARS,
    ResearchPlan,
    SearchResult,
    now,
)
from paper_search.report_workflow.context import PlanApprovals, ReportRecords, ReportServices
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.report_workflow.listing import ReportCatalog, ReportInfo
from paper_search.report_workflow.products import final_output
from paper_search.report_workflow.reviews import (
    ACTIONS,
    BreakpointName,
    HITLAction,
    Review,
    ReviewDecision,
    ReviewHandler,
    answer_model,
    past_decision,
)
from paper_search.report_workflow.state import AskingParams, ReportParams, WorkflowState
from paper_search.steps.types import PARAMS
from paper_search.threads.catalog import DecisionInfo
from paper_search.threads.decisions import to_storable
from paper_search.threads.engine import ProgressReporter, ThreadEngine, admit, thread_name
from paper_search.threads.questions import OpenQuestion, QuestionRef, valid_question
from paper_search.threads.session import ThreadSession

TIMEOUT = "timeout"
"""The person in the ledger if nobody answered in time and the settings approve then."""


class ReportSession(ThreadSession[WorkflowState, Review, Report]):
    workflow = WORKFLOW
    begins_with = ReportCatalog.begins_with
    noun = "report"
    after_the_end = "Export it, or start a new one"
    records_type = ReportRecords
    question_type = Review
    decision_type = ReviewDecision
    reference_field = "review"
    actions = ACTIONS
    audit_fields = ("action", "feedback", "review", "decided_by")
    decided_fields = frozenset({"is_complete", "ended_by", "human_approved", "human_note"})
    edited_after: ClassVar[Mapping[str, str]] = {"human_review": "planner"}

    records: ReportRecords

    async def approve_by_timeout(self, waiting: OpenQuestion[Review]) -> bool:
        """Approve a question that nobody answered in time, if the settings say so; return whether.

        This is a decision like any other: it counts once, and an answer that was stored before it
        is applied instead.
        """
        if not (waiting.question.auto_approve_on_timeout and waiting.question.is_overdue()):
            return False
        approval = ReviewDecision(
            action=HITLAction.APPROVE, review=waiting.question.reference, decided_by="timeout"
        )
        plain = to_storable(approval.model_dump(mode="json"))
        entry = await self.ledger.record(self.thread_id, waiting.interrupt_id, plain, TIMEOUT)
        await self.apply(entry)
        return True

    async def results(self) -> list[SearchResult]:
        return await self.records.results((await self.state()).result_ids)

    async def result(self) -> Report:
        """Return the report; before its end, only its sources."""
        state = await self.state()
        data = state.collected_data
        product = data.get("final_output") or data.get("fallback_output") or {}
        report = Report.of(product, await self.results(), state.analysis, state.critique)
        if state.human_approved:
            entries = await self.ledger.entries(self.thread_id)
            valid = (entry for entry in entries if entry.status is not LedgerStatus.SUPERSEDED)
            latest = max(valid, key=lambda entry: self.reference_of(entry).position, default=None)
            if latest is not None:
                report.approval = Approval(by=latest.decided_by, at=latest.decided_at)
        return report

    async def preview(self) -> Report:
        """Return the current draft as a report; raise ExportError if there is none."""
        state = await self.state()
        if state.draft is None:
            raise ExportError(f"report {self.thread_id!r} has no draft yet: its plan is still open")
        params = ReportParams.model_validate((await self.channels()).get(PARAMS) or {})
        results = await self.results()
        product = {**final_output(state, params, results), "status": "draft"}
        return Report.of(product, results, state.analysis, state.critique)

    def _answers(self, question: Review, state: WorkflowState) -> Any:
        del state  # a review itself lists the actions that it takes
        return answer_model(question)

    def past_decision(self, reference: QuestionRef, decision: Any) -> ReviewDecision | None:
        return past_decision(reference, decision)

    def decision_for_ledger(self, decision: BaseModel, reference: QuestionRef) -> dict[str, Any]:
        """See `ThreadSession`; an answer cannot say that it is a timeout, or who gave it."""
        whole = decision.model_copy(update={"decided_by": "person", "decider": None})
        return super().decision_for_ledger(whole, reference)

    def _decision_for_graph(self, entry: LedgerEntry) -> dict[str, Any]:
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
    """Number of collected sources."""
    checkpoints: list[str] = Field(default_factory=list)
    """Decisions along the way, with the time."""
    errors: list[str] = Field(default_factory=list)
    report: Report | None = None
    decisions: list[DecisionInfo] = Field(default_factory=list)
    """Decisions and refused answers, with who gave them and when, the oldest first."""


class ReportWorkflow(ThreadEngine[ReportSession, Review, Report]):
    """Writes research reports with a person in the loop, on threads that can be resumed.

    Args:
        services: searchers, readers and models.
        review_handler: answers the questions; None if `run` asks nobody.
        progress_reporter: takes the name of a step and its details; its exceptions are only logged.
        persistence: where threads are stored: a URL, or an open `Persistence`; None: in memory,
            until this object is gone.
        settings: of a run, by the names of `ReportParams`.

    Raises:
        ConfigError: a setting is unknown or out of range.
    """

    def __init__(
        self,
        services: ReportServices,
        review_handler: ReviewHandler | None = None,
        progress_reporter: ProgressReporter | None = None,
        *,
        persistence: str | Persistence | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(
            ReportSession,
            services=services,
            handler=review_handler,
            progress=progress_reporter,
            persistence=persistence,
        )
        self._chosen = settings
        self._settings(is_asking=True)

    @classmethod
    def from_config(
        cls,
        config: AppConfig,
        review_handler: ReviewHandler | None = None,
        progress_reporter: ProgressReporter | None = None,
        *,
        persistence: str | Persistence | None = None,
        sources: list[str] | None = None,
        **settings: Any,
    ) -> "ReportWorkflow":
        """Return the workflow that the settings describe.

        `sources`: only these, even if the settings disable them.

        Raises:
            ConfigError: a model or a source lacks a required setting.
            UnknownNameError: a source of that name is not installed.
        """
        from paper_search.report_workflow.assembly import assemble_report  # noqa: PLC0415  # slow import

        settings = {"max_pages": config.report_pages, **config.report, **settings}
        params = _params(settings)
        run_config = config.model_copy(update={"report_pages": params.max_pages})
        services = assemble_report(run_config, sources)
        for role in ROLES:  # raise for an unusable model before a report begins
            services.model(getattr(params, f"{role}_model"))
        settings["budget"] = services.metering.check_budget(params.budget or config.budget)
        return cls(
            services,
            review_handler,
            progress_reporter,
            persistence=persistence,
            sources=sources,
            **settings,
        )

    async def fork(
        self,
        thread_id: str,
        *kinds: BreakpointName,
        number: int | None = None,
        by: str | None = None,
    ) -> Review | Report:
        """Go back to an answered question, and ask it again.

        `number`: of the question, from 1; None for the latest answered one. `by`: who goes back;
        None for the current user. Raises the errors of `go_back`.
        """
        subjects = {"plan" if kind == "plan_review" else "draft" for kind in kinds}
        words = " or ".join(sorted(subjects)) or "plan or draft"

        def is_wanted(reference: QuestionRef) -> bool:
            return (not kinds or reference.kind in kinds) and number in {None, reference.number}

        label = words + ("" if number is None else f" with the number {number}")
        return await self.go_back(thread_id, is_wanted, label, by=by)

    async def report(self, thread_id: str) -> Report:
        """Return the report of a thread; raise ThreadWaitingError if it has not ended."""
        async with self._session(thread_name(thread_id)) as session:
            if not (await session.state()).is_complete:
                raise ThreadWaitingError(f"report {thread_id!r} has not ended; resume it first")
            return await self._finish_run(session)

    def _validate_input(self, text: str) -> str:
        # Lines stay, because lines of a search strategy refer to each other.
        lines = "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
        return valid_question(lines, MIN_QUESTION_CHARS, MAX_QUESTION_CHARS)

    def _settings(self, *, is_asking: bool) -> ReportParams:
        if is_asking:
            return _params(self._chosen, AskingParams)
        return _params({**self._chosen, **dict.fromkeys(_ASKS, False)})

    def _services_on(self, persistence: Persistence) -> ReportServices:
        services: ReportServices = self._services
        if isinstance(self._persistence, Persistence):
            from paper_search.report_workflow.assembly import finished_collection  # noqa: PLC0415  # slow import

            return replace(services, collection=partial(finished_collection, persistence))
        return services

    async def _begin(self, session: ReportSession, text: str, *, is_asking: bool) -> None:
        """See `ThreadEngine`; raises first if the search to report on has no result yet."""
        await self._require_result(self._settings(is_asking=is_asking).from_thread)
        await super()._begin(session, text, is_asking=is_asking)

    async def _take(
        self, session: ReportSession, decision: Any, by: str | None, token: str | None
    ) -> None:
        waiting = await session.open_question()
        if waiting is not None:
            await self._require_plan(session, waiting, decision)
        await super()._take(session, decision, by, token)

    async def _require_plan(
        self, session: ReportSession, waiting: OpenQuestion[Review], decision: Any
    ) -> None:
        """Keep a plan open if the search to report on has no result, or now has other papers."""
        review = waiting.question
        answer = session.past_decision(review.reference, decision)
        if review.kind != "plan_review" or (answer and answer.action is HITLAction.REJECT):
            return
        found = await self._require_result(review.shows.get("from_thread"))
        is_plan_kept = answer is not None and not answer.asks_for_plan
        if is_plan_kept and HITLAction.MODIFY in review.actions:
            _require_same(found, waiting.state.research_plan)

    async def _require_result(self, search: str | None) -> int | None:
        """Return the number of papers of the search to report on; None if there is no search."""
        own = self._persistence
        services = self._services_on(own) if isinstance(own, Persistence) else self._services
        return None if search is None else len((await services.collection(search)).papers)

    async def _proceed(self, session: ReportSession) -> None:
        """See `ThreadEngine.proceed`; an overdue question may count as approved."""
        waiting = await session.open_question()
        if waiting is None or not await session.approve_by_timeout(waiting):
            await session.proceed()

    async def _ask(self, session: ReportSession, waiting: OpenQuestion[Review]) -> None:
        review = waiting.question
        if self._handler is None and await session.approve_by_timeout(waiting):
            return
        handler: ReviewHandler = self._require_handler(waiting)
        self._announce(waiting)
        seconds = (review.expires_at - now()).total_seconds()
        decision = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0.0)):
                decision = await handler.handle(review)
        if decision is not None:
            await self._require_plan(session, waiting, decision)
            await session.answer(waiting, decision)
        elif not await session.approve_by_timeout(waiting):
            raise ThreadWaitingError(
                f"nobody answered the question {review.name!r} of report {review.run_id!r} in time;"
                " it stays open"
            )

    async def _result(self, session: ReportSession) -> tuple[Report, dict[str, Any]]:
        return await session.result(), {"ended_by": (await session.state()).ended_by}


ROLES = ("planner", "searcher", "analyst", "writer", "reviewer")
_ASKS = ("hitl_after_planning", "hitl_before_output", "hitl_on_critical_issues")


def _params(settings: Mapping[str, Any], model: type[ReportParams] = ReportParams) -> ReportParams:
    return admit(model, settings, ReportSession.noun)


def _require_same(found: int | None, plan: ResearchPlan | None) -> None:
    if plan is not None and found not in {None, (before := plan.search_queries[0].found)}:
        raise InvalidDecisionError(
            f"the plan rests on {quantity(before, 'paper')}, and the search has "
            f"{quantity(found or 0, 'paper')} by now, so the question stays open: `modify` with "
            "words makes another plan"
        )
