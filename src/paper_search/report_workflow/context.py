"""What the steps of a report share: services, settings, model, and the work of a role with it."""

from __future__ import annotations

import asyncio
import copy
import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from paper_search.errors import InputError, PaperSearchError, PersistenceError
from paper_search.llm.metering import Metering
from paper_search.llm.provider import LLMProvider
from paper_search.models import PaperCollection
from paper_search.report.models import ResearchPlan, SearchResult
from paper_search.report.recovery import Amount, Attempt, CountedModel, classified
from paper_search.report.searcher import ReportSearcher
from paper_search.report_workflow.records import ReportRecords, StepAnswers
from paper_search.report_workflow.state import ReportParams, StepState, WorkflowState
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

    async def read(
        self, results: list[SearchResult], limit: int
    ) -> tuple[list[SearchResult], int, list[str]]:
        """Return the sources with what could be read, how many were fetched, and what failed."""
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


def checked(ctx: Context) -> WorkflowState:
    """Return a copy of the state for the step to work on: what it returns of that is what changes.

    Raises:
        PersistenceError: another version of the program wrote the state.
    """
    given = checked_state(ctx, "report")
    return WorkflowState.model_construct(**copy.deepcopy(dict(given)))


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


async def model_for(ctx: Context, state: WorkflowState, name: str | None) -> CountedModel | None:
    """Return the model of a role, with the calls that the run has left, or None.

    A step that is repeated after a crash has the calls of its first try behind it: they are on the
    records, and are added to those of the state.
    """
    llm = ctx.services.model(name)
    if llm is None:
        return None
    records, step = records_of(ctx), _position(ctx.step_state)
    lost = await records.calls(step)
    state.model_calls += lost
    allowed = settings_of(ctx).max_model_calls - state.model_calls
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


def counted(state: WorkflowState, llm: CountedModel | None) -> None:
    """Add the calls that a step made to those of the run."""
    state.model_calls += llm.calls if llm else 0


def logged(state: WorkflowState, **changes: Any) -> dict[str, Any]:
    """Return an update with what every step writes: messages, errors and checkpoints."""
    return {
        "messages": state.messages,
        "errors": state.errors,
        "checkpoints": state.checkpoints,
        "updated_at": state.updated_at,
        "model_calls": state.model_calls,
        **changes,
    }


async def worked(  # noqa: PLR0913, PLR0917  # who does it, with what, and what is kept of it
    ctx: Context,
    state: WorkflowState,
    node: str,
    model: str | None,
    work: Callable[[CountedModel | None, dict[str, int]], Awaitable[WorkT]],
    amount: Amount = SHOWN,
) -> WorkT:
    """Return the work of a role; calls, errors and notes are added to the state.

    `model`: a name; None: that of the settings. `work` does it with a model, shown so many sources
    and characters; or without one, where there is none or where it fails for good.

    Raises:
        PaperSearchError: it cannot be done without a model either.
    """
    llm = await model_for(ctx, state, model)
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
        done = await attempt.result()
    finally:
        counted(state, llm)
    state.errors += attempt.errors
    for note in attempt.notes:
        state.add_checkpoint(note)
    return done


def plan_of(state: WorkflowState) -> ResearchPlan:
    """Return the plan of the report.

    Raises:
        PersistenceError: there is none.
    """
    if state.research_plan is None:
        raise PersistenceError("the report has no plan: its planner did not run")
    return state.research_plan


async def worked_or_none(state: WorkflowState, node: str, work: Awaitable[WorkT]) -> WorkT | None:
    """Return the work of a role; None: it failed, and the state says how."""
    try:
        return await work
    except PaperSearchError as error:
        state.add_error(classified(error, node))
        return None
