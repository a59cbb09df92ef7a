"""LangGraph's SQLite saver: fenced, sealed, with what it lacks."""

from __future__ import annotations

import contextlib
import functools
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.checkpoint.sqlite.utils import search_where

from paper_search.errors import PersistenceError
from paper_search.persistence.allocation import making_many
from paper_search.persistence.leases import check_ownership
from paper_search.persistence.listing import LatestCheckpoint, check_prune
from paper_search.persistence.serialization import check_checkpoint, damaged
from paper_search.persistence.sqlite_calls import OneCall, parsed
from paper_search.persistence.sqlite_tables import holder_of

_EARLIER = """DELETE FROM checkpoints AS old WHERE thread_id = ? AND EXISTS (
    SELECT 1 FROM checkpoints AS new WHERE new.thread_id = old.thread_id
    AND new.checkpoint_ns = old.checkpoint_ns AND new.checkpoint_id > old.checkpoint_id)"""
_ORPHANS = """DELETE FROM writes WHERE thread_id = ? AND NOT EXISTS (
    SELECT 1 FROM checkpoints AS c WHERE c.thread_id = writes.thread_id
    AND c.checkpoint_ns = writes.checkpoint_ns AND c.checkpoint_id = writes.checkpoint_id)"""
_SELECT = """SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
    metadata, checksum FROM checkpoints"""
_PENDING = """SELECT task_path, task_id, idx, channel, type, value, checksum FROM writes
    WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"""
_BY_ID = "WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
_LATEST = "WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY checkpoint_id DESC LIMIT 1"
_NEWEST = """SELECT thread_id, MAX(checkpoint_id) AS latest, MIN(checkpoint_id) FROM checkpoints
    WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY latest DESC LIMIT ? OFFSET ?"""
_LATEST_OF = """JOIN (SELECT value AS wanted FROM json_each(?)) ON thread_id = wanted
    AND checkpoint_ns = '' AND checkpoint_id = (SELECT MAX(checkpoint_id) FROM checkpoints AS newer
    WHERE newer.thread_id = wanted AND newer.checkpoint_ns = '')"""
_PUT = """INSERT OR REPLACE INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,
    parent_checkpoint_id, type, checkpoint, metadata, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
_PUT_WRITE = """INSERT OR {} INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id,
    task_path, idx, channel, type, value, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_OF_RUN = "WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"
_WRITES = "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value, checksum"
_STATES = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, checksum"


def _add_checksums(connection: sqlite3.Connection) -> None:
    """Add our column to LangGraph's tables, where it is missing."""
    for table in ("checkpoints", "writes"):
        columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
        if "checksum" not in columns:
            try:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER")
            except sqlite3.OperationalError as error:
                if "duplicate column" not in str(error):  # another process was faster
                    raise


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
        path: Path,
        *,
        serde: SerializerProtocol,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(connection, serde=serde)
        self._clock = clock
        self._in_one_call = OneCall(connection, path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint with what is written on it; None: there is none.

        Raises:
            PersistenceError: it is damaged.
        """
        chosen = config["configurable"]
        wanted = get_checkpoint_id(config)
        place = (str(chosen["thread_id"]), chosen.get("checkpoint_ns", ""))
        which, parameters = (_BY_ID, (*place, wanted)) if wanted else (_LATEST, place)
        found = await self._read(which, parameters)
        return found[0] if found else None

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  # LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Give the checkpoints, the latest first; all are read before the first is given.

        LangGraph's own holds its lock as long as the caller takes (langgraph issue 8558).
        """
        where, parameters = search_where(config, filter, before)
        ending, most = ("", ()) if limit is None else (" LIMIT ?", (limit,))
        which = f"{where} ORDER BY checkpoint_id DESC{ending}"
        for saved in await self._read(which, (*parameters, *most)):
            yield saved

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Any,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint if the thread is not driven by somebody else."""
        del new_versions  # the channels are stored whole
        chosen = config["configurable"]
        thread_id, namespace = chosen["thread_id"], chosen["checkpoint_ns"]
        told = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False)
        kind, value = self.serde.dumps_typed(checkpoint)
        ids = (str(thread_id), namespace, checkpoint["id"], chosen.get("checkpoint_id"))
        row = (*ids, kind, value, told.encode("utf-8", "ignore"), crc32(value))
        await self._write(thread_id, lambda connection: connection.execute(_PUT, row))
        place = {"thread_id": thread_id, "checkpoint_ns": namespace}
        return {"configurable": {**place, "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote if the thread is not driven by somebody else."""
        chosen = config["configurable"]
        place = tuple(str(chosen[n]) for n in ("thread_id", "checkpoint_ns", "checkpoint_id"))
        is_special = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        statement = _PUT_WRITE.format("REPLACE" if is_special else "IGNORE")
        rows = [
            (*place, task_id, task_path, position, channel, kind, dumped, crc32(dumped))
            for index, (channel, value) in enumerate(writes)
            for position in (WRITES_IDX_MAP.get(channel, index),)
            for kind, dumped in (self.serde.dumps_typed(value),)
        ]
        await self._write(place[0], lambda connection: connection.executemany(statement, rows))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread."""

        def delete(connection: sqlite3.Connection) -> None:
            for table in ("checkpoints", "writes"):
                connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (str(thread_id),))  # noqa: S608  # constants

        await self._write(thread_id, delete)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that these runs of the server wrote."""

        def delete(connection: sqlite3.Connection) -> None:
            for run_id in run_ids:
                found = connection.execute(
                    f"SELECT DISTINCT thread_id FROM checkpoints {_OF_RUN}",  # noqa: S608  # a constant
                    (run_id,),
                ).fetchall()
                connection.execute(f"DELETE FROM checkpoints {_OF_RUN}", (run_id,))  # noqa: S608  # as above
                connection.executemany(_ORPHANS, found)

        await self._write(None, delete)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread to another one."""

        def copy(connection: sqlite3.Connection) -> None:
            for table, columns in (("checkpoints", _STATES), ("writes", _WRITES)):
                connection.execute(
                    f"INSERT OR REPLACE INTO {table} (thread_id, {columns}) "  # noqa: S608  # constants
                    f"SELECT ?, {columns} FROM {table} WHERE thread_id = ?",
                    (target_thread_id, source_thread_id),
                )

        await self._write(target_thread_id, copy)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each thread, with its open question; or `delete` all."""

        def prune(connection: sqlite3.Connection, thread_id: str) -> None:
            connection.execute(_EARLIER, (thread_id,))
            connection.execute(_ORPHANS, (thread_id,))

        for thread_id in check_prune(thread_ids, strategy):
            if strategy == "delete":
                await self.adelete_thread(thread_id)
            else:
                await self._write(thread_id, functools.partial(prune, thread_id=thread_id))

    async def alatest(self, limit: int, offset: int = 0) -> list[LatestCheckpoint]:
        """Return the latest checkpoint id of each thread, the latest first."""
        await self.prepare()
        rows = await self._in_one_call(lambda c: c.execute(_NEWEST, (limit, offset)).fetchall())
        return [LatestCheckpoint(*row) for row in rows]

    async def alatest_of(self, thread_ids: Sequence[str]) -> dict[str, CheckpointTuple]:
        """Return the latest checkpoints of threads by their ids, without those that are damaged."""
        rows, found = await self._rows(_LATEST_OF, (json.dumps(list(thread_ids)),)), {}
        with making_many():
            for row, writes in rows:
                with contextlib.suppress(PersistenceError):  # who reads that one alone is told
                    found[row[0]] = self._saved(row, writes)
        return found

    async def prepare(self) -> None:
        """Make the tables, where they are missing."""
        if not self.is_setup:
            await self.setup()
            await self._in_one_call(_add_checksums)

    async def _read(self, which: str, parameters: Sequence[Any]) -> list[CheckpointTuple]:
        """Return checkpoints with what is written on them."""
        return [self._saved(row, writes) for row, writes in await self._rows(which, parameters)]

    async def _rows(self, which: str, parameters: Sequence[Any]) -> list[tuple[Any, list[Any]]]:
        """Return the same as it is in the file."""
        await self.prepare()

        def read(connection: sqlite3.Connection) -> list[tuple[Any, list[Any]]]:
            rows = connection.execute(f"{_SELECT} {which}", parameters).fetchall()
            return [(row, connection.execute(_PENDING, row[:3]).fetchall()) for row in rows]

        return await self._in_one_call(read)

    def _saved(self, row: Any, writes: list[Any]) -> CheckpointTuple:
        thread_id, namespace, checkpoint_id, parent_id, kind, value, metadata, checksum = row
        place = {"thread_id": thread_id, "checkpoint_ns": namespace}
        checkpoint = self._loaded(kind, value, checksum)
        check_checkpoint(checkpoint, thread_id)
        told: Any = (
            {} if metadata is None else parsed(metadata, f"the state of thread {thread_id!r}")
        )
        writes.sort(key=lambda write: writes_sort_key(*write[:3]))
        return CheckpointTuple(
            {"configurable": {**place, "checkpoint_id": checkpoint_id}},
            checkpoint,
            told,
            {"configurable": {**place, "checkpoint_id": parent_id}} if parent_id else None,
            [(task, channel, self._loaded(*stored)) for _, task, _, channel, *stored in writes],
        )

    def _loaded(self, kind: str, value: bytes, checksum: int | None) -> Any:
        """Return the value in a row; what LangGraph's own saver wrote has no checksum.

        Raises:
            PersistenceError: it is damaged: SQLite does not notice a flipped byte.
        """
        loaded = self.serde.loads_typed((kind, value))
        if checksum is not None and checksum != crc32(value):
            raise PersistenceError(damaged("a state in the database"))
        return loaded

    async def _write(
        self, thread_id: str | None, work: Callable[[sqlite3.Connection], object]
    ) -> None:
        """Write in one transaction, which sees who holds the thread's lease."""
        await self.prepare()

        def transaction(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            try:
                if thread_id is not None:
                    holder = holder_of(connection, str(thread_id))
                    check_ownership(str(thread_id), holder, self._clock())
                work(connection)
                connection.commit()
            except BaseException:
                connection.rollback()
                raise

        await self._in_one_call(transaction)
