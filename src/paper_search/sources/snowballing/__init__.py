"""Snowballing: follow the references and citations of relevant works."""

import math
import re
import time
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from operator import ne
from typing import Any

from paper_search.bibliography.identifiers import parse_doi
from paper_search.bibliography.languages import language_code
from paper_search.http.body import HttpAnswer
from paper_search.http.limits import CallBudget
from paper_search.models import (
    MAX_SEEDS,
    SNOWBALL,
    Purpose,
    RawPaper,
    SearchConstraints,
    SearchReport,
    SearchStrategy,
    Seed,
    SourceStatus,
)
from paper_search.models.scope import Translation
from paper_search.models.source_report import quantity, unasked
from paper_search.query import YearRange
from paper_search.sources.adapter import Request, Service
from paper_search.sources.client import ServiceClient, SourceSettings
from paper_search.sources.errors import ServiceError
from paper_search.sources.query_run import Pager, QueryRun, distinct_papers
from paper_search.sources.translation import request_text

_MOST_PAGES = 12
"""Maximum number of requests for the pages of one citation request."""


@dataclass(frozen=True, slots=True)
class CitationRequest:
    text: str
    request: Request
    seeds: tuple[Seed, ...]


class CitationService(Service):
    def lookup(self, seeds: Sequence[Seed]) -> Request | None:
        """Return the request for the service's own ids of seeds, or None if it needs none."""
        del seeds
        return None

    def with_ids(self, answer: HttpAnswer, seeds: Sequence[Seed]) -> list[Seed]:
        """Return the seeds with their ids from the answer to `lookup`."""
        del answer
        return list(seeds)

    @abstractmethod
    def citation_requests(
        self, seeds: Sequence[Seed], filters: SearchConstraints, limit: int
    ) -> list[CitationRequest]:
        """Return requests for the references and citations of the seeds that have an id here.

        `limit` is for all requests together.
        """


def distinct(ids: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(identifier for identifier in ids if identifier))


@dataclass(slots=True)
class SeedFollower:
    """Follows seeds with one service.

    `budget` counts the requests of all services; `ends_at` is a time of the monotonic clock. Years
    and language are checked locally, too.
    """

    service: CitationService
    http: ServiceClient
    filters: SearchConstraints
    budget: CallBudget
    ends_at: float
    answers: list[QueryRun] = field(default_factory=list)

    async def follow(self, seeds: Sequence[Seed], limit: int) -> list[Seed]:
        """Follow the seeds; return those that are left for another service."""
        with_ids = await self._with_ids(seeds)
        requests = self.service.citation_requests(with_ids, self.filters, limit)
        followed: list[Seed] = []
        failed: list[Seed] = []
        for place, citation_request in enumerate(requests):
            if self.budget.is_spent or (self.answers and self.answers[-1].is_hopeless):
                break
            room = limit - sum(len(answer.papers) for answer in self.answers)
            if room < 1:
                break
            with self._run(citation_request.text) as (pager, progress):
                progress.limit = math.ceil(room / (len(requests) - place))
                await pager.collect(progress, citation_request.request, _MOST_PAGES)
            if progress.error:
                failed += citation_request.seeds
            elif progress.arrivals or progress.hits:
                followed += citation_request.seeds
        complete = [seed for seed in followed if seed not in failed]
        return [
            seed
            for seed, counterpart in zip(seeds, with_ids, strict=True)
            if counterpart not in complete
        ]

    async def _with_ids(self, seeds: Sequence[Seed]) -> list[Seed]:
        """Return the seeds with the ids of this service, unchanged after a failure."""
        request = self.service.lookup(seeds)
        if request is None:
            return list(seeds)
        with_ids = list(seeds)
        with self._run(f"{self.service.title} ids of {len(seeds)} papers") as (_, progress):
            answer = await self.http.get(request, progress.requests, self.ends_at)
            progress.quota = answer.quota or progress.quota
            with_ids = await self.http.read(answer, partial(self.service.with_ids, seeds=seeds))
            progress.notes = (f"{sum(map(ne, with_ids, seeds))} are known there",)
        for record in progress.requests:
            record.text = request_text(request, None)
        return with_ids

    @contextmanager
    def _run(self, text: str) -> Iterator[tuple[Pager, QueryRun]]:
        first, last = self.filters.year_from, self.filters.year_to
        years = YearRange(first, last) if (first, last) != (None, None) else None
        code = language_code(self.filters.language)
        run = QueryRun(text, remainder=years, language=code, filters=self.filters)
        run.purpose = Purpose.CITATION
        self.answers.append(run)
        pager = Pager(self.service, self.http, SNOWBALL, self.ends_at, most_steps=_MOST_PAGES)
        with pager.recording(run):
            yield pager, run
        if run.error and run.error.http_status == HTTPStatus.NOT_FOUND:
            run.notes, run.error = (*run.notes, f"{self.service.title} does not know it"), None


MOST_CALLS = 60
"""Default for one search: 20 seeds, two directions, some pages."""
_SETTING = "SNOWBALL_MAX_CALLS"

_WORK = re.compile(r"\bW\d{4,}\b")
_NOTHING_MARKED = (
    "nothing to follow: mark papers relevant in a round, or give their DOIs as the query"
)


@dataclass
class SnowballSource:
    """Follows citations from the seeds of a strategy; its queries are not sent.

    Each service gets the seeds that the ones before it do not know or failed to follow.
    `max_calls` of the settings is for one search with all services.
    """

    services: Sequence[CitationService]
    settings: SourceSettings = field(default_factory=SourceSettings)

    source_name = SNOWBALL

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        """Return references and citations of the works whose DOIs or OpenAlex ids are in the query.

        Options: `max_results` (100), `year_from`, `year_to`, `language` (ISO 639-1).
        """
        return await self._papers(seeds_in(query), SearchConstraints.model_validate(options))

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        return await self._papers(_seeds(strategy), strategy.filters)

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        answers = await self._follow(_seeds(strategy), strategy.filters)
        papers = distinct_papers(answers)[: strategy.filters.max_results]
        nothing = unasked(SNOWBALL, _NOTHING_MARKED)
        reports = [answer.report(SNOWBALL) for answer in answers] or [nothing]
        return SearchReport(papers=papers, sources=reports)

    def translations(self, strategy: SearchStrategy) -> list[Translation]:
        count = min(len(_seeds(strategy)), MAX_SEEDS)
        works = quantity(count, "work cites and is", "works cite and are")
        follows = f"follows what {works} cited by; no query is sent"
        return [
            Translation(source=SNOWBALL, query="", notes=[follows if count else _NOTHING_MARKED])
        ]

    async def _papers(self, seeds: Sequence[Seed], filters: SearchConstraints) -> list[RawPaper]:
        answers = await self._follow(seeds, filters)
        errors = [answer.error for answer in answers if answer.error]
        papers = distinct_papers(answers)[: filters.max_results]
        if errors and not papers:
            raise errors[0]
        return papers

    async def _follow(self, seeds: Sequence[Seed], filters: SearchConstraints) -> list[QueryRun]:
        most = self.settings.max_calls
        budget = CallBudget(MOST_CALLS if most is None else most, setting=_SETTING)
        ends_at = time.monotonic() + self.settings.deadline_s
        remaining = list(seeds)[:MAX_SEEDS]
        answers: list[QueryRun] = []
        for service in self.services:
            room = filters.max_results - sum(len(answer.papers) for answer in answers)
            is_ended = any(answer.is_ended for answer in answers)
            if not remaining or room < 1 or budget.is_spent or is_ended:
                break
            async with ServiceClient(service, self.settings, budget) as http:
                follower = SeedFollower(service, http, filters, budget, ends_at)
                remaining = await follower.follow(remaining, room)
            answers += follower.answers
        if budget.is_spent and remaining:
            return [*answers, _spent(len(remaining))]
        if len(seeds) > MAX_SEEDS and answers:
            note = f"only {MAX_SEEDS} of {len(seeds)} papers are followed"
            answers[0].notes = (*answers[0].notes, note)
        return answers


def seeds_in(query: str) -> list[Seed]:
    dois = distinct(map(parse_doi, re.split(r"[\s\"“”]+", query)))
    works = distinct(_WORK.findall(query))
    return [*(Seed(doi=doi) for doi in dois), *(Seed(openalex_id=work) for work in works)]


def _seeds(strategy: SearchStrategy) -> list[Seed]:
    followable = [seed for seed in strategy.seeds if seed.is_followable]
    return followable or [
        seed for query in strategy.queries for seed in seeds_in(query.boolean_query)
    ]


def _spent(count: int) -> QueryRun:
    lost = quantity(count, "paper was", "papers were")
    message = f"{lost} not followed: the limit of calls is reached"
    error = ServiceError(f"{message} ({_SETTING})", status=SourceStatus.EXHAUSTED)
    return QueryRun("", error=error)
