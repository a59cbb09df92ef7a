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
from paper_search.sources.errors import ServiceError
from paper_search.sources.journal import open_row
from paper_search.sources.translation import written_request

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
    def trails(self, seeds: Sequence[Seed], filters: SearchConstraints, wanted: int) -> list[Trail]:
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
    """Return the given ids, each once."""
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

    async def follow(self, seeds: Sequence[Seed], wanted: int) -> list[Seed]:
        """Follow the seeds and return those that are left for another service."""
        named = await self._named(seeds)
        trails = self.tracker.trails(named, self.filters, wanted)
        followed: list[Seed] = []
        failed: list[Seed] = []
        for place, trail in enumerate(trails):
            if self.budget.is_spent or (self.answers and self.answers[-1].is_hopeless):
                break
            room = wanted - sum(len(answer.papers) for answer in self.answers)
            if room < 1:
                break
            asked = await self._walk(trail, math.ceil(room / (len(trails) - place)))
            is_known = bool(asked.arrivals or asked.hits)
            if asked.error:
                failed += trail.seeds
            elif is_known:
                followed += trail.seeds
        done = [seed for seed in followed if seed not in failed]
        return [seed for seed, known in zip(seeds, named, strict=True) if known not in done]

    async def _named(self, seeds: Sequence[Seed]) -> list[Seed]:
        """Return the seeds with the ids of this service; a failure leaves them as they are."""
        request = self.tracker.lookup(seeds)
        if request is None:
            return list(seeds)
        asked = self._asked(f"{self.tracker.service.title} ids of {len(seeds)} papers")
        self.answers.append(asked)
        named = list(seeds)
        try:
            answer = await self.http.get(request, asked.requests, self.ends_at)
            asked.answered(answer)
            named = await self.http.read(answer, partial(self.tracker.named, seeds=seeds))
            asked.notes = (f"{sum(map(ne, named, seeds))} are known there",)
        except ServiceError as error:
            self._note_failure(asked, error)
        for record in asked.requests:
            record.text = written_request(request, None)
        asked.is_open = False
        return named

    async def _walk(self, trail: Trail, wanted: int) -> Asked:
        """Turn the pages of a trail until there is enough."""
        started = time.monotonic()
        asked = self._asked(trail.text)
        asked.limit = wanted
        self.answers.append(asked)
        request: Request | None = trail.request
        try:
            for _ in range(_MOST_PAGES):
                if request is None or len(asked.papers) >= wanted:
                    break
                answer = await self.http.get(request, asked.requests, self.ends_at)
                asked.answered(answer)
                page = await self.http.read(answer, partial(self.tracker.read, request=request))
                asked.take(page, SNOWBALL, wanted)
                request = page.next
        except ServiceError as error:
            self._note_failure(asked, error)
        asked.seconds, asked.is_open = time.monotonic() - started, False
        return asked

    def _asked(self, text: str) -> Asked:
        first, last = self.filters.year_from, self.filters.year_to
        years = YearRange(first, last) if (first, last) != (None, None) else None
        code = language_code(self.filters.language)
        asked = Asked(text, remainder=years, language=code, filters=self.filters)
        asked.purpose, asked.is_open = Purpose.CITATION, True
        open_row(lambda: asked.report(SNOWBALL))
        return asked

    def _note_failure(self, asked: Asked, error: ServiceError) -> None:
        if error.http_status == HTTPStatus.NOT_FOUND:
            asked.notes = (*asked.notes, f"{self.tracker.service.title} does not know it")
        else:
            asked.error = error
