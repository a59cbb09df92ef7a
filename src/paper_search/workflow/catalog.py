"""Catalog: which threads of one kind there are, how they stand, and what is done to them whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from paper_search.errors import PaperSearchError, ThreadBusyError
from paper_search.persistence import LedgerEntry, Persistence
from paper_search.workflow.driven import DrivenThread
from paper_search.workflow.shelf import Shelf


class ThreadStatus(str, Enum):
    """How a thread stands."""

    WAITING = "waiting"
    """For a person's decision."""
    RUNNING = "running"
    """A process drives it now."""
    DONE = "done"
    FAILED = "failed"
    """It stopped in the middle of its steps; resuming goes on there."""


class BriefInfo(BaseModel):
    """What a list says of any thread."""

    thread_id: str
    status: ThreadStatus
    question: str = ""
    """What was asked for."""
    created_at: str | None = None
    """UTC, ISO 8601."""
    updated_at: str | None = None
    ended_by: str | None = None
    next_step: str | None = None
    """The step that runs next."""
    error: str | None = None
    """Why it failed."""
    graph: str
    """Which graph began it."""


class DecisionInfo(BaseModel):
    """A decision, or what happened around one."""

    event: str
    """`decided`, `refused` or `forked`."""
    by: str
    at: str
    """UTC, ISO 8601."""
    detail: dict[str, Any]


@dataclass(frozen=True)
class Standing:
    """How a thread stands, read at one moment."""

    status: ThreadStatus
    values: dict[str, Any]
    """The channels of its state."""
    asked: dict[str, Any] | None
    """The question that waits, as the interrupt shows it."""
    facts: dict[str, Any]
    """The fields of `BriefInfo` that are known of every thread."""


InfoT = TypeVar("InfoT", bound=BriefInfo)


class Catalog(ABC, Generic[InfoT]):
    """Lists, prunes and deletes the threads of one kind.

    Args:
        persistence: where they live.
    """

    def __init__(self, persistence: Persistence) -> None:
        self._persistence = persistence

    @abstractmethod
    def session(self, thread_id: str) -> DrivenThread[Any, Any, Any]:
        """Return what reads one thread."""

    @abstractmethod
    def _shelf(self, thread_id: str) -> Shelf:
        """Return where the rows of a thread are."""

    @abstractmethod
    def _info(self, standing: Standing) -> InfoT:
        """Return what a list says of a thread."""

    @abstractmethod
    def _told(self, entry: LedgerEntry) -> dict[str, Any]:
        """Return what a decision says."""

    @property
    def _listed_in(self) -> tuple[str, ...]:
        return self._shelf("").listed_in

    async def threads(self, *, limit: int = 100, offset: int = 0) -> list[InfoT]:
        """Return threads, the one that changed last first."""
        return [await self._listed(each) for each in await self.entries(limit=limit, offset=offset)]

    async def names(self, *, limit: int = 100, offset: int = 0) -> list[str]:
        """Return the ids of threads, the one that changed last first."""
        return [item.key for item in await self.entries(limit=limit, offset=offset)]

    async def entries(self, *, limit: int = 100, offset: int = 0) -> list[Any]:
        """Return the entries of the index, the one that changed last first."""
        return await self._persistence.pages.apage(self._listed_in, "updated_at", limit, offset)

    async def listed(self, entries: list[Any]) -> list[InfoT]:
        """Return what a list says of entries of the index."""
        return [await self._listed(each) for each in entries]

    async def has(self, thread_id: str) -> bool:
        """Whether a thread of this kind has this id, or had it and was not wholly deleted."""
        return await self._persistence.store.aget(self._listed_in, thread_id) is not None

    async def info(self, thread_id: str) -> InfoT:
        """Return how a thread stands.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        return self._info(await self._standing(thread_id))

    async def delete(self, thread_id: str) -> None:
        """Delete a thread with all its rows.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadBusyError: a process drives it.
        """
        session = self.session(thread_id)
        if not await self.has(thread_id):
            await session.snapshot()
        if await session.is_driven():
            raise ThreadBusyError(f"{session.noun} {thread_id!r} is running; it is not deleted")
        async with session.lease():
            # The index entry, which goes last, is what a deletion that was cut short is known by.
            await self._persistence.checkpointer.adelete_thread(thread_id)
            await self._persistence.ledger.forget(thread_id)
            await self._shelf(thread_id).delete()

    async def prune(self, thread_id: str) -> None:
        """Forget how a thread came to stand as it does; its question, rows and result stay.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadBusyError: a process drives it.
        """
        session = self.session(thread_id)
        await session.snapshot()
        async with session.lease():
            await self._persistence.checkpointer.aprune([thread_id])

    async def decisions(self, thread_id: str) -> list[DecisionInfo]:
        """Return who decided what when, and what was refused, in the order of time."""
        ledger = self._persistence.ledger
        entries = [
            DecisionInfo(
                event="decided",
                by=each.decided_by,
                at=each.decided_at,
                detail=self._told(each) | {"status": each.status.value},
            )
            for each in await ledger.entries(thread_id)
        ]
        around = [
            DecisionInfo(event=each.event, by=each.by, at=each.at, detail=each.detail)
            for each in await ledger.audit(thread_id)
        ]
        return sorted([*entries, *around], key=lambda each: each.at)

    async def _standing(self, thread_id: str) -> Standing:
        session = self.session(thread_id)
        snapshot = await session.snapshot()
        item = await self._persistence.store.aget(self._listed_in, thread_id)
        decided = await self._decided(thread_id, snapshot)
        asked = snapshot.interrupts[0].value if snapshot.interrupts and not decided else None
        values = snapshot.values
        if values.get("is_complete"):
            status = ThreadStatus.DONE
        elif asked is not None:
            status = ThreadStatus.WAITING
        elif await session.is_driven():
            status = ThreadStatus.RUNNING
        else:
            status = ThreadStatus.FAILED
        entry = item.value if item else {}
        facts = {
            "thread_id": thread_id,
            "status": status,
            "question": values.get(session.begins_with) or entry.get("question", ""),
            "created_at": entry.get("created_at", snapshot.created_at),
            "updated_at": max(filter(None, [snapshot.created_at, entry.get("updated_at")])),
            "ended_by": values.get("ended_by"),
            "next_step": snapshot.next[0] if snapshot.next else None,
            "error": (decided or _failure(snapshot)) if status is ThreadStatus.FAILED else None,
        }
        return Standing(status, values, asked, facts)

    async def _decided(self, thread_id: str, snapshot: Any) -> str | None:
        """Return what to say of a question that was decided and whose thread did not go on."""
        if not snapshot.interrupts:
            return None
        entry = await self._persistence.ledger.entry(thread_id, snapshot.interrupts[0].id)
        if entry is None:
            return None
        return (
            f"decided by {entry.decided_by} at {entry.decided_at} and not applied yet; "
            "resuming applies the decision"
        )

    async def _listed(self, item: Any) -> InfoT:
        """Return the entry of a thread; one that cannot be read is listed with the reason."""
        try:
            return await self.info(item.key)
        except PaperSearchError as error:
            facts = {"thread_id": item.key, "status": ThreadStatus.FAILED, "error": str(error)}
            return self._info(Standing(ThreadStatus.FAILED, {}, None, {**item.value, **facts}))


def _failure(snapshot: Any) -> str:
    errors = [task.error for task in snapshot.tasks if task.error]
    if errors:
        return str(errors[0])
    step = snapshot.next[0] if snapshot.next else "its last step"
    return f"stopped at {step} before the end; resuming goes on there"
