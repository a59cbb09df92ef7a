"""How complete a result is, as far as the overlap of its sources tells."""

from __future__ import annotations

from pydantic import BaseModel


class Coverage(BaseModel):
    """What the overlap of independent sources says about papers that none of them gave.

    All counts are of relevant papers. What is missing because it uses other words than the queries
    leaves no trace in the overlap, and is not counted.
    """

    sources: int
    """Independent sources that gave any."""
    papers: int
    """Papers that they gave."""
    missing_at_least: int
    """Papers that none of them gave: a lower bound (Chao2)."""
    found_late: int = 0
    """Papers that are only in the second half of answers that were cut off."""

    @property
    def summary(self) -> str:
        """Return it in words."""
        parts = []
        if self.missing_at_least:
            parts.append(
                f"At least {self.missing_at_least:,} more relevant papers are probably in none of "
                "these answers."
            )
        if self.found_late:
            parts.append(
                f"{self.found_late:,} of {self.papers:,} came only in the second half of an "
                "answer that was cut off: longer answers (--max) find more."
            )
        if not parts:
            parts.append("The sources agree: few papers with these words are missing.")
        return " ".join([*parts, "Papers that use other words are not counted."])
