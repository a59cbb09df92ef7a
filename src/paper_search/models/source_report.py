"""What one source did with one query: failures are data, never silence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from pydantic import BaseModel, Field


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
    asked_at: str | None = None
    """When the search began that asked it: UTC, ISO 8601; None: an older program did not say."""
    is_unfinished: bool = Field(default=False, exclude_if=lambda is_unfinished: not is_unfinished)
    """Whether the source ran out of time, or was left behind when the others were done: it may
    have more, and can be waited for."""


@dataclass(frozen=True)
class SourceSummary:
    """All queries to one source together.

    Attributes:
        source: its name.
        status: of all queries that failed, else of the best; `PARTIAL` if some failed.
        hits: what it has for all queries, counted for each; None: it does not say.
        kept: records, counted in the same way.
        note: all that it says, each thing once; "" for nothing.
    """

    source: str
    status: SourceStatus
    hits: int | None
    kept: int
    note: str


def summaries(reports: Iterable[SourceReport]) -> list[SourceSummary]:
    """Return one entry for each source, in the order of asking."""
    groups: dict[str, list[SourceReport]] = {}
    for report in reports:
        groups.setdefault(report.source, []).append(report)
    return [_summary(source, group) for source, group in groups.items()]


def _summary(source: str, reports: list[SourceReport]) -> SourceSummary:
    dropped = sum(report.dropped for report in reports)
    said = [text for report in reports for text in (report.error, report.note) if text]
    said += [f"{dropped} records could not be used"] if dropped else []
    said += ["from the cache"] if all(report.from_cache for report in reports) else []
    hits = [report.hits for report in reports if report.hits is not None]
    return SourceSummary(
        source,
        _status([report.status for report in reports]),
        sum(hits) if hits else None,
        sum(report.kept for report in reports),
        "; ".join(dict.fromkeys(said)),
    )


def _status(statuses: Sequence[SourceStatus]) -> SourceStatus:
    failures = [status for status in statuses if status.is_failure]
    if failures:
        return failures[0] if len(failures) == len(statuses) else SourceStatus.PARTIAL
    return SourceStatus.OK if SourceStatus.OK in statuses else SourceStatus.EMPTY
