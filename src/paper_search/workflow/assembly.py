"""From settings to skills: the only place that chooses which ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

from paper_search.config import AppConfig
from paper_search.errors import PaperSearchError
from paper_search.library import Library
from paper_search.library.source import library_path
from paper_search.llm import create_provider
from paper_search.llm.tracing import redact_traces
from paper_search.models import RawPaper, SearchReport, SearchStrategy
from paper_search.skills import (
    Deduplicator,
    IntentParser,
    QueryBuilder,
    RelevanceScorer,
    ResultOrganizer,
    Scoper,
    Searcher,
)
from paper_search.skills.gap_filler import GapFiller
from paper_search.sources import SearchSource, create_source, create_sources
from paper_search.sources.enrichment import create_enrichers
from paper_search.workflow.skills import Skills

_GRACE_S = 5.0
"""What a source gets to give what it has, after its own deadline."""
LOCAL = frozenset({"library", "sample"})
"""Sources whose records are on this disk already."""
_WAIT_S = 5.0
_log = logging.getLogger(__name__)


def assemble_skills(config: AppConfig, sources: list[str] | None = None) -> Skills:
    """Return the skills that the settings describe.

    Args:
        config: which model (none: by algorithm), which sources, which limits.
        sources: only these, also where the settings have them switched off; None: all enabled.

    Raises:
        ConfigError: a model or a source lacks a setting that it needs.
        UnknownNameError: a source or enricher of that name is not installed.
    """
    redact_traces(config.secrets)
    llm = create_provider(config.llm) if config.llm.is_wanted else None
    if sources is None:
        chosen = create_sources(config)
    else:
        chosen = [create_source(name, config) for name in dict.fromkeys(sources)]
    available = [source.source_name for source in chosen]
    deadline_s = config.source_deadline_s + _GRACE_S
    searcher = (
        KeepingSearcher(chosen, library_path(config.home), deadline_s=deadline_s)
        if config.keep_found
        else Searcher(chosen, deadline_s=deadline_s)
    )
    return Skills(
        intent_parser=IntentParser(
            llm, domain=config.domain, default_max_results=config.default_max_results
        ),
        query_builder=QueryBuilder(
            llm,
            domain=config.domain,
            available_sources=available,
            max_results_ceiling=config.max_results_ceiling,
        ),
        searcher=searcher,
        deduplicator=Deduplicator(
            llm=llm,
            enable_llm_pass=config.dedup_enable_llm_pass,
            llm_max_candidates=config.dedup_llm_max_candidates,
        ),
        relevance_scorer=RelevanceScorer(
            llm,
            batch_size=config.relevance_batch_size,
            max_concurrency=config.relevance_max_concurrency,
        ),
        result_organizer=ResultOrganizer(),
        gap_filler=GapFiller(create_enrichers(config)),
        scoper=Scoper(chosen, deadline_s=config.scope_deadline_s),
    )


class KeepingSearcher(Searcher):
    """Searches as `Searcher` does, and adds every record of a live source to a library.

    That nothing could be kept is no failure of the search: it is noted beside what the first
    live source did.

    Args:
        sources: as `Searcher` takes them.
        library: the directory of the library, made if it is not there.
        deadline_s: what one source gets.
    """

    def __init__(
        self, sources: Iterable[SearchSource], library: Path, *, deadline_s: float = 60.0
    ) -> None:
        super().__init__(sources, deadline_s=deadline_s)
        self._library = library

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Return what `Searcher` returns, with a note on what was kept."""
        found = await super().report(strategy)
        live = [paper for paper in found.papers if paper.source not in LOCAL]
        first = next(
            (n for n, report in enumerate(found.sources) if report.source not in LOCAL), None
        )
        if not live or first is None:
            return found
        note = await asyncio.to_thread(self._keep, live)
        noted = found.sources[first]
        noted = noted.model_copy(update={"note": f"{noted.note}; {note}" if noted.note else note})
        sources = [*found.sources[:first], noted, *found.sources[first + 1 :]]
        return found.model_copy(update={"sources": sources})

    def _keep(self, papers: list[RawPaper]) -> str:
        """Add the papers and return what to say about it."""
        try:
            with Library.open(self._library, wait_s=_WAIT_S) as library:
                changes = library.add(papers)
        except PaperSearchError as error:
            _log.warning("found records were not added to the library: %s", error)
            return f"nothing was added to your library: {error}"
        return (
            f"{changes.added} records were added to your library, "
            f"{changes.updated + changes.unchanged} were there"
        )
