"""Threads of workflows that this program has no table of: what their checkpoints say alone."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.types import Interrupt
from pydantic_core import to_json

from paper_search.errors import PaperSearchError, ThreadNotFoundError
from paper_search.persistence import Persistence
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.listing import ASKED, LatestCheckpoint, time_of
from paper_search.persistence.threads import INPUT
from paper_search.steps.types import MADE_BY, RESERVED
from paper_search.threads.catalog import BriefInfo, ThreadStatus

UNKNOWN = "unknown"
"""The graph of a thread whose checkpoints do not name one."""
_NEXT = "branch:to:"
"""The beginning of the channels by which LangGraph goes to a step."""
_SHOWN = 200
"""Characters of a state in a list."""


class PlainDetail(BriefInfo):
    """One thread in full."""

    state: dict[str, Any]
    """The channels as they stand."""
    open_question: Any = None
    """What it waits with, as JSON."""


class PlainThreads:
    """Lists, shows and prunes threads without their tables.

    Args:
        persistence: where they live.
    """

    def __init__(self, persistence: Persistence) -> None:
        self.persistence = persistence
        self._saver: Any = persistence.checkpointer

    async def has(self, thread_id: str) -> bool:
        """Whether there is a thread of this id."""
        return await self._found(thread_id) is not None

    async def listed(self, entries: list[LatestCheckpoint]) -> list[BriefInfo]:
        """Return what a list says of threads."""
        return [await self._listed_one(latest) for latest in entries]

    async def _listed_one(self, latest: LatestCheckpoint) -> BriefInfo:
        """Return what a list says of a thread; of one that cannot be read, why."""
        try:
            return BriefInfo(**(await self.show(latest.thread_id)).model_dump())
        except PaperSearchError as error:
            is_damaged = isinstance(error, DamagedError)
            status = ThreadStatus.DAMAGED if is_damaged else ThreadStatus.FAILED
            return BriefInfo(
                thread_id=latest.thread_id, status=status, error=str(error), graph=UNKNOWN
            )

    async def info(self, thread_id: str) -> BriefInfo:
        """Return the status of a thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        return await self.show(thread_id)

    async def show(self, thread_id: str) -> PlainDetail:
        """Return all that there is to know of a thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        found = await self._found(thread_id)
        if found is None:
            raise ThreadNotFoundError(f"there is no thread {thread_id!r}")
        channels = found.checkpoint["channel_values"]
        asked = _asked(found)
        following = [name.removeprefix(_NEXT) for name in channels if name.startswith(_NEXT)]
        if asked is not None:
            status = ThreadStatus.WAITING
        elif not following and INPUT not in channels:
            status = ThreadStatus.DONE
        elif await self.persistence.leases.is_held(thread_id):
            status = ThreadStatus.RUNNING
        else:
            status = ThreadStatus.FAILED
        state = {n: v for n, v in channels.items() if n not in RESERVED and _is_of_state(n)}
        changed_at = time_of(found.checkpoint["id"])
        metadata: Any = found.metadata
        return PlainDetail(
            thread_id=thread_id,
            status=status,
            question=to_json(state).decode()[:_SHOWN],
            updated_at=changed_at.isoformat() if changed_at else None,
            next_step=following[0] if following else None,
            error=_stopped(following) if status is ThreadStatus.FAILED else None,
            graph=metadata.get(MADE_BY) or UNKNOWN,
            state=state,
            open_question=asked.value if asked else None,
        )

    async def prune(self, thread_id: str) -> None:
        """Delete the history of a thread.

        Raises:
            ThreadBusyError: a process drives it.
        """
        async with self.persistence.leases.hold(thread_id):
            await self._saver.aprune([thread_id])

    async def _found(self, thread_id: str) -> CheckpointTuple | None:
        found: CheckpointTuple | None = await self._saver.aget_tuple(
            {"configurable": {"thread_id": thread_id}}
        )
        return found


def _asked(found: CheckpointTuple) -> Interrupt | None:
    """Return the question that a checkpoint waits with; None: it waits with none."""
    for _task, channel, value in found.pending_writes or []:
        if channel == ASKED and value:
            interrupt: Interrupt = value[0]
            return interrupt
    return None


def _is_of_state(channel: str) -> bool:
    return not channel.startswith((_NEXT, "__"))


def _stopped(following: list[str]) -> str:
    step = following[0] if following else "its first step"
    return f"stopped at {step} before the end; resuming goes on there"
