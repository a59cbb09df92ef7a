"""Which of the papers known beforehand a search returned."""

from __future__ import annotations

from pydantic import BaseModel, Field


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
