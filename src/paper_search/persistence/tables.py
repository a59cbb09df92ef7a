"""Our own tables beside LangGraph's: leases, decisions, and what happened around them."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from paper_search.persistence.sqlite_files import (
    FORMAT,
    IN_MEMORY,
    as_bytes,
    plain,
    translated_errors,
)

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


def schema(*, real: str, serial: str, place: str) -> list[str]:
    return [statement.format(real=real, serial=serial, place=place) for statement in _SCHEMA]


def uptime() -> float:
    """Return seconds since this machine started, whatever its clock is set to.

    Where the system does not say when it started: seconds since the epoch.
    """
    with contextlib.suppress(OSError):
        return float(_UPTIME.read_text(encoding="ascii").split()[0])
    return time.time()


class Database(Protocol):
    """Runs single statements, `?` standing for a value."""

    is_local: bool
    """Whether all its users are on one machine."""
    order: str
    """By what decisions are in the order in which they came."""
    rebuild: str
    """What makes the indexes of a table anew."""

    async def now(self) -> float:
        """Return seconds by a clock that all its users share."""
        ...

    def stored(self, text: str) -> str | bytes:
        """Return a text as it is in a row, also one whose bytes were changed."""
        ...

    async def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]: ...

    async def change(self, statement: str, *values: Any) -> int: ...


class SqliteDatabase:
    """Our tables in a SQLite file, for all processes that use it; made ready at the first use.

    Args:
        path: the file; None means in memory.
    """

    is_local = True
    order = "rowid"
    rebuild = "REINDEX"
    stored = staticmethod(as_bytes)

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or IN_MEMORY
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    async def now(self) -> float:
        return uptime()

    async def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return (await asyncio.to_thread(self._run, statement, values))[0]

    async def change(self, statement: str, *values: Any) -> int:
        return (await asyncio.to_thread(self._run, statement, values))[1]

    def _run(self, statement: str, values: Sequence[Any]) -> tuple[list[tuple[Any, ...]], int]:
        with self._open() as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall(), cursor.rowcount

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Give the connection to one thread at a time; to open it for each call costs more."""
        with self._lock, translated_errors(self._path):
            if self._connection is None:
                self._connection = plain(self._path, is_shared=True)
                for statement in schema(real="REAL", serial="INTEGER", place=""):
                    self._connection.execute(statement)
                if self._connection.execute("PRAGMA user_version").fetchone() == (0,):
                    self._connection.execute(f"PRAGMA user_version = {FORMAT}")
            yield self._connection
