"""Catalog: the threads of a graph and their status; pruning and deleting them."""

from __future__ import annotations

import contextlib
import functools
import heapq
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, Field

from paper_search.errors import (
    PaperSearchError,
    PersistenceError,
    ThreadBusyError,
    ThreadNotFoundError,
)
from paper_search.persistence import Persistence
from paper_search.persistence.encryption import DamagedError, LockedError
from paper_search.persistence.listing import NEXT, Summarizes, Summary
from paper_search.persistence.threads import INPUT
from paper_search.threads.records import root_of
from paper_search.threads.sharing import Ownership

if TYPE_CHECKING:
    from paper_search.threads.session import ThreadSession

ALL = 10_000_000
"""More threads than any database holds."""
_PAGE = 1000
"""Threads of a list that are read together."""


class ThreadStatus(str, Enum):
    WAITING = "waiting"
    """For a person's decision."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """It stopped in the middle of its steps; resuming continues there."""
    DAMAGED = "damaged"
    """Its bytes were changed; it can be deleted."""
    LOCKED = "locked"
    """It was written with another key, or without one, with which it can be read."""


class BriefInfo(BaseModel):
    thread_id: str
    status: ThreadStatus
    question: str = ""
    created_at: str | None = None
    """UTC, ISO 8601."""
    updated_at: str | None = None
    ended_by: str | None = None
    next_step: str | None = None
    error: str | None = None
    graph: str
    shared_with: dict[str, str] = Field(default_factory=dict, exclude=True)
    """The role of each account that it is shared with."""


class DecisionInfo(BaseModel):
    event: str
    """`decided`, `refused` or `forked`."""
    by: str
    at: str
    """UTC, ISO 8601."""
    detail: dict[str, Any]


@dataclass(frozen=True)
class StatusFacts:
    status: ThreadStatus
    values: dict[str, Any]
    """The channels of its state."""
    asked: dict[str, Any] | None
    """The open question, as the value of the interrupt."""
    facts: dict[str, Any]
    """The fields of `BriefInfo`."""


SessionT = TypeVar("SessionT", bound="ThreadSession[Any, Any, Any]")
InfoT = TypeVar("InfoT", bound=BriefInfo)


class Catalog(ABC, Generic[SessionT, InfoT]):
    """Lists, prunes and deletes the threads of one graph.

    To prune or delete a thread that a process is running raises `ThreadBusyError`.
    """

    listed_in: ClassVar[tuple[str, ...]]
    """Namespace of their index."""
    begins_with: ClassVar[str]
    """The channel with a thread's input, which only this graph has."""

    def __init__(self, persistence: Persistence) -> None:
        self._persistence = persistence

    @property
    @abstractmethod
    def session_type(self) -> type[SessionT]:
        """The session of a thread; a list needs none, because it is slow to import."""

    @functools.cached_property
    def _graph(self) -> Any:
        return self.session_type.graph(self._persistence)

    def session(self, thread_id: str) -> SessionT:
        return self.session_type(self._graph, self._persistence, thread_id)

    def _info(self, status: StatusFacts) -> InfoT:
        info: Any = BriefInfo(graph=self.session_type.workflow.name, **status.facts)
        return info  # type: ignore[no-any-return]  # a subclass says otherwise

    async def threads(self, *, limit: int = 100, offset: int = 0) -> list[InfoT]:
        """Return threads, the latest change first."""
        entries = await self.entries(limit=limit, offset=offset)
        resting = await self.resting(entries)
        return [resting.get(item.key) or await self.info_or_error(item) for item in entries]

    async def names(self, *, limit: int = 100, offset: int = 0) -> list[str]:
        return [item.key for item in await self.entries(limit=limit, offset=offset)]

    async def entries(self, *, limit: int = 100, offset: int = 0) -> list[Any]:
        return await self._persistence.index.page(self.listed_in, limit, offset)

    async def keys(self) -> set[str]:
        return await self._persistence.index.keys(self.listed_in)

    async def resting(self, entries: list[Any]) -> dict[str, InfoT]:
        """Return the entries, by id, of threads that wait or are finished, as nearly all do.

        They are read together, and without LangGraph, which would compute the next steps.
        """
        saver: Any = self._persistence.checkpointer
        infos: dict[str, InfoT] = {}
        for start in range(0, len(entries) if isinstance(saver, Summarizes) else 0, _PAGE):
            page = {item.key: item for item in entries[start : start + _PAGE]}
            latest = await saver.asummaries(list(page))
            decided = await self._persistence.ledger.decided_questions(list(page))
            statuses = [self._rest(page[i], latest[i], decided) for i in page if i in latest]
            infos |= {s.facts["thread_id"]: self._info(s) for s in statuses if s is not None}
        return infos

    async def has(self, thread_id: str) -> bool:
        return await self._entry(thread_id) is not None

    async def ownership(self, thread_id: str) -> Ownership:
        entry = await self._entry(thread_id)
        return Ownership.model_validate(entry.value if entry else {})

    async def _entry(self, thread_id: str) -> Any:
        """Return the entry of the index, if there is one; it is empty if it is damaged."""
        return await self._persistence.index.entry(self.listed_in, thread_id)

    async def info(self, thread_id: str) -> InfoT:
        return self._info(await self._status(thread_id))

    async def delete(self, thread_id: str) -> None:
        if not await self.has(thread_id):
            with contextlib.suppress(PersistenceError):  # what cannot be read can be deleted
                await self.session(thread_id).snapshot()
        await delete_thread(self._persistence, thread_id, [self.listed_in])

    async def finish_deletions(self) -> list[str]:
        """Finish interrupted deletions, which leave an index entry without a checkpoint."""
        whole = {latest.thread_id for latest in await self._persistence.index.latest(ALL)}
        names = []
        for thread_id in sorted(await self.keys() - whole):
            session = self.session(thread_id)
            if not await session.is_running() and not await session.exists():
                await self.delete(thread_id)
                names.append(thread_id)
        return names

    async def prune(self, thread_id: str) -> None:
        """Delete the history of a thread; its question, records and result stay."""
        session = self.session(thread_id)
        await session.snapshot()
        async with session.lease():
            await self._persistence.checkpointer.aprune([thread_id])

    async def decisions(self, thread_id: str) -> list[DecisionInfo]:
        """Return decisions, refused answers and forks, the oldest first."""
        ledger, detail = self._persistence.ledger, self.session_type.audit_detail
        entries = [
            DecisionInfo(
                event="decided",
                by=entry.decided_by,
                at=entry.decided_at,
                detail=detail(entry.decision) | {"status": entry.status.value},
            )
            for entry in await self.session(thread_id).entries()
        ]
        around = [
            DecisionInfo(event=event.event, by=event.by, at=event.at, detail=event.detail)
            for event in await ledger.audit(thread_id)
        ]
        return list(heapq.merge(entries, around, key=lambda info: info.at))

    async def _status(self, thread_id: str) -> StatusFacts:
        session = self.session(thread_id)
        snapshot = await session.snapshot()
        await self._persistence.index.check_parts(root_of(thread_id))
        item = await self._entry(thread_id)
        decided = await self._unapplied_decision(thread_id, snapshot)
        question = snapshot.interrupts[0].value if snapshot.interrupts and not decided else None
        values = snapshot.values
        if values.get("is_complete"):
            status = ThreadStatus.DONE
        elif question is not None:
            status = ThreadStatus.WAITING
        elif await session.is_running():
            status = ThreadStatus.RUNNING
        else:
            status = ThreadStatus.FAILED
        failure = (decided or _failure(snapshot)) if status is ThreadStatus.FAILED else None
        facts = {"thread_id": thread_id, "status": status, "error": failure}
        facts |= self._facts(values, item.value if item else {}, snapshot.created_at, snapshot.next)
        return StatusFacts(status, values, question, facts)

    def _facts(
        self, values: Mapping[str, Any], entry: Mapping[str, Any], saved_at: str, following: Any
    ) -> dict[str, Any]:
        return {
            "question": values.get(self.begins_with) or entry.get("question", ""),
            "created_at": entry.get("created_at", saved_at),
            "updated_at": max(filter(None, [saved_at, entry.get("updated_at")])),
            "ended_by": values.get("ended_by"),
            "shared_with": entry.get("shared_with") or {},
            "next_step": following[0] if following else None,
        }

    def _rest(
        self, item: Any, latest: Summary, decided: set[tuple[str, str]]
    ) -> StatusFacts | None:
        """Return the status of a thread that waits or is finished; None if it may be another."""
        channels = dict(latest.channels)
        is_begun = self.begins_with in channels and INPUT not in channels
        if not is_begun or latest.is_in_a_step:
            return None  # it died before its first step, or in the middle of one
        if any((item.key, interrupt_id) in decided for interrupt_id, _question in latest.asked):
            return None
        if channels.get("is_complete"):
            status, question = ThreadStatus.DONE, None
        elif latest.asked:
            status, question = ThreadStatus.WAITING, latest.asked[0][1]
        else:
            return None
        following = [name.removeprefix(NEXT) for name in channels if name.startswith(NEXT)]
        facts = {"thread_id": item.key, "status": status, "error": None}
        facts |= self._facts(channels, item.value, latest.saved_at, following)
        return StatusFacts(status, channels, question, facts)

    async def _unapplied_decision(self, thread_id: str, snapshot: Any) -> str | None:
        """Return the message about a decision that has not been applied, if there is one."""
        if not snapshot.interrupts:
            return None
        entry = await self._persistence.ledger.entry(thread_id, snapshot.interrupts[0].id)
        if entry is None:
            return None
        return (
            f"decided by {entry.decided_by} at {entry.decided_at}, but not applied yet; "
            "resuming applies the decision"
        )

    async def info_or_error(self, item: Any) -> InfoT:
        """Return the entry of a thread; if it cannot be read, with the reason."""
        try:
            return await self.info(item.key)
        except PaperSearchError as error:
            reason, status = str(error), status_by(error)
            if isinstance(error, ThreadNotFoundError):
                reason = f"its deletion stopped; `paper-search delete {item.key}` finishes it"
            facts = {"thread_id": item.key, "status": status, "error": reason}
            return self._info(StatusFacts(status, {}, None, {**item.value, **facts}))


def status_by(error: PaperSearchError) -> ThreadStatus:
    """Return the status of a thread that this error keeps from being read."""
    kinds = {DamagedError: ThreadStatus.DAMAGED, LockedError: ThreadStatus.LOCKED}
    return kinds.get(type(error), ThreadStatus.FAILED)


async def delete_thread(
    persistence: Persistence, thread_id: str, indexes: Sequence[tuple[str, ...]]
) -> None:
    """Delete a thread with all its rows, even if it is damaged."""
    if await persistence.leases.is_held(thread_id):
        raise ThreadBusyError(f"thread {thread_id!r} is running; it is not deleted")
    async with persistence.leases.hold(thread_id):
        # The index entry goes last, so that an interrupted deletion can be found.
        await persistence.checkpointer.adelete_thread(thread_id)
        await persistence.ledger.forget(thread_id)
        await persistence.index.erase(root_of(thread_id), indexes, thread_id)


def _failure(snapshot: Any) -> str:
    errors = [task.error for task in snapshot.tasks if task.error]
    if errors:
        return str(errors[0])
    return stopped_at(snapshot.next[0] if snapshot.next else "its last step")


def stopped_at(step: str) -> str:
    return f"stopped at {step} before the end; resuming continues there"
