"""The tables: leases, decisions, what happened around them; in SQLite those of states, too."""

import asyncio
import contextlib
import contextvars
import functools
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

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
"""LangGraph's tables in SQLite, with a checksum and a summary beside each value; what its own saver
wrote has none."""
_COLUMNS = [
    f"ALTER TABLE {table} ADD COLUMN {column}"
    for table in ("checkpoints", "writes")
    for column in ("checksum INTEGER", "summary BLOB")
]
"""Adds what tables lack that its own saver made."""


def schema(*, real: str, serial: str, place: str) -> list[str]:
    return [statement.format(real=real, serial=serial, place=place) for statement in _SCHEMA]


def uptime() -> float:
    """Return seconds since this machine started, whatever its clock is set to.

    Where the system does not say when it started: seconds since the epoch.
    """
    with contextlib.suppress(OSError):
        return float(_UPTIME.read_text(encoding="ascii").split()[0])
    return time.time()


@dataclass(frozen=True)
class Dialect:
    """What is said otherwise in each kind of database."""

    order: str
    """By what decisions are in the order in which they came."""
    rebuild: str
    """What makes the indexes of a table anew."""
    changed_at: str
    """When an item of a store changed, as it says itself."""
    below: str
    """Whether the namespace of an item is between two texts."""
    parts: str
    """Selects items of each such namespace."""
    orphans: str
    """Selects the ids that rows name and no checkpoint; of a thread's many records, by one."""


_SAME = "substr(CAST(prefix AS BLOB), 14, length(?1) - 13) = CAST(substr(?1, 14) AS BLOB)"
_BELOW = f"""prefix >= CAST(?1 AS TEXT) AND prefix < CAST(?2 AS TEXT)
    OR prefix < 'paper_search.' AND {_SAME} OR prefix >= 'paper_search/' AND {_SAME}"""
"""Also where the first part of the namespace was changed."""
SQLITE = Dialect(
    order="rowid",
    rebuild="REINDEX",
    changed_at="CASE WHEN json_valid(value) THEN json_extract(value, '$.updated_at') END",
    below=_BELOW,
    # Small parts are looked at whole; what is missing in a large one is told when it is read. The
    # sign has it scan these rows only.
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
    """Runs single statements, `?` standing for a value."""

    is_local: bool
    """Whether all its users are on one machine."""
    dialect: Dialect

    async def now(self) -> float:
        """Return seconds by a clock that all its users share."""
        ...

    def stored(self, text: str) -> str | bytes:
        """Return a text as it is in a row, also one whose bytes were changed."""
        ...

    async def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]: ...

    async def change(self, statement: str, *values: Any) -> int: ...


class SqliteDatabase:
    """A SQLite file on one connection, for all that this process keeps in it.

    It is opened at the first use, and worked on by a thread of its own, one call after the other.

    Args:
        path: the file; None means in memory.
    """

    is_local = True
    dialect = SQLITE
    stored = staticmethod(as_bytes)

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or IN_MEMORY
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, "threads-database")

    def __del__(self) -> None:
        self._close()

    async def __call__(
        self, work: Callable[[sqlite3.Connection], ResultT], what: str = ""
    ) -> ResultT:
        """Return what the work returns; cancelled or not, it is done whole.

        Each call costs, so each has all of its work. `what`: what is read, as errors name it.
        """
        loop = asyncio.get_running_loop()
        return await asyncio.shield(loop.run_in_executor(self._thread, self._bound(work, what)))

    def wait_for(self, work: Callable[[sqlite3.Connection], ResultT], what: str = "") -> ResultT:
        """Return what the work returns, to who is no task."""
        return self._thread.submit(self._bound(work, what)).result()

    def close(self) -> None:
        """Close the file for good, once all work is done."""
        self._thread.submit(self._close).result()
        self._thread.shutdown()

    async def now(self) -> float:
        return uptime()

    async def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = await self(lambda c: c.execute(statement, values).fetchall())
        return rows

    async def change(self, statement: str, *values: Any) -> int:
        return await self(lambda connection: connection.execute(statement, values).rowcount)

    def _bound(
        self, work: Callable[[sqlite3.Connection], ResultT], what: str
    ) -> Callable[[], ResultT]:
        context = contextvars.copy_context()  # says which leases the task holds
        return functools.partial(context.run, self._run, work, what)

    def _run(self, work: Callable[[sqlite3.Connection], ResultT], what: str) -> ResultT:
        with translated_errors(self._path):
            self._connection = self._connection or self._open()
            try:
                return work(self._connection)
            except ValueError as error:
                if isinstance(error.__cause__, sqlite3.DatabaseError):
                    raise database_error(self._path, error.__cause__) from error
                raise DamagedError(what or f"a row of {str(self._path)!r}", error) from error
            finally:
                # Whose work failed would leave the file locked, and the next in its transaction.
                if self._connection.in_transaction:
                    self._connection.rollback()

    def _open(self) -> sqlite3.Connection:
        """Return a connection in write-ahead mode to a file that has all tables.

        WAL with synchronous=NORMAL survives the death of the process at any point; only a power cut
        may take back the last steps, which are then repeated.
        """
        connection = plain(self._path, is_shared=True)
        for name, value in {
            "page_size": PAGE_SIZE, "journal_mode": "WAL", "synchronous": "NORMAL",
        }.items():  # fmt: skip
            connection.execute(f"PRAGMA {name}={value}")
        for statement in (*_CHECKPOINTS, *schema(real="REAL", serial="INTEGER", place="")):
            connection.execute(statement)
        for statement in _COLUMNS:
            try:
                connection.execute(statement)
            except sqlite3.OperationalError as error:
                if "duplicate column" not in str(error):
                    raise
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        return connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
