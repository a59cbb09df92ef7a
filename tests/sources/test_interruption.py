"""Ending a source early without losing what it has read."""

import asyncio

import pytest

from paper_search.sources.base import interruptible, reason_to_end


async def waiting() -> str:
    """Wait for an answer that never comes; return why the wait was ended, if that was wanted."""
    try:
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        if not (reason := reason_to_end()):
            raise
    task = asyncio.current_task()
    assert not task.cancelling(), "a task group would take the task for a cancelled one"
    return reason


async def test_a_source_that_is_ended_goes_on_as_if_it_had_not_been_cancelled():
    interruption = interruptible()
    asking = asyncio.ensure_future(waiting())
    await asyncio.sleep(0)
    interruption.end(asking, "too slow")
    assert await asking == "too slow"


async def test_a_source_that_is_cancelled_is_cancelled():
    interruptible()
    asking = asyncio.ensure_future(waiting())
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
