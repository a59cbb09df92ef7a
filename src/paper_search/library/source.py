"""The sources `library` and `sample`: the corpus on disk, asked as any other source is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import InputError, LibraryError, SearchSourceError
from paper_search.library.answers import Hits
from paper_search.library.corpus import Library
from paper_search.library.embedders import create_embedder
from paper_search.library.samples import open_sample
from paper_search.models import (
    HitCount,
    RawPaper,
    SearchConstraints,
    SearchReport,
    SearchStrategy,
    Sighting,
    SourceReport,
    SourceStatus,
)

LIBRARY_DIRECTORY = "library"
"""Where in the home the person's own library lies."""

Opener = Callable[[], tuple[Library, str | None]]
"""Opens what is to be searched, and says what the person should know about it."""


class LibrarySource:
    """A library on disk as a source of papers; every query is asked exactly as it is written."""

    def __init__(
        self,
        name: str,
        open_library: Opener,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._name = name
        self._open = open_library
        self._clock = clock

    @property
    def source_name(self) -> str:
        """The name that strategies use."""
        return self._name

    @property
    def is_local(self) -> bool:
        """A count costs no request."""
        return True

    async def count(self, query: str, filters: SearchConstraints) -> HitCount:
        """Return how many papers one boolean query has, exactly.

        Raises:
            QuerySyntaxError: the query cannot be read.
            LibraryError: the library cannot be read.
        """
        return await asyncio.to_thread(self._count, query, filters)

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        """Return the papers for one boolean query, best first.

        Options: `max_results`, `year_from`, `year_to`, `language`.

        Raises:
            QuerySyntaxError: the query cannot be read.
            LibraryError: the library cannot be read.
        """
        limits = SearchConstraints.model_validate(options)
        return await asyncio.to_thread(self._search, query, limits)

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        """Return the papers for all queries of the strategy, each once.

        Raises:
            SearchSourceError: no query at all could be answered.
        """
        report = await self.report(strategy)
        if report.sources and all(each.status.is_failure for each in report.sources):
            raise SearchSourceError(
                f"{self._name}: " + "; ".join(str(each.error) for each in report.sources)
            )
        return report.papers

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Answer all queries of the strategy, each paper once, and say what each query found."""
        return await asyncio.to_thread(self._report, strategy)

    def _count(self, query: str, filters: SearchConstraints) -> HitCount:
        library, _ = self._open()
        with library:
            return HitCount(hits=library.count_boolean(query, filters=filters))

    def _search(self, query: str, limits: SearchConstraints) -> list[RawPaper]:
        library, _ = self._open()
        with library:
            hits = library.search_boolean(query, limit=limits.max_results, filters=limits)
        return self._seen(hits, query)

    def _report(self, strategy: SearchStrategy) -> SearchReport:
        queries = [query.boolean_query for query in strategy.queries]
        if not queries:
            return SearchReport()
        try:
            library, note = self._open()
        except LibraryError as error:
            failed = {"status": SourceStatus.UNREACHABLE, "error": str(error)}
            return SearchReport(
                sources=[SourceReport(source=self._name, query=each, **failed) for each in queries]
            )
        found: dict[str, RawPaper] = {}
        reports: list[SourceReport] = []
        with library:
            for query in queries:
                papers, report = self._answer(library, query, strategy.filters)
                report.note = "; ".join(filter(None, (note, report.note))) or None
                reports.append(report)
                for paper in papers:
                    if paper.id in found:
                        found[paper.id].sightings += paper.sightings
                    else:
                        found[paper.id] = paper
        return SearchReport(papers=list(found.values()), sources=reports)

    def _answer(
        self, library: Library, query: str, limits: SearchConstraints
    ) -> tuple[list[RawPaper], SourceReport]:
        started = time.monotonic()
        papers: list[RawPaper] = []
        report = SourceReport(source=self._name, query=query, status=SourceStatus.EMPTY)
        try:
            hits = library.search_boolean(query, limit=limits.max_results, filters=limits)
        except InputError as error:
            report.status, report.error = SourceStatus.BAD_RESPONSE, str(error)
        except LibraryError as error:
            report.status, report.error = SourceStatus.UNREACHABLE, str(error)
        else:
            papers = self._seen(hits, query)
            report.hits, report.kept, report.note = hits.total, len(papers), hits.note
            report.status = SourceStatus.OK if papers else SourceStatus.EMPTY
        report.milliseconds = round((time.monotonic() - started) * 1000)
        return papers, report

    def _seen(self, hits: Hits, query: str) -> list[RawPaper]:
        """Return the papers, each saying that it was seen here, for which query, at which rank."""
        now = self._clock().isoformat()
        for rank, paper in enumerate(hits.papers, start=1):
            paper.source = self._name
            paper.sightings = [Sighting(source=self._name, query=query, rank=rank, seen_at=now)]
        return hits.papers


def create_library_source(config: AppConfig, settings: SearchSourceConfig) -> LibrarySource:
    """Return the source that searches `<home>/library`, or the sample while that is empty.

    Raises:
        ConfigError: the embedding model that is set cannot be found.
    """
    embedder = create_embedder(config.embeddings)

    def open_library() -> tuple[Library, str | None]:
        path = library_path(config.home)
        if Library.exists(path):
            library = Library.open(path, embedder=embedder)
            if not library.is_empty:
                return library, None
            library.close()
        sample = open_sample(config.home)
        return sample, (
            f"your library is empty: searched the sample of {len(sample)} records that ships"
        )

    return LibrarySource(settings.name, open_library)


def create_sample_source(config: AppConfig, settings: SearchSourceConfig) -> LibrarySource:
    """Return the source that always searches the sample that ships."""
    return LibrarySource(settings.name, lambda: (open_sample(config.home), None))


def library_path(home: Path) -> Path:
    """Return the directory of the person's own library."""
    return home / LIBRARY_DIRECTORY
