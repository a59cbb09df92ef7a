"""The interface of a citation service, and how it follows seeds: its requests in turn."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from operator import ne
from typing import TYPE_CHECKING, ClassVar

from paper_search.bibliography.languages import language_code
from paper_search.http.body import HttpAnswer
from paper_search.http.limits import CallBudget
from paper_search.models import SNOWBALL, Purpose, SearchConstraints, Seed
from paper_search.query import YearRange
from paper_search.sources.adapter import Page, Request, Service
from paper_search.sources.asking import Asked
from paper_search.sources.base import open_row
from paper_search.sources.errors import ServiceError
from paper_search.sources.translation import request_text

if TYPE_CHECKING:
    from paper_search.sources.client import ServiceClient

_MOST_PAGES = 12
"""Requests for one trail, whatever is wanted of it."""


@dataclass(frozen=True, slots=True)
class Trail:
    """One way from seeds to other works."""

    text: str
    request: Request
    seeds: tuple[Seed, ...]


class Tracker(ABC):
    """How a service is asked what a work cites, and what cites it."""

    service_type: ClassVar[type[Service]]

    def __init__(self, key: str = "", *, endpoint: str | None = None) -> None:
        self.service = self.service_type(key, endpoint=endpoint)

    def lookup(self, seeds: Sequence[Seed]) -> Request | None:
        """Return the request for the service's own ids of seeds; None: it needs none."""
        del seeds
        return None

    def named(self, answer: HttpAnswer, seeds: Sequence[Seed]) -> list[Seed]:
        """Return the seeds with the ids that the answer to `lookup` gives them."""
        del answer
        return list(seeds)

    @abstractmethod
    def trails(self, seeds: Sequence[Seed], filters: SearchConstraints, limit: int) -> list[Trail]:
        """Return all ways to follow the seeds that this service knows by an id.

        Seeds without one are left to other services; `wanted` is of all trails together.
        """

    @abstractmethod
    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the records of an answer, as adapters do.

        Raises:
            ServiceError: the answer is an error in disguise.
            HttpBodyError: it cannot be read.
        """


def distinct(ids: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(identifier for identifier in ids if identifier))


@dataclass(slots=True)
class Following:
    """One service and what it is to follow.

    `budget` counts the requests of all services; years and language are checked locally, too;
    `ends_at` is the time of the clock at which it ends.
    """

    tracker: Tracker
    http: ServiceClient
    filters: SearchConstraints
    budget: CallBudget
    ends_at: float
    answers: list[Asked] = field(default_factory=list)

    async def follow(self, seeds: Sequence[Seed], limit: int) -> list[Seed]:
        """Follow the seeds and return those that are left for another service."""
        with_ids = await self._named(seeds)
        trails = self.tracker.trails(with_ids, self.filters, limit)
        followed: list[Seed] = []
        failed: list[Seed] = []
        for place, trail in enumerate(trails):
            if self.budget.is_spent or (self.answers and self.answers[-1].is_hopeless):
                break
            room = limit - sum(len(answer.papers) for answer in self.answers)
            if room < 1:
                break
            progress = await self._walk(trail, math.ceil(room / (len(trails) - place)))
            is_known = bool(progress.arrivals or progress.hits)
            if progress.error:
                failed += trail.seeds
            elif is_known:
                followed += trail.seeds
        complete = [seed for seed in followed if seed not in failed]
        return [
            seed
            for seed, counterpart in zip(seeds, with_ids, strict=True)
            if counterpart not in complete
        ]

    async def _named(self, seeds: Sequence[Seed]) -> list[Seed]:
        """Return the seeds with the ids of this service; a failure leaves them as they are."""
        request = self.tracker.lookup(seeds)
        if request is None:
            return list(seeds)
        progress = self._asked(f"{self.tracker.service.title} ids of {len(seeds)} papers")
        self.answers.append(progress)
        with_ids = list(seeds)
        try:
            answer = await self.http.get(request, progress.requests, self.ends_at)
            progress.answered(answer)
            with_ids = await self.http.read(answer, partial(self.tracker.named, seeds=seeds))
            progress.notes = (f"{sum(map(ne, with_ids, seeds))} are known there",)
        except ServiceError as error:
            self._note_failure(progress, error)
        for record in progress.requests:
            record.text = request_text(request, None)
        progress.is_open = False
        return with_ids

    async def _walk(self, trail: Trail, limit: int) -> Asked:
        started = time.monotonic()
        progress = self._asked(trail.text)
        progress.limit = limit
        self.answers.append(progress)
        request: Request | None = trail.request
        try:
            for _ in range(_MOST_PAGES):
                if request is None or len(progress.papers) >= limit:
                    break
                answer = await self.http.get(request, progress.requests, self.ends_at)
                progress.answered(answer)
                page = await self.http.read(answer, partial(self.tracker.read, request=request))
                progress.take(page, SNOWBALL, limit)
                request = page.next
        except ServiceError as error:
            self._note_failure(progress, error)
        progress.seconds, progress.is_open = time.monotonic() - started, False
        return progress

    def _asked(self, text: str) -> Asked:
        first, last = self.filters.year_from, self.filters.year_to
        years = YearRange(first, last) if (first, last) != (None, None) else None
        code = language_code(self.filters.language)
        progress = Asked(text, remainder=years, language=code, filters=self.filters)
        progress.purpose, progress.is_open = Purpose.CITATION, True
        open_row(lambda: progress.report(SNOWBALL))
        return progress

    def _note_failure(self, progress: Asked, error: ServiceError) -> None:
        if error.http_status == HTTPStatus.NOT_FOUND:
            progress.notes = (*progress.notes, f"{self.tracker.service.title} does not know it")
        else:
            progress.error = error
