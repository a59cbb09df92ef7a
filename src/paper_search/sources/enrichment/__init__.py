"""Look up missing fields (abstract, DOI, open text) in batches, within a request budget."""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from paper_search.bibliography.identifiers import names_of
from paper_search.config import AppConfig
from paper_search.http.limits import CallBudget
from paper_search.models import Purpose, RawPaper, RequestRecord, SourceReport, SourceStatus
from paper_search.models.source_report import OF_ENRICHER, quantity
from paper_search.resources import EntryPoints
from paper_search.sources.adapter import Request, Service
from paper_search.sources.base import known_sources, open_row, service_of
from paper_search.sources.client import ServiceClient, SourceSettings
from paper_search.sources.errors import ServiceError
from paper_search.sources.query_run import HOPELESS
from paper_search.sources.translation import request_text

__all__ = [
    "GAPS", "TEXT_SERVICES", "Enricher", "LookUp", "create_enrichers", "enricher_names",
    "says_open", "title_of",
]  # fmt: skip
ItemT = TypeVar("ItemT")
GAPS = ("abstract", "doi", "full_text_url")
"""Fields that are looked up if missing."""
TEXT_SERVICES = ("openalex", "unpaywall", "europe_pmc", "core")
"""Enrichers that locate open full texts of included works, in this order."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """The result of a look-up: records that may describe each work, by the work's id.

    `answered`: ids of the works for which the service answered, including those it does not know.
    """

    report: SourceReport
    records: dict[str, list[RawPaper]] = field(default_factory=dict)
    answered: frozenset[str] = frozenset()


@runtime_checkable
class Enricher(Protocol):
    """Looks up whole records of works; the caller takes the missing fields."""

    @property
    def enricher_name(self) -> str: ...

    async def look_up(self, works: Sequence[RawPaper]) -> LookUp:
        """Return records of the works; failures are in the report and never raised."""
        ...


EnricherFactory = Callable[[AppConfig], Enricher]
"""Creates an enricher; if it lacks a setting, its report says so."""

_REGISTRY: EntryPoints[EnricherFactory] = EntryPoints("paper_search.enrichers", "enricher")


def enricher_names() -> list[str]:
    return _REGISTRY.names()


def _services() -> dict[str, type[Service]]:
    owners = {name: _REGISTRY.owner(name) for name in enricher_names()}
    return {name: owner for name, owner in owners.items() if isinstance(owner, type)}


def title_of(name: str) -> str:
    service = _services().get(name)
    return name if service is None else service.title


def says_open(prefix: str) -> bool:
    """Whether a service states that the texts it links to are open to everybody."""
    services = filter(None, (*map(service_of, known_sources()), *_services().values()))
    return any(s.says_open and prefix == (s.record_prefix or s.name) for s in services)


def create_enrichers(config: AppConfig) -> list[Enricher]:
    return [_REGISTRY.call(name, config) for name in dict.fromkeys(config.enrichers)]


_NO_CALLS = "not asked: PAPER_SEARCH_ENRICH_MAX_CALLS, or the service's own limit, is 0"
_DEADLINE_S = 20.0
"""For one enricher: enrichment is optional, so a search does not wait long for it."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One request and its works; results of a request `is_by_title` may be other works."""

    request: Request
    works: tuple[RawPaper, ...]
    is_by_title: bool = False


class Lookup(Service):
    fields: ClassVar[tuple[str, ...]] = GAPS
    """Fields that the service may supply."""

    @classmethod
    def enricher(cls, config: AppConfig) -> "HttpEnricher":
        settings = config.sources.get(cls.name)
        is_closed = settings is not None and settings.max_calls == 0
        return HttpEnricher(
            cls(settings.api_key if settings else "", contact=config.contact),
            SourceSettings.of(
                config,
                max_calls=0 if is_closed else config.enrich_max_calls,
                max_retries=1,
                deadline_s=min(_DEADLINE_S, config.source_deadline_s),
            ),
        )

    @property
    def obstacle(self) -> str | None:
        return None

    @abstractmethod
    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        """Yield the requests, most useful first; works that cannot be looked up are skipped."""


@dataclass(slots=True)
class _Progress:
    records: dict[str, list[RawPaper]] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    requests: list[RequestRecord] = field(default_factory=list)
    count: int = 0
    unassigned: int = 0
    skipped: int = 0
    notes: list[str] = field(default_factory=list)
    error: ServiceError | None = None


@dataclass
class HttpEnricher:
    """Looks up works at one web service; `max_calls` of the settings is for one look-up."""

    adapter: Lookup
    settings: SourceSettings

    @property
    def enricher_name(self) -> str:
        return self.adapter.name

    async def look_up(self, works: Sequence[RawPaper]) -> LookUp:
        started = time.monotonic()
        ends_at = started + self.settings.deadline_s
        lacking = [
            work for work in works if any(not getattr(work, gap) for gap in self.adapter.fields)
        ]
        progress = _Progress()
        if self._obstacle:
            return LookUp(self._report(progress, 0.0))
        open_row(lambda: self._report(progress, time.monotonic() - started))
        budget = CallBudget(self.settings.max_calls, setting="PAPER_SEARCH_ENRICH_MAX_CALLS")
        async with ServiceClient(self.adapter, self.settings, budget) as http:
            for batch in self.adapter.batches(lacking):
                ends = HOPELESS | {SourceStatus.TIMEOUT}
                is_over = progress.error is not None and progress.error.status in ends
                if is_over or budget.is_spent:
                    progress.skipped += len(batch.works)
                else:
                    await self._ask(http, batch, progress, ends_at)
        report = self._report(progress, time.monotonic() - started)
        return LookUp(report, progress.records, frozenset(progress.answered))

    async def _ask(
        self, http: ServiceClient, batch: Batch, progress: _Progress, ends_at: float
    ) -> None:
        first = len(progress.requests)
        try:
            answer = await http.get(batch.request, progress.requests, ends_at)
            page = await http.read(answer, partial(self.adapter.read, request=batch.request))
        except ServiceError as error:
            if error.http_status != HTTPStatus.NOT_FOUND or len(batch.works) > 1:
                progress.error = error
                return
        else:
            progress.unassigned += _assign(page.papers, batch, progress.records)
            progress.notes += page.notes
        finally:
            progress.count += len(batch.works)
            for record in progress.requests[first:]:
                record.text = request_text(batch.request, self.settings.contact)
        progress.answered |= {work.id for work in batch.works}

    @property
    def _obstacle(self) -> str | None:
        return self.adapter.obstacle or (_NO_CALLS if self.settings.max_calls == 0 else None)

    def _report(self, progress: _Progress, seconds: float) -> SourceReport:
        status = SourceStatus.OK if progress.records else SourceStatus.EMPTY
        if progress.error is not None:
            status = SourceStatus.PARTIAL if progress.records else progress.error.status
        return SourceReport(
            source=f"{self.enricher_name}{OF_ENRICHER}",
            purpose=Purpose.FILL,
            query=f"missing fields of {quantity(progress.count, 'work')}" if progress.count else "",
            status=status,
            hits=len(progress.records),
            excluded=progress.unassigned,
            unused=sum(map(len, progress.records.values())),
            requests=progress.requests,
            asked_at=progress.requests[0].at if progress.requests else None,
            milliseconds=round(seconds * 1000),
            error=str(progress.error) if progress.error else None,
            note=self._obstacle or "; ".join(_notes(progress)) or None,
        )


def in_batches(items: Sequence[ItemT], size: int) -> Iterator[tuple[ItemT, ...]]:
    for start in range(0, len(items), size):
        yield tuple(items[start : start + size])


def _notes(progress: _Progress) -> Iterator[str]:
    yield from dict.fromkeys(progress.notes)
    if progress.skipped:
        reason = "after this failure" if progress.error else "see PAPER_SEARCH_ENRICH_MAX_CALLS"
        yield f"{quantity(progress.skipped, 'work was', 'works were')} not looked up: {reason}"


def _assign(
    candidates: Sequence[RawPaper], batch: Batch, records: dict[str, list[RawPaper]]
) -> int:
    """Assign records to the works that they may describe; return how many match no work."""
    assigned: set[int] = set()
    for work in batch.works:
        names = names_of(work)
        for place, record in enumerate(candidates):
            if batch.is_by_title or names & names_of(record):
                records.setdefault(work.id, []).append(record)
                assigned.add(place)
    return len(candidates) - len(assigned)
