"""The interfaces of sources, the installed sources, and how to interrupt and observe them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import ConfigError
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
    """Return an attribute of the class, or None; instances of mocks have any attribute."""
    return getattr(type(source), name, None)


def ranks_text(source: SearchSource) -> bool:
    """Whether a source ranks records for plain text (optional attribute `ranks_text`)."""
    has_it = class_attribute(source, "ranks_text") is not None
    return has_it and source.ranks_text is True  # type: ignore[attr-defined]  # optional


def keeps_conditions(source: SearchSource) -> bool:
    """Whether a source applies the conditions of `filters` (optional attribute).

    The results of other sources are checked for them.
    """
    return class_attribute(source, "keeps_conditions") is True


async def remark_of(source: SearchSource) -> str | None:
    """Return the result of the source's optional method `remark()` about its contents."""
    remark = getattr(source, "remark", None)
    return await remark() if callable(remark) else None


@runtime_checkable
class CountingSource(SearchSource, Protocol):
    @property
    def is_local(self) -> bool:
        """Whether counting needs no request because the records are on this machine."""
        ...

    async def count(self, query: str, filters: SearchConstraints) -> HitCount | None: ...


@runtime_checkable
class ReportingSource(SearchSource, Protocol):
    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Return the records of `search_advanced`, with one entry for every query sent."""
        ...


@runtime_checkable
class TranslatingSource(SearchSource, Protocol):
    def translations(self, strategy: SearchStrategy) -> list[Translation]:
        """Return every query in the source's dialect, without sending or raising anything."""
        ...


def counting(source: SearchSource) -> CountingSource | None:
    is_able = callable(class_attribute(source, "count")) and hasattr(type(source), "is_local")
    return cast("CountingSource", source) if is_able else None


def translations(source: SearchSource, strategy: SearchStrategy) -> list[Translation]:
    """Return what a source would send; for sources without `translations`, the queries."""
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
            notes=["passed to the source unchanged; what the source sends is not known"],
        )
        for text, is_ranked in texts.items()
    ]


SourceFactory = Callable[[AppConfig, SearchSourceConfig], SearchSource]

_REGISTRY: EntryPoints[SourceFactory] = EntryPoints(SOURCES, "source")


def known_sources() -> list[str]:
    return _REGISTRY.names()


def create_source(name: str, config: AppConfig) -> SearchSource:
    """Create the source of that name from its settings.

    Raises:
        UnknownNameError: no source of that name is installed.
        ConfigError: a required setting is missing, or the source has another name.
    """
    settings = config.sources.get(name, SearchSourceConfig(name=name))
    source: SearchSource = _REGISTRY.call(name, config, settings)
    if source.source_name != name:
        raise ConfigError(
            f"the source {name!r} has the source_name {source.source_name!r}: "
            "rename its entry point, or the source"
        )
    return source


def service_of(name: str) -> type[Adapter] | None:
    return adapter_of(_REGISTRY.owner(name))


def title_of(name: str) -> str:
    """Return the display name: `Europe PMC` for `europe_pmc`; other names unchanged."""
    service = service_of(name)
    return name if service is None else service.title


def adapter_of(owner: object) -> type[Adapter] | None:
    """Return the class of a registered method if it is an adapter, else None."""
    from paper_search.sources.adapter import Adapter  # noqa: PLC0415  # slow to import

    return owner if isinstance(owner, type) and issubclass(owner, Adapter) else None


def create_sources(config: AppConfig) -> list[SearchSource]:
    enabled = [name for name, settings in config.sources.items() if settings.enabled]
    return [create_source(name, config) for name in enabled]


@dataclass(slots=True)
class Interruption:
    """Marks a cancellation after which the source returns what it has read.

    Attributes:
        reason: why the source is interrupted; empty while it is not.
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
    """Return why the current source was interrupted; empty for an ordinary cancellation.

    An interruption undoes the cancellation, so that the source can return what it has read.
    """
    interruption, task = _CURRENT.get(), asyncio.current_task()
    if interruption is None or not interruption.reason or task is None:
        return ""
    task.uncancel()
    return interruption.reason


Row = Callable[[], SourceReport]
"""Returns the report of one query to one source so far."""

_ROWS: ContextVar[list[Row] | None] = ContextVar("journal", default=None)


@contextmanager
def journal() -> Iterator[list[Row]]:
    """Yield a list that receives a row for every query sent in this context."""
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
