"""The ledger of decisions: each question is decided once, however often an answer is sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from paper_search.persistence.encryption import DamagedError, Keyring, open_value, seal_value
from paper_search.persistence.tables import Database, SqliteDatabase


class LedgerStatus(str, Enum):
    STORED = "stored"
    """It counts; the graph may not have received it."""
    APPLIED = "applied"
    SUPERSEDED = "superseded"
    """A fork went back to an earlier point."""


@dataclass(frozen=True)
class LedgerEntry:
    thread_id: str
    interrupt_id: str
    decision: dict[str, Any]
    decided_by: str
    decided_at: str
    """UTC, ISO 8601."""
    status: LedgerStatus = LedgerStatus.STORED


@dataclass(frozen=True)
class AuditEntry:
    thread_id: str
    interrupt_id: str
    event: str
    """`refused`, `forked`, `added`, `updated`, `copied` or `shared`."""
    by: str
    at: str
    """UTC, ISO 8601."""
    detail: dict[str, Any]


_RECORD = """INSERT INTO paper_search_decisions
    (thread_id, interrupt_id, decision, decided_by, decided_at, status)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
_OF_THREAD = """SELECT thread_id, interrupt_id, decision, decided_by, decided_at, status
    FROM paper_search_decisions WHERE thread_id = ?"""
_OF_QUESTION = f"{_OF_THREAD} AND interrupt_id = ?"
_MARK = "UPDATE paper_search_decisions SET status = ? WHERE thread_id = ? AND interrupt_id = ?"
_NOTE = """INSERT INTO paper_search_audit (thread_id, interrupt_id, event, by, at, detail)
    VALUES (?, ?, ?, ?, ?, ?)"""
_NOTES = """SELECT interrupt_id, event, by, at, detail FROM paper_search_audit
    WHERE thread_id = ? ORDER BY id"""

_EVENTS_BEFORE_A_QUESTION = {
    "forked": "went back to a question that was decided",
    "edited": "edited the state",
    "added": "added records",
}


def _now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(frozen=True)
class LastAction:
    """The last action of a person on a thread before its open question was asked."""

    at: str
    """UTC, ISO 8601."""
    by: str
    what: str


class DecisionLedger:
    """Stores one decision for each question, with its author and time.

    Without a database, it is in memory; without keys, decisions are not encrypted. `clock`:
    returns UTC, ISO 8601.
    """

    def __init__(
        self,
        database: Database | None = None,
        keyring: Keyring | None = None,
        clock: Callable[[], str] = _now,
    ) -> None:
        self._database = database or SqliteDatabase()
        self._keyring = keyring
        self._clock = clock

    async def record(
        self, thread_id: str, interrupt_id: str, decision: dict[str, Any], by: str
    ) -> LedgerEntry:
        """Store a decision unless the question has one; return the one that counts."""
        at = self._clock()
        text = seal_value(self._keyring, decision, _about(thread_id, interrupt_id), by, at)
        row = (thread_id, interrupt_id, text, by, at, LedgerStatus.STORED.value)
        await self._database.change(_RECORD, *row)
        return self._entry((await self._database.rows(_OF_QUESTION, *row[:2]))[0])

    async def mark(self, entry: LedgerEntry, status: LedgerStatus) -> None:
        await self._database.change(_MARK, status.value, entry.thread_id, entry.interrupt_id)

    async def entry(self, thread_id: str, interrupt_id: str) -> LedgerEntry | None:
        rows = await self._database.rows(_OF_QUESTION, thread_id, interrupt_id)
        return self._entry(rows[0]) if rows else None

    async def entries(self, thread_id: str) -> list[LedgerEntry]:
        """Return the decisions of a thread, oldest first."""
        rows = await self._database.rows(
            f"{_OF_THREAD} ORDER BY {self._database.dialect.order}", thread_id
        )
        return [self._entry(row) for row in rows]

    async def decided_questions(self, thread_ids: Sequence[str]) -> set[tuple[str, str]]:
        """Return the ids of thread and interrupt of every decision on these threads."""
        marks = ", ".join("?" * len(thread_ids)) or "NULL"
        rows = await self._database.rows(
            f"SELECT thread_id, interrupt_id FROM paper_search_decisions "  # noqa: S608  # marks
            f"WHERE thread_id IN ({marks})",
            *thread_ids,
        )
        return {(thread_id, interrupt_id) for thread_id, interrupt_id in rows}

    async def note(
        self, thread_id: str, interrupt_id: str, event: str, by: str, detail: dict[str, Any]
    ) -> None:
        row = (interrupt_id, event, by, self._clock())
        text = seal_value(self._keyring, detail, f"audit of {thread_id}", *row)
        await self._database.change(_NOTE, thread_id, *row, text)

    async def audit(self, thread_id: str) -> list[AuditEntry]:
        """Return the events on a thread besides its decisions, oldest first."""
        about = f"audit of {thread_id}"
        return [
            AuditEntry(
                thread_id, which, event, by, at, open_value(self._keyring, text, about, *row)
            )
            for *row, text in await self._database.rows(_NOTES, thread_id)
            for which, event, by, at in [row]
        ]

    async def last_action(self, thread_id: str, interrupt_id: str) -> LastAction | None:
        """Return the last action before a question; None if it is the first."""
        decided = [
            LastAction(entry.decided_at, entry.decided_by, f"decided ({entry.decision['action']})")
            for entry in await self.entries(thread_id)
            if entry.interrupt_id != interrupt_id
        ]
        others = [
            LastAction(note.at, note.by, _EVENTS_BEFORE_A_QUESTION[note.event])
            for note in await self.audit(thread_id)
            if note.event in _EVENTS_BEFORE_A_QUESTION
        ]
        return max([*decided, *others], key=lambda action: action.at, default=None)

    async def forget(self, thread_id: str) -> None:
        for table in ("paper_search_decisions", "paper_search_audit"):
            delete = f"DELETE FROM {table} WHERE thread_id = CAST(? AS TEXT)"  # noqa: S608  # two names from above
            await self._database.change(delete, self._database.stored_form(thread_id))

    def _entry(self, row: tuple[Any, ...]) -> LedgerEntry:
        thread_id, interrupt_id, text, by, at, status = row
        about = _about(thread_id, interrupt_id)
        decision = open_value(self._keyring, text, about, by, at)
        if status not in set(LedgerStatus) or not isinstance(decision, dict):
            raise DamagedError(about)
        return LedgerEntry(thread_id, interrupt_id, decision, by, at, LedgerStatus(status))


def _about(thread_id: str, interrupt_id: str) -> str:
    return f"decision {thread_id}/{interrupt_id}"
