"""Looks up missing fields (abstract, DOI, open text) in batches, within a budget of requests."""

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
from paper_search.sources.asking import HOPELESS
from paper_search.sources.base import known_sources, open_row, service_of
from paper_search.sources.client import NO_CALLS, ServiceClient, SourceSettings
from paper_search.sources.errors import ServiceError
from paper_search.sources.translation import request_text

__all__ = [
    "GAPS", "TEXT_SERVICES", "Enricher", "LookUp", "create_enrichers", "enricher_names",
    "says_open", "title_of",
]  # fmt: skip
ItemT = TypeVar("ItemT")
GAPS = ("abstract", "doi", "full_text_url")
"""The fields that are looked up where they are missing."""
TEXT_SERVICES = ("openalex", "unpaywall", "europe_pmc", "core")
"""Who is asked where the text of an included work is open, in this order."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """What an enricher knows: the records that may be of each work, by the work's id.

    `answered`: ids of the works that it was asked for and gave an answer on, if only that it knows
    none of them.
    """

    report: SourceReport
    records: dict[str, list[RawPaper]] = field(default_factory=dict)
    answered: frozenset[str] = frozenset()


@runtime_checkable
class Enricher(Protocol):
    """Looks up works. It returns whole records; the caller takes the missing fields."""

    @property
    def enricher_name(self) -> str: ...

    async def look_up(self, works: Sequence[RawPaper]) -> LookUp:
        """Return what is known of the works; a failure is data, never an exception."""
        ...


EnricherFactory = Callable[[AppConfig], Enricher]
"""Makes an enricher of the settings; one that lacks a setting says so when it is asked."""

_REGISTRY: EntryPoints[EnricherFactory] = EntryPoints("paper_search.enrichers", "enricher")


def enricher_names() -> list[str]:
    return _REGISTRY.names()


def _services() -> dict[str, type[Service]]:
    """Return the services of the installed enrichers that have one, by name."""
    owners = {name: getattr(_REGISTRY.read(name), "__self__", None) for name in enricher_names()}
    return {name: owner for name, owner in owners.items() if isinstance(owner, type)}


def title_of(name: str) -> str:
    """Return what people call the service of an enricher."""
    service = _services().get(name)
    return name if service is None else service.title


def says_open(prefix: str) -> bool:
    """Whether texts that a service links to are open to everybody, as it says itself."""
    services = filter(None, (*map(service_of, known_sources()), *_services().values()))
    return any(s.says_open and prefix == (s.record_prefix or s.name) for s in services)


def create_enrichers(config: AppConfig) -> list[Enricher]:
    return [_REGISTRY.read(name)(config) for name in dict.fromkeys(config.enrichers)]


_DEADLINE_S = 20.0
"""For one enricher: a search does not wait long for what is only welcome."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One request, and the works that it asks for.

    `is_by_title`: the service was asked for a title: whatever it gives may be another work.
    """

    request: Request
    works: tuple[RawPaper, ...]
    is_by_title: bool = False


class Lookup(Service):
    """A service that works are looked up at."""

    fields: ClassVar[tuple[str, ...]] = GAPS
    """The gaps that the service may fill."""

    @classmethod
    def enricher(cls, config: AppConfig) -> "HttpEnricher":
        settings = config.sources.get(cls.name)
        key = settings.api_key if settings else ""
        is_closed = settings is not None and settings.max_calls == 0
        return HttpEnricher(
            cls(key, contact=config.contact),
            SourceSettings.of(
                config,
                max_calls=0 if is_closed else config.enrich_max_calls,
                max_retries=1,
                deadline_s=min(_DEADLINE_S, config.source_deadline_s),
            ),
        )

    @property
    def obstacle(self) -> str | None:
        """Why the service cannot be asked at all; None if it can."""
        return None

    @abstractmethod
    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        """Yield the requests, those that tell most first; what it cannot be asked is left out."""


@dataclass(slots=True)
class _Asking:
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
    """Looks works up at one web service.

    `max_calls` of the settings counts for one look-up.
    """

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
        asking = _Asking()
        if self._obstacle:
            return LookUp(self._report(asking, 0.0))
        open_row(lambda: self._report(asking, time.monotonic() - started))
        budget = CallBudget(self.settings.max_calls, setting="PAPER_SEARCH_ENRICH_MAX_CALLS")
        async with ServiceClient(self.adapter, self.settings, budget) as http:
            for batch in self.adapter.batches(lacking):
                ends = HOPELESS | {SourceStatus.TIMEOUT}
                is_over = asking.error is not None and asking.error.status in ends
                if is_over or budget.is_spent:
                    asking.skipped += len(batch.works)
                else:
                    await self._ask(http, batch, asking, ends_at)
        report = self._report(asking, time.monotonic() - started)
        return LookUp(report, asking.records, frozenset(asking.answered))

    async def _ask(
        self, http: ServiceClient, batch: Batch, asking: _Asking, ends_at: float
    ) -> None:
        first = len(asking.requests)
        try:
            answer = await http.get(batch.request, asking.requests, ends_at)
            page = await http.read(answer, partial(self.adapter.read, request=batch.request))
        except ServiceError as error:
            if error.http_status != HTTPStatus.NOT_FOUND or len(batch.works) > 1:
                asking.error = error
                return
        else:
            asking.unassigned += _assign(page.papers, batch, asking.records)
            asking.notes += page.notes
        finally:
            asking.count += len(batch.works)
            for record in asking.requests[first:]:
                record.text = request_text(batch.request, self.settings.contact)
        asking.answered |= {work.id for work in batch.works}

    @property
    def _obstacle(self) -> str | None:
        return self.adapter.obstacle or (NO_CALLS if self.settings.max_calls == 0 else None)

    def _report(self, asking: _Asking, seconds: float) -> SourceReport:
        status = SourceStatus.OK if asking.records else SourceStatus.EMPTY
        if asking.error is not None:
            status = SourceStatus.PARTIAL if asking.records else asking.error.status
        return SourceReport(
            source=f"{self.enricher_name}{OF_ENRICHER}",
            purpose=Purpose.FILL,
            query=f"missing fields of {quantity(asking.count, 'work')}" if asking.count else None,
            status=status,
            hits=len(asking.records),
            excluded=asking.unassigned,
            unused=sum(map(len, asking.records.values())),
            requests=asking.requests,
            asked_at=asking.requests[0].at if asking.requests else None,
            milliseconds=round(seconds * 1000),
            error=str(asking.error) if asking.error else None,
            note=self._obstacle or "; ".join(_notes(asking)) or None,
        )


def in_batches(items: Sequence[ItemT], size: int) -> Iterator[tuple[ItemT, ...]]:
    for start in range(0, len(items), size):
        yield tuple(items[start : start + size])


def _notes(asking: _Asking) -> Iterator[str]:
    yield from dict.fromkeys(asking.notes)
    if asking.skipped:
        reason = "after this failure" if asking.error else "see PAPER_SEARCH_ENRICH_MAX_CALLS"
        yield f"{quantity(asking.skipped, 'work was', 'works were')} not looked up: {reason}"


def _assign(
    candidates: Sequence[RawPaper], batch: Batch, records: dict[str, list[RawPaper]]
) -> int:
    """Give every record to the works that it may be of; return how many are of none."""
    assigned: set[int] = set()
    for work in batch.works:
        names = names_of(work)
        for place, record in enumerate(candidates):
            if batch.is_by_title or names & names_of(record):
                records.setdefault(work.id, []).append(record)
                assigned.add(place)
    return len(candidates) - len(assigned)
