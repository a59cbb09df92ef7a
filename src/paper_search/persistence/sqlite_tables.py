"""Our own tables in the SQLite file: leases, decisions, what happened around them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from paper_search.persistence.encryption import Keyring, open_value, seal_value
from paper_search.persistence.leases import LeaseHolder
from paper_search.persistence.ledger import AuditEntry, LedgerEntry, LedgerStatus
from paper_search.persistence.sqlite_files import FORMAT, named_errors, plain

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS paper_search_leases (
        thread_id TEXT PRIMARY KEY, owner TEXT NOT NULL, expires_at REAL NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS paper_search_decisions (
        thread_id TEXT NOT NULL, interrupt_id TEXT NOT NULL, decision TEXT NOT NULL,
        decided_by TEXT NOT NULL, decided_at TEXT NOT NULL, status TEXT NOT NULL,
        PRIMARY KEY (thread_id, interrupt_id))""",
    """CREATE TABLE IF NOT EXISTS paper_search_audit (
        id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, interrupt_id TEXT NOT NULL,
        event TEXT NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL, detail TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS paper_search_audit_thread ON paper_search_audit (thread_id)",
)


def prepare_tables(path: Path) -> None:
    """Make our tables where they are missing."""
    with named_errors(path), contextlib.closing(plain(path)) as connection:
        for statement in _SCHEMA:
            connection.execute(statement)
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            connection.execute(f"PRAGMA user_version = {FORMAT}")


class _OwnTables:
    """What both tables share: the file, made ready at the first use.

    Args:
        path: the SQLite file.
        keyring: seals what people wrote; None: it stays readable.
    """

    def __init__(self, path: Path, keyring: Keyring | None = None) -> None:
        self._path = path
        self._keyring = keyring
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Give the connection to one thread at a time; to open it for each call costs more."""
        with self._lock, named_errors(self._path):
            if self._connection is None:
                prepare_tables(self._path)
                self._connection = plain(self._path, is_shared=True)
            try:
                yield self._connection
            finally:
                if self._connection.in_transaction:
                    self._connection.rollback()


class SqliteLeaseTable(_OwnTables):
    """Leases in the same file, for all processes that use it."""

    def take(self, thread_id: str, holder: LeaseHolder, now: float) -> LeaseHolder:
        """See `LeaseTable.take`."""
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            current = holder_of(connection, thread_id)
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
            return holder_of(connection, thread_id)


class SqliteLedgerTable(_OwnTables):
    """Decisions in the same file, for all processes that use it."""

    def record(self, entry: LedgerEntry) -> LedgerEntry:
        """See `LedgerTable.record`."""
        decision = seal_value(self._keyring, entry.decision, _about(entry))
        with self._open() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO paper_search_decisions VALUES (?, ?, ?, ?, ?, ?)",
                (
                    entry.thread_id,
                    entry.interrupt_id,
                    decision,
                    entry.decided_by,
                    entry.decided_at,
                    entry.status.value,
                ),
            )
            row = connection.execute(
                "SELECT * FROM paper_search_decisions WHERE thread_id = ? AND interrupt_id = ?",
                (entry.thread_id, entry.interrupt_id),
            ).fetchone()
        return self._entry(row)

    def mark(self, thread_id: str, interrupt_id: str, status: LedgerStatus) -> None:
        """See `LedgerTable.mark`."""
        with self._open() as connection:
            connection.execute(
                "UPDATE paper_search_decisions SET status = ? "
                "WHERE thread_id = ? AND interrupt_id = ?",
                (status.value, thread_id, interrupt_id),
            )

    def entries(self, thread_id: str) -> list[LedgerEntry]:
        """See `LedgerTable.entries`."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT * FROM paper_search_decisions WHERE thread_id = ? "
                "ORDER BY decided_at, rowid",
                (thread_id,),
            ).fetchall()
        return [self._entry(row) for row in rows]

    def decided(self, thread_ids: Sequence[str]) -> set[tuple[str, str]]:
        """See `LedgerTable.decided`."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT thread_id, interrupt_id FROM paper_search_decisions "
                "WHERE thread_id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(thread_ids)),),
            ).fetchall()
        return {(thread_id, interrupt_id) for thread_id, interrupt_id in rows}

    def note(self, audit: AuditEntry) -> None:
        """See `LedgerTable.note`."""
        about = f"audit of {audit.thread_id}"
        detail = seal_value(self._keyring, audit.detail, about)
        with self._open() as connection:
            connection.execute(
                "INSERT INTO paper_search_audit (thread_id, interrupt_id, event, by, at, detail) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (audit.thread_id, audit.interrupt_id, audit.event, audit.by, audit.at, detail),
            )

    def notes(self, thread_id: str) -> list[AuditEntry]:
        """See `LedgerTable.notes`."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT interrupt_id, event, by, at, detail FROM paper_search_audit "
                "WHERE thread_id = ? ORDER BY id",
                (thread_id,),
            ).fetchall()
        about = f"audit of {thread_id}"
        return [
            AuditEntry(thread_id, which, event, by, at, open_value(self._keyring, text, about))
            for which, event, by, at, text in rows
        ]

    def forget(self, thread_id: str) -> None:
        """See `LedgerTable.forget`."""
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            for table in ("paper_search_decisions", "paper_search_audit"):
                connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread_id,))  # noqa: S608  # two names from above
            connection.execute("COMMIT")

    def _entry(self, row: tuple[str, ...]) -> LedgerEntry:
        thread_id, interrupt_id, text, by, at, status = row
        about = f"decision {thread_id}/{interrupt_id}"
        decision = open_value(self._keyring, text, about)
        return LedgerEntry(thread_id, interrupt_id, decision, by, at, LedgerStatus(status))


def _about(entry: LedgerEntry) -> str:
    return f"decision {entry.thread_id}/{entry.interrupt_id}"


def holder_of(connection: sqlite3.Connection, thread_id: str) -> LeaseHolder | None:
    """Return who has the lease on a thread, alive or not; None: nobody."""
    row = connection.execute(
        "SELECT owner, expires_at FROM paper_search_leases WHERE thread_id = ?", (thread_id,)
    ).fetchone()
    return LeaseHolder(*row) if row else None
