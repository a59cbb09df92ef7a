"""The two questions, put together from the state."""

from __future__ import annotations

from paper_search.errors import PersistenceError
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    ResultPayload,
    StrategyPayload,
)
from paper_search.workflow.records import RecordShelf
from paper_search.workflow.state import WorkflowState


def strategy_question(state: WorkflowState, run_id: str, sources: list[str]) -> Checkpoint:
    """Return checkpoint 1: is this the strategy?"""
    if state.intent is None or state.strategy is None:
        raise PersistenceError("the thread has no strategy to confirm")
    return Checkpoint(
        kind=CheckpointKind.STRATEGY_CONFIRMATION,
        payload=StrategyPayload(
            intent=state.intent,
            strategy=state.strategy,
            iteration=state.current_iteration,
            available_sources=sources,
        ),
        run_id=run_id,
        iteration=state.current_iteration,
    )


async def result_question(
    state: WorkflowState, run_id: str, shelf: RecordShelf, *, preview: int | None
) -> Checkpoint:
    """Return checkpoint 2: is this the result?

    Args:
        state: of the search.
        run_id: names the run in the question.
        shelf: where the papers are.
        preview: how many papers to show in full; None: all of them.
    """
    if state.result is None:
        raise PersistenceError("the thread has no result to review")
    return Checkpoint(
        kind=CheckpointKind.RESULT_REVIEW,
        payload=ResultPayload(
            collection=await shelf.collection(state.result, first=preview),
            accumulated_papers=await shelf.papers(state.accumulated_ids[:preview]),
            iteration=state.current_iteration,
            reports=state.reports,
            silent_sources=state.silent_sources,
            total_papers=len(state.result.paper_ids),
            hidden=state.result.hidden,
            store_namespace=list(shelf.namespace("records")),
        ),
        run_id=run_id,
        iteration=state.current_iteration,
    )


def markable_ids(state: WorkflowState) -> frozenset[str]:
    """Return the ids that an answer may mark: of the latest result and of earlier marks."""
    shown = state.result.paper_ids if state.result else []
    return frozenset([*shown, *state.accumulated_ids])
