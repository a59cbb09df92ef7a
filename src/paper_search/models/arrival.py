"""What came from a source, record by record: every count of a search is made of these rows."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


def _is_absent(value: Any) -> bool:
    return value is None


class Arrival(BaseModel, frozen=True):
    """One record, one time that a source gave it."""

    record: str | None = Field(default=None, exclude_if=_is_absent)
    """Its id; None: it was removed at once and not stored."""
    source: str
    """The service, or the database that a file comes from."""
    query: str | None = Field(default=None, exclude_if=_is_absent)
    """What the source was sent, or the name of the file; None: the source does not say."""
    position: int | None = Field(default=None, exclude_if=_is_absent)
    """Place in that answer or file, from 1."""
    removed: str | None = Field(default=None, exclude_if=_is_absent)
    """Why a check of ours removed it; None: it was kept."""
