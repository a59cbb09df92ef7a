"""Checkpoints in the tables of LangGraph's SQLite saver, with a fence, encryption, checksums."""

import functools
import json
import logging
import random
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from zlib import crc32

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import ERROR
from langgraph.checkpoint.sqlite.utils import search_where

from paper_search.errors import PersistenceError
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.leases import check_lease, lease_memory
from paper_search.persistence.listing import (
    ASKED,
    Summary,
    check_prune,
    outlines,
    questions_in_write,
    stay_after,
)
from paper_search.persistence.serialization import check_checkpoint
from paper_search.persistence.sqlite_files import as_bytes, parse_object
from paper_search.persistence.tables import READER, SqliteDatabase

logger = logging.getLogger(__name__)

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
_NEWEST_OF = "SELECT MAX(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ?"
_PUT = """INSERT OR REPLACE INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,
    parent_checkpoint_id, type, checkpoint, metadata, checksum, summary)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_PUT_WRITE = """INSERT OR {} INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id,
    task_path, idx, channel, type, value, checksum, summary)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_OF_RUN = """WHERE CASE WHEN json_valid(CAST(metadata AS TEXT))
    THEN json_extract(CAST(metadata AS TEXT), '$.run_id') END = ?"""
_WRITES = "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value, summary"
_CRC = 4
"""Bytes of the checksum at the beginning of a summary."""
_RESULTS = "results of steps"
"""Key in the memory of the lease: these results are stored with the next write."""
_STATES = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata, summary"


def checksum_of(value: bytes, thread_id: str) -> int:
    """Return the checksum of a value, which does not match in another thread."""
    return crc32(value) ^ crc32(thread_id.encode("utf-8", "replace"))


def _checksum(summary: bytes, beside: tuple[Any, ...]) -> bytes:
    return crc32(summary + repr(beside).encode()).to_bytes(_CRC, "big")


_LATEST_OF = """JOIN (SELECT value AS wanted FROM json_each(?)) ON thread_id = wanted
    AND checkpoint_ns = '' AND checkpoint_id = (SELECT MAX(checkpoint_id) FROM checkpoints AS newer
    WHERE newer.thread_id = wanted AND newer.checkpoint_ns = '')"""
_SUMMARIES = f"""SELECT thread_id, CASE WHEN checksum_of(CAST(checkpoint AS BLOB), thread_id)
    = checksum THEN CAST(summary AS BLOB) END, checkpoint_id, type, metadata
    FROM checkpoints {_LATEST_OF}"""  # noqa: S608  # a constant
_QUESTIONS = f"""SELECT writes.thread_id, channel, CASE WHEN
    checksum_of(CAST(value AS BLOB), writes.thread_id) = writes.checksum
    THEN CAST(writes.summary AS BLOB) END, task_id, writes.type
    FROM checkpoints {_LATEST_OF} JOIN writes USING (thread_id, checkpoint_ns, checkpoint_id)"""  # noqa: S608  # as above


class SqliteSaver(BaseCheckpointSaver[str]):
    """Checkpoints in one SQLite file or in memory; only a lease's holder writes them."""

    def __init__(self, database: SqliteDatabase, *, serde: SerializerProtocol) -> None:
        super().__init__(serde=serde)
        self._database = database

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version that sorts after the current one; concurrent ones differ."""
        del channel
        number = int(current.partition(".")[0]) + 1 if current else 1
        return f"{number:032}.{random.random():016}"  # noqa: S311  # no secret

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        where = config["configurable"]
        checkpoint_id = get_checkpoint_id(config)
        place = (str(where["thread_id"]), where.get("checkpoint_ns", ""))
        which, parameters = (_BY_ID, (*place, checkpoint_id)) if checkpoint_id else (_LATEST, place)
        if checkpoint_id:  # a fork must write later ids than all that exist
            newest = await self._database(lambda c: c.execute(_NEWEST_OF, place).fetchone(), READER)
            stay_after(newest[0])
        rows = await self._rows(which, parameters)
        saved = self._checkpoint_of(*rows[0]) if rows else None
        stay_after(saved and saved.checkpoint["id"])
        return saved

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  # LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield the checkpoints, the latest first; all are read before the first is yielded.

        LangGraph's own saver holds its lock while the caller iterates (langgraph issue 8558).
        """
        where, parameters = search_where(config, filter, before)
        ending, most = ("", ()) if limit is None else (" LIMIT ?", (limit,))
        which = f"{where} ORDER BY checkpoint_id DESC{ending}"
        for row in await self._rows(which, (*parameters, *most)):
            yield self._checkpoint_of(*row)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Any,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, unless another process is running the thread."""
        del new_versions  # the channels are stored whole
        where = config["configurable"]
        thread_id, namespace = where["thread_id"], where["checkpoint_ns"]
        full_metadata = get_checkpoint_metadata(config, metadata)
        description = json.dumps(full_metadata, ensure_ascii=False).encode("utf-8", "ignore")
        kind, value = self.serde.dumps_typed(checkpoint)
        fields = outlines(checkpoint["channel_values"], full_metadata)
        summary = None if fields is None else [checkpoint["ts"], fields]
        packed = self._pack(summary, checkpoint["id"], kind, description)
        ids = (str(thread_id), namespace, checkpoint["id"], where.get("checkpoint_id"))
        row = (*ids, kind, value, description, checksum_of(value, ids[0]), packed)
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
        where = config["configurable"]
        place = tuple(str(where[n]) for n in ("thread_id", "checkpoint_ns", "checkpoint_id"))
        channels = {channel for channel, _ in writes}
        is_special = channels <= WRITES_IDX_MAP.keys()
        statement = _PUT_WRITE.format("REPLACE" if is_special else "IGNORE")
        rows = [
            (*place, task_id, task_path, position, channel, kind, data, checksum, summary)
            for index, (channel, value) in enumerate(writes)
            for position in (WRITES_IDX_MAP.get(channel, index),)
            for kind, data in (self.serde.dumps_typed(value),)
            for checksum in (checksum_of(data, place[0]),)
            for questions in (questions_in_write(value) if channel == ASKED else None,)
            for summary in (self._pack(questions, task_id, kind),)
        ]
        if (memory := lease_memory(place[0])) is None or is_special or ERROR in channels:
            await self._write(place[0], lambda connection: connection.executemany(statement, rows))
        else:  # a step is one task, and its state is written next: one transaction for both
            memory.setdefault(_RESULTS, []).append((statement, rows))

    async def adelete_thread(self, thread_id: str) -> None:
        def delete(connection: sqlite3.Connection) -> None:
            for table in ("checkpoints", "writes"):
                connection.execute(
                    f"DELETE FROM {table} WHERE thread_id = CAST(? AS TEXT)",  # noqa: S608  # constants
                    (as_bytes(str(thread_id)),),
                )

        await self._write(thread_id, delete)

    async def adelete_damaged(self, thread_id: str) -> None:
        """Delete the unreadable states of a thread, which then continues from earlier ones."""
        rows = await self._rows("WHERE thread_id = ?", (thread_id,))
        damaged: dict[tuple[Any, ...], DamagedError] = {}
        for row, writes in rows:
            try:
                self._checkpoint_of(row, writes)
            except DamagedError as error:
                damaged[tuple(row[:3])] = error
        if damaged and len(damaged) == len(rows):  # there is no state to continue from
            raise next(iter(damaged.values()))
        for place, why in damaged.items():
            logger.warning("checkpoint %s is deleted: %s", place[2], why)

        def delete(connection: sqlite3.Connection) -> None:
            connection.executemany(f"DELETE FROM checkpoints {_BY_ID}", list(damaged))  # noqa: S608  # a constant
            connection.execute(_ORPHANS, (thread_id,))

        await self._write(thread_id, delete)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        def delete(connection: sqlite3.Connection) -> None:
            for run_id in run_ids:
                threads = connection.execute(
                    f"SELECT DISTINCT thread_id FROM checkpoints {_OF_RUN}",  # noqa: S608  # a constant
                    (run_id,),
                ).fetchall()
                connection.execute(f"DELETE FROM checkpoints {_OF_RUN}", (run_id,))  # noqa: S608  # as above
                connection.executemany(_ORPHANS, threads)

        await self._write(None, delete)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        change = crc32(source_thread_id.encode()) ^ crc32(target_thread_id.encode())

        def copy(connection: sqlite3.Connection) -> None:
            for table, columns in (("checkpoints", _STATES), ("writes", _WRITES)):
                connection.execute(
                    f"INSERT OR REPLACE INTO {table} (thread_id, {columns}, checksum) "  # noqa: S608  # constants
                    f"SELECT ?1, {columns}, (checksum | ?2) - (checksum & ?2) FROM {table} "  # XOR
                    "WHERE thread_id = ?3",
                    (target_thread_id, change, source_thread_id),
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

    async def asummaries(self, thread_ids: Sequence[str]) -> dict[str, Summary]:
        """Return the summaries of intact threads that have one, by their ids."""
        ids = (json.dumps(list(thread_ids)),)

        def load(connection: sqlite3.Connection) -> tuple[list[Any], list[Any]]:
            connection.create_function("checksum_of", 2, checksum_of)
            states = connection.execute(_SUMMARIES, ids).fetchall()
            return states, connection.execute(_QUESTIONS, ids).fetchall()

        return self._summaries(*await self._database(load, READER))

    def _summaries(self, states: list[Any], writes: list[Any]) -> dict[str, Summary]:
        questions_of: dict[str, list[Any]] = {}
        in_a_step, unread = set[str](), set[str]()
        for thread_id, channel, *packed in writes:
            if channel != ASKED:
                in_a_step.add(thread_id)
            elif (questions := self._unpack(*packed)) is None:
                unread.add(thread_id)
            else:
                questions_of.setdefault(thread_id, []).extend(questions)
        summaries = {}
        for thread_id, *packed in states:
            if (summary := self._unpack(*packed)) is not None and thread_id not in unread:
                saved_at, channels = summary
                asked = questions_of.get(thread_id, ())
                summaries[thread_id] = Summary(saved_at, channels, asked, thread_id in in_a_step)
        return summaries

    def _unpack(self, summary: bytes | None, *beside: Any) -> Any:
        """Return the summary of a value; None if there is none, or if its row was changed."""
        if summary is None or summary[:_CRC] != _checksum(summary[_CRC:], beside):
            return None
        kind, _, value = summary[_CRC:].partition(b" ")
        try:
            return self.serde.loads_typed((kind.decode(), value))
        except PersistenceError:  # written with another key, or without one
            return None

    def _pack(self, summary: list[Any] | None, *beside: Any) -> bytes | None:
        """Return a summary as it is stored, with a checksum that covers the columns `beside`."""
        if summary is None:
            return None
        kind, value = self.serde.dumps_typed(summary)
        value = b"%b %b" % (kind.encode(), value)
        return _checksum(value, beside) + value

    async def _rows(self, which: str, parameters: Sequence[Any]) -> list[tuple[Any, list[Any]]]:
        def load(connection: sqlite3.Connection) -> list[tuple[Any, list[Any]]]:
            rows = connection.execute(f"{_SELECT} {which}", parameters).fetchall()
            return [(row, connection.execute(_PENDING, row[:3]).fetchall()) for row in rows]

        return await self._database(load, READER)

    def _checkpoint_of(self, row: Any, writes: list[Any]) -> CheckpointTuple:
        thread_id, namespace, checkpoint_id, parent_id, kind, value, metadata, checksum = row
        place = {"thread_id": thread_id, "checkpoint_ns": namespace}
        checkpoint = self._load_value(thread_id, kind, value, checksum)
        check_checkpoint(checkpoint, thread_id, checkpoint_id)
        description: Any = (
            {} if metadata is None else parse_object(metadata, f"the state of thread {thread_id!r}")
        )
        if description and "step" not in description:  # LangGraph needs it to continue
            raise DamagedError(f"the state of thread {thread_id!r}")
        writes.sort(key=lambda write: writes_sort_key(*write[:3]))
        return CheckpointTuple(
            {"configurable": {**place, "checkpoint_id": checkpoint_id}},
            checkpoint,
            description,
            {"configurable": {**place, "checkpoint_id": parent_id}} if parent_id else None,
            [
                (task, channel, self._load_value(thread_id, *row_value))
                for _, task, _, channel, *row_value in writes
            ],
        )

    def _load_value(self, thread_id: str, kind: str, value: bytes, checksum: int | None) -> Any:
        what, remedy = f"the state of thread {thread_id!r}", "reopen a question (`fork`), "
        # Before decrypting: a changed value is damaged, not locked.
        if checksum not in {None, checksum_of(value, thread_id)}:
            raise DamagedError(what, remedy=remedy)
        try:
            return self.serde.loads_typed((kind, value))
        except DamagedError as error:
            raise DamagedError(what, error, remedy) from error

    async def _write(
        self, thread_id: str | None, work: Callable[[sqlite3.Connection], object]
    ) -> None:
        results = (lease_memory(str(thread_id)) or {}).pop(_RESULTS, ())

        def transaction(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            if thread_id is not None:
                check_lease(connection, str(thread_id))
            for result in results:
                connection.executemany(*result)
            work(connection)
            connection.commit()

        await self._database(transaction)
