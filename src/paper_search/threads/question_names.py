"""What happened on a thread before its open question was asked."""

from __future__ import annotations

from dataclasses import dataclass

from paper_search.persistence import DecisionLedger


@dataclass(frozen=True)
class LastAction:
    """What a person did last on a thread before its open question was asked."""

    at: str
    """UTC, ISO 8601."""
    by: str
    what: str


async def last_action(
    ledger: DecisionLedger, thread_id: str, interrupt_id: str
) -> LastAction | None:
    """Return what was decided, or reopened, last before a question; None: it is the first."""
    decided = [
        LastAction(entry.decided_at, entry.decided_by, f"decided ({entry.decision['action']})")
        for entry in await ledger.entries(thread_id)
        if entry.interrupt_id != interrupt_id
    ]
    forks = [
        LastAction(note.at, note.by, "went back to a question that was decided")
        for note in await ledger.audit(thread_id)
        if note.event == "forked"
    ]
    return max([*decided, *forks], key=lambda action: action.at, default=None)
