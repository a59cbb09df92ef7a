"""Which threads there are, and how they stand."""

from __future__ import annotations

from enum import Enum
from typing import Any

from pydantic import BaseModel, Field

from paper_search.errors import PaperSearchError, ThreadBusyError
from paper_search.models import PaperCollection, SourceReport
from paper_search.persistence import Persistence
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind
from paper_search.workflow.records import INDEX, RecordShelf
from paper_search.workflow.session import ThreadSession, search_graph
from paper_search.workflow.state import IterationRecord


class ThreadStatus(str, Enum):
    """How a thread stands."""

    WAITING = "waiting"
    """For a person's decision."""
    RUNNING = "running"
    """A process drives it now."""
    DONE = "done"
    FAILED = "failed"
    """It stopped in the middle of its steps; resuming goes on there."""


class ThreadInfo(BaseModel):
    """One thread in a list."""

    thread_id: str
    status: ThreadStatus
    checkpoint: CheckpointKind | None = None
    """Which question it waits with."""
    question: str = ""
    """What literature was asked for."""
    iteration: int = 0
    created_at: str | None = None
    """UTC, ISO 8601."""
    updated_at: str | None = None
    ended_by: str | None = None
    next_step: str | None = None
    """The step that runs next."""
    error: str | None = None
    """Why it failed."""


class DecisionInfo(BaseModel):
    """A decision, or what happened around one."""

    event: str
    """`decided`, `refused` or `forked`."""
    by: str
    at: str
    """UTC, ISO 8601."""
    detail: dict[str, Any]


class ThreadDetail(ThreadInfo):
    """One thread in full."""

    open_checkpoint: Checkpoint | None = None
    collection: PaperCollection | None = None
    """The latest result."""
    reports: list[SourceReport] = Field(default_factory=list)
    history: list[IterationRecord] = Field(default_factory=list)
    decisions: list[DecisionInfo] = Field(default_factory=list)
    """Who decided what when, and what was refused, in the order of time."""


class ThreadCatalog:
    """Lists, shows and deletes threads.

    Args:
        persistence: where they live.
    """

    def __init__(self, persistence: Persistence) -> None:
        self._persistence = persistence
        self._graph = search_graph(persistence)

    async def threads(self, *, limit: int = 100, offset: int = 0) -> list[ThreadInfo]:
        """Return threads, the one that changed last first."""
        items = await self._persistence.pages.apage(INDEX, "updated_at", limit, offset)
        return [await self._listed(item) for item in items]

    async def names(self, *, limit: int = 100, offset: int = 0) -> list[str]:
        """Return the ids of threads, the one that changed last first."""
        items = await self._persistence.pages.apage(INDEX, "updated_at", limit, offset)
        return [item.key for item in items]

    async def info(self, thread_id: str) -> ThreadInfo:
        """Return how a thread stands.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        session = self._session(thread_id)
        snapshot = await session.snapshot()
        item = await self._persistence.store.aget(INDEX, thread_id)
        decided = await self._decided(thread_id, snapshot)
        question = snapshot.interrupts[0].value if snapshot.interrupts and not decided else None
        values = snapshot.values
        is_done = bool(values.get("is_complete"))
        if is_done:
            status = ThreadStatus.DONE
        elif question is not None:
            status = ThreadStatus.WAITING
        elif await session.is_driven():
            status = ThreadStatus.RUNNING
        else:
            status = ThreadStatus.FAILED
        return ThreadInfo(
            thread_id=thread_id,
            status=status,
            checkpoint=question["kind"] if question else None,
            question=values.get("question") or (item.value["question"] if item else ""),
            iteration=values.get("current_iteration", 0),
            created_at=item.value["created_at"] if item else snapshot.created_at,
            updated_at=max(
                filter(None, [snapshot.created_at, item.value["updated_at"] if item else None])
            ),
            ended_by=values.get("ended_by"),
            next_step=snapshot.next[0] if snapshot.next else None,
            error=(decided or _failure(snapshot)) if status is ThreadStatus.FAILED else None,
        )

    async def show(self, thread_id: str) -> ThreadDetail:
        """Return all that there is to know of a thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        info = await self.info(thread_id)
        session = self._session(thread_id)
        state = await session.state()
        question = await session.open_question()
        return ThreadDetail(
            **info.model_dump(),
            open_checkpoint=question.checkpoint if question else None,
            collection=await session.result(),
            reports=state.reports,
            history=state.history,
            decisions=await self._decisions(thread_id),
        )

    async def delete(self, thread_id: str) -> None:
        """Delete a thread with all its records.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadBusyError: a process drives it.
        """
        session = self._session(thread_id)
        if await self._persistence.store.aget(INDEX, thread_id) is None:
            await session.snapshot()
        if await session.is_driven():
            raise ThreadBusyError(f"thread {thread_id!r} is running; it is not deleted")
        async with session.lease():
            # The index entry, which goes last, is what a deletion that was cut short is known by.
            await self._persistence.checkpointer.adelete_thread(thread_id)
            await self._persistence.ledger.forget(thread_id)
            await RecordShelf(self._persistence.store, thread_id).delete()

    async def prune(self, thread_id: str) -> None:
        """Forget how a thread came to stand as it does; its question, papers and result stay.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadBusyError: a process drives it.
        """
        session = self._session(thread_id)
        await session.snapshot()
        async with session.lease():
            await self._persistence.checkpointer.aprune([thread_id])

    async def _decisions(self, thread_id: str) -> list[DecisionInfo]:
        ledger = self._persistence.ledger
        entries = [
            DecisionInfo(
                event="decided",
                by=each.decided_by,
                at=each.decided_at,
                detail={
                    "action": each.decision["action"],
                    "note": each.decision.get("note"),
                    "checkpoint": each.decision["checkpoint"],
                    "status": each.status.value,
                },
            )
            for each in await ledger.entries(thread_id)
        ]
        around = [
            DecisionInfo(event=each.event, by=each.by, at=each.at, detail=each.detail)
            for each in await ledger.audit(thread_id)
        ]
        return sorted([*entries, *around], key=lambda each: each.at)

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

    def _session(self, thread_id: str) -> ThreadSession:
        return ThreadSession(self._graph, self._persistence, thread_id)

    async def _listed(self, item: Any) -> ThreadInfo:
        """Return the entry of a thread; one that cannot be read is listed with the reason."""
        try:
            return await self.info(item.key)
        except PaperSearchError as error:
            return ThreadInfo(
                thread_id=item.key,
                status=ThreadStatus.FAILED,
                question=item.value["question"],
                created_at=item.value["created_at"],
                updated_at=item.value["updated_at"],
                error=str(error),
            )


def _failure(snapshot: Any) -> str:
    errors = [task.error for task in snapshot.tasks if task.error]
    if errors:
        return str(errors[0])
    step = snapshot.next[0] if snapshot.next else "its last step"
    return f"stopped at {step} before the end; resuming goes on there"
