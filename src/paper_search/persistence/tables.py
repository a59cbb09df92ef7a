"""The tables of leases, decisions and events; in SQLite also those of checkpoints."""

import asyncio
import contextlib
import contextvars
import functools
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from paper_search.errors import DatabaseError
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.sqlite_files import (
    FORMAT,
    IN_MEMORY,
    PAGE_SIZE,
    as_bytes,
    database_error,
    plain,
    translated_errors,
)

ResultT = TypeVar("ResultT")
Work = Callable[[sqlite3.Connection], ResultT]
WRITER, READER = 0, -1
"""Indexes of the connections of a database."""

_UPTIME = Path("/proc/uptime")
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS paper_search_leases (
        thread_id TEXT PRIMARY KEY, owner TEXT NOT NULL, expires_at {real} NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS paper_search_decisions ({place}
        thread_id TEXT NOT NULL, interrupt_id TEXT NOT NULL, decision TEXT NOT NULL,
        decided_by TEXT NOT NULL, decided_at TEXT NOT NULL, status TEXT NOT NULL,
        PRIMARY KEY (thread_id, interrupt_id))""",
    """CREATE TABLE IF NOT EXISTS paper_search_audit (
        id {serial} PRIMARY KEY, thread_id TEXT NOT NULL, interrupt_id TEXT NOT NULL,
        event TEXT NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL, detail TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS paper_search_audit_thread ON paper_search_audit (thread_id)",
)

_MODES = (f"PRAGMA page_size={PAGE_SIZE}", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL")
_CHECKPOINTS = (
    """CREATE TABLE IF NOT EXISTS checkpoints (
        thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
        checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB,
        metadata BLOB, checksum INTEGER, summary BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id))""",
    """CREATE TABLE IF NOT EXISTS writes (
        thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
        checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '',
        idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB,
        checksum INTEGER, summary BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx))""",
)
"""LangGraph's tables in SQLite, with a checksum and a summary beside each value, which rows of its
own saver lack."""
_COLUMNS = [
    f"ALTER TABLE {table} ADD COLUMN {column}"
    for table in ("checkpoints", "writes")
    for column in ("checksum INTEGER", "summary BLOB")
]
"""Adds the columns that tables of its own saver lack."""


def schema(*, real: str, serial: str, place: str) -> list[str]:
    return [statement.format(real=real, serial=serial, place=place) for statement in _SCHEMA]


def uptime() -> float:
    """Return the seconds since this machine started, whatever its clock says.

    If the system does not say when it started, seconds since the epoch.
    """
    with contextlib.suppress(OSError):
        return float(_UPTIME.read_text(encoding="ascii").split()[0])
    return time.time()


@dataclass(frozen=True)
class Dialect:
    """SQL that differs between kinds of databases."""

    order: str
    rebuild: str
    changed_at: str
    """The time of change in the value of an item."""
    below: str
    """Whether the namespace of an item is between two texts."""
    parts: str
    """Selects items of each such namespace."""
    orphans: str
    """Selects the thread ids of rows without a checkpoint, in one step for all records of each."""


_SAME = "substr(CAST(prefix AS BLOB), 14, length(?1) - 13) = CAST(substr(?1, 14) AS BLOB)"
_BELOW = f"""prefix >= CAST(?1 AS TEXT) AND prefix < CAST(?2 AS TEXT)
    OR prefix < 'paper_search.' AND {_SAME} OR prefix >= 'paper_search/' AND {_SAME}"""
"""Also matches if the first part of the namespace was changed."""
SQLITE = Dialect(
    order="rowid",
    rebuild="REINDEX",
    changed_at="CASE WHEN json_valid(value) THEN json_extract(value, '$.updated_at') END",
    below=_BELOW,
    # Small parts are checked in full; large ones when they are read. The plus sign makes SQLite
    # scan these rows only.
    parts=f"""SELECT prefix, key, value FROM store WHERE rowid IN (SELECT row FROM
        (SELECT rowid AS row, ROW_NUMBER() OVER (PARTITION BY +prefix) AS number FROM store
        WHERE {_BELOW}) WHERE number <= 20)""",  # noqa: S608  # constants
    orphans="""WITH RECURSIVE places(place) AS (
        SELECT MIN(prefix) FROM store WHERE prefix > 'paper_search.' UNION ALL
        SELECT (SELECT MIN(prefix) FROM store WHERE prefix > CASE WHEN place GLOB '*.*.*'
            THEN substr(place, 1, 12 + instr(substr(place, 14), '.')) || '/' ELSE place END)
        FROM places WHERE place < 'paper_search/')
        SELECT replace(substr(place, 14, instr(substr(place, 14), '.') - 1), '%2E', '.')
        FROM places WHERE place GLOB 'paper_search.*.*'
        UNION SELECT thread_id FROM writes UNION SELECT thread_id FROM paper_search_decisions
        UNION SELECT thread_id FROM paper_search_audit EXCEPT SELECT thread_id FROM checkpoints""",
)


class Database(Protocol):
    """Runs single statements, with `?` for a value."""

    is_local: bool
    """Whether all its users are on one machine."""
    dialect: Dialect

    async def now(self) -> float:
        """Return seconds by a clock that all users share."""
        ...

    def stored_form(self, text: str) -> str | bytes:
        """Return a text as it is stored, even if its bytes were changed."""
        ...

    async def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]: ...

    async def change(self, statement: str, *values: Any) -> int: ...


class SqliteDatabase:
    """A SQLite file with everything that this process stores; opened at the first use.

    It has two connections, each with a worker thread: a write may have to wait for other programs,
    a read never does. In memory, where nothing waits, there is one connection and no worker thread:
    handing work over takes a quarter of a search's CPU.

    Args:
        path: the file; None for a database in memory.
    """

    is_local = True
    dialect = SQLITE
    stored_form = staticmethod(as_bytes)

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or IN_MEMORY
        self._lock, self._is_closed = threading.RLock(), False
        self._connections: list[sqlite3.Connection] = []
        self._threads = [ThreadPoolExecutor(1, "threads-database") for _ in range(2 if path else 0)]

    def __del__(self) -> None:
        self._close()

    async def __call__(self, work: Work[ResultT], on: int = WRITER, what: str = "") -> ResultT:
        """Run the work and return its result; it completes even if the task is cancelled.

        Each call costs time, so do all work in one. `what`: the name of the rows in errors.
        """
        if not self._threads:
            return self.wait_for(work, on, what)
        bound, loop = self._bound(work, on, what), asyncio.get_running_loop()
        return await asyncio.shield(loop.run_in_executor(self._threads[on], bound))

    def wait_for(self, work: Work[ResultT], on: int = WRITER, what: str = "") -> ResultT:
        """Run the work outside of a task, and return its result."""
        bound = self._bound(work, on, what)
        if self._threads:
            return self._threads[on].submit(bound).result()
        with self._lock:
            return bound()

    async def aclose(self) -> None:
        self._is_closed = True
        await asyncio.shield(asyncio.to_thread(self._end))

    async def now(self) -> float:
        return uptime()

    async def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return await self(lambda c: c.execute(statement, values).fetchall(), READER)

    async def change(self, statement: str, *values: Any) -> int:
        return await self(lambda c: c.execute(statement, values).rowcount)

    def _bound(self, work: Work[ResultT], on: int, what: str) -> Callable[[], ResultT]:
        if self._is_closed:
            place = f"the database of threads {str(self._path)!r}"
            raise DatabaseError(f"{place} is closed: use it in its block, or open it again")
        context = contextvars.copy_context()  # has the leases of the task
        return functools.partial(context.run, self._run, work, on, what)

    def _run(self, work: Work[ResultT], on: int, what: str) -> ResultT:
        with translated_errors(self._path):
            with self._lock:
                self._connections = self._connections or self._open()
            connection = self._connections[on]
            try:
                return work(connection)
            except ValueError as error:
                if isinstance(error.__cause__, sqlite3.DatabaseError):
                    raise database_error(self._path, error.__cause__) from error
                raise DamagedError(what or f"a row of {str(self._path)!r}", error) from error
            finally:
                # Failed work would leave the file locked, and its transaction to the next one.
                if connection.in_transaction:
                    connection.rollback()

    def _open(self) -> list[sqlite3.Connection]:
        """Return connections in write-ahead mode, after creating missing tables.

        WAL with synchronous=NORMAL survives the death of the process at any point; a power cut may
        undo the last steps, which are then repeated.
        """
        connection = plain(self._path, is_shared=True)
        for statement in (*_MODES, *_CHECKPOINTS, *schema(real="REAL", serial="INTEGER", place="")):
            connection.execute(statement)
        for statement in _COLUMNS:
            try:
                connection.execute(statement)
            except sqlite3.OperationalError as error:
                if "duplicate column" not in str(error):
                    raise
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        return [connection, *(plain(self._path, is_shared=True) for _ in self._threads[1:])]

    def _end(self) -> None:
        for thread in self._threads:
            thread.shutdown()
        self._close()

    def _close(self) -> None:
        while self._connections:
            self._connections.pop().close()
