"""Checkpoint handlers for tests: a script of decisions instead of a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    Decision,
    DecisionAction,
)

Reply = Decision | str | Callable[[Checkpoint], Decision]


class ScriptedHandler:
    """Answers checkpoints from a script and remembers what it was asked.

    Args:
        replies: one for each checkpoint, in order: a decision, the name of an action, or a function
            of the checkpoint.
        otherwise: the reply when the script is over; None: an AssertionError.
    """

    def __init__(self, replies: Iterable[Reply] = (), otherwise: Reply | None = None) -> None:
        self.asked: list[Checkpoint] = []
        self._replies = iter(replies)
        self._otherwise = otherwise

    @property
    def kinds(self) -> list[CheckpointKind]:
        return [checkpoint.kind for checkpoint in self.asked]

    async def handle(self, checkpoint: Checkpoint) -> Decision:
        self.asked.append(checkpoint)
        reply = next(self._replies, self._otherwise)
        if reply is None:
            raise AssertionError(f"the script has no reply to {checkpoint.kind.value}")
        if isinstance(reply, str):
            return Decision(action=DecisionAction(reply))
        return reply if isinstance(reply, Decision) else reply(checkpoint)
