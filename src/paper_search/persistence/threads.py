"""Threads of any graph: where they are stored, by backend, and how to manage them."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from paper_search.config import load_config
from paper_search.errors import (
    ConfigError,
    ThreadNotFoundError,
    ThreadWaitingError,
    UnknownNameError,
)
from paper_search.persistence.opening import Persistence, open_persistence

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

BACKENDS = ("memory", "sqlite", "postgres")
FINISHED = ("completed", "failed")
"""Values of a state's `status` that mean the thread is finished, as `is_complete` does."""
PAGE = 200
INPUT = "__start__"
"""LangGraph's channel of a graph's input."""


@dataclass(frozen=True)
class PersistenceConfig:
    """Where threads are stored, by the name of the backend.

    Args:
        backend: memory, sqlite or postgres.
        connection_string: sqlite: a path or a `sqlite:///` URL, by default
            `research_workflows.db`; postgres: a URL, by default `DATABASE_URL`.
        ttl_hours: how long `ThreadManager.expire` keeps a finished thread; None for no limit.

    Raises:
        UnknownNameError: there is no such backend.
        ConfigError: `ttl_hours` is not positive, or postgres has no URL.
    """

    backend: str = "memory"
    connection_string: str | None = field(default=None, repr=False)
    ttl_hours: float | None = 24

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise UnknownNameError("persistence backend", self.backend, list(BACKENDS))
        if self.ttl_hours is not None and self.ttl_hours <= 0:
            raise ConfigError(f"ttl_hours has to be more than 0, not {self.ttl_hours!r}")
        if self.backend == "postgres":
            _ = self.url

    @property
    def url(self) -> str:
        text = self.connection_string
        if self.backend == "memory":
            return "memory:"
        if self.backend == "sqlite":
            path = text or "research_workflows.db"
            return path if path.startswith("sqlite:") else f"sqlite:///{path}"
        url = text or load_config().database_url
        if not url:
            raise ConfigError("PostgreSQL connection string required: pass it, or set DATABASE_URL")
        return url

    def open(self) -> contextlib.AbstractAsyncContextManager[Persistence]:
        return open_persistence(self.url)

    @contextlib.asynccontextmanager
    async def get_checkpointer(self) -> AsyncIterator[BaseCheckpointSaver[Any]]:
        """Open the persistence for its saver alone, during an `async with` block."""
        async with self.open() as persistence:
            yield persistence.checkpointer

    @contextlib.asynccontextmanager
    async def threads(self) -> AsyncIterator[ThreadManager]:
        async with self.open() as persistence:
            yield ThreadManager(persistence, ttl_hours=self.ttl_hours)


class ThreadManager:
    """Creates, reads, lists and resumes the threads of any graph."""

    def __init__(self, persistence: Persistence, *, ttl_hours: float | None = None) -> None:
        self._persistence = persistence
        self._saver: Any = persistence.checkpointer
        self._ttl_hours = ttl_hours

    async def create_thread(self, initial_state: Mapping[str, Any]) -> str:
        """Store the input of a graph, and return the id of the new thread."""
        from langgraph.checkpoint.base import empty_checkpoint  # noqa: PLC0415  # slow import

        thread_id = str(uuid.uuid4())
        checkpoint = empty_checkpoint()
        version = self._saver.get_next_version(None, None)
        checkpoint["channel_values"] = {INPUT: dict(initial_state)}
        checkpoint["channel_versions"] = {INPUT: version}
        config = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
        metadata = {"source": "input", "step": -1, "parents": {}}
        await self._saver.aput(config, checkpoint, metadata, {INPUT: version})
        return thread_id

    async def get_thread_state(self, thread_id: str) -> dict[str, Any] | None:
        saved = await self._saver.aget_tuple({"configurable": {"thread_id": thread_id}})
        return None if saved is None else _values(saved)

    async def list_active_threads(
        self, *, limit: int = PAGE, offset: int = 0
    ) -> list[dict[str, Any]]:
        """Return the threads that are not finished, the latest change first."""
        threads = await self._persistence.index.latest(limit, offset)
        rows = [await self._entry(latest) for latest in threads]
        return [entry for entry in rows if not entry.pop("is_finished")]

    async def resume_thread(
        self, graph: Any, thread_id: str, input_data: Any = None
    ) -> dict[str, Any]:
        """Continue a thread, and return its state when it stops.

        The graph must be compiled on the same persistence. `input_data`: a `Command(resume=...)`
        for the open question; None to continue between questions.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadWaitingError: a question is open, and `input_data` is None.
            ThreadBusyError: another process is running the thread.
        """
        config = {"configurable": {"thread_id": thread_id}}
        if await self.get_thread_state(thread_id) is None:
            raise ThreadNotFoundError(f"no thread {thread_id!r}")
        async with self._persistence.leases.hold(thread_id):
            if input_data is None and (await graph.aget_state(config)).interrupts:
                # LangGraph would use the last answer for the question that is open now.
                raise ThreadWaitingError(f"thread {thread_id!r} is waiting for an answer")
            result = await graph.ainvoke(input_data, config, durability="sync")
        return cast("dict[str, Any]", result)

    async def expire(self, now: datetime | None = None) -> list[str]:
        """Delete the finished threads that have not changed for `ttl_hours`; return their ids."""
        if self._ttl_hours is None:
            return []
        oldest = (now or datetime.now(UTC)) - timedelta(hours=self._ttl_hours)
        old: list[str] = []
        start = 0
        while page := await self._persistence.index.latest(PAGE, start):
            start += len(page)
            for latest in page:
                is_old = latest.changed_at is not None and latest.changed_at <= oldest
                if is_old and (await self._entry(latest))["is_finished"]:
                    old.append(latest.thread_id)
        for thread_id in old:
            async with self._persistence.leases.hold(thread_id):
                await self._saver.adelete_thread(thread_id)
                await self._persistence.ledger.forget(thread_id)
        return old

    async def _entry(self, latest: Any) -> dict[str, Any]:
        saved = await self._saver.aget_tuple({"configurable": {"thread_id": latest.thread_id}})
        values = _values(saved) if saved else {}
        status = values.get("status", "unknown")
        return {
            "thread_id": latest.thread_id,
            "status": status,
            "created_at": latest.created_at.isoformat() if latest.created_at else None,
            "last_checkpoint": latest.changed_at.isoformat() if latest.changed_at else None,
            "is_finished": status in FINISHED or bool(values.get("is_complete")),
        }


def _values(saved: Any) -> dict[str, Any]:
    values = saved.checkpoint["channel_values"]
    plain = {name: value for name, value in values.items() if not name.startswith("__")}
    return plain or dict(values.get(INPUT) or {})
