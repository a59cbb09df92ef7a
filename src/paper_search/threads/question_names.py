"""What may make an answer that names no question an answer to the one before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paper_search.persistence import DecisionLedger

FRESH_S = 10.0
"""A question that is younger may get the second click on the one before, or a script's repeat."""


@dataclass(frozen=True)
class LastAction:
    """What a person did last on a thread before its open question was asked."""

    at: str
    """UTC, ISO 8601."""
    by: str
    what: str

    def is_doubtful(self, opened_at: str, now: str, person: str) -> bool:
        """Whether that person may have seen no other question than the one it was about.

        Args:
            opened_at: when the question was asked that is open now.
            now: the time.
            person: who answers.
        """
        age = datetime.fromisoformat(now) - datetime.fromisoformat(opened_at)
        return self.by != person or age.total_seconds() < FRESH_S


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
