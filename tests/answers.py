"""Answers that name the question that is open, whatever their shape: what a careful client does."""

from typing import Any


async def reply_to(flow: Any, thread_id: str, decision: Any, **options: Any) -> Any:
    """Answer the open question of a thread, by its token."""
    waiting = await flow.pending(thread_id)
    token = waiting.token if waiting is not None else None
    return await flow.answer(thread_id, decision, token=token, **options)
