"""The journal of a search: a row for each query to a source; failures are rows, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from pydantic import BaseModel, Field, computed_field


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


def _is_unset(value: object) -> bool:
    return not value


class Purpose(str, Enum):
    """Why a source was asked."""

    SEARCH = "search"
    COUNT = "count"
    """To count hits for a strategy that nobody has approved yet."""
    FILL = "fill"
    """To fill missing fields of merged works."""
    CITATION = "citation"
    """For what marked papers cite, and what cites them."""


class RequestRecord(BaseModel):
    """One request to a service, repetitions and redirects included; or a stored answer."""

    at: str | None
    """When it was sent (UTC, ISO 8601). Of a stored answer: when the request for it was sent, or
    None if the store does not say."""
    is_stored: bool = Field(default=False, exclude_if=_is_unset)
    """Whether the answer was on disk and nothing was sent."""
    is_answered: bool = Field(default=False, exclude_if=_is_unset)
    """Whether it had an answer of success."""
    text: str | None = Field(default=None, exclude_if=_is_unset)
    """The exact string sent; None: that of the row, or a further page of it."""

    def __str__(self) -> str:
        how = "stored answer of" if self.is_stored else "sent"
        return " ".join(filter(None, [how, self.at or "an unknown day", self.text]))


class SourceReport(BaseModel):
    """A row of the journal: one query to one source, and what became of each of its records.

    `received = kept + repeated + excluded + dropped + beyond_limit + unused`.
    """

    source: str
    purpose: Purpose = Purpose.SEARCH
    allowed_by: str | None = None
    """Who approved it, or that nobody was asked; None: it is not known."""
    query: str | None = None
    """The exact string sent; None: the source does not say."""
    limit: int | None = None
    """How many records were wanted at most; None: the source does not say."""
    status: SourceStatus
    hits: int | None = None
    """How many the source says it has; None: it does not say."""
    kept: int = 0
    """Records that this query was the first to give of all queries to the source in its round."""
    repeated: int = 0
    """Records that an earlier page, or an earlier query to the source in its round, gave."""
    excluded: int = 0
    """Records that do not match the query or its limits, as far as the service did not check."""
    dropped: int = 0
    """Records without a title."""
    beyond_limit: int = 0
    unused: int = 0
    """Records that came with a count, or had nothing that a work lacked."""
    requests: list[RequestRecord] = Field(default_factory=list)
    """In the order of sending; empty: nothing was sent, or the source does not say."""
    milliseconds: int = 0
    error: str | None = None
    note: str | None = None
    """What the person should know: a remainder applied on our side, a cap, a stand-in."""
    is_sample: bool = False
    """Whether the sample that ships was searched: as itself, or in place of an empty library."""
    iteration: int = 0
    """The round that it belongs to, from 0."""
    asked_at: str | None = None
    """When the first request was sent, or when its stored answer came (UTC, ISO 8601). None: the
    store does not say."""
    is_unfinished: bool = Field(default=False, exclude_if=_is_unset)
    """Whether the source ran out of time, or was left behind when the others were done: it may
    have more, and can be waited for."""

    @computed_field  # type: ignore[prop-decorator]  # as pydantic documents it
    @property
    def received(self) -> int:
        """Return how many records came, each of which has one fate."""
        fates = (self.kept, self.repeated, self.excluded, self.dropped)
        return sum(fates) + self.beyond_limit + self.unused

    @property
    def attempts(self) -> int:
        """Return how many requests were sent, repetitions included."""
        return sum(not request.is_stored for request in self.requests)

    @property
    def pages(self) -> int:
        """Return how many answers came, stored ones included."""
        return sum(request.is_answered for request in self.requests)

    @property
    def from_cache(self) -> bool:
        """Whether every answer was on disk, and nothing was sent."""
        return bool(self.requests) and not self.attempts

    @property
    def day(self) -> str:
        """Return when the answers came, to the minute: that of stored answers is not today's."""
        sent = [request.at for request in self.requests if not request.is_stored and request.at]
        stored = [request for request in self.requests if request.is_stored]
        days = sorted({(request.at or "an unknown day")[:10] for request in stored})
        moments = [f"{len(stored)} stored of {', '.join(days)}"] if stored else []
        first = sent[0] if sent else None if stored else self.asked_at
        return "; ".join([*([minute(first)] if first else []), *moments])

    @property
    def removals(self) -> str:
        """Return what became of the records that were not taken: "2 repeated, 1 beyond"."""
        counts = {
            "repeated": self.repeated,
            "not matching": self.excluded,
            "without a title": self.dropped,
            f"beyond the limit of {self.limit:,}" if self.limit else "beyond the limit": (
                self.beyond_limit
            ),
            "not taken": self.unused,
        }
        return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


def minute(moment: str) -> str:
    """Return an ISO 8601 moment of UTC for people: "2026-11-23 20:05 UTC"."""
    return f"{moment[:16].replace('T', ' ')} UTC"


def counting_summary(rows: Iterable[SourceReport]) -> str | None:
    """Return what went out to count hits; None: nothing did."""
    sent: dict[str, int] = {}
    for row in rows:
        if row.attempts:
            sent[row.source] = sent.get(row.source, 0) + row.attempts
    if not sent:
        return None
    count = sum(sent.values())
    names = ", ".join(f"{number} to {source}" for source, number in sent.items())
    requests = "1 request" if count == 1 else f"{count} requests"
    return f"{requests} sent before your approval, to count hits: {names}"


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
    together = SourceReport(
        source=source,
        status=SourceStatus.OK,
        repeated=sum(report.repeated for report in reports),
        excluded=sum(report.excluded for report in reports),
        dropped=sum(report.dropped for report in reports),
        beyond_limit=sum(report.beyond_limit for report in reports),
        unused=sum(report.unused for report in reports),
    )
    said = [text for report in reports for text in (report.error, report.note) if text]
    said += filter(None, [together.removals])
    said += [report.day for report in reports if report.from_cache]
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
