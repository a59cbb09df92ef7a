"""Leases: the right to run a thread. A lease expires after its holder has died."""

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
"""How long a work lock lasts without renewal, if its process is not known to be dead."""

HOLDER = "SELECT owner, expires_at FROM paper_search_leases WHERE thread_id = ?"
_INSERT = """INSERT INTO paper_search_leases (thread_id, owner, expires_at) VALUES (?, ?, ?)
    ON CONFLICT DO NOTHING"""
_RENEW = "UPDATE paper_search_leases SET expires_at = ? WHERE thread_id = ? AND owner = ?"
_DROP = "DELETE FROM paper_search_leases WHERE thread_id = ? AND owner = ?"
_DROP_DEAD = f"{_DROP} AND expires_at = ?"
_DROP_DAMAGED = "DELETE FROM paper_search_leases WHERE thread_id = ? AND expires_at = ?"
"""For an owner whose bytes were changed, so that it cannot be compared."""

_WAIT_S = LEASE_S / 4
"""How long writing a lease may take; after that it would expire early, so it is written again."""
_ATTEMPTS = 100


@dataclass(frozen=True)
class HeldLease:
    owner: str
    memory: dict[str, Any] = field(default_factory=dict)
    """A cache of rows of the thread, which nobody else writes while the lease is held."""


_NOTHING: Mapping[str, HeldLease] = MappingProxyType({})
_held: ContextVar[Mapping[str, HeldLease]] = ContextVar("held_leases", default=_NOTHING)
"""The leases of the running task, by thread. Savers check it at every write."""


@dataclass(frozen=True)
class LeaseHolder:
    """The holder of a lease, and its expiry in seconds by the clock of the database."""

    owner: str
    expires_at: float

    def is_alive(self, now: float, *, is_local: bool = False) -> bool:
        """Whether the lease has not expired, and its process is not known to be dead.

        `is_local`: all users are on one machine; processes from before its last start are dead.
        """
        return now < self.expires_at and not is_dead(self.owner, is_local=is_local)


class Leases:
    """Takes and renews leases on threads, by the clock of the database.

    Without a database, leases are in memory. `clock`: returns seconds, instead of that clock.
    """

    def __init__(self, database: Database | None = None, clock: Clock | None = None) -> None:
        self._database = database or SqliteDatabase()
        self._clock = clock

    @contextlib.asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[None]:
        """Hold the lease on a thread during a `with` block.

        The block is cancelled if another process takes the lease over, because this one was
        suspended for longer than the lease lasts.

        Raises:
            ThreadBusyError: another process, or another task of this one, holds the lease.
            ThreadTakenOverError: another process took it over.
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
            if is_lost and (task is None or task.uncancel() == 0):  # nobody else cancelled it
                raise ThreadTakenOverError(_takeover_message(thread_id)) from None
            raise
        finally:
            rest = {name: lease for name, lease in _held.get().items() if name != thread_id}
            _held.set(MappingProxyType(rest))
            renewal.cancel()
            await asyncio.shield(self.drop(thread_id, owner))  # first: a cancellation may come now
            await asyncio.gather(renewal, return_exceptions=True)

    async def is_held(self, thread_id: str) -> bool:
        holder, is_local = await self.holder(thread_id), self._database.is_local
        return holder is not None and holder.is_alive(await self.now(), is_local=is_local)

    async def check_held(self) -> None:
        for thread_id in _held.get():
            check_ownership(thread_id, await self.holder(thread_id))

    async def take(self, thread_id: str, owner: str, seconds: float | None = None) -> LeaseHolder:
        """Give the lease to an owner unless another one is alive; return its holder.

        `seconds`: how long it lasts; None for `LEASE_S`.

        Raises:
            PersistenceError: a damaged row blocks the lease.
        """
        try:
            return await self._take(thread_id, owner, LEASE_S if seconds is None else seconds)
        except asyncio.CancelledError:  # a statement completes in spite of it
            await asyncio.shield(self.drop(thread_id, owner))
            raise

    async def _take(self, thread_id: str, owner: str, seconds: float) -> LeaseHolder:
        change, now = self._database.change, await self.now()
        holder = LeaseHolder(owner, now + seconds)
        previous: LeaseHolder | None = None
        for attempt in range(_ATTEMPTS):
            if attempt == _ATTEMPTS - 1:  # after damage, an index may contradict its table
                await change(f"{self._database.dialect.rebuild} paper_search_leases")
            if await change(_INSERT, thread_id, *astuple(holder)):
                if await self.now() - now > _WAIT_S:
                    await self.renew(thread_id, owner, seconds)
                return holder
            current = await self.holder(thread_id)
            if current is None:
                continue  # it was released since
            if current.is_alive(now, is_local=self._database.is_local):
                return current
            # Only the row just read is removed: the lease may have been renewed or taken since.
            if current == previous:
                await change(_DROP_DAMAGED, thread_id, current.expires_at)
            else:
                await change(_DROP_DEAD, thread_id, *astuple(current))
            previous = current
        raise PersistenceError(
            f"the lease on thread {thread_id!r} is damaged: delete the thread, or restore a backup"
        )

    async def renew(self, thread_id: str, owner: str, seconds: float | None = None) -> bool:
        """Renew the lease; return False if another owner has it."""
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
                # The next renewal may succeed before the lease expires.
                logger.exception("the lease on thread %s could not be renewed", thread_id)
        logger.error("%s", _takeover_message(thread_id))


def lease_memory(thread_id: str) -> dict[str, Any] | None:
    """Return the cache of the running task for a thread whose lease it holds; None without it."""
    lease = _held.get().get(thread_id)
    return None if lease is None else lease.memory


def check_ownership(
    thread_id: str, current: LeaseHolder | None, clock: Clock = uptime, *, is_local: bool = False
) -> None:
    """Refuse a write on a thread that another process is running: the fence behind the leases.

    A saver calls it in the transaction of each write, with the holder of the lease. A task without
    the lease may write only while nobody holds it, by the clock of the database.
    `is_local`: see `LeaseHolder.is_alive`.

    Raises:
        ThreadTakenOverError: the running task held the lease and lost it.
        ThreadBusyError: the task never held it, and somebody else does.
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
        "wait until it asks a question or ends, then try again"
    )


def _takeover_message(thread_id: str) -> str:
    return (
        f"thread {thread_id!r} was taken over by another process, because this one did not respond "
        f"for more than {LEASE_S:.0f} s. This process stops; check the thread"
    )


def _process(owner: str) -> str:
    host, pid = process_of(owner)
    return f"{pid} on {host}"


class WorkLock:
    """A lock on the screening of a thread: one person at a time, for hours, with pauses.

    Unlike a lease it is not renewed automatically, because no event loop runs while a person
    reads. It does not block answers, which need the lease of the thread.

    `name`: of the reviewer, if there are several; each has a lock.
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
                f"{_process(winner.owner)}; continue there, or quit there first: every decision so "
                "far is saved"
            )

    async def renew(self) -> None:
        """Renew the lock; call it before every write."""
        if not await self._leases.renew(self._name, self._owner, WORK_LOCK_S):
            raise ThreadTakenOverError(
                f"thread {self._thread_id!r} is now being {self._work} by another process, because "
                f"this one was idle for more than {WORK_LOCK_S / 60:.0f} minutes; your last key "
                "was not saved, everything before it was. Run the same command to continue"
            )

    async def release(self) -> None:
        """Release the lock, unless another process has taken it over."""
        await self._leases.drop(self._name, self._owner)
