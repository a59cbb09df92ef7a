"""Counts what the steps of any graph spend on models."""

import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from paper_search.llm.metering import Meter, Metering, metered
from paper_search.models.usage import Budget, StepSpending
from paper_search.steps import Outcome, StepContext, StepUpdate

ContextT = TypeVar("ContextT", bound=StepContext[Any, Any, Any])
OutcomeT = TypeVar("OutcomeT", bound=Outcome)
Step = Callable[[ContextT], Awaitable[tuple[OutcomeT, StepUpdate]]]


def count_spending(
    step: Step[ContextT, OutcomeT],
    *,
    iteration: Callable[[Any], int],
    budget: Callable[[ContextT], Budget | None],
) -> Step[ContextT, OutcomeT]:
    """Return a step that adds its spending to the state, and keeps to the budget of the thread.

    The state of the graph must have `usage`, its services `metering`. `iteration`: the round in a
    state. `budget`: the one that the thread began with.
    """

    @functools.wraps(step)
    async def run(ctx: ContextT) -> tuple[OutcomeT, StepUpdate]:
        state = ctx.step_state
        place = ctx.step_id, iteration(state)
        metering = ctx.services.metering
        meter = await meter_of(place, state.usage, ctx.thread_id, metering, budget(ctx))
        with metered(meter):
            outcome, update = await step(ctx)
        spent = meter.of_step
        if not spent.calls:
            return outcome, update
        spendings = update.get("usage", state.usage)
        others = [entry for entry in spendings if (entry.step, entry.iteration) != place]
        return outcome, {**update, "usage": [*others, spent]}

    return run


async def meter_of(
    place: tuple[str, int],
    usage: Sequence[StepSpending],
    thread_id: str,
    metering: Metering,
    budget: Budget | None,
) -> Meter:
    """Return the meter of a step in one round.

    `usage`: the spending in the state of the thread so far. `budget`: the one that the thread began
    with; a later one is in the log.
    """
    step, iteration = place
    return Meter(
        step=step,
        iteration=iteration,
        budget=budget or metering.budget,
        log=metering.log(thread_id),
        logged=await metering.logged(thread_id),
        before=usage,
        prices=metering.prices,
    )
