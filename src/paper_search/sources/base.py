"""The interface of a source, the installed ones, how one is ended early and its work noted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.models import (
    HitCount,
    RawPaper,
    SearchConstraints,
    SearchReport,
    SearchStrategy,
    SourceReport,
)
from paper_search.models.scope import Translation
from paper_search.resources import EntryPoints
from paper_search.service_settings import SOURCES

if TYPE_CHECKING:
    from paper_search.sources.adapter import Adapter


@runtime_checkable
class SearchSource(Protocol):
    """What can be searched. Every record it returns has a stable id."""

    @property
    def source_name(self) -> str: ...

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        """Return the records for one boolean query, best first.

        Options: `max_results`, `year_from`, `year_to`, `language`.
        """
        ...

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]: ...


def sources_by_name(
    sources: Iterable[SearchSource] | Mapping[str, SearchSource],
) -> dict[str, SearchSource]:
    if isinstance(sources, Mapping):
        return dict(sources)
    return {source.source_name: source for source in sources}


def class_attribute(source: object, name: str) -> Any:
    """Return an attribute of the class, or None: a test double has any attribute."""
    return getattr(type(source), name, None)


def ranks_text(source: SearchSource) -> bool:
    """Return whether a source has `ranks_text`: it answers plain text by rank; default: no."""
    has_it = class_attribute(source, "ranks_text") is not None
    return has_it and source.ranks_text is True  # type: ignore[attr-defined]  # optional


def keeps_conditions(source: SearchSource) -> bool:
    """Return whether a source has `keeps_conditions`: it asks for those of `filters`; default: no.

    The answers of other sources are checked for them.
    """
    return class_attribute(source, "keeps_conditions") is True


async def remark_of(source: SearchSource) -> str | None:
    """Return what a source's `remark()` says of what it searches, if it has one, else None."""
    remark = getattr(source, "remark", None)
    return await remark() if callable(remark) else None


@runtime_checkable
class CountingSource(SearchSource, Protocol):
    """A source that says how many records a query has, for less than a search."""

    @property
    def is_local(self) -> bool:
        """Whether a count costs no request: the records are on this machine."""
        ...

    async def count(self, query: str, filters: SearchConstraints) -> HitCount | None:
        """Return how many records one boolean query has; None if counting is not possible here."""
        ...


@runtime_checkable
class ReportingSource(SearchSource, Protocol):
    """A source that also says what it did, query by query."""

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Answer as `search_advanced` does, with one entry for every query sent."""
        ...


@runtime_checkable
class TranslatingSource(SearchSource, Protocol):
    """A source that says what it will be sent for a strategy, before it is asked."""

    def translations(self, strategy: SearchStrategy) -> list[Translation]:
        """Return every query in the source's words; nothing is asked, nothing is raised."""
        ...


def counting(source: SearchSource) -> CountingSource | None:
    """Return the source if it can count; None if it has no such method."""
    is_able = callable(class_attribute(source, "count")) and hasattr(type(source), "is_local")
    return cast("CountingSource", source) if is_able else None


def translations(source: SearchSource, strategy: SearchStrategy) -> list[Translation]:
    """Return what a source is sent; one that does not say it is given the queries as they are."""
    if callable(class_attribute(source, "translations")):
        return cast("TranslatingSource", source).translations(strategy)
    texts = {query.boolean_query: False for query in strategy.queries}
    texts |= {query.text: True for query in strategy.ranked}
    return [
        Translation(
            source=source.source_name,
            query=text,
            is_ranked=is_ranked,
            texts=[text],
            notes=["given to the source as it is; how the source asks for it is not known"],
        )
        for text, is_ranked in texts.items()
    ]


SourceFactory = Callable[[AppConfig, SearchSourceConfig], SearchSource]

_REGISTRY: EntryPoints[SourceFactory] = EntryPoints(SOURCES, "source")


def known_sources() -> list[str]:
    return _REGISTRY.names()


def create_source(name: str, config: AppConfig) -> SearchSource:
    """Return the source of that name, made from its settings.

    Raises:
        UnknownNameError: nothing is installed under the name.
        ConfigError: the source lacks a setting that it needs.
    """
    factory = _REGISTRY.read(name)
    return factory(config, config.sources.get(name, SearchSourceConfig(name=name)))


def service_of(name: str) -> type[Adapter] | None:
    """Return the adapter of the installed source of a name, if it has one."""
    return adapter_of(_REGISTRY.read(name)) if name in _REGISTRY.names() else None


def title_of(name: str) -> str:
    """Return what people call a service: `Europe PMC` for `europe_pmc`; any other name as it is."""
    service = service_of(name)
    return name if service is None else service.title


def adapter_of(factory: object) -> type[Adapter] | None:
    """Return the adapter whose method `source` an entry point names, if it is one."""
    from paper_search.sources.adapter import Adapter  # noqa: PLC0415  # slow to import

    owner = getattr(factory, "__self__", None)
    return owner if isinstance(owner, type) and issubclass(owner, Adapter) else None


def create_sources(config: AppConfig) -> list[SearchSource]:
    enabled = [name for name, settings in config.sources.items() if settings.enabled]
    return [create_source(name, config) for name in enabled]


@dataclass(slots=True)
class Interruption:
    """Set by who asks a source, before cancelling it: what it has read by then is wanted.

    Attributes:
        reason: why the source is not waited for any longer; empty: it is.
    """

    reason: str = ""

    def end(self, asking: asyncio.Future[Any], reason: str) -> None:
        self.reason = reason
        asking.cancel()


_CURRENT: ContextVar[Interruption | None] = ContextVar("interruption", default=None)


def interruptible() -> Interruption:
    interruption = Interruption()
    _CURRENT.set(interruption)
    return interruption


def reason_to_end() -> str:
    """Return why a source that was just cancelled is to answer with what it has; empty: it is not.

    The cancellation is taken back, so that the source can go on to its end.
    """
    interruption, task = _CURRENT.get(), asyncio.current_task()
    if interruption is None or not interruption.reason or task is None:
        return ""
    task.uncancel()
    return interruption.reason


Row = Callable[[], SourceReport]
"""Returns what one query to one source came to so far."""

_ROWS: ContextVar[list[Row] | None] = ContextVar("journal", default=None)


@contextmanager
def journal() -> Iterator[list[Row]]:
    """Yield a list that gets a row for every query that is sent within this context."""
    rows: list[Row] = []
    token = _ROWS.set(rows)
    try:
        yield rows
    finally:
        _ROWS.reset(token)


def open_row(row: Row) -> None:
    rows = _ROWS.get()
    if rows is not None:
        rows.append(row)
