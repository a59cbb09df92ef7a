"""Many people at one question: one of them answers it, and the others learn of it."""

from __future__ import annotations

from typing import Any

from paper_search.errors import ThreadBusyError, ThreadTakenOverError
from paper_search.workflow.driven import DrivenThread


async def settle(session: DrivenThread[Any, Any, Any], decision: Any, by: str | None) -> None:
    """Answer the open question; of many who do so at once, one.

    Who was refused because another one is at it learns what that one decided, if it is known.

    Args:
        session: of the thread.
        decision: of any shape that `decoding.decode` knows.
        by: who decides; None: who runs the program.

    Raises:
        ThreadError: see `SearchWorkflow.answer`.
        InvalidDecisionError: the decision cannot be used; the question stays open.
    """
    try:
        is_replay = await session.is_replay(decision, by)
        if is_replay and await session.is_at_rest():
            return
        async with session.lease():
            entry = await session.decided()
            if is_replay and not await session.is_at_rest():
                await session.proceed()  # whoever was at it is dead
            elif is_replay:
                return
            elif entry is None:
                await session.answer(await session.require_question(), decision, by)
            elif await session.is_same(entry, decision, by):
                await session.apply(entry)
    except ThreadTakenOverError:
        raise
    except ThreadBusyError as error:
        raise await session.busy(error, decision, by) from None
