"""Leases: who drives a thread at this moment. A lease runs out when its holder dies."""

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import astuple, dataclass, field
from types import MappingProxyType
from typing import Any

from paper_search.errors import PersistenceError, ThreadBusyError, ThreadTakenOverError
from paper_search.garbage_collection import fewer_collections
from paper_search.persistence.tables import Database, SqliteDatabase, uptime
from paper_search.processes import is_dead, new_owner, process_of

logger = logging.getLogger(__name__)
Clock = Callable[[], float]

LEASE_S = 30.0
"""How long a lease lasts without renewal."""
RENEWAL_S = 10.0
WORK_LOCK_S = 1_800.0
"""How long a work lock is held without a sign of life, if its process is not known to be dead."""

HOLDER = "SELECT owner, expires_at FROM paper_search_leases WHERE thread_id = ?"
_INSERT = """INSERT INTO paper_search_leases (thread_id, owner, expires_at) VALUES (?, ?, ?)
    ON CONFLICT DO NOTHING"""
_RENEW = "UPDATE paper_search_leases SET expires_at = ? WHERE thread_id = ? AND owner = ?"
_DROP = "DELETE FROM paper_search_leases WHERE thread_id = ? AND owner = ?"
_DROP_DEAD = f"{_DROP} AND expires_at = ?"
_DROP_DAMAGED = "DELETE FROM paper_search_leases WHERE thread_id = ? AND expires_at = ?"
"""For an owner whose bytes were changed so that it cannot be compared."""

_WAIT_S = LEASE_S / 4
"""How long the writing of a lease may take; after more it would end early, and is written anew."""
_ATTEMPTS = 100
"""To take a lease that others give up and take meanwhile."""


@dataclass(frozen=True)
class HeldLease:
    owner: str
    memory: dict[str, Any] = field(default_factory=dict)
    """What was read of the thread under the lease; nobody else writes it as long as it is held."""


_NOTHING: Mapping[str, HeldLease] = MappingProxyType({})
_held: ContextVar[Mapping[str, HeldLease]] = ContextVar("held_leases", default=_NOTHING)
"""The leases of the running task by thread. Savers read it at every write."""


@dataclass(frozen=True)
class LeaseHolder:
    """Who holds a lease, and until when, in seconds by the clock of the database."""

    owner: str
    expires_at: float

    def is_alive(self, now: float, *, is_local: bool = False) -> bool:
        """Whether the lease still counts: not run out, its process not known to be dead.

        `is_local`: all users are on one machine; what is from before its last start is dead.
        """
        return now < self.expires_at and not is_dead(self.owner, is_local=is_local)


class Leases:
    """Takes and renews leases on threads, by the clock of the database.

    Without a database, they are in memory. `clock` gives seconds in the place of its clock.
    """

    def __init__(self, database: Database | None = None, clock: Clock | None = None) -> None:
        self._database = database or SqliteDatabase()
        self._clock = clock

    @contextlib.asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[None]:
        """Hold the lease on a thread for the length of a `with` block.

        If another process takes it over, because this one was suspended for longer than the lease
        lasts, the block is cancelled.

        Raises:
            ThreadBusyError: another process, or another task of this one, has it.
            ThreadTakenOverError: another one took it over.
        """
        owner, task, is_lost = new_owner(), asyncio.current_task(), False
        winner = await self.take(thread_id, owner)
        if winner.owner != owner:
            raise ThreadBusyError(_busy(thread_id, winner))

        async def renew() -> None:
            nonlocal is_lost
            await self._renew_until_lost(thread_id, owner)
            is_lost = True
            if task is not None:
                task.cancel()

        renewal = asyncio.create_task(renew())
        _held.set(MappingProxyType({**_held.get(), thread_id: HeldLease(owner)}))
        try:
            with fewer_collections():
                yield
        except asyncio.CancelledError:
            if is_lost and (task is None or task.uncancel() == 0):  # nobody else asked for it
                raise ThreadTakenOverError(_takeover_message(thread_id)) from None
            raise
        finally:
            rest = {name: lease for name, lease in _held.get().items() if name != thread_id}
            _held.set(MappingProxyType(rest))
            renewal.cancel()
            await asyncio.shield(self.drop(thread_id, owner))  # first: a cancel may come now, too
            await asyncio.gather(renewal, return_exceptions=True)

    async def is_held(self, thread_id: str) -> bool:
        holder, is_local = await self.holder(thread_id), self._database.is_local
        return holder is not None and holder.is_alive(await self.now(), is_local=is_local)

    async def check_held(self) -> None:
        for thread_id in _held.get():
            check_ownership(thread_id, await self.holder(thread_id))

    async def take(self, thread_id: str, owner: str, seconds: float | None = None) -> LeaseHolder:
        """Give the lease to an owner unless another one is alive; return who has it now.

        `seconds`: how long it lasts; None: `LEASE_S`.

        Raises:
            PersistenceError: the row is damaged: it is in the way, and is not found.
        """
        try:
            return await self._take(thread_id, owner, LEASE_S if seconds is None else seconds)
        except asyncio.CancelledError:  # a statement is done whole all the same
            await asyncio.shield(self.drop(thread_id, owner))
            raise

    async def _take(self, thread_id: str, owner: str, seconds: float) -> LeaseHolder:
        change, now = self._database.change, await self.now()
        holder = LeaseHolder(owner, now + seconds)
        previous: LeaseHolder | None = None
        for attempt in range(_ATTEMPTS):
            if attempt == _ATTEMPTS - 1:  # an index that contradicts its table, after damage
                await change(f"{self._database.dialect.rebuild} paper_search_leases")
            if await change(_INSERT, thread_id, *astuple(holder)):
                if await self.now() - now > _WAIT_S:
                    await self.renew(thread_id, owner, seconds)
                return holder
            current = await self.holder(thread_id)
            if current is None:
                continue  # it was given up since
            if current.is_alive(now, is_local=self._database.is_local):
                return current
            # Only what was just seen is removed: it may have been renewed since, or taken.
            if current == previous:
                await change(_DROP_DAMAGED, thread_id, current.expires_at)
            else:
                await change(_DROP_DEAD, thread_id, *astuple(current))
            previous = current
        raise PersistenceError(
            f"the lease on thread {thread_id!r} is damaged: delete the thread, or restore a backup"
        )

    async def renew(self, thread_id: str, owner: str, seconds: float | None = None) -> bool:
        """Prolong the lease; False: another one has it."""
        while True:
            now = await self.now()
            expires_at = now + (LEASE_S if seconds is None else seconds)
            if await self._database.change(_RENEW, expires_at, thread_id, owner) != 1:
                return False
            if await self.now() - now <= _WAIT_S:
                return True

    async def drop(self, thread_id: str, owner: str) -> None:
        await self._database.change(_DROP, thread_id, owner)

    async def holder(self, thread_id: str) -> LeaseHolder | None:
        rows = await self._database.rows(HOLDER, thread_id)
        return LeaseHolder(*rows[0]) if rows else None

    async def now(self) -> float:
        return self._clock() if self._clock else await self._database.now()

    async def _renew_until_lost(self, thread_id: str, owner: str) -> None:
        is_ours = True
        while is_ours:
            await asyncio.sleep(RENEWAL_S)
            try:
                is_ours = await self.renew(thread_id, owner)
            except PersistenceError:
                # The next renewal may work before the lease runs out.
                logger.exception("the lease on thread %s could not be renewed", thread_id)
        logger.error("%s", _takeover_message(thread_id))


def lease_memory(thread_id: str) -> dict[str, Any] | None:
    """Return what the running task remembers of a thread that it drives; None if it does not."""
    lease = _held.get().get(thread_id)
    return None if lease is None else lease.memory


def check_ownership(
    thread_id: str, current: LeaseHolder | None, clock: Clock = uptime, *, is_local: bool = False
) -> None:
    """Refuse a write on a thread that somebody else drives: the fence behind the leases.

    A saver calls it with what it reads in the transaction of the write: who has the lease. Who
    holds none may write only where nobody holds one, by the clock of the database.
    `is_local`: see `LeaseHolder.is_alive`.

    Raises:
        ThreadTakenOverError: the running task held the lease and lost it.
        ThreadBusyError: it never held it, and somebody else does.
    """
    mine = _held.get().get(thread_id)
    if mine is not None:
        if current is None or current.owner != mine.owner:
            raise ThreadTakenOverError(_takeover_message(thread_id))
    elif current is not None and current.is_alive(clock(), is_local=is_local):
        raise ThreadBusyError(_busy(thread_id, current))


def check_lease(connection: sqlite3.Connection, thread_id: str) -> None:
    row = connection.execute(HOLDER, (thread_id,)).fetchone()
    check_ownership(thread_id, LeaseHolder(*row) if row else None, is_local=True)


def check_leases(connection: sqlite3.Connection) -> None:
    for thread_id in _held.get():
        check_lease(connection, thread_id)


def _busy(thread_id: str, holder: LeaseHolder) -> str:
    return (
        f"thread {thread_id!r} is running in process {_process(holder.owner)}; "
        "wait for it to stop at a question or to end, then try again"
    )


def _takeover_message(thread_id: str) -> str:
    return (
        f"thread {thread_id!r} was taken over by another process, because this one was silent for "
        f"more than {LEASE_S:.0f} s; this process stops; check the thread"
    )


def _process(owner: str) -> str:
    host, pid = process_of(owner)
    return f"{pid} on {host}"


class WorkLock:
    """A lock on the screening of a thread: one person at a time, for hours, with silences.

    Unlike a lease it is not prolonged by itself: an event loop that rests while a person reads
    could not. It is not the lease of the thread: answers are not held up.

    `name`: of the reviewer, each of whom has a lock; or empty.
    """

    def __init__(self, leases: Leases, thread_id: str, name: str) -> None:
        self._leases = leases
        self._thread_id = thread_id
        self._work = f"screened as {name}" if name else "screened"
        self._name = f"{thread_id}#{self._work}"
        self._owner = new_owner()

    async def acquire(self) -> None:
        winner = await self._leases.take(self._name, self._owner, WORK_LOCK_S)
        if winner.owner != self._owner:
            raise ThreadBusyError(
                f"thread {self._thread_id!r} is being {self._work} by process "
                f"{_process(winner.owner)}; "
                "go on there, or end it there first: everything that was said is saved"
            )

    async def renew(self) -> None:
        """Give a sign of life, before anything is written."""
        if not await self._leases.renew(self._name, self._owner, WORK_LOCK_S):
            raise ThreadTakenOverError(
                f"thread {self._thread_id!r} has been {self._work} by another process since, as "
                f"this one was silent for more than {WORK_LOCK_S / 60:.0f} minutes; "
                "your last key was not saved, everything before it was. The same command goes on"
            )

    async def release(self) -> None:
        """Release the lock; whoever lost it releases nothing."""
        await self._leases.drop(self._name, self._owner)
