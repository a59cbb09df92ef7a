"""Threads in one SQLite file: LangGraph's saver and store, and our leases, side by side."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore

from paper_search.errors import PersistenceError
from paper_search.persistence.leases import LeaseHolder

BUSY_TIMEOUT_S = 30.0
PAGE_SIZE = 16_384
"""Bytes. A record with its abstract takes about 2 kB; pages of 4 kB would be half empty."""
_HAS_EFFECTIVE_IDS = os.access in os.supports_effective_ids
_ELSEWHERE = "choose another place with --home or PAPER_SEARCH_HOME"
OWN_TABLES = frozenset(
    {"checkpoints", "writes", "store", "store_migrations", "paper_search_leases"}
)
SIGNATURE = frozenset({"checkpoints", "writes", "store_migrations"})
"""Tables that tell our file, with whatever else is in it, from another program's."""


def serializer() -> JsonPlusSerializer:
    """Return the one serializer of all savers: JSON values only, no class is ever rebuilt."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@contextlib.asynccontextmanager
async def open_saver(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """Open the checkpoints in the file.

    Raises:
        PersistenceError: the file is not ours, is damaged, or cannot be used.
    """
    if not is_there(path):
        await _create(path)
    async with _setup_saver(path) as saver:
        yield saver


@contextlib.asynccontextmanager
async def open_store(path: Path) -> AsyncIterator[AsyncSqliteStore]:
    """Open the records in the file.

    Raises:
        PersistenceError: as `open_saver`.
    """
    if not is_there(path):
        await _create(path)
    async with _setup_store(path) as store:
        yield store


@contextlib.asynccontextmanager
async def _setup_saver(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    async with _connection(path) as connection:
        saver = AsyncSqliteSaver(connection, serde=serializer())
        await saver.setup()
        yield saver


@contextlib.asynccontextmanager
async def _setup_store(path: Path) -> AsyncIterator[AsyncSqliteStore]:
    async with _connection(path, autocommit=True) as connection:
        store = AsyncSqliteStore(connection)
        try:
            await store.setup()
            yield store
        finally:
            await _finish(store)


@contextlib.asynccontextmanager
async def _connection(
    path: Path, *, autocommit: bool = False
) -> AsyncIterator[aiosqlite.Connection]:
    with _named_errors(path):
        options = {"isolation_level": None} if autocommit else {}
        async with aiosqlite.connect(path, timeout=BUSY_TIMEOUT_S, **options) as connection:
            # WAL with NORMAL survives the death of the process at any point; only a power cut may
            # take back the last steps, which are then repeated.
            await connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
            await connection.execute("PRAGMA journal_mode=WAL")
            await connection.execute("PRAGMA synchronous=NORMAL")
            yield connection


async def _finish(store: AsyncSqliteStore) -> None:
    """Stop the store's batching task, which its own context manager leaves running."""
    task = store._task  # noqa: SLF001  # langgraph offers no public way
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def is_there(path: Path) -> bool:
    """Whether our file is there; refuse a path that cannot hold it, make a missing directory.

    The file is never opened but by SQLite: closing any other handle on it would take back the locks
    of all connections of this process (https://sqlite.org/howtocorrupt.html, section 2.2).

    Raises:
        PersistenceError: saying what is wrong with which path; the file is left as it is.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        size = path.stat().st_size if path.exists() else 0
        for place in (path.parent, path) if path.exists() else (path.parent,):
            if not os.access(place, os.R_OK | os.W_OK, effective_ids=_HAS_EFFECTIVE_IDS):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        raise PersistenceError(
            f"threads cannot be kept in {str(path)!r}: {error.strerror or error}; {_ELSEWHERE}"
        ) from error
    if size:
        _check_tables(path)
    return path.exists()


async def _create(path: Path) -> None:
    """Put a complete file there; of many who do so at once, one succeeds.

    Tables made one by one, in place, would be torn by a crash in between, and LangGraph's
    migrations fail if two processes run them.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        async with _setup_saver(draft), _setup_store(draft):
            SqliteLeaseTable(draft).holder("")
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    except OSError as error:
        raise PersistenceError(
            f"threads cannot be kept in {str(path)!r}: {error.strerror or error}; {_ELSEWHERE}"
        ) from error
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _check_tables(path: Path) -> None:
    with _named_errors(path), contextlib.closing(_read_only(path)) as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name for (name,) in rows}
    if tables - OWN_TABLES and not tables >= SIGNATURE:
        raise PersistenceError(
            f"{str(path)!r} is another program's database (tables: {', '.join(sorted(tables))}); "
            f"it is left as it is; {_ELSEWHERE}"
        )


@contextlib.contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        is_broken = getattr(error, "sqlite_errorname", "") in {"SQLITE_NOTADB", "SQLITE_CORRUPT"}
        advice = f"; it is left as it is: move it away, or {_ELSEWHERE}" if is_broken else ""
        raise PersistenceError(
            f"the database of threads {str(path)!r} cannot be used: {error}{advice}"
        ) from error


def _read_only(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)


def _plain(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)


class SqliteLeaseTable:
    """Leases in the same file, for all processes that use it.

    Args:
        path: the SQLite file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def take(self, thread_id: str, holder: LeaseHolder, now: float) -> LeaseHolder:
        """See `LeaseTable.take`."""
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            current = _holder(connection, thread_id)
            if current is None or not current.is_alive(now):
                connection.execute(
                    "INSERT OR REPLACE INTO paper_search_leases VALUES (?, ?, ?)",
                    (thread_id, holder.owner, holder.expires_at),
                )
                current = holder
            connection.execute("COMMIT")
            return current

    def renew(self, thread_id: str, holder: LeaseHolder) -> bool:
        """See `LeaseTable.renew`."""
        with self._open() as connection:
            changed = connection.execute(
                "UPDATE paper_search_leases SET expires_at = ? WHERE thread_id = ? AND owner = ?",
                (holder.expires_at, thread_id, holder.owner),
            )
            return changed.rowcount == 1

    def drop(self, thread_id: str, owner: str) -> None:
        """See `LeaseTable.drop`."""
        with self._open() as connection:
            connection.execute(
                "DELETE FROM paper_search_leases WHERE thread_id = ? AND owner = ?",
                (thread_id, owner),
            )

    def holder(self, thread_id: str) -> LeaseHolder | None:
        """See `LeaseTable.holder`."""
        with self._open() as connection:
            return _holder(connection, thread_id)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with _named_errors(self._path), contextlib.closing(_plain(self._path)) as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS paper_search_leases "
                "(thread_id TEXT PRIMARY KEY, owner TEXT NOT NULL, expires_at REAL NOT NULL)"
            )
            yield connection


def _holder(connection: sqlite3.Connection, thread_id: str) -> LeaseHolder | None:
    row = connection.execute(
        "SELECT owner, expires_at FROM paper_search_leases WHERE thread_id = ?", (thread_id,)
    ).fetchone()
    return LeaseHolder(*row) if row else None
