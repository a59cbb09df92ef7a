"""A source for tests that says how many records a query has."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeAlias

from paper_search.models import HitCount, SearchConstraints
from paper_search.testing.sources import FakeSource, Papers

Hits: TypeAlias = Mapping[str, int | None] | Callable[[str], int | None]


class FakeCountingSource(FakeSource):
    """A `FakeSource` that counts: `counted` holds what it was asked to count, in order.

    Args:
        name: its name.
        hits: of every query (0 where it is not named; None: it does not say), or what makes them.
        papers: what it finds, as `FakeSource` takes them.
        is_local: whether a count costs no request.
        ranks: whether it answers ranked queries.
        is_broader: whether it is asked a broader query, since it cannot express any.
        delay_s: how long every answer takes.
        error: what every answer raises instead, after the delay.
    """

    def __init__(  # noqa: PLR0913  # one for each way in which sources differ
        self,
        name: str = "fake",
        hits: Hits | None = None,
        papers: Papers = (),
        *,
        is_local: bool = False,
        ranks: bool = False,
        is_broader: bool = False,
        delay_s: float = 0.0,
        error: BaseException | None = None,
    ) -> None:
        super().__init__(name, papers, delay_s=delay_s, error=error)
        self._hits = hits if callable(hits) else (hits or {}).get
        self._default = None if callable(hits) else 0
        self._known = set() if callable(hits) else set(hits or {})
        self._is_local, self._ranks, self._is_broader = is_local, ranks, is_broader
        self.counted: list[str] = []

    @property
    def is_local(self) -> bool:
        """Whether a count costs no request."""
        return self._is_local

    @property
    def ranks_text(self) -> bool:
        """Whether it answers ranked queries."""
        return self._ranks

    async def count(self, query: str, filters: SearchConstraints) -> HitCount | None:
        """Record the query and return its hits."""
        del filters
        self.counted.append(query)
        await asyncio.sleep(self._delay_s)
        if self._error is not None:
            raise self._error
        hits = self._hits(query)
        if hits is None and query not in self._known:
            hits = self._default
        return HitCount(hits=hits, is_at_most=self._is_broader)
