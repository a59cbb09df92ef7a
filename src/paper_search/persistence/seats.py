"""A seat at a thread: one person at a time works there, for hours, with long silences."""

from __future__ import annotations

import asyncio
import os
import socket
import time
import uuid
from collections.abc import Callable

from paper_search.errors import ThreadBusyError, ThreadTakenOverError
from paper_search.persistence.leases import LeaseHolder, LeaseTable

SEAT_S = 1_800.0
"""How long a seat is kept without a sign of life, if its process is not known to be dead."""


class Seat:
    """Keeps others from doing the same work on a thread at the same time.

    Unlike a lease it is not prolonged by itself: an event loop that rests while a person reads
    could not. It is not the lease of the thread: answers are not held up.

    Args:
        table: where leases are kept.
        thread_id: whose seat it is.
        work: that is done there, as in "is being screened".
        clock: seconds since the epoch.
    """

    def __init__(
        self, table: LeaseTable, thread_id: str, work: str, clock: Callable[[], float] = time.time
    ) -> None:
        self._table = table
        self._thread_id = thread_id
        self._work = work
        self._clock = clock
        self._name = f"{thread_id}#{work}"
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex}"

    async def take(self) -> None:
        """Sit down.

        Raises:
            ThreadBusyError: somebody sits there.
        """
        winner = await asyncio.to_thread(self._table.take, self._name, self._fresh(), self._clock())
        if winner.owner != self._owner:
            host, pid, _ = winner.owner.rsplit(":", 2)
            raise ThreadBusyError(
                f"thread {self._thread_id!r} is being {self._work} by process {pid} on {host}; "
                "go on there, or end it there first: everything that was said is saved"
            )

    async def keep(self) -> None:
        """Give a sign of life, before anything is written.

        Raises:
            ThreadTakenOverError: somebody else sat down in the meantime.
        """
        if not await asyncio.to_thread(self._table.renew, self._name, self._fresh()):
            raise ThreadTakenOverError(
                f"thread {self._thread_id!r} has been {self._work} by another process since, as "
                f"this one was silent for more than {SEAT_S / 60:.0f} minutes; your last key was "
                "not saved, everything before it was. The same command goes on"
            )

    async def leave(self) -> None:
        """Stand up; whoever lost the seat leaves nothing."""
        await asyncio.to_thread(self._table.drop, self._name, self._owner)

    def _fresh(self) -> LeaseHolder:
        return LeaseHolder(self._owner, self._clock() + SEAT_S)
