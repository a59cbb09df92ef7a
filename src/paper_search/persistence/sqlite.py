"""Threads in one SQLite file: LangGraph's saver and store, and our leases, side by side."""

from __future__ import annotations

import contextlib
import sqlite3
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
MAGIC = b"SQLite format 3\x00"
OWN_TABLES = frozenset({"checkpoints", "store"})


def serializer() -> JsonPlusSerializer:
    """Return the one serializer of all savers: JSON values only, no class is ever rebuilt."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@contextlib.asynccontextmanager
async def open_saver(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """Open the checkpoints in the file.

    Raises:
        PersistenceError: the file is not ours, is damaged, or cannot be used.
    """
    async with _connection(path) as connection:
        saver = AsyncSqliteSaver(connection, serde=serializer())
        await saver.setup()
        yield saver


@contextlib.asynccontextmanager
async def open_store(path: Path) -> AsyncIterator[AsyncSqliteStore]:
    """Open the records in the file.

    Raises:
        PersistenceError: as `open_saver`.
    """
    async with _connection(path, autocommit=True) as connection:
        store = AsyncSqliteStore(connection)
        await store.setup()
        yield store
        await _finish(store)


@contextlib.asynccontextmanager
async def _connection(
    path: Path, *, autocommit: bool = False
) -> AsyncIterator[aiosqlite.Connection]:
    check_file(path)
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
        with contextlib.suppress(BaseException):
            await task


def check_file(path: Path) -> None:
    """Refuse a path that cannot hold our threads; create the directory if it is missing.

    Raises:
        PersistenceError: saying what is wrong with which path; the file is left as it is.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            with path.open("ab"):
                pass
            return
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
        with path.open("ab"):
            pass
    except OSError as error:
        raise PersistenceError(
            f"threads cannot be kept in {str(path)!r}: {error.strerror or error}; "
            "choose another place with --home or PAPER_SEARCH_HOME"
        ) from error
    if head and head != MAGIC:
        raise PersistenceError(
            f"{str(path)!r} is not a SQLite database; it is left as it is. "
            "Move it away or choose another place with --home or PAPER_SEARCH_HOME"
        )
    if head:
        _check_tables(path)


def _check_tables(path: Path) -> None:
    with _named_errors(path), contextlib.closing(_plain(path)) as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name for (name,) in rows}
    if tables and not tables & OWN_TABLES:
        raise PersistenceError(
            f"{str(path)!r} is another program's database (tables: {', '.join(sorted(tables))}); "
            "it is left as it is. Choose another place with --home or PAPER_SEARCH_HOME"
        )


@contextlib.contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise PersistenceError(
            f"the database of threads {str(path)!r} cannot be used: {error}"
        ) from error


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
