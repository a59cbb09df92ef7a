"""Forks: back to a question that was decided, to decide it anew, openly."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from paper_search.errors import StaleDecisionError
from paper_search.persistence import LedgerStatus, Persistence
from paper_search.workflow.approvals import Approvals
from paper_search.workflow.checkpoints import CheckpointKind, CheckpointRef

STEPS = {
    CheckpointKind.STRATEGY_CONFIRMATION: "confirm_strategy",
    CheckpointKind.RESULT_REVIEW: "review_results",
}
"""Which step of a search asks which question."""


@dataclass(frozen=True)
class ForkPoint:
    """The question to go back to, as its graph knows it."""

    words: str
    """What it is called."""
    is_asked: Callable[[Any], bool]
    """Whether a snapshot of the history asks it."""
    reference: Callable[[Any], BaseModel]
    """What names the question that a snapshot asks."""
    is_undone: Callable[[Mapping[str, Any], BaseModel], bool]
    """Whether a decision is of this question or of one after it."""
    prepare: Callable[[BaseModel], Awaitable[None]] | None = None
    """What has to be forgotten before it is asked again."""


async def fork(  # noqa: PLR0913, PLR0917  # what a thread is, and what to do with it
    graph: Any,
    persistence: Persistence,
    thread_id: str,
    kind: CheckpointKind,
    iteration: int | None,
    by: str,
) -> None:
    """Ask a question of a search again; what came after it stays in the history and the audit.

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

    async def revoke(target: BaseModel) -> None:
        named = CheckpointRef.model_validate(target.model_dump())
        await Approvals(persistence.store, thread_id).revoke(named.iteration)

    def is_undone(decision: Mapping[str, Any], target: BaseModel) -> bool:
        named = CheckpointRef.model_validate(decision["checkpoint"])
        return _order(named) >= _order(CheckpointRef.model_validate(target.model_dump()))

    point = ForkPoint(
        words=kind.value + ("" if iteration is None else f" of round {iteration + 1}"),
        is_asked=lambda snapshot: (
            tuple(snapshot.next) == (STEPS[kind],) and iteration in {None, _round(snapshot)}
        ),
        reference=lambda snapshot: CheckpointRef(
            run_id=thread_id, kind=kind, iteration=_round(snapshot)
        ),
        is_undone=is_undone,
        prepare=revoke,
    )
    await go_back(graph, persistence, thread_id, point, by)


async def go_back(
    graph: Any, persistence: Persistence, thread_id: str, point: ForkPoint, by: str
) -> None:
    """Ask a decided question of a thread of any graph again; see `fork`.

    Raises:
        StaleDecisionError: the thread never asked it, or its history was pruned.
    """
    config = {"configurable": {"thread_id": thread_id}}
    before = await graph.aget_state(config)
    decided = {each.interrupt_id for each in await persistence.ledger.entries(thread_id)}
    asked = None
    async for each in graph.aget_state_history(config):
        is_open = each.config == before.config and not decided & {i.id for i in each.interrupts}
        if not is_open and point.is_asked(each):
            asked = each
            break
    if asked is None:
        raise StaleDecisionError(
            f"thread {thread_id!r} has no decided {point.words} in its history: it was never "
            "decided, or the history was pruned"
        )
    target = point.reference(asked)
    if point.prepare is not None:
        await point.prepare(target)
    # Without an answer: one that is given together with an old checkpoint would not be read.
    await graph.ainvoke(None, asked.config, durability="sync")
    for entry in await persistence.ledger.entries(thread_id):
        if point.is_undone(entry.decision, target):
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


def _round(snapshot: Any) -> int:
    return int(snapshot.values.get("current_iteration") or 0)


def _order(checkpoint: CheckpointRef) -> tuple[int, bool]:
    return checkpoint.iteration, checkpoint.kind is CheckpointKind.RESULT_REVIEW
