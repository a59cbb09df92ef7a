"""Forks: back to a question that was decided, to decide it anew, openly."""

from __future__ import annotations

from typing import Any

from paper_search.errors import StaleDecisionError
from paper_search.persistence import LedgerStatus, Persistence
from paper_search.workflow.approvals import Approvals
from paper_search.workflow.checkpoints import CheckpointKind, CheckpointRef

STEPS = {
    CheckpointKind.STRATEGY_CONFIRMATION: "confirm_strategy",
    CheckpointKind.RESULT_REVIEW: "review_results",
}
"""Which step asks which question."""


async def fork(  # noqa: PLR0913, PLR0917  # what a thread is, and what to do with it
    graph: Any,
    persistence: Persistence,
    thread_id: str,
    kind: CheckpointKind,
    iteration: int | None,
    by: str,
) -> None:
    """Ask a question of the thread again; what came after it stays in the history and the audit.

    The caller holds the lease.

    Args:
        graph: with the services of its steps.
        persistence: where the thread lives.
        thread_id: which thread.
        kind: which question.
        iteration: of which round, from 0; None: the latest one that was decided.
        by: who does it.

    Raises:
        StaleDecisionError: the thread never asked it, or its history was pruned.
    """
    config = {"configurable": {"thread_id": thread_id}}
    before = await graph.aget_state(config)
    decided = {each.interrupt_id for each in await persistence.ledger.entries(thread_id)}
    asked = None
    async for each in graph.aget_state_history(config):
        is_open = each.config == before.config and not decided & {i.id for i in each.interrupts}
        if not is_open and _asks(each, kind, iteration):
            asked = each
            break
    if asked is None:
        words = "" if iteration is None else f" of round {iteration + 1}"
        raise StaleDecisionError(
            f"thread {thread_id!r} has no decided {kind.value}{words} in its history: it was never "
            "decided, or the history was pruned"
        )
    target = CheckpointRef(run_id=thread_id, kind=kind, iteration=_round(asked))
    await Approvals(persistence.store, thread_id).revoke(target.iteration)
    # Without an answer: one that is given together with an old checkpoint would not be read.
    await graph.ainvoke(None, asked.config, durability="sync")
    for entry in await persistence.ledger.entries(thread_id):
        named = CheckpointRef.model_validate(entry.decision["checkpoint"])
        if _order(named) >= _order(target):
            await persistence.ledger.mark(entry, LedgerStatus.SUPERSEDED)
    await persistence.ledger.note(
        thread_id,
        next((each.id for each in asked.interrupts), ""),
        "forked",
        by,
        {
            "back_to": target.model_dump(mode="json"),
            "left": before.config["configurable"]["checkpoint_id"],
        },
    )


def _asks(snapshot: Any, kind: CheckpointKind, iteration: int | None) -> bool:
    is_step = tuple(snapshot.next) == (STEPS[kind],)
    return is_step and iteration in {None, _round(snapshot)}


def _round(snapshot: Any) -> int:
    return int(snapshot.values.get("current_iteration") or 0)


def _order(checkpoint: CheckpointRef) -> tuple[int, bool]:
    return checkpoint.iteration, checkpoint.kind is CheckpointKind.RESULT_REVIEW
