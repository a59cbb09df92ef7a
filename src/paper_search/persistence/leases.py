"""Leases: who drives a thread at this moment. A lease runs out when its holder dies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import time
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

from paper_search.errors import PersistenceError, ThreadBusyError

logger = logging.getLogger(__name__)

LEASE_S = 30.0
"""How long a lease lasts without renewal."""
RENEWAL_S = 10.0


@dataclass(frozen=True)
class LeaseHolder:
    """Who holds a lease, and until when (seconds since the epoch)."""

    owner: str
    expires_at: float

    def is_alive(self, now: float) -> bool:
        """Whether the lease still counts: not run out, its process not known to be dead."""
        return now < self.expires_at and not _is_dead(self.owner)


class LeaseTable(Protocol):
    """Where leases are kept; every method is atomic and blocks only briefly."""

    def take(self, thread_id: str, holder: LeaseHolder, now: float) -> LeaseHolder:
        """Give the lease to `holder` unless another one is alive; return who has it now."""
        ...

    def renew(self, thread_id: str, holder: LeaseHolder) -> bool:
        """Prolong the lease; False: another one has it."""
        ...

    def drop(self, thread_id: str, owner: str) -> None:
        """Give the lease up."""
        ...

    def holder(self, thread_id: str) -> LeaseHolder | None:
        """Return who has the lease, alive or not."""
        ...


class Leases:
    """Takes and renews leases on threads.

    Args:
        table: where they are kept.
        clock: seconds since the epoch.
    """

    def __init__(self, table: LeaseTable, clock: Callable[[], float] = time.time) -> None:
        self._table = table
        self._clock = clock

    @contextlib.asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[None]:
        """Hold the lease on a thread for the length of a `with` block.

        Raises:
            ThreadBusyError: another process, or another task of this one, has it.
        """
        owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"
        mine = self._fresh(owner)
        winner = await asyncio.to_thread(self._table.take, thread_id, mine, self._clock())
        if winner.owner != owner:
            raise ThreadBusyError(
                f"thread {thread_id!r} is being driven by process {_process(winner.owner)}; "
                "wait for it to stop at a question or to end, then try again"
            )
        renewal = asyncio.create_task(self._renew(thread_id, owner))
        try:
            yield
        finally:
            renewal.cancel()
            await asyncio.gather(renewal, return_exceptions=True)
            await asyncio.shield(asyncio.to_thread(self._table.drop, thread_id, owner))

    async def is_held(self, thread_id: str) -> bool:
        """Whether a living process drives the thread."""
        holder = await asyncio.to_thread(self._table.holder, thread_id)
        return holder is not None and holder.is_alive(self._clock())

    def _fresh(self, owner: str) -> LeaseHolder:
        return LeaseHolder(owner, self._clock() + LEASE_S)

    async def _renew(self, thread_id: str, owner: str) -> None:
        while True:
            await asyncio.sleep(RENEWAL_S)
            try:
                await asyncio.to_thread(self._table.renew, thread_id, self._fresh(owner))
            except PersistenceError:
                # The next renewal may work before the lease runs out.
                logger.exception("the lease on thread %s could not be renewed", thread_id)


class MemoryLeaseTable:
    """Leases of one process, for threads that live in its memory."""

    def __init__(self) -> None:
        self._holders: dict[str, LeaseHolder] = {}

    def take(self, thread_id: str, holder: LeaseHolder, now: float) -> LeaseHolder:
        """See `LeaseTable.take`."""
        current = self._holders.get(thread_id)
        if current is None or not current.is_alive(now):
            self._holders[thread_id] = holder
        return self._holders[thread_id]

    def renew(self, thread_id: str, holder: LeaseHolder) -> bool:
        """See `LeaseTable.renew`."""
        current = self._holders.get(thread_id)
        if current is None or current.owner != holder.owner:
            return False
        self._holders[thread_id] = holder
        return True

    def drop(self, thread_id: str, owner: str) -> None:
        """See `LeaseTable.drop`."""
        current = self._holders.get(thread_id)
        if current is not None and current.owner == owner:
            del self._holders[thread_id]

    def holder(self, thread_id: str) -> LeaseHolder | None:
        """See `LeaseTable.holder`."""
        return self._holders.get(thread_id)


def _process(owner: str) -> str:
    host, pid, _ = owner.rsplit(":", 2)
    return f"{pid} on {host}"


def _is_dead(owner: str) -> bool:
    """Whether the owner's process is gone for sure; on other hosts only time tells."""
    host, pid, _ = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
