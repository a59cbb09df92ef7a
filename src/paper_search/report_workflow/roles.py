"""The work of a role in a step: with the model, else by algorithm."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from paper_search.errors import PaperSearchError
from paper_search.report.recovery import Amount, Attempt, CountedModel, classified
from paper_search.report_workflow.context import Context, counted, kept, model_for
from paper_search.report_workflow.state import WorkflowState

WorkT = TypeVar("WorkT")


async def worked(  # noqa: PLR0913  # who does it, in which two ways, and what is kept of it
    ctx: Context,
    state: WorkflowState,
    node: str,
    *,
    model: str | None,
    by_model: Callable[[CountedModel, Amount], Awaitable[WorkT]],
    by_algorithm: Callable[[], Awaitable[WorkT]],
    amount: Amount,
) -> WorkT:
    """Return the work of a role; calls, errors and notes are added to the state.

    Args:
        ctx: of the step.
        state: of the report, which the step may change.
        node: whose work it is.
        model: name of the model; None: that of the settings, if there is one.
        by_model: does it with a model, shown so much.
        by_algorithm: does it where there is no model, or where it fails for good.
        amount: what the model is shown at first.

    Raises:
        PaperSearchError: it cannot be done without a model either.
    """
    llm = await model_for(ctx, state, model)
    if llm is None:
        return await by_algorithm()
    attempt = Attempt(
        node, lambda shown: by_model(llm, shown), by_algorithm, amount, ctx.services.sleep
    )
    try:
        work = await attempt.result()
    finally:
        counted(state, llm)
    kept(state, attempt.errors, attempt.notes)
    return work


async def worked_or_none(state: WorkflowState, node: str, work: Awaitable[WorkT]) -> WorkT | None:
    """Return the work of a role; None: it failed, and the state says how."""
    try:
        return await work
    except PaperSearchError as error:
        state.add_error(classified(error, node))
        return None
