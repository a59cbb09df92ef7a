"""How complete a result is: by the overlap of its sources, and by papers known beforehand."""

from __future__ import annotations

from pydantic import BaseModel, Field


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


class KnownPapersReport(BaseModel):
    """What became of papers that a good search must find, each in the person's own words."""

    in_result: list[str] = Field(default_factory=list)
    """Found, and in the result."""
    not_in_result: list[str] = Field(default_factory=list)
    """Found by a source, but judged not relevant enough or beyond the limit."""
    missing: list[str] = Field(default_factory=list)
    """Found by no source in any round."""

    @property
    def total(self) -> int:
        """Return how many papers were named."""
        return len(self.in_result) + len(self.not_in_result) + len(self.missing)

    @property
    def summary(self) -> str:
        """Return the report as a sentence: `7 of 8 known papers found; missing: ...`."""
        found = self.total - len(self.missing)
        parts = [f"{found} of {self.total} known papers found"]
        if self.missing:
            parts.append(f"missing: {', '.join(self.missing)}")
        if self.not_in_result:
            parts.append(f"found, but not in the result: {', '.join(self.not_in_result)}")
        return "; ".join(parts)
