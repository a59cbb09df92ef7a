"""The journal of a search: a row for each query to a source, including failures."""

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from operator import not_

from pydantic import BaseModel, Field, computed_field


class SourceStatus(str, Enum):
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
        return self not in {SourceStatus.OK, SourceStatus.EMPTY}


class Purpose(str, Enum):
    """Why a source was asked."""

    SEARCH = "search"
    COUNT = "count"
    """To count hits for a strategy that nobody has approved yet."""
    FILL = "fill"
    WORK = "work"
    """To look up a work that the question names, whatever the limits."""
    CITATION = "citation"
    """To find papers that marked papers cite, or that cite them."""
    LOOKUP = "look-up"
    """To find a paper that the question asks for similar papers to."""
    PAGE = "page"
    """To fetch the text of a web page or an open-access paper."""
    FULL_TEXT = "full text"

    @property
    def is_search(self) -> bool:
        """Whether its records join the result."""
        return self in {Purpose.SEARCH, Purpose.CITATION, Purpose.WORK}


class RequestRecord(BaseModel):
    """One request to a service, including retries and redirects; or a cached answer."""

    at: str | None
    """When it was sent (UTC, ISO 8601), or when the request for a cached answer was; None if the
    cache does not say."""
    is_stored: bool = Field(default=False, exclude_if=not_)
    """Whether the answer was in the cache, so that nothing was sent."""
    is_answered: bool = Field(default=False, exclude_if=not_)
    """Whether the request succeeded."""
    text: str | None = Field(default=None, exclude_if=not_)
    """The exact string sent; None for that of the row, or a further page of it."""

    def __str__(self) -> str:
        how = "stored answer of" if self.is_stored else "sent"
        return " ".join(filter(None, [how, self.at or "an unknown day", self.text]))


LOCAL = frozenset({"library", "sample"})
"""Sources whose records are on this machine."""
OF_ENRICHER = " (enrichment)"
"""Follows the name of a service that is asked for missing fields."""
REASONS = {
    "repeated": "the same record on a later page",
    "excluded": "not what was asked for",
    "dropped": "no title",
    "beyond_limit": "beyond the number that was asked for",
    "unused": "the source did not come to an end",
}
"""Why records were removed on arrival, by the field of a `SourceReport` that counts them."""


class Arrival(BaseModel, frozen=True):
    """One time that a source returned a record."""

    record: str | None = Field(default=None, exclude_if=not_)
    """Its id; None if it was removed on arrival and not stored."""
    source: str
    """The service, or the database that a file comes from."""
    query: str | None = Field(default=None, exclude_if=not_)
    """The string sent, or the name of the file; None if the source does not say."""
    position: int | None = Field(default=None, exclude_if=not_)
    """Place in that answer or file, from 1."""
    removed: str | None = Field(default=None, exclude_if=not_)
    """Why a check of ours removed it; None if it was kept."""
    waits: int = Field(default=0, exclude_if=not_)
    """Waits for its source in its round until then."""
    id: str | None = Field(default=None, exclude_if=not_)
    """The id of a removed record at its source."""
    title: str | None = Field(default=None, exclude_if=not_)
    """The title of a removed record, if it has one."""


class SourceReport(BaseModel):
    """One query to one source; `received` is the sum of `kept` and the counts in `REASONS`."""

    source: str
    purpose: Purpose = Purpose.SEARCH
    allowed_by: str | None = None
    """Who approved it, or that nobody was asked; None if it is not known."""
    query: str | None = None
    """The exact string sent; empty if nothing was sent; None if the source does not say."""
    limit: int | None = None
    """The largest number of records to return; None if the source does not say."""
    status: SourceStatus
    hits: int | None = None
    """The number of matches at the source; None if it does not say."""
    kept: int = 0
    """Records that no earlier query to the source in this round returned."""
    repeated: int = 0
    """Records that an earlier page, or an earlier query to the source in this round, returned."""
    excluded: int = 0
    """Records that do not match a part of the query or limits that the service cannot check."""
    dropped: int = 0
    """Records that have no title or cannot be read."""
    beyond_limit: int = 0
    unused: int = 0
    """Records that came with a count or a look-up, or had nothing that a work lacked."""
    requests: list[RequestRecord] = Field(default_factory=list)
    """In the order of sending; empty if nothing was sent, or if the source does not say."""
    milliseconds: int = 0
    error: str | None = None
    note: str | None = None
    """A note for the person, such as a limit applied here, a cap, or a replacement."""
    is_file: bool = Field(default=False, exclude_if=not_)
    """Whether it is a file that a person added, which the limits of a strategy do not narrow."""
    strategy: str | None = Field(default=None, exclude_if=not_)
    """The strategy with which a file was exported from its database."""
    is_sample: bool = False
    """Whether the sample that ships was searched: as itself, or instead of an empty library."""
    iteration: int = 0
    """The round that it belongs to, from 0."""
    asked_at: str | None = None
    """When the first request was sent, or its cached answer was received (UTC, ISO 8601). None if
    the cache does not say; empty if nothing was sent, or for a file without a date of search."""
    is_unfinished: bool = Field(default=False, exclude_if=not_)
    """Whether the source ran out of time, or the others did not wait for it: it may have more, and
    can be waited for."""
    is_asked_again: bool = Field(default=False, exclude_if=not_)
    """Whether the source was waited for after that; later rows have the outcome."""

    @property
    def is_failure(self) -> bool:
        return self.status.is_failure and not self.is_asked_again

    @property
    def is_asked(self) -> bool:
        """Whether anything was sent, searched on this machine, or added as a file."""
        return self.query != "" or self.is_file  # None: the source does not say

    def without_records(self, purpose: Purpose) -> "SourceReport":
        """Return the row for a search whose records do not join the result."""
        update = {"purpose": purpose, "kept": 0, "unused": self.unused + self.kept}
        return self.model_copy(update=update)

    @computed_field  # type: ignore[prop-decorator]  # as pydantic documents it
    @property
    def received(self) -> int:
        """Return the number of records that arrived; each has one status."""
        return sum(getattr(self, name) for name in ("kept", *REASONS))

    @property
    def attempts(self) -> int:
        return sum(not request.is_stored for request in self.requests)

    @property
    def pages(self) -> int:
        return sum(request.is_answered for request in self.requests)

    @property
    def from_cache(self) -> bool:
        """Whether every answer was cached, and nothing was sent."""
        return bool(self.requests) and not self.attempts

    @property
    def day(self) -> str:
        """Return when the answers were received: new ones to the minute, cached ones by day."""
        times = [request.at for request in self.requests if not request.is_stored and request.at]
        answers = [request for request in self.requests if request.is_stored]
        days = sorted({(request.at or "an unknown day")[:10] for request in answers})
        moments = [f"{len(answers)} stored of {', '.join(days)}"] if answers else []
        first = times[0] if times else None if answers else self.asked_at
        return "; ".join([*([minute(first)] if first else []), *moments])

    @property
    def removals(self) -> str:
        """Return the counts of records that were not kept: "2 repeated, 1 not matching"."""
        limit = f"beyond the limit of {self.limit:,}" if self.limit else "beyond the limit"
        words = ("repeated", "not matching", "without a title or unreadable", limit, "not taken")
        counts = zip([getattr(self, name) for name in REASONS], words, strict=True)
        return ", ".join(f"{count:,} {name}" for count, name in counts if count)


def losses(reports: Iterable[SourceReport]) -> str:
    """Return what may be missing because sources failed; empty if none did."""
    failed: dict[str, list[str]] = {"papers": [], "abstracts, DOIs or open texts": []}
    for report in reports:
        if report.is_failure:
            failed[list(failed)[report.purpose is Purpose.FILL]].append(report.source)
    return "; ".join(
        f"{what} may be missing: {', '.join(dict.fromkeys(names))}"
        for what, names in failed.items()
        if names
    )


def unasked(source: str, why: str) -> SourceReport:
    """Return the row of a source to which nothing was sent."""
    return SourceReport(source=source, query="", status=SourceStatus.EMPTY, note=why, asked_at="")


def quantity(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 paper`, `1,200 papers`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def minute(moment: str) -> str:
    """Return an ISO 8601 time for people: "2026-11-23 20:05 UTC"; a date stays unchanged."""
    return f"{moment[:16].replace('T', ' ')} UTC" if "T" in moment else moment


_EARLY = {
    Purpose.LOOKUP: "to find the paper that the question names",
    Purpose.COUNT: "to count hits",
}


def early_requests(rows: Iterable[SourceReport]) -> str | None:
    """Return the requests before an approval, with their purpose; None if there were none."""
    counts: dict[Purpose, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.purpose, Counter())[row.source] += row.attempts
    parts = []
    for purpose, words in _EARLY.items():
        sent = +counts.get(purpose, Counter())
        if count := sent.total():
            names = ", ".join(f"{number} to {source}" for source, number in sent.items())
            parts.append(f"{quantity(count, 'request')} {words}: {names}")
    return f"sent before your approval: {'; '.join(parts)}" if parts else None
