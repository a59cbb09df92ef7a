"""The ledger of decisions: each question is decided once, whoever asks for it how often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Protocol


class LedgerStatus(str, Enum):
    """How far a decision has come."""

    STORED = "stored"
    """It counts; the graph has not been told for sure."""
    APPLIED = "applied"
    SUPERSEDED = "superseded"
    """A fork went back to before it."""


@dataclass(frozen=True)
class LedgerEntry:
    """The decision that counts for one question."""

    thread_id: str
    interrupt_id: str
    decision: dict[str, Any]
    decided_by: str
    decided_at: str
    """UTC, ISO 8601."""
    status: LedgerStatus = LedgerStatus.STORED


@dataclass(frozen=True)
class AuditEntry:
    """Something that happened around a decision: one that lost, or a way back."""

    thread_id: str
    interrupt_id: str
    event: str
    """`refused`, `forked`."""
    by: str
    at: str
    """UTC, ISO 8601."""
    detail: dict[str, Any]


class LedgerTable(Protocol):
    """Where decisions are kept; every method is atomic and blocks only briefly."""

    def record(self, entry: LedgerEntry) -> LedgerEntry:
        """Store the decision unless the question has one; return the one that it has now."""
        ...

    def mark(self, thread_id: str, interrupt_id: str, status: LedgerStatus) -> None:
        """Note how far a decision has come."""
        ...

    def entries(self, thread_id: str) -> list[LedgerEntry]:
        """Return the decisions of a thread, oldest first."""
        ...

    def decided(self, thread_ids: Sequence[str]) -> set[tuple[str, str]]:
        """Return thread and interrupt of every decision on these threads."""
        ...

    def note(self, audit: AuditEntry) -> None:
        """Keep what happened."""
        ...

    def notes(self, thread_id: str) -> list[AuditEntry]:
        """Return what happened on a thread, oldest first."""
        ...

    def forget(self, thread_id: str) -> None:
        """Delete all that is known of a thread."""
        ...


def _now() -> str:
    return datetime.now(UTC).isoformat()


class DecisionLedger:
    """Keeps one decision for each question, and who gave it when.

    Args:
        table: where they are kept.
        clock: gives UTC, ISO 8601.
    """

    def __init__(self, table: LedgerTable, clock: Callable[[], str] = _now) -> None:
        self._table = table
        self._clock = clock

    def now(self) -> str:
        """Return the time as decisions have it."""
        return self._clock()

    async def record(
        self, thread_id: str, interrupt_id: str, decision: dict[str, Any], by: str
    ) -> LedgerEntry:
        """Store a decision unless the question has one; return the one that counts."""
        entry = LedgerEntry(thread_id, interrupt_id, decision, by, self._clock())
        return await asyncio.to_thread(self._table.record, entry)

    async def mark(self, entry: LedgerEntry, status: LedgerStatus) -> None:
        """Note how far a decision has come."""
        await asyncio.to_thread(self._table.mark, entry.thread_id, entry.interrupt_id, status)

    async def entry(self, thread_id: str, interrupt_id: str) -> LedgerEntry | None:
        """Return the decision on a question; None: it has none."""
        found = [e for e in await self.entries(thread_id) if e.interrupt_id == interrupt_id]
        return found[0] if found else None

    async def entries(self, thread_id: str) -> list[LedgerEntry]:
        """Return the decisions of a thread, oldest first."""
        return await asyncio.to_thread(self._table.entries, thread_id)

    async def decided(self, thread_ids: Sequence[str]) -> set[tuple[str, str]]:
        """Return thread and interrupt of every decision on these threads."""
        return await asyncio.to_thread(self._table.decided, thread_ids)

    async def note(
        self, thread_id: str, interrupt_id: str, event: str, by: str, detail: dict[str, Any]
    ) -> None:
        """Keep what happened around a decision."""
        audit = AuditEntry(thread_id, interrupt_id, event, by, self._clock(), detail)
        await asyncio.to_thread(self._table.note, audit)

    async def audit(self, thread_id: str) -> list[AuditEntry]:
        """Return what happened on a thread besides its decisions, oldest first."""
        return await asyncio.to_thread(self._table.notes, thread_id)

    async def forget(self, thread_id: str) -> None:
        """Delete all that is known of a thread."""
        await asyncio.to_thread(self._table.forget, thread_id)


class MemoryLedgerTable:
    """The ledger of one process, for threads that live in its memory."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], LedgerEntry] = {}
        self._notes: list[AuditEntry] = []

    def record(self, entry: LedgerEntry) -> LedgerEntry:
        """See `LedgerTable.record`."""
        return self._entries.setdefault((entry.thread_id, entry.interrupt_id), entry)

    def mark(self, thread_id: str, interrupt_id: str, status: LedgerStatus) -> None:
        """See `LedgerTable.mark`."""
        key = (thread_id, interrupt_id)
        if key in self._entries:
            self._entries[key] = replace(self._entries[key], status=status)

    def entries(self, thread_id: str) -> list[LedgerEntry]:
        """See `LedgerTable.entries`."""
        return [entry for entry in list(self._entries.values()) if entry.thread_id == thread_id]

    def decided(self, thread_ids: Sequence[str]) -> set[tuple[str, str]]:
        """See `LedgerTable.decided`."""
        wanted = set(thread_ids)
        return {key for key in list(self._entries) if key[0] in wanted}

    def note(self, audit: AuditEntry) -> None:
        """See `LedgerTable.note`."""
        self._notes.append(audit)

    def notes(self, thread_id: str) -> list[AuditEntry]:
        """See `LedgerTable.notes`."""
        return [note for note in list(self._notes) if note.thread_id == thread_id]

    def forget(self, thread_id: str) -> None:
        """See `LedgerTable.forget`."""
        self._entries = {k: v for k, v in self._entries.items() if v.thread_id != thread_id}
        self._notes = [note for note in self._notes if note.thread_id != thread_id]
