"""What one source did with one query: failures are data, never silence."""

from __future__ import annotations

from enum import Enum

from pydantic import BaseModel


class SourceStatus(str, Enum):
    """How a source answered."""

    OK = "ok"
    EMPTY = "empty"
    PARTIAL = "partial"
    RATE_LIMITED = "rate_limited"
    EXHAUSTED = "exhausted"
    UNAUTHORISED = "unauthorised"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    BAD_RESPONSE = "bad_response"
    BUG = "bug"

    @property
    def is_failure(self) -> bool:
        """Whether papers may be missing because of it."""
        return self not in {SourceStatus.OK, SourceStatus.EMPTY}


class SourceReport(BaseModel):
    """One source and one query of it: what was sent, and what came back."""

    source: str
    query: str | None = None
    """The exact string sent; None: the source does not say."""
    status: SourceStatus
    hits: int | None = None
    """How many the source says it has; None: it does not say."""
    kept: int = 0
    dropped: int = 0
    """Records that could not be used (no title), counted so that none is lost without a trace."""
    excluded: int = 0
    """Records that the service gave but the query does not want: it could not express that."""
    pages: int | None = None
    attempts: int | None = None
    milliseconds: int = 0
    from_cache: bool = False
    error: str | None = None
    note: str | None = None
    """What the person should know: a remainder applied on our side, a cap, a stand-in."""
    is_sample: bool = False
    """Whether the sample that ships was searched: as itself, or in place of an empty library."""
    iteration: int = 0
    """The round that it belongs to, from 0."""
