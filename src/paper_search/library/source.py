"""The sources `library` and `sample`: local records."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import InputError, LibraryError, QuerySyntaxError, SearchSourceError
from paper_search.library.corpus import Hits, Library
from paper_search.library.samples import open_sample
from paper_search.llm.embeddings import Embedder, create_embedder
from paper_search.models import (
    HitCount,
    Purpose,
    RankedQuery,
    RawPaper,
    SearchConstraints,
    SearchReport,
    SearchStrategy,
    Sighting,
    SourceReport,
    SourceStatus,
)
from paper_search.models.scope import Translation
from paper_search.query import conditions_in

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings


SAMPLE = "sample"
LIBRARY_DIRECTORY = "library"


class OpenLibrary(NamedTuple):
    """An open library, which the caller closes; `note` is for the person."""

    library: Library
    note: str | None = None
    is_sample: bool = False


Opener = Callable[[], OpenLibrary]
Query = RankedQuery | str | list[str]
"""Plain text, a boolean query, or the ids of named works, to which the limits do not apply."""


@dataclass(eq=False)
class LibrarySource:
    source_name: str
    open_library: Opener
    _: KW_ONLY
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    ranks_text = True
    keeps_conditions = True
    is_local = True

    async def remark(self) -> str | None:
        return await asyncio.to_thread(self._remark)

    async def count(self, query: str, filters: SearchConstraints) -> HitCount:
        return await asyncio.to_thread(self._count, query, filters)

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        """Return the papers for one boolean query, best first.

        Options: `max_results`, `year_from`, `year_to`, `language`.
        """
        limits = SearchConstraints.model_validate(options)
        return await asyncio.to_thread(self._search, query, limits)

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        """Return the papers for all queries of the strategy, each once.

        Raises:
            SearchSourceError: all queries failed.
        """
        report = await self.report(strategy)
        if report.sources and all(source.status.is_failure for source in report.sources):
            raise SearchSourceError(
                f"{self.source_name}: " + "; ".join(str(source.error) for source in report.sources)
            )
        return report.papers

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        return await asyncio.to_thread(self._report, strategy)

    def translations(self, strategy: SearchStrategy) -> list[Translation]:
        works = [
            Translation(source=self.source_name, query=name, texts=[name])
            for name in strategy.works
        ]
        queries = [
            Translation(
                source=self.source_name,
                query=query if isinstance(query, str) else query.text,
                is_ranked=isinstance(query, RankedQuery),
                texts=[_label(query)],
                error=_fault(query, strategy.filters),
            )
            for query in _queries(strategy)
        ]
        local = {"notes": ["searched on this machine; nothing is sent"]}
        return [translation.model_copy(update=local) for translation in (*works, *queries)]

    def _remark(self) -> str | None:
        library, note, _ = self.open_library()
        library.close()
        return note

    def _count(self, query: str, filters: SearchConstraints) -> HitCount:
        library, _, is_sample = self.open_library()
        with library:
            hits = library.count_boolean(query, filters=filters)
        return HitCount(hits=hits, source=SAMPLE if is_sample else None)

    def _search(self, query: str, limits: SearchConstraints) -> list[RawPaper]:
        with self.open_library().library as library:
            hits = library.search_boolean(query, limit=limits.max_results, filters=limits)
        return self._with_sightings(hits, query)

    def _report(self, strategy: SearchStrategy) -> SearchReport:
        queries = _queries(strategy)
        if not queries and not strategy.works:
            return SearchReport()
        try:
            library, note, is_sample = self.open_library()
        except LibraryError as error:
            failed = {"status": SourceStatus.UNREACHABLE, "error": str(error)}
            rows = [
                SourceReport(source=self.source_name, query=_label(q), **failed) for q in queries
            ]
            return SearchReport(sources=rows)
        by_id: dict[str, RawPaper] = {}
        reports: list[SourceReport] = []
        with library:
            for query in (*([strategy.works] if strategy.works else []), *queries):
                papers, report = self._answer(library, query, strategy.filters)
                report.note = "; ".join(filter(None, (note, report.note))) or None
                if is_sample:
                    _say_sample(papers, report)
                reports.append(report)
                for paper in papers:
                    if paper.id in by_id:
                        by_id[paper.id].sightings += paper.sightings
                        report.kept, report.repeated = report.kept - 1, report.repeated + 1
                    else:
                        by_id[paper.id] = paper
        return SearchReport(papers=list(by_id.values()), sources=reports)

    def _answer(
        self, library: Library, query: Query, limits: SearchConstraints
    ) -> tuple[list[RawPaper], SourceReport]:
        started = time.monotonic()
        papers: list[RawPaper] = []
        label, limit = _label(query), limits.max_results
        report = SourceReport(source=self.source_name, query=label, status=SourceStatus.EMPTY)
        try:
            if isinstance(query, str):
                hits = library.search_boolean(query, limit=limit, filters=limits)
            elif isinstance(query, RankedQuery):
                limit = max(limit, query.depth or 0)
                hits = library.search_ranked(query, limit=limit, filters=limits)
            else:
                limit, report.purpose = len(query), Purpose.WORK
                records = library.get(query)
                works = [records[name] for name in query if name in records]
                hits = Hits(works, len(works))
        except InputError as error:
            report.status, report.error = SourceStatus.BAD_RESPONSE, str(error)
        except LibraryError as error:
            report.status, report.error = SourceStatus.UNREACHABLE, str(error)
        else:
            papers = self._with_sightings(hits, label)
            report.hits, report.kept, report.note = hits.total, len(papers), hits.note
            report.status = SourceStatus.OK if papers else SourceStatus.EMPTY
        report.limit, report.milliseconds = limit, round((time.monotonic() - started) * 1000)
        return papers, report

    def _with_sightings(self, hits: Hits, query: str) -> list[RawPaper]:
        now = self.clock().isoformat()
        seen = Sighting(
            source=self.source_name, query=query, seen_at=now, by_meaning=hits.by_meaning
        )
        for rank, paper in enumerate(hits.papers, start=1):
            paper.source = self.source_name
            paper.sightings = [seen.model_copy(update={"rank": rank})]
        return hits.papers


def _say_sample(papers: list[RawPaper], report: SourceReport) -> None:
    """Mark a result as one of the sample, which replaces an empty library."""
    report.is_sample, report.source = True, SAMPLE
    for paper in papers:
        paper.source = SAMPLE
        for sighting in paper.sightings:
            sighting.source = SAMPLE


def _queries(strategy: SearchStrategy) -> list[RankedQuery | str]:
    return [*strategy.plain(), *(query.boolean_query for query in strategy.queries)]


def _fault(query: RankedQuery | str, filters: SearchConstraints) -> str | None:
    """Return why a query or a condition of the limits cannot be read, or None."""
    try:
        conditions_in([*([query] if isinstance(query, str) else []), *filters.every_condition])
    except QuerySyntaxError as error:
        return str(error)
    return None


def _label(query: Query) -> str:
    if not isinstance(query, RankedQuery):
        return query if isinstance(query, str) else " ".join(query)
    terms = (f"{term}^{weight:.2g}" for term, weight in query.terms.items())
    names = [f"or {name}" for name in query.long_forms]
    return " ".join((query.text, *names, *terms))


def create_library_source(config: AppConfig, settings: SearchSourceConfig) -> LibrarySource:
    embedder = create_embedder(config.embeddings)
    return LibrarySource(settings.name, lambda: open_searched(config.home, embedder))


def open_searched(home: Path, embedder: Embedder | Embeddings | None) -> OpenLibrary:
    """Open the user's library, or the sample with a note while the library is empty."""
    path = library_path(home)
    if Library.exists(path):
        library = Library.open(path, embedder=embedder)
        if not library.is_empty:
            return OpenLibrary(library)
        library.close()
    sample = open_sample(home, embedder)
    note = f"your library is empty: the sample of {len(sample):,} records is searched instead"
    return OpenLibrary(sample, note, is_sample=True)


def create_sample_source(config: AppConfig, settings: SearchSourceConfig) -> LibrarySource:
    embedder = create_embedder(config.embeddings)
    return LibrarySource(
        settings.name, lambda: OpenLibrary(open_sample(config.home, embedder), is_sample=True)
    )


def library_path(home: Path) -> Path:
    return home / LIBRARY_DIRECTORY
