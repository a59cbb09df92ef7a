"""What the steps of a report share: services, records, approvals, and the step itself."""

import asyncio
import contextlib
import functools
import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from langchain_core.messages import AIMessage, MessageLikeRepresentation
from langgraph.graph.message import add_messages
from pydantic import BaseModel
from typing_extensions import override

from paper_search.errors import (
    ConfigError,
    InputError,
    ModelCallLimitError,
    PaperSearchError,
    PersistenceError,
)
from paper_search.llm.chat import ChatProvider
from paper_search.llm.metering import Metering
from paper_search.llm.provider import LLMProvider
from paper_search.models import PaperCollection
from paper_search.report.models import (
    Critique,
    PagesRead,
    ResearchDraft,
    ResearchPlan,
    SearchResult,
    now,
)
from paper_search.report.recovery import Amount, Attempt, WorkflowError, classified
from paper_search.report.searcher import ReportSearcher
from paper_search.report_workflow.listing import ReportCatalog
from paper_search.report_workflow.reviews import BreakpointName, HITLBreakpoint
from paper_search.report_workflow.state import OpenReview, ReportParams, StepState
from paper_search.steps import StepContext
from paper_search.steps.parameters import parse_settings
from paper_search.threads.questions import state_of_step
from paper_search.threads.records import Approvals, RecordStore, storable

ChoosesModel = Callable[[str | None], LLMProvider | None]
"""Returns the model of a name, or for None the one of the settings, if there is one."""
MakesSearcher = Callable[[LLMProvider | None, list[str] | None], ReportSearcher]
"""Returns a searcher that judges by the model, if there is one, and queries only these sources."""
ReadsCollection = Callable[[str], Awaitable[PaperCollection]]
"""Returns the papers of a finished search by its thread."""


class ReadsPages(Protocol):
    async def add_texts(self, results: list[SearchResult], limit: int) -> PagesRead:
        """Return the sources with the texts of at most `limit` URLs."""
        ...


@dataclass(frozen=True)
class ReportServices:
    searcher: MakesSearcher
    collection: ReadsCollection
    model: ChoosesModel = lambda _name: None
    pages: ReadsPages | None = None
    domain: str = "general"
    metering: Metering = field(default_factory=Metering)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    breakpoints: Sequence[HITLBreakpoint] = ()
    """Custom ones, besides those of the settings."""


Context = StepContext[StepState, ReportParams, ReportServices]
RoleT = TypeVar("RoleT")
RequestT = TypeVar("RequestT", bound=BaseModel)
WorkT = TypeVar("WorkT")
SHOWN = Amount(40, 1200)
"""Sources and characters that a model is shown at first, unless its role needs more."""
READ = Amount(40, 2500)
"""The same for the analyst."""
BATCH = 5
"""Queries per step, and so between two checkpoints of the thread."""


class ReportStep:
    """A running step of a report: its services and records, and its messages, notes and errors."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.services = ctx.services
        self.state = state_of_step(ctx, "report")
        self.errors: list[WorkflowError] = []
        self._messages: list[MessageLikeRepresentation] = []
        self._notes: list[str] = []
        self._model_calls = 0

    @functools.cached_property
    def params(self) -> ReportParams:
        return settings_of(self.ctx)

    @functools.cached_property
    def records(self) -> "ReportRecords":
        return ReportRecords(self.ctx.store, self.ctx.thread_id, self.ctx.run)

    @property
    def approvals(self) -> "PlanApprovals":
        return PlanApprovals(self.records)

    @property
    def plan(self) -> ResearchPlan:
        if self.state.research_plan is None:
            raise PersistenceError("the report has no plan: its planner did not run")
        return self.state.research_plan

    async def results(self) -> list[SearchResult]:
        return await self.records.results(self.state.result_ids)

    def say(self, text: str) -> None:
        self._messages.append(AIMessage(content=text))

    def note(self, text: str) -> None:
        self._notes.append(f"{now().isoformat()}: {text}")

    def update(self, **changes: Any) -> dict[str, Any]:
        before: list[MessageLikeRepresentation] = [*self.state.messages]
        return {
            "messages": add_messages(before, self._messages),
            "errors": [*self.state.errors, *self.errors],
            "checkpoints": [*self.state.checkpoints, *self._notes],
            "updated_at": now(),
            "model_calls": self.state.model_calls + self._model_calls,
            **changes,
        }

    @contextlib.asynccontextmanager
    async def model(self) -> AsyncIterator["StepModel | None"]:
        """Yield the model of the step's role, if there is one, and count its calls."""
        params, role = self.params.model_dump(), self.ctx.step_id
        llm = self.services.model(params[f"{role}_model"])
        if llm is None:
            yield None
            return
        if isinstance(llm, ChatProvider):
            llm = llm.tuned(params[f"{role}_temperature"], params.get(f"{role}_max_tokens"))
        most = self.params.max_model_calls - self.state.model_calls
        model = StepModel(llm, self.records, self._position, most)
        await model.begin()
        try:
            yield model
        finally:
            self._model_calls += model.calls

    @property
    def _position(self) -> str:
        """Return a name of the running step that is the same when it is repeated."""
        state = self.state
        lengths = (len(state.messages), len(state.errors), len(state.checkpoints))
        if not any(lengths):
            return "start"  # the workflow id is not stored before the end of the first step
        return ":".join(map(str, (state.workflow_id, *lengths)))

    async def work(
        self,
        role: Callable[[LLMProvider | None, str], RoleT],
        work: Callable[[RoleT, RequestT], Awaitable[WorkT]],
        request: RequestT,
        amount: Amount = SHOWN,
    ) -> WorkT | None:
        """Return the output of a role; None if it failed, which the errors describe.

        It uses the model with `amount` sources and characters; without a model, or if the model
        fails permanently, it works by algorithm.
        """
        node, domain = self.ctx.step_id, self.services.domain
        without = role(None, domain)
        async with self.model() as llm:

            def by_model(size: Amount) -> Awaitable[WorkT]:
                shown = {"shown_sources": size.sources, "shown_chars": size.chars}
                fields = {name: value for name, value in shown.items() if hasattr(request, name)}
                return work(role(llm, domain), request.model_copy(update=fields))

            attempt = Attempt(
                node, by_model, lambda: work(without, request), amount, self.services.sleep
            )
            try:
                return await (attempt.without() if llm is None else attempt.result())
            except PaperSearchError as error:
                self.errors.append(classified(error, node))
                return None
            finally:
                self.errors += attempt.errors
                for note in attempt.notes:
                    self.note(note)

    def own_breakpoint(self, state: StepState) -> HITLBreakpoint | None:
        """Return the first custom breakpoint that is due after this step, if any.

        One whose condition raises is due: a needless question is better than a missing one.
        """
        for point in self.services.breakpoints:
            try:
                is_due = point.step == self.ctx.step_id and point.should_trigger(state)
            except Exception as error:  # noqa: BLE001  # foreign code
                self.errors.append(classified(error, f"breakpoint {point.name!r}"))
                is_due = True
            if is_due:
                return point
        return None

    def asks(self, kind: BreakpointName, own: HITLBreakpoint | None) -> dict[str, Any]:
        review = OpenReview(breakpoint=kind, number=self.state.human_reviews + 1)
        if own is not None:
            review.name, review.timeout_seconds = own.name, own.timeout_seconds
            is_timed = own.auto_approve_on_timeout and kind != "critical_issue_review"
            review.auto_approve_on_timeout = is_timed
        return {"review": review, "human_reviews": review.number}


def settings_of(ctx: Context) -> ReportParams:
    """Return the settings of the run: those of its context, overridden by `config` of its input."""
    if not (own := ctx.step_state.config):
        return ctx.workflow_params
    try:
        return parse_settings(ReportParams, {**ctx.workflow_params.model_dump(), **own}, "a report")
    except ConfigError as error:
        raise InputError(f"config: {error}") from None


_IN_FLIGHT = "in flight"
_BOUNDARY = re.compile(r"\bdata-[0-9a-f]{16}\b")
_APPROVED_FIELDS = {"original_query", "decomposed_questions", "expected_sections", "methodology"}
"""Fields of a plan that must not change after its approval; its queries change while they run."""


VersionT = TypeVar("VersionT", ResearchDraft, Critique)
_PARTS: dict[type[BaseModel], str] = {
    ResearchDraft: "report_drafts",
    Critique: "report_critiques",
}


class ReportRecords(RecordStore):
    """Reads and writes the records of one report. Writing twice changes nothing."""

    listed_in = ReportCatalog.listed_in

    async def store_results(self, results: Sequence[SearchResult]) -> list[str]:
        rows = [_row(result) for result in results]
        await self.put("report_results", {row["result_id"]: row for row in rows})
        return [row["result_id"] for row in rows]

    async def results(self, ids: Sequence[str]) -> list[SearchResult]:
        values = await self.get("report_results", ids)
        return [SearchResult.model_validate(value) for value in self.in_order(values, ids)]

    async def store_version(self, part: ResearchDraft | Critique) -> None:
        await self.put(_PARTS[type(part)], {str(part.version): _row(part)})

    async def version(self, kind: type[VersionT], number: int) -> VersionT | None:
        row = (await self.get(_PARTS[kind], [str(number)])).get(str(number))
        return kind.model_validate(row) if row else None


class StepModel(LLMProvider):
    """A model for one step: with a limited number of calls, and answers that are reused.

    Each call is counted in the records before it is made, and each answer is stored there: a step
    that is repeated after a crash loses no count and pays for nothing twice.
    """

    def __init__(self, llm: LLMProvider, records: ReportRecords, step: str, most: int) -> None:
        self._llm = llm
        self.deadline_s = llm.deadline_s
        self._records = records
        self._step = step
        self._most = most
        self._counting = asyncio.Lock()
        self.calls = 0

    async def begin(self) -> None:
        """Take over the calls of an interrupted run of the step; delete answers of other steps."""
        row = (await self._records.get("report_calls", [_IN_FLIGHT])).get(_IN_FLIGHT, {})
        self.calls = int(row["calls"]) if row.get("step") == self._step else 0
        keys = await self._records.rows("report_answers")
        past = [key for key in keys if not key.startswith(f"{self._step}/")]
        await self._records.put("report_answers", dict.fromkeys(past))

    @override
    async def complete(self, system_prompt: str, user_message: str) -> str:
        await self._count()
        return await self._llm.complete(system_prompt, user_message)

    @override
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        key = f"{self._step}/{_digest(system_prompt, user_message, schema)}"
        row = (await self._records.get("report_answers", [key])).get(key)
        if row is not None:
            return dict(row["answer"])
        await self._count()
        answer = await self._llm.complete_json(system_prompt, user_message, schema)
        await self._records.put("report_answers", {key: {"answer": storable(answer)}})
        return answer

    async def _count(self) -> None:
        async with self._counting:
            if self.calls >= self._most:
                raise ModelCallLimitError(
                    f"the report has made the {self._most} model calls that were left to it; "
                    "raise max_model_calls to allow more"
                )
            self.calls += 1
            row = {"step": self._step, "calls": self.calls}
            await self._records.put("report_calls", {_IN_FLIGHT: row})


def _digest(system_prompt: str, user_message: str, schema: dict[str, Any] | None) -> str:
    """Return a digest that ignores the random marks of data blocks."""
    text = f"{system_prompt}\0{_BOUNDARY.sub('data', user_message)}\0{schema}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


class PlanApprovals(Approvals[ResearchPlan]):
    part = "report_approvals"
    field = "plan"
    noun = "report"

    def _key(self, number: int) -> str:
        del number  # one plan at a time
        return "passed"

    def _approved_part(self, proposal: ResearchPlan) -> dict[str, Any]:
        return proposal.model_dump(include=_APPROVED_FIELDS)


def _row(model: BaseModel) -> dict[str, Any]:
    row: dict[str, Any] = storable(model.model_dump(mode="json"))
    return row
