"""Builds the live objects of a report from the settings; no other module chooses them."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from paper_search.config import AppConfig
from paper_search.errors import ThreadWaitingError, UnknownNameError
from paper_search.llm import create_provider
from paper_search.llm.creation import redact_output
from paper_search.llm.provider import LLMProvider
from paper_search.models import PaperCollection
from paper_search.models.settings import Skill
from paper_search.persistence import Persistence, open_persistence
from paper_search.report.models import SearchType
from paper_search.report.page_reader import PageReader
from paper_search.report.searcher import AcademicSearch, FindsSources, ReportSearcher, WebSearch
from paper_search.report_workflow.context import (
    MakesSearcher,
    ReadsCollection,
    ReadsPages,
    ReportServices,
)
from paper_search.skills import Deduplicator, RelevanceScorer, Searcher
from paper_search.sources import create_source, create_sources
from paper_search.sources.web import (
    create_web_search,
    create_web_searches,
    kind_of,
    web_search_names,
)
from paper_search.steps.types import PARAMS
from paper_search.workflow.assembly import metering_of
from paper_search.workflow.full_texts import TextStatus, full_texts
from paper_search.workflow.session import SearchSession

_ON_THE_WEB: tuple[SearchType, ...] = ("web", "news")


def assemble_report(config: AppConfig, sources: list[str] | None = None) -> ReportServices:
    """Return the services of a report that the settings describe.

    `sources`: only these, even if the settings disable them; None for all enabled ones.
    """
    redact_output(config.secrets)
    models = _models(config)
    return ReportServices(
        searcher=_searcher(config, sources),
        collection=_collection(config.persistence_url),
        model=models,
        pages=page_reader(config),
        domain=config.domain,
        # Models of single roles are settings of a run, so they are not known here.
        metering=metering_of(config, {Skill.JUDGE: models(None)}),
    )


def page_reader(config: AppConfig) -> ReadsPages | None:
    """Return the reader of web pages and open papers; None if the settings switch it off."""
    if config.report_pages == 0:
        return None
    from paper_search.pages.fetching import PageFetcher  # noqa: PLC0415  # httpx is slow to import

    return PageReader(
        lambda: PageFetcher(contact=config.contact, cache_path=config.http_cache_path)
    )


def _models(config: AppConfig) -> Callable[[str | None], LLMProvider | None]:
    @functools.cache
    def provider(name: str) -> LLMProvider:
        return create_provider(config.llm.model_copy(update={"model": name}))

    def model(name: str | None) -> LLMProvider | None:
        full_name = name or config.llm.model
        return provider(full_name) if full_name else None

    model(None)  # raise for a wrong setting before a report begins
    return model


def _searcher(config: AppConfig, sources: list[str] | None) -> MakesSearcher:
    on_the_web = web_search_names()
    if sources is None:
        paper_sources, searches = create_sources(config), create_web_searches(config)
    else:
        order = list(dict.fromkeys(sources))
        paper_sources = [create_source(name, config) for name in order if name not in on_the_web]
        searches = [create_web_search(name, config) for name in order if name in on_the_web]
    searcher = Searcher([*paper_sources, *searches], max_results_ceiling=config.max_results_ceiling)
    papers = [source.source_name for source in paper_sources]
    kinds = {search.source_name: kind_of(search) for search in searches}

    def make(llm: LLMProvider | None, only: list[str] | None) -> ReportSearcher:
        scorer = RelevanceScorer(
            llm,
            batch_size=config.relevance_batch_size,
            max_concurrency=config.relevance_max_concurrency,
        )
        all_names = [*papers, *kinds]
        for name in only or ():
            if name not in all_names:
                raise UnknownNameError("source", name, all_names)
        some_names = [name for name in all_names if name in only] if only else all_names
        searches_by_kind: dict[SearchType, FindsSources] = {}
        names = [name for name in some_names if name in papers]
        if names or not kinds:
            merging = Deduplicator(llm=None, enable_llm_pass=False)
            searches_by_kind["academic"] = AcademicSearch(searcher, merging, scorer, names)
        for kind in _ON_THE_WEB:
            if names := [name for name in some_names if kinds.get(name) == kind]:
                searches_by_kind[kind] = WebSearch(kind, searcher, scorer, names)
        return ReportSearcher(searches_by_kind)

    return make


def _collection(url: str) -> ReadsCollection:
    async def load(thread_id: str) -> PaperCollection:
        async with open_persistence(url) as persistence:
            return await finished_collection(persistence, thread_id)

    return load


def services_begun_with(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in the channels of a report that its services depend on."""
    params = values.get(PARAMS) or {}
    return {name: params[name] for name in ("sources", "max_pages") if name in params}


async def finished_collection(persistence: Persistence, thread_id: str) -> PaperCollection:
    """Return the papers of a finished search, with more of them set aside.

    Set aside are also papers excluded by their full texts, and undecided ones that, by the grades
    of a model, meet no criterion.
    """
    session = SearchSession.on(persistence, thread_id)
    state = await session.state()
    result = await session.result()
    if not state.is_complete or result is None:
        raise ThreadWaitingError(
            f"the search of thread {thread_id!r} has not ended, but a report needs its result. "
            f"Finish it first: `paper-search resume {thread_id}`"
        )
    texts = await full_texts(session.records)
    excluded = {i for i, text in texts.items() if text.status is TextStatus.EXCLUDED}
    undecided = (paper for paper in result.papers if paper.decision == "undecided")
    excluded |= {paper.id for paper in undecided if paper.grades and not paper.relevance_score}
    papers, more = (
        [p for p in result.papers if (p.id in excluded) is is_out] for is_out in (False, True)
    )
    return result.model_copy(update={"papers": papers, "set_aside": [*more, *result.set_aside]})
