"""What the steps of a report share: services, settings, model, and the work of a role with it."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from paper_search.errors import InputError, PaperSearchError, PersistenceError
from paper_search.llm.chat import ChatProvider
from paper_search.llm.metering import Metering
from paper_search.llm.provider import LLMProvider
from paper_search.models import PaperCollection
from paper_search.report.exchange import PagesRead
from paper_search.report.models import ResearchPlan, SearchResult, now
from paper_search.report.recovery import Amount, Attempt, CountedModel, WorkflowError, classified
from paper_search.report.searcher import ReportSearcher
from paper_search.report_workflow.records import ReportRecords, StepAnswers
from paper_search.report_workflow.reviews import BreakpointName
from paper_search.report_workflow.state import (
    OpenReview,
    ReportParams,
    StepState,
    WorkflowState,
)
from paper_search.steps import StepContext
from paper_search.threads.decisions import listed
from paper_search.threads.state import checked_state

ChoosesModel = Callable[[str | None], LLMProvider | None]
"""Gives the model of a name, or the one of the settings for None; None: there is none."""
MakesSearcher = Callable[[LLMProvider | None, list[str] | None], ReportSearcher]
"""Gives a searcher that judges by a model, if there is one, and asks these sources only."""
ReadsCollection = Callable[[str], Awaitable[PaperCollection]]
"""Gives the papers of a finished search by its thread."""


class ReadsPages(Protocol):
    """Adds the text of pages and open-access papers to sources."""

    async def read(self, results: list[SearchResult], limit: int) -> PagesRead:
        """Return the sources with what could be read of at most so many addresses."""
        ...


def no_model(_name: str | None) -> LLMProvider | None:
    """Return no model: everything is done by algorithm."""
    return None


@dataclass(frozen=True)
class ReportServices:
    """What the steps of a report are given."""

    searcher: MakesSearcher
    collection: ReadsCollection
    model: ChoosesModel = no_model
    pages: ReadsPages | None = None
    domain: str = "general"
    metering: Metering = field(default_factory=Metering)
    """Counts the calls of models."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    """Waits between attempts."""


Context = StepContext[StepState, ReportParams, ReportServices]
WorkT = TypeVar("WorkT")
SHOWN = Amount(40, 1200)
"""What a model is shown at first, unless its role needs more."""
READ = Amount(40, 2500)
"""What the analyst is shown at first."""
BATCH = 5
"""Queries that are asked in one step, between two checkpoints of the thread."""


@dataclass
class StepLog:
    """What a step adds to the messages, errors and checkpoints of a state, and its calls."""

    state: StepState
    messages: list[dict[str, Any]] = field(default_factory=list)
    errors: list[WorkflowError] = field(default_factory=list)
    checkpoints: list[str] = field(default_factory=list)
    model_calls: int = 0

    def say(self, text: str) -> None:
        """Record what the step did."""
        self.messages.append({"role": "assistant", "content": text})

    def note(self, text: str) -> None:
        """Record what was decided, with the time."""
        self.checkpoints.append(f"{now().isoformat()}: {text}")

    def update(self, **changes: Any) -> dict[str, Any]:
        """Return what changes in the state."""
        return {
            "messages": [*self.state.messages, *self.messages],
            "errors": [*self.state.errors, *self.errors],
            "checkpoints": [*self.state.checkpoints, *self.checkpoints],
            "updated_at": now(),
            "model_calls": self.state.model_calls + self.model_calls,
            **changes,
        }


def begin(ctx: Context) -> tuple[StepState, StepLog]:
    """Return the state of a step, which nothing changes, and the log of what it does.

    Raises:
        PersistenceError: another version of the program wrote the state.
    """
    state = checked_state(ctx, "report")
    return state, StepLog(state)


def settings_of(ctx: Context) -> ReportParams:
    """Return the settings of the run: those of its context, and over them `config` of its input.

    Raises:
        InputError: `config` names what is not a setting, or gives a value that none can have.
    """
    given: Mapping[str, Any] = ctx.step_state.config
    if not given:
        return ctx.workflow_params
    unknown = sorted(set(given) - set(ReportParams.model_fields))
    if unknown:
        known = ", ".join(ReportParams.model_fields)
        raise InputError(f"config names {unknown}, which are not settings; known: {known}")
    try:
        return ReportParams.model_validate({**ctx.workflow_params.model_dump(), **given})
    except ValidationError as error:
        raise InputError(f"config: {listed(error)}") from None


def records_of(ctx: Context) -> ReportRecords:
    """Return where the records of the report are."""
    return ReportRecords(ctx.store, ctx.thread_id)


async def model_for(ctx: Context, log: StepLog, role: str) -> CountedModel | None:
    """Return the model of a role as the run sets it, with the calls that it has left, or None.

    A step that is repeated after a crash has the calls of its first try behind it: they are on the
    records, and are added to those of the state.
    """
    params = settings_of(ctx).model_dump()
    llm = ctx.services.model(params[f"{role}_model"])
    if llm is None:
        return None
    if isinstance(llm, ChatProvider):
        llm = llm.tuned(params[f"{role}_temperature"], params.get(f"{role}_max_tokens"))
    records, step = records_of(ctx), _position(log.state)
    lost = await records.calls(step)
    log.model_calls += lost
    allowed = params["max_model_calls"] - log.state.model_calls - log.model_calls
    answers = StepAnswers(records, step)
    await answers.clear()
    spend = functools.partial(_spend, records, step, lost)
    return CountedModel(llm, max(0, allowed), spend, answers)


async def _spend(records: ReportRecords, step: str, lost: int, calls: int) -> None:
    await records.put_calls(step, lost + calls)


def _position(state: WorkflowState) -> str:
    """Return a name of the step in flight that is the same when it is repeated."""
    grown = (len(state.messages), len(state.errors), len(state.checkpoints))
    if not any(grown):
        return "start"  # the id is drawn anew until the first step has stored it
    return ":".join(map(str, (state.workflow_id, *grown)))


async def work_of(
    ctx: Context,
    log: StepLog,
    node: str,
    work: Callable[[CountedModel | None, dict[str, int]], Awaitable[WorkT]],
    amount: Amount = SHOWN,
) -> WorkT:
    """Return the work of a role; calls, errors and notes are added to the log.

    `work` does it with a model, shown so many sources
    and characters; or without one, where there is none or where it fails for good.

    Raises:
        PaperSearchError: it cannot be done without a model either.
    """
    llm = await model_for(ctx, log, node)
    if llm is None:
        return await work(None, {})
    attempt = Attempt(
        node,
        lambda shown: work(llm, {"shown_sources": shown.sources, "shown_chars": shown.chars}),
        lambda: work(None, {}),
        amount,
        ctx.services.sleep,
    )
    try:
        return await attempt.result()
    finally:
        log.model_calls += llm.calls
        log.errors += attempt.errors
        for note in attempt.notes:
            log.note(note)


def asks(kind: BreakpointName, state: StepState) -> dict[str, Any]:
    """Return what changes when a person is asked next."""
    number = state.human_reviews + 1
    return {"review": OpenReview(breakpoint=kind, number=number), "human_reviews": number}


def plan_of(state: WorkflowState) -> ResearchPlan:
    """Return the plan of the report, which its planner made."""
    if state.research_plan is None:
        raise PersistenceError("the report has no plan: its planner did not run")
    return state.research_plan


async def work_or_none(log: StepLog, node: str, work: Awaitable[WorkT]) -> WorkT | None:
    """Return the work of a role; None: it failed, and the log says how."""
    try:
        return await work
    except PaperSearchError as error:
        log.errors.append(classified(error, node))
        return None
