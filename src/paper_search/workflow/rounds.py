"""What is kept of each search of a thread: an audit is made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pydantic import BaseModel, Field

from paper_search.prompts import prompt_digests


class SearchedRound(BaseModel):
    """One search: what it gave, when, and what it was done with."""

    iteration: int
    """The round, from 0."""
    searched_at: str
    """UTC, ISO 8601."""
    found: list[str]
    """Ids of its records."""
    program: str
    """Version of this program."""
    models: dict[str, str] = Field(default_factory=dict)
    """The model of each skill by the name of its prompt; a skill that asks none is left out."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of these prompts."""


def searched_round(
    iteration: int, found: Sequence[str], models: Mapping[str, str]
) -> SearchedRound:
    """Return what is kept of a search that has just ended."""
    from paper_search import __version__  # noqa: PLC0415  # reads the disk

    return SearchedRound(
        iteration=iteration,
        searched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        found=list(found),
        program=__version__,
        models=dict(models),
        prompts=prompt_digests(models),
    )
