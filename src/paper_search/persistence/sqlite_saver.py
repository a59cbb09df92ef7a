"""LangGraph's SQLite saver and store: fenced, sealed, with what the saver lacks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from typing import Any, Literal

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.base import Item, Op, PutOp, Result
from langgraph.store.sqlite.aio import AsyncSqliteStore

from paper_search.persistence.leases import LeaseHolder, Leases, check_ownership
from paper_search.persistence.listing import LatestCheckpoint, check_prune
from paper_search.persistence.serialization import RecordSeal

_EARLIER = """DELETE FROM checkpoints AS old WHERE thread_id = ? AND EXISTS (
    SELECT 1 FROM checkpoints AS new WHERE new.thread_id = old.thread_id
    AND new.checkpoint_ns = old.checkpoint_ns AND new.checkpoint_id > old.checkpoint_id)"""
_ORPHANS = """DELETE FROM writes WHERE thread_id = ? AND NOT EXISTS (
    SELECT 1 FROM checkpoints AS c WHERE c.thread_id = writes.thread_id
    AND c.checkpoint_ns = writes.checkpoint_ns AND c.checkpoint_id = writes.checkpoint_id)"""
_WRITES = "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value"
_STATES = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"


class _TaskLock(asyncio.Lock):
    """A lock that the task which has it may take again, as LangGraph's own methods do."""

    def __init__(self) -> None:
        super().__init__()
        self._owner: asyncio.Task[Any] | None = None
        self._depth = 0

    async def acquire(self) -> Literal[True]:
        """Wait until no other task has it."""
        task = asyncio.current_task()
        if self._owner is not task:
            await super().acquire()
            self._owner = task
        self._depth += 1
        return True

    def release(self) -> None:
        """Give it up as often as it was taken."""
        self._depth -= 1
        if self._depth == 0:
            self._owner = None
            super().release()


class SqliteSaver(AsyncSqliteSaver):
    """Checkpoints in one SQLite file, written only by who may drive the thread.

    Args:
        connection: with the file's tables.
        serde: how values are written.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        connection: aiosqlite.Connection,
        *,
        serde: SerializerProtocol,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(connection, serde=serde)
        self._clock = clock
        self.lock = _TaskLock()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Any,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint if the thread is not driven by somebody else."""
        async with self._transaction(config["configurable"]["thread_id"]):
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote if the thread is not driven by somebody else."""
        async with self._transaction(config["configurable"]["thread_id"]):
            await super().aput_writes(config, writes, task_id, task_path)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  # LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Give the checkpoints, all read before the first is given.

        LangGraph's own holds its lock as long as the caller takes (langgraph issue 8558).
        """
        found = super().alist(config, filter=filter, before=before, limit=limit)
        for saved in [saved async for saved in found]:
            yield saved

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread."""
        async with self._transaction(thread_id):
            await super().adelete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that these runs of the server wrote."""
        async with self._transaction():
            for run_id in run_ids:
                found = await self.conn.execute_fetchall(
                    "SELECT DISTINCT thread_id FROM checkpoints "
                    "WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?",
                    (run_id,),
                )
                await self.conn.execute(
                    "DELETE FROM checkpoints "
                    "WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?",
                    (run_id,),
                )
                for (thread_id,) in found:
                    await self.conn.execute(_ORPHANS, (thread_id,))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread to another one."""
        async with self._transaction(target_thread_id):
            for table, columns in (("checkpoints", _STATES), ("writes", _WRITES)):
                await self.conn.execute(
                    f"INSERT OR REPLACE INTO {table} (thread_id, {columns}) "  # noqa: S608  # constants
                    f"SELECT ?, {columns} FROM {table} WHERE thread_id = ?",
                    (target_thread_id, source_thread_id),
                )

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each thread, with its open question; or `delete` all."""
        for thread_id in check_prune(thread_ids, strategy):
            if strategy == "delete":
                await self.adelete_thread(thread_id)
                continue
            async with self._transaction(thread_id):
                await self.conn.execute(_EARLIER, (thread_id,))
                await self.conn.execute(_ORPHANS, (thread_id,))

    async def alatest(self, limit: int, offset: int = 0) -> list[LatestCheckpoint]:
        """Return the latest checkpoint id of each thread, the latest first."""
        await self.setup()
        rows = await self.conn.execute_fetchall(
            "SELECT thread_id, MAX(checkpoint_id) AS latest, MIN(checkpoint_id) FROM checkpoints "
            "WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY latest DESC LIMIT ? OFFSET ?",
            (limit, offset),
        )
        return [LatestCheckpoint(*row) for row in rows]

    @contextlib.asynccontextmanager
    async def _transaction(self, thread_id: str | None = None) -> AsyncIterator[None]:
        """Write in one transaction, which sees who holds the thread's lease."""
        await self.setup()
        # A cursor that is being read keeps its snapshot, and no transaction can begin beside it.
        async with self.lock:
            try:
                await self.conn.execute("BEGIN IMMEDIATE")
                if thread_id is not None:
                    check_ownership(str(thread_id), await self._holder(thread_id), self._clock())
                yield
                await self.conn.commit()
            except BaseException:
                await asyncio.shield(self.conn.rollback())
                raise

    async def _holder(self, thread_id: str) -> LeaseHolder | None:
        rows = await self.conn.execute_fetchall(
            "SELECT owner, expires_at FROM paper_search_leases WHERE thread_id = ?",
            (str(thread_id),),
        )
        return next((LeaseHolder(*row) for row in rows), None)


class SqliteStore(AsyncSqliteStore):
    """Records in one SQLite file, sealed where there is a key.

    Args:
        connection: in autocommit mode.
        seal: what values go through.
        leases: asked before a write whether the running task still holds its own.
    """

    def __init__(self, connection: aiosqlite.Connection, seal: RecordSeal, leases: Leases) -> None:
        super().__init__(connection)
        self._seal = seal
        self._leases = leases

    async def abatch(self, ops: Any) -> list[Result]:
        """Run the operations; none if they write and a lease was lost."""
        sealed: list[Op] = self._seal.sealed(ops)
        if any(isinstance(op, PutOp) for op in sealed):
            await self._leases.check_held()
        try:
            return self._seal.opened(await super().abatch(sealed))
        except sqlite3.DatabaseError:
            # LangGraph's own leaves the transaction open if it cannot be committed: the file would
            # stay locked.
            await asyncio.shield(self.conn.rollback())
            raise

    async def apage(
        self, namespace: tuple[str, ...], by: str, limit: int, offset: int = 0
    ) -> list[Item]:
        """Return the items of exactly this namespace, the largest `by` first."""
        rows = await self.conn.execute_fetchall(
            "SELECT key, value, created_at, updated_at FROM store WHERE prefix = ? "
            "ORDER BY json_extract(value, ?) DESC, key LIMIT ? OFFSET ?",
            (".".join(namespace), f"$.{by}", limit, offset),
        )
        items = [
            Item(
                value=json.loads(value),
                key=key,
                namespace=namespace,
                created_at=datetime.fromisoformat(created_at),
                updated_at=datetime.fromisoformat(updated_at),
            )
            for key, value, created_at, updated_at in rows
        ]
        return [self._seal.item(item) for item in items]
