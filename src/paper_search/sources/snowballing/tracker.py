"""The interface of a citation service."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paper_search.models import SearchConstraints, Seed
from paper_search.sources.adapter import Page, Request, Service

if TYPE_CHECKING:
    from paper_search.http.body import HttpAnswer

SOURCE = "snowball"


@dataclass(frozen=True, slots=True)
class Trail:
    """One way from seeds to other works.

    Attributes:
        text: what is asked, for the report.
        request: for the first page.
        seeds: those that it starts from.
    """

    text: str
    request: Request
    seeds: tuple[Seed, ...]


class Tracker(Service, ABC):
    """A service that knows what a work cites, and what cites it."""

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

        Args:
            seeds: to start from; those without a suitable id are left to other services.
            filters: years and language, for a service that has such filters.
            wanted: records of all trails together.
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
    return list(dict.fromkeys(each for each in ids if each))
