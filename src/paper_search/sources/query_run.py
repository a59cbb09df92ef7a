"""The progress of one query to one service, page by page."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from paper_search.errors import InputError
from paper_search.http.errors import utc_now
from paper_search.http.limits import Quota
from paper_search.models import (
    Arrival,
    Purpose,
    RankedQuery,
    RawPaper,
    RequestRecord,
    SearchConstraints,
    Sighting,
    SourceReport,
    SourceStatus,
)
from paper_search.models.source_report import REASONS
from paper_search.query import Node, judge
from paper_search.sources.adapter import Page, Request, Service, Translated
from paper_search.sources.base import open_row, reason_to_end
from paper_search.sources.client import ServiceClient, explain_bug, time_text
from paper_search.sources.errors import ServiceError


@dataclass(frozen=True, slots=True)
class NativeQuery:
    """A string in the language of a service, sent unchanged."""

    text: str


Question = str | RankedQuery | NativeQuery | Translated
"""A boolean query, a plain or native one, or the translated query for a work of a strategy."""
HOPELESS = {
    SourceStatus.RATE_LIMITED,
    SourceStatus.EXHAUSTED,
    SourceStatus.UNAUTHORISED,
    SourceStatus.UNREACHABLE,
}


def text_of(query: Question) -> str:
    return query if isinstance(query, str) else query.text


@dataclass(slots=True)
class QueryRun:
    sent: str
    notes: tuple[str, ...] = ()
    remainder: Node | None = None
    language: str | None = None
    filters: SearchConstraints | None = None
    purpose: Purpose = Purpose.SEARCH
    limit: int | None = None
    pages_wanted: int | None = None
    pages_of_records: int = 0
    papers: list[RawPaper] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    hits: int | None = None
    known_before: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    without_language: set[str] = field(default_factory=set)
    requests: list[RequestRecord] = field(default_factory=list)
    seconds: float = 0.0
    error: ServiceError | None = None
    is_ended: bool = False
    is_open: bool = False
    quota: Quota | None = None

    @property
    def is_hopeless(self) -> bool:
        return self.error is not None and (self.is_ended or self.error.status in HOPELESS)

    def verdicts(self, page: Page) -> dict[str, bool | None]:
        """Return whether each record of a page matches; None if that cannot be checked.

        It changes no state, so that it can run in a thread, which may outlive the source's search:
        checking a thousand records would block other sources.
        """
        return {paper.id: self._matches(paper) for paper in page.papers}

    def take(
        self, page: Page, verdicts: Mapping[str, bool | None], source: str, limit: int
    ) -> bool:
        """Keep new matching records, at most `limit` over all pages; return whether any is new."""
        self.pages_of_records += bool(page.papers or page.dropped)
        self.hits = page.hits if self.hits is None else self.hits
        self.notes += page.notes
        fresh = [*{paper.id: paper for paper in page.papers if paper.id not in self.known}.values()]
        rank = len(self.known)
        self.known.update(paper.id for paper in fresh)
        seen = Sighting(source=source, query=self.sent, seen_at=utc_now().isoformat())
        for place, paper in enumerate(fresh, start=rank + 1):
            paper.source, paper.sightings = source, [seen.model_copy(update={"rank": place})]
        matching = [paper for paper in fresh if verdicts[paper.id] is not False]
        self.unsure |= {paper.id for paper in matching if verdicts[paper.id] is None}
        if self.language:
            self.without_language |= {paper.id for paper in matching if not paper.language}
        room = max(limit - len(self.papers), 0)
        self.papers += matching[:room]
        losses = {id(paper): REASONS["excluded"] for paper in fresh}
        losses |= {id(paper): REASONS["beyond_limit"] for paper in matching[room:]}
        ours, row = {paper.id for paper in self.papers}, Arrival(source=source, query=self.sent)
        for place, paper in enumerate(page.papers, start=len(self.arrivals) + 1):
            about: dict[str, Any] = {"position": place, "record": paper.id}
            if paper.id not in ours:
                reason = losses.get(id(paper), REASONS["repeated"])
                about = {"position": place, "removed": reason}
                about |= {"id": paper.id, "title": paper.title}
            self.arrivals.append(row.model_copy(update=about))
        self.arrivals += [row.model_copy(update={"removed": REASONS["dropped"]})] * page.dropped
        return bool(fresh)

    @property
    def has_all_hits(self) -> bool:
        return self.hits is not None and len(self.known) + self.losses["dropped"] >= self.hits

    def note_gap(self) -> None:
        received = len(self.known)
        if received + self.losses["dropped"] < min(self.hits or 0, self.limit or 0):
            self.notes += (f"returned {received} of {self.hits}: the service stopped",)

    @property
    def losses(self) -> dict[str, int]:
        count = Counter(row.removed for row in self.arrivals)
        return {name: count[reason] for name, reason in REASONS.items()}

    def report(self, source: str) -> SourceReport:
        is_count = self.purpose is Purpose.COUNT
        is_empty = not self.papers and not (is_count and self.hits)
        status = SourceStatus.EMPTY if is_empty else SourceStatus.OK
        if self.error:
            status = SourceStatus.PARTIAL if self.papers else self.error.status
        elif self.is_open:
            status = SourceStatus.TIMEOUT
        again = sum(row.record is not None for row in self.arrivals) - len(self.papers)
        losses = {**self.losses, "unused": len(self.papers) if is_count else 0}
        losses["repeated"] += again + len(self.known_before)
        kept = set() if is_count else {paper.id for paper in self.papers} - self.known_before
        notes = list(self.notes)
        if unsure := len(self.unsure & kept):
            notes.append(f"{unsure} could not be checked (no abstract or year) and were kept")
        if without_language := len(self.without_language & kept):
            notes.append(f"{without_language} state no language and were kept")
        if self.quota is not None:
            notes.append(quota_note(self.quota))
        return SourceReport(
            source=source,
            purpose=self.purpose,
            query=self.sent,
            limit=self.limit,
            status=status,
            hits=self.hits,
            kept=len(kept),
            **losses,
            requests=self.requests,
            asked_at=self.requests[0].at if self.requests else self._unsent_at,
            milliseconds=round(self.seconds * 1000),
            error=str(self.error) if self.error else None,
            note="; ".join(dict.fromkeys(notes)) or None,
            is_unfinished=self.error is not None and self.error.status is SourceStatus.TIMEOUT,
        )

    @property
    def _unsent_at(self) -> str | None:
        """The time of a query without requests; empty if it was not sent."""
        return "" if self.error or not self.sent else None

    def _matches(self, paper: RawPaper) -> bool | None:
        if self.filters and not self.filters.allows_type(paper.publication_type):
            return False
        if self.language and paper.language and paper.language != self.language:
            return False
        return True if self.remainder is None else judge(self.remainder, searchable(paper))


@dataclass(frozen=True, slots=True)
class Pager:
    """Reads the pages of a service until `ends_at` on the clock.

    Attributes:
        source: name to put on the records.
        most_steps: maximum number of successive pages without records.
        has_cursor: whether to stop after all hits, because a cursor may never end.
    """

    service: Service
    http: ServiceClient
    source: str
    ends_at: float
    clock: Callable[[], float] = time.monotonic
    most_steps: int = 1
    has_cursor: bool = False

    @contextmanager
    def recording(self, run: QueryRun) -> Iterator[None]:
        """Record errors and duration in a run; an interrupted run keeps what it has read."""
        started, run.is_open = self.clock(), True
        open_row(lambda: run.report(self.source))
        try:
            yield
        except asyncio.CancelledError:
            if not (reason := reason_to_end()):
                raise
            run.error, run.is_ended = self.service.failure(reason, SourceStatus.TIMEOUT), True
        except Exception as error:  # noqa: BLE001  # an adapter is foreign code; its bug becomes data
            run.error = failure_of(error, self.service)
        run.seconds, run.is_open = self.clock() - started, False

    async def collect(self, run: QueryRun, request: Request | None, most: int) -> None:
        """Read at most `most` pages until the limit is reached; an earlier stop is noted."""
        limit, turned, fruitless = run.limit or 0, list[Request](), 0
        while request is not None and request not in turned and len(turned) < most:
            turned.append(request)
            page = await self._page(run, request)
            if page.is_partial and not page.papers and not page.dropped:
                page = await self._page(run, request)
            verdicts = await asyncio.to_thread(run.verdicts, page)
            fresh = run.take(page, verdicts, self.source, limit)
            is_step = not page.papers and not page.dropped
            fruitless = fruitless + 1 if is_step else 0
            if len(run.papers) >= limit:
                return
            if fruitless > self.most_steps or (page.papers and not fresh):
                request = None
                break
            if not is_step and run.pages_wanted and run.pages_of_records >= run.pages_wanted:
                return
            request = None if self.has_cursor and run.has_all_hits else page.next
        if run.purpose is Purpose.COUNT:
            return
        if request in turned:
            run.notes += ("stopped: the service returned the same page again",)
        elif request is not None:
            run.notes += (f"stopped after {len(turned)} pages",)
        else:
            run.note_gap()

    async def _page(self, run: QueryRun, request: Request) -> Page:
        answer = await self.http.get(request, run.requests, self.ends_at)
        run.quota = answer.quota or run.quota
        page = await self.http.read(answer, partial(self.service.read, request=request))
        if page.is_partial:
            await self.http.forget(answer)
        return page


def failure_of(error: Exception, service: Service) -> ServiceError:
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, InputError):
        return service.failure(str(error), SourceStatus.BAD_RESPONSE)
    return explain_bug(error, service)


def quota_note(quota: Quota) -> str:
    of_all = f" of {quota.most:,}" if quota.most is not None else ""
    return f"{quota.remaining:,}{of_all} left until {time_text(quota.until)}"


def searchable(paper: RawPaper) -> dict[str, str | int | None]:
    """Return the fields of a record that boolean queries search; None for missing ones."""
    return {
        "title": paper.title,
        "abstract": paper.abstract,
        "author": "; ".join(author.name for author in paper.authors) or None,
        "venue": paper.venue,
        "keywords": "\n".join(paper.keywords),
        "year": paper.year,
        "snippet": paper.snippet or "",
    }


def distinct_papers(answers: list[QueryRun]) -> list[RawPaper]:
    """Return each record once with all its sightings; later queries count it as known."""
    papers: dict[str, RawPaper] = {}
    for answer in answers:
        for paper in answer.papers:
            first = papers.setdefault(paper.id, paper)
            if first is not paper:
                first.sightings = [*first.sightings, *paper.sightings]
                answer.known_before.add(paper.id)
    return list(papers.values())


def keep_best(answers: Sequence[QueryRun], most: int) -> None:
    """Keep at most `most` records of the parts of one query, best first, in turn."""
    places = [
        (place, number, paper.id)
        for number, answer in enumerate(answers)
        for place, paper in enumerate(answer.papers)
    ]
    best = set(islice(dict.fromkeys(paper_id for _, _, paper_id in sorted(places)), most))
    for answer in answers:
        titles = {paper.id: paper.title for paper in answer.papers if paper.id not in best}
        answer.papers = [paper for paper in answer.papers if paper.id in best]
        for place, row in enumerate(answer.arrivals):
            if row.record in titles:
                about = {"record": None, "removed": REASONS["beyond_limit"]}
                about["title"] = titles[row.record]
                answer.arrivals[place] = row.model_copy(update=about)
