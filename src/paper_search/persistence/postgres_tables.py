"""Our own tables in PostgreSQL: leases, decisions, what happened around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import Connection
from psycopg_pool import ConnectionPool

from paper_search.persistence.encryption import Keyring, open_value, seal_value
from paper_search.persistence.leases import LeaseHolder
from paper_search.persistence.ledger import AuditEntry, LedgerEntry, LedgerStatus

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS paper_search_leases (
        thread_id TEXT PRIMARY KEY, owner TEXT NOT NULL, expires_at DOUBLE PRECISION NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS paper_search_decisions (
        id BIGSERIAL, thread_id TEXT NOT NULL, interrupt_id TEXT NOT NULL, decision TEXT NOT NULL,
        decided_by TEXT NOT NULL, decided_at TEXT NOT NULL, status TEXT NOT NULL,
        PRIMARY KEY (thread_id, interrupt_id))""",
    """CREATE TABLE IF NOT EXISTS paper_search_audit (
        id BIGSERIAL PRIMARY KEY, thread_id TEXT NOT NULL, interrupt_id TEXT NOT NULL,
        event TEXT NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL, detail TEXT NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS paper_search_audit_thread ON paper_search_audit (thread_id)",
)
_COLUMNS = "thread_id, interrupt_id, decision, decided_by, decided_at, status"

Pool = ConnectionPool[Connection[Any]]


class PostgresLeaseTable:
    """Leases in the database, for all processes of all machines that use it.

    Args:
        pool: of connections in autocommit mode.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def take(self, thread_id: str, holder: LeaseHolder, now: float) -> LeaseHolder:
        """See `LeaseTable.take`."""
        with self._pool.connection() as connection, connection.transaction():
            inserted = connection.execute(
                "INSERT INTO paper_search_leases VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                (thread_id, holder.owner, holder.expires_at),
            )
            if inserted.rowcount == 1:
                return holder
            current = _holder(connection, thread_id, "FOR UPDATE")
            if current is not None and current.is_alive(now):
                return current
            connection.execute(
                "INSERT INTO paper_search_leases VALUES (%s, %s, %s) ON CONFLICT (thread_id) "
                "DO UPDATE SET owner = EXCLUDED.owner, expires_at = EXCLUDED.expires_at",
                (thread_id, holder.owner, holder.expires_at),
            )
            return holder

    def renew(self, thread_id: str, holder: LeaseHolder) -> bool:
        """See `LeaseTable.renew`."""
        with self._pool.connection() as connection:
            changed = connection.execute(
                "UPDATE paper_search_leases SET expires_at = %s "
                "WHERE thread_id = %s AND owner = %s",
                (holder.expires_at, thread_id, holder.owner),
            )
            return changed.rowcount == 1

    def drop(self, thread_id: str, owner: str) -> None:
        """See `LeaseTable.drop`."""
        with self._pool.connection() as connection:
            connection.execute(
                "DELETE FROM paper_search_leases WHERE thread_id = %s AND owner = %s",
                (thread_id, owner),
            )

    def holder(self, thread_id: str) -> LeaseHolder | None:
        """See `LeaseTable.holder`."""
        with self._pool.connection() as connection:
            return _holder(connection, thread_id)


class PostgresLedgerTable:
    """Decisions in the database, for all processes of all machines that use it.

    Args:
        pool: of connections in autocommit mode.
        keyring: seals what people wrote; None: it stays readable.
    """

    def __init__(self, pool: Pool, keyring: Keyring | None = None) -> None:
        self._pool = pool
        self._keyring = keyring

    def record(self, entry: LedgerEntry) -> LedgerEntry:
        """See `LedgerTable.record`."""
        about = f"decision {entry.thread_id}/{entry.interrupt_id}"
        with self._pool.connection() as connection:
            connection.execute(
                f"INSERT INTO paper_search_decisions ({_COLUMNS}) "  # noqa: S608  # constants
                "VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (thread_id, interrupt_id) DO NOTHING",
                (
                    entry.thread_id,
                    entry.interrupt_id,
                    seal_value(self._keyring, entry.decision, about),
                    entry.decided_by,
                    entry.decided_at,
                    entry.status.value,
                ),
            )
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM paper_search_decisions "  # noqa: S608  # constants
                "WHERE thread_id = %s AND interrupt_id = %s",
                (entry.thread_id, entry.interrupt_id),
            ).fetchall()
        return self._entry(rows[0])

    def mark(self, thread_id: str, interrupt_id: str, status: LedgerStatus) -> None:
        """See `LedgerTable.mark`."""
        with self._pool.connection() as connection:
            connection.execute(
                "UPDATE paper_search_decisions SET status = %s "
                "WHERE thread_id = %s AND interrupt_id = %s",
                (status.value, thread_id, interrupt_id),
            )

    def entries(self, thread_id: str) -> list[LedgerEntry]:
        """See `LedgerTable.entries`."""
        with self._pool.connection() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM paper_search_decisions "  # noqa: S608  # constants
                "WHERE thread_id = %s ORDER BY id",
                (thread_id,),
            ).fetchall()
        return [self._entry(row) for row in rows]

    def decided(self, thread_ids: Sequence[str]) -> set[tuple[str, str]]:
        """See `LedgerTable.decided`."""
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT thread_id, interrupt_id FROM paper_search_decisions "
                "WHERE thread_id = ANY(%s)",
                (list(thread_ids),),
            ).fetchall()
        return {(thread_id, interrupt_id) for thread_id, interrupt_id in rows}

    def note(self, audit: AuditEntry) -> None:
        """See `LedgerTable.note`."""
        detail = seal_value(self._keyring, audit.detail, f"audit of {audit.thread_id}")
        with self._pool.connection() as connection:
            connection.execute(
                "INSERT INTO paper_search_audit (thread_id, interrupt_id, event, by, at, detail) "
                "VALUES (%s, %s, %s, %s, %s, %s)",
                (audit.thread_id, audit.interrupt_id, audit.event, audit.by, audit.at, detail),
            )

    def notes(self, thread_id: str) -> list[AuditEntry]:
        """See `LedgerTable.notes`."""
        about = f"audit of {thread_id}"
        with self._pool.connection() as connection:
            rows = connection.execute(
                "SELECT interrupt_id, event, by, at, detail FROM paper_search_audit "
                "WHERE thread_id = %s ORDER BY id",
                (thread_id,),
            ).fetchall()
        return [
            AuditEntry(thread_id, which, event, by, at, open_value(self._keyring, text, about))
            for which, event, by, at, text in rows
        ]

    def forget(self, thread_id: str) -> None:
        """See `LedgerTable.forget`."""
        with self._pool.connection() as connection, connection.transaction():
            for table in ("paper_search_decisions", "paper_search_audit"):
                connection.execute(f"DELETE FROM {table} WHERE thread_id = %s", (thread_id,))  # noqa: S608  # two names from above

    def _entry(self, row: tuple[Any, ...]) -> LedgerEntry:
        thread_id, interrupt_id, text, by, at, status = row
        about = f"decision {thread_id}/{interrupt_id}"
        decision = open_value(self._keyring, text, about)
        return LedgerEntry(thread_id, interrupt_id, decision, by, at, LedgerStatus(status))


def _holder(connection: Connection[Any], thread_id: str, lock: str = "") -> LeaseHolder | None:
    row = connection.execute(
        f"SELECT owner, expires_at FROM paper_search_leases WHERE thread_id = %s {lock}",  # noqa: S608  # our own words
        (thread_id,),
    ).fetchone()
    return LeaseHolder(*row) if row else None
