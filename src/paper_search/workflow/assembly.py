"""From settings to skills: the only place that chooses which ones."""

from __future__ import annotations

from paper_search.config import AppConfig
from paper_search.library.source import library_path
from paper_search.llm import create_provider
from paper_search.llm.tracing import redact_traces
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
from paper_search.sources import create_source, create_sources
from paper_search.sources.enrichment import create_enrichers
from paper_search.workflow.keeping import KeepingSearcher
from paper_search.workflow.skills import Skills

_GRACE_S = 5.0
"""What a source gets to give what it has, after its own deadline."""


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
    available = [each.source_name for each in chosen]
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
