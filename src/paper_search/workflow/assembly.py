"""Builds the skills from the settings; no other module chooses them."""

import asyncio
import functools
import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from paper_search.config import AppConfig
from paper_search.errors import EmbeddingError, PaperSearchError
from paper_search.library import Library
from paper_search.library.source import library_path
from paper_search.llm import LLMProvider, create_models
from paper_search.llm.chat import ChatProvider
from paper_search.llm.creation import redact_output
from paper_search.llm.embeddings import MINILM, create_embedder
from paper_search.llm.metering import Metering, load_prices
from paper_search.models import RawPaper, SearchReport, SearchStrategy
from paper_search.models.scope import Translation
from paper_search.models.settings import Skill
from paper_search.models.source_report import LOCAL, quantity
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
from paper_search.skills.known_papers import find_papers, has_name
from paper_search.skills.result_ranker import Likeness, ResultRanker
from paper_search.sources import SearchSource, create_source, create_sources, known_sources
from paper_search.sources.enrichment import create_enrichers
from paper_search.steps.types import PARAMS
from paper_search.workflow.skills import Skills

_GRACE_S = 5.0
"""Time for a source to return what it has, after its own deadline."""
_WAIT_S = 5.0
_log = logging.getLogger(__name__)


def assemble_skills(config: AppConfig, sources: list[str] | None = None) -> Skills:
    """Return the skills that the settings describe.

    `sources`: only these, even if the settings disable them; None for all enabled ones.
    """
    redact_output(config.secrets)
    models = create_models(config.llm)
    if sources is None:
        adapters = create_sources(config)
    else:
        adapters = [create_source(name, config) for name in dict.fromkeys(sources)]
    searcher = _searcher(config, adapters)
    return Skills(
        intent_parser=IntentParser(
            models[Skill.INTENT],
            domain=config.domain,
            default_max_results=config.default_max_results,
            lookup=functools.partial(has_name, searcher),
            find_papers=functools.partial(find_papers, searcher),
            has_fallback=True,
        ),
        query_builder=QueryBuilder(
            models[Skill.STRATEGY],
            domain=config.domain,
            available_sources=[source.source_name for source in adapters],
            max_results_ceiling=config.max_results_ceiling,
        ),
        searcher=searcher,
        deduplicator=Deduplicator(
            llm=models[Skill.DUPLICATES],
            enable_llm_pass=config.dedup_enable_llm_pass,
            llm_max_candidates=config.dedup_llm_max_candidates,
        ),
        relevance_scorer=RelevanceScorer(
            models[Skill.JUDGE],
            batch_size=config.relevance_batch_size,
            max_concurrency=config.relevance_max_concurrency,
        ),
        result_organizer=ResultOrganizer(),
        result_ranker=ResultRanker(_likeness(config)),
        gap_filler=GapFiller(create_enrichers(config)),
        scoper=Scoper(adapters, deadline_s=config.scope_deadline_s),
        metering=metering_of(config, models),
        create_source=lambda name: create_source(name, config),
    )


def _likeness(config: AppConfig) -> Likeness | None:
    """Return a function that compares titles with a question; None without a local model.

    Titles that services have just returned are not sent to a remote one: nobody approved that.
    """
    embedder = create_embedder(config.embeddings) if config.embeddings.name == MINILM else None
    if embedder is None:
        return None

    def likeness(question: str, titles: Sequence[str]) -> Sequence[float]:
        try:
            return embedder.likeness(question, titles)
        except EmbeddingError as error:
            _log.warning("papers are ordered without embeddings: %s", error)
            return ()

    return likeness


def _searcher(config: AppConfig, sources: list[SearchSource]) -> Searcher:
    deadline_s, ceiling = config.source_deadline_s + _GRACE_S, config.max_results_ceiling
    if not config.keep_found:
        return Searcher(sources, deadline_s=deadline_s, max_results_ceiling=ceiling)
    library = library_path(config.home)
    return SavingSearcher(sources, library, deadline_s=deadline_s, max_results_ceiling=ceiling)


def metering_of(config: AppConfig, models: Mapping[Skill, LLMProvider | None]) -> Metering:
    names = {
        skill: f"{model.provider}:{model.model}"
        for skill, model in models.items()
        if isinstance(model, ChatProvider)
    }
    prices = load_prices(config.llm.prices)
    batch_size = config.relevance_batch_size
    return Metering(config.usage_path, prices, names, batch_size, config.budget)


def sources_of_run(config: AppConfig, values: Mapping[str, Any]) -> list[str] | None:
    """Return the sources that a run was limited to; else all enabled ones and its strategy's."""
    run_sources: list[str] | None = (values.get(PARAMS) or {}).get("sources")
    if run_sources is not None:
        return run_sources
    enabled = [name for name, source in config.sources.items() if source.enabled]
    strategy_sources = (values.get("strategy") or {}).get("sources") or []
    own = [name for name in strategy_sources if name in known_sources()]  # not the source of files
    if own:  # the sources that the home remembers are for new threads
        enabled = [name for name in enabled if name not in config.remembered_sources]
    return [*enabled, *(name for name in own if name not in enabled)]


def translations(config: AppConfig, strategy: SearchStrategy) -> list[Translation]:
    """Return what each source of a strategy will be sent, without sending it."""
    sources: list[SearchSource] = []
    failed: dict[str, Translation] = {}
    for name in dict.fromkeys(strategy.sources):
        try:
            sources.append(create_source(name, config))
        except PaperSearchError as error:
            failed[name] = Translation(source=name, query="", error=str(error))
    entries = Searcher(sources, max_results_ceiling=config.max_results_ceiling).translations(
        strategy
    )
    return [failed.get(translation.source, translation) for translation in entries]


class SavingSearcher(Searcher):
    """A `Searcher` that also adds every record of a live source to a library.

    If that fails, the search does not: the report of the first live source notes it.
    """

    def __init__(self, sources: Iterable[SearchSource], library: Path, **options: Any) -> None:
        super().__init__(sources, **options)
        self._library = library

    async def report(self, strategy: SearchStrategy, *, is_waiting: bool = False) -> SearchReport:
        answer = await super().report(strategy, is_waiting=is_waiting)
        live = [paper for paper in answer.papers if paper.source not in LOCAL]
        first = next(
            (n for n, report in enumerate(answer.sources) if report.source not in LOCAL), None
        )
        if not live or first is None:
            return answer
        note = await asyncio.to_thread(self._save, live)
        entry = answer.sources[first]
        entry = entry.model_copy(update={"note": f"{entry.note}; {note}" if entry.note else note})
        sources = [*answer.sources[:first], entry, *answer.sources[first + 1 :]]
        return answer.model_copy(update={"sources": sources})

    def _save(self, papers: list[RawPaper]) -> str:
        try:
            with Library.open(self._library, wait_s=_WAIT_S) as library:
                changes = library.add(papers)
        except PaperSearchError as error:
            _log.warning("found records were not added to the library: %s", error)
            return f"nothing was added to your library: {error}"
        return (
            f"added to your library: {quantity(changes.added, 'record')}; "
            f"already there: {changes.updated + changes.unchanged}"
        )
