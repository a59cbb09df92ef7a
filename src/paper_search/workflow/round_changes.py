"""What a round changed: which papers are new, which moved up, and what the queries ask now."""

from __future__ import annotations

from pydantic import BaseModel, Field

FAR = 10
"""Places that a paper moves up before it is worth a word."""


class RoundChanges(BaseModel):
    """The difference between the result of a round and that of the round before."""

    new_ids: list[str] = Field(default_factory=list)
    """Papers that no earlier round found."""
    risen: dict[str, int] = Field(default_factory=dict)
    """By id of a paper: how many places it moved up, `FAR` at least."""
    queries: str = ""
    """Terms that are asked now (+) or no longer (-); empty: the queries are the same."""

    @property
    def summary(self) -> str:
        """Return one line: `12 new papers in the result; 3 moved up by 10 places or more`."""
        count = len(self.new_ids)
        papers = f"{count} new {'paper' if count == 1 else 'papers'} in the result"
        parts = [papers if count else "No new papers in the result"]
        if self.risen:
            parts.append(f"{len(self.risen)} moved up by {FAR} places or more")
        line = "; ".join(parts)
        return f"{line}. Queries: {self.queries}" if self.queries else line


def round_changes(
    before: list[str], after: list[str], known: set[str], queries: str
) -> RoundChanges:
    """Return what changed between two lists of paper ids, best first.

    Args:
        before: what was shown in the round before.
        after: what is shown now.
        known: ids of all papers that earlier rounds brought, shown or not.
        queries: how the queries differ.
    """
    places = {name: place for place, name in enumerate(before)}
    moves = {name: places[name] - place for place, name in enumerate(after) if name in places}
    return RoundChanges(
        new_ids=[name for name in after if name not in known],
        risen={name: move for name, move in moves.items() if move >= FAR},
        queries=queries,
    )
