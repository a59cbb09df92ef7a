"""The source `snowball`: references and citations of relevant papers, within a budget."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paper_search.bibliography.identifiers import parse_doi
from paper_search.config import SearchSourceConfig
from paper_search.http.limits import CallBudget
from paper_search.models import (
    MAX_SEEDS,
    SNOWBALL,
    RawPaper,
    SearchConstraints,
    SearchReport,
    SearchStrategy,
    Seed,
    SourceReport,
    SourceStatus,
)
from paper_search.models.scope import Translation
from paper_search.sources.asking import Asked
from paper_search.sources.asking import distinct as distinct_papers
from paper_search.sources.client import ServiceClient, SourceSettings
from paper_search.sources.errors import ServiceError
from paper_search.sources.snowballing.services import (
    OpenAlexTracker,
    OpenCitationsTracker,
    SemanticScholarTracker,
)
from paper_search.sources.snowballing.tracker import Following

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.sources.snowballing.tracker import Tracker

MOST_CALLS = 60
"""Requests of one search if the settings do not say: 20 seeds, two directions, some pages."""
_SETTING = "SNOWBALL_MAX_CALLS"
_TRACKERS = (OpenAlexTracker, SemanticScholarTracker, OpenCitationsTracker)
"""In the order of asking."""

_WORK = re.compile(r"\bW\d{4,}\b")
_NOTHING_MARKED = (
    "nothing to follow: mark papers relevant in a round, or give their DOIs as the query"
)


class SnowballSource:
    """Follows citations from the seeds of a strategy; its queries are not sent.

    The first service follows all the seeds that it knows; the next ones get those that it does not
    know, or where it failed. `max_calls` of the settings is for all services, and for one search.
    """

    def __init__(self, trackers: Sequence[Tracker], settings: SourceSettings | None = None) -> None:
        self._trackers = list(trackers)
        self._settings = settings or SourceSettings()

    @property
    def source_name(self) -> str:
        return SNOWBALL

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        """Return what the works cite and are cited by whose DOIs or OpenAlex ids are in the query.

        Options: `max_results` (100), `year_from`, `year_to`, `language` (ISO 639-1).

        Raises:
            ServiceError: nothing could be got.
        """
        filters = SearchConstraints.model_validate(options)
        return _papers(await self._follow(seeds_in(query), filters), filters.max_results)

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        """Return what the seeds of the strategy cite and are cited by, each record once.

        Raises:
            ServiceError: nothing could be got.
        """
        filters = strategy.filters
        return _papers(await self._follow(_seeds(strategy), filters), filters.max_results)

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Answer as `search_advanced` does, with one entry for every request that was made."""
        answers = await self._follow(_seeds(strategy), strategy.filters)
        papers = distinct_papers(answers)[: strategy.filters.max_results]
        reports = [answer.report(SNOWBALL) for answer in answers]
        if not reports:
            nothing = SourceReport(source=SNOWBALL, status=SourceStatus.EMPTY, note=_NOTHING_MARKED)
            reports = [nothing]
        return SearchReport(papers=papers, sources=reports)

    def translations(self, strategy: SearchStrategy) -> list[Translation]:
        """Return how many works are followed; the queries of the strategy are not sent."""
        count = min(len(_seeds(strategy)), MAX_SEEDS)
        works = "1 work" if count == 1 else f"{count} works"
        follows = f"follows what {works} cite and are cited by; no query is sent"
        return [
            Translation(source=SNOWBALL, query="", notes=[follows if count else _NOTHING_MARKED])
        ]

    async def _follow(self, seeds: Sequence[Seed], filters: SearchConstraints) -> list[Asked]:
        most = self._settings.max_calls
        budget = CallBudget(MOST_CALLS if most is None else most, setting=_SETTING)
        ends_at = time.monotonic() + self._settings.deadline_s
        remaining = list(seeds)[:MAX_SEEDS]
        answers: list[Asked] = []
        for tracker in self._trackers:
            room = filters.max_results - sum(len(answer.papers) for answer in answers)
            if not remaining or room < 1 or budget.is_spent:
                break
            async with ServiceClient(tracker.service, self._settings, budget) as http:
                following = Following(tracker, http, filters, budget, ends_at)
                remaining = await following.follow(remaining, room)
            answers += following.answers
        if budget.is_spent and remaining:
            return [*answers, _spent(len(remaining))]
        if len(seeds) > MAX_SEEDS and answers:
            note = f"{MAX_SEEDS} of {len(seeds)} marked papers were followed"
            answers[0].notes = (*answers[0].notes, note)
        return answers


def seeds_in(query: str) -> list[Seed]:
    """Return the works that a query names by DOI or OpenAlex id."""
    words = re.split(r"[\s\"“”]+", query)
    dois = [doi for word in words if (doi := parse_doi(word))]
    works = _WORK.findall(query)
    return [Seed(doi=doi) for doi in dict.fromkeys(dois)] + [
        Seed(openalex_id=work) for work in dict.fromkeys(works)
    ]


def _seeds(strategy: SearchStrategy) -> list[Seed]:
    followable = [seed for seed in strategy.seeds if seed.is_followable]
    return followable or [
        seed for query in strategy.queries for seed in seeds_in(query.boolean_query)
    ]


def _papers(answers: list[Asked], most: int) -> list[RawPaper]:
    errors = [answer.error for answer in answers if answer.error]
    papers = distinct_papers(answers)[:most]
    if errors and not papers:
        raise errors[0]
    return papers


def _spent(count: int) -> Asked:
    message = f"{count} papers were not followed: the limit of calls is reached"
    error = ServiceError(f"{message} ({_SETTING})", status=SourceStatus.EXHAUSTED)
    return Asked("", error=error)


def create_source(config: AppConfig, settings: SearchSourceConfig) -> SnowballSource:
    """Return the source with the keys of the services that it asks."""
    return SnowballSource(
        [tracker(_key(config, tracker.service_type.name)) for tracker in _TRACKERS],
        SourceSettings.of(config, max_calls=settings.max_calls),
    )


def _key(config: AppConfig, name: str) -> str:
    return config.sources[name].api_key if name in config.sources else ""
