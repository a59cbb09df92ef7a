"""Counts the hits of queries, with one request per source and query."""

from collections.abc import Iterable, Mapping

from paper_search.http.errors import utc_now
from paper_search.models import (
    HitCount,
    Purpose,
    QueryHits,
    RawPaper,
    SearchConstraints,
    SourceHits,
    SourceReport,
    SourceStatus,
)
from paper_search.skills.failures import describe, status_of
from paper_search.sources.base import CountingSource, Row, journal, keeps_conditions, title_of


class HitCounter:
    """Counts hits within the limits of one strategy; failures are recorded, not raised."""

    def __init__(self, sources: Mapping[str, CountingSource], filters: SearchConstraints) -> None:
        self._sources = sources
        self._filters = filters
        # Publication types are filtered in the answers, so counts do not reflect them.
        self._is_checked_later = bool(filters.publication_types or filters.excluded_types)
        self._counts: dict[str, dict[str, HitCount]] = {}
        self._failures: dict[str, str] = {}
        self._given_up: set[str] = set()
        self._waiting: set[str] = set()
        self._rows: list[tuple[SourceReport, list[Row]]] = []

    @property
    def rows(self) -> list[SourceReport]:
        reports = ([row() for row in rows] or [own] for own, rows in self._rows)
        return [report for own in reports for report in own]

    @property
    def failures(self) -> list[str]:
        return [
            f"no hit counts from {title_of(name)}: {reason}"
            for name, reason in self._failures.items()
        ]

    @property
    def waiting(self) -> list[str]:
        return sorted(self._waiting)

    @property
    def sources_with_counts(self) -> set[str]:
        return {name for counts in self._counts.values() for name in counts}

    async def count(self, source: str, query: str) -> int | None:
        """Return the hits, if known; a failed source is asked again only if it refused a query."""
        counts = self._counts.setdefault(query, {})
        if source not in counts and source not in self._given_up:
            hit_count = await self._ask(source, query)
            if hit_count is not None and hit_count.hits is not None:
                counts[source] = hit_count
        return counts[source].hits if source in counts else None

    async def _ask(self, source: str, query: str) -> HitCount | None:
        self._waiting.add(source)  # removed by an answer only, not by the deadline
        row = SourceReport(
            source=source,
            purpose=Purpose.COUNT,
            query=query,
            status=SourceStatus.TIMEOUT,
            asked_at=utc_now().isoformat(),
        )
        hit_count = None
        with journal() as rows:
            self._rows.append((row, rows))
            try:
                hit_count = await self._sources[source].count(query, self._filters)
            except Exception as error:  # noqa: BLE001  # a source may raise anything
                row.status, row.error = status_of(error), describe(error)
                self._failures.setdefault(source, describe(error))
                if row.status is not SourceStatus.BAD_RESPONSE:
                    self._given_up.add(source)
            else:
                row.hits = hit_count.hits if hit_count else None
                row.source = (hit_count and hit_count.source) or source
                row.status = SourceStatus.OK if row.hits else SourceStatus.EMPTY
                if hit_count is None or hit_count.hits is None:
                    self._failures.setdefault(source, "hit counts are not supported")
                    self._given_up.add(source)
        self._waiting.discard(source)
        return hit_count

    def hits_of(self, query: str, sources: Iterable[str]) -> dict[str, int]:
        counts = self._counts.get(query, {})
        hits = {name: counts[name].hits for name in sources if name in counts}
        return {name: count for name, count in hits.items() if count is not None}

    def most(self, query: str, sources: Iterable[str]) -> int | None:
        """Return the highest count of the query itself, not of a broader one; None without any."""
        counts = self._counts.get(query, {})
        exact = [name for name in sources if name in counts and not counts[name].is_at_most]
        return max(self.hits_of(query, exact).values(), default=None)

    def hits(self, query: str, *, text: str | None = None) -> QueryHits:
        """Return all counts of a query, which is shown to a person as `text`."""
        counts = [
            SourceHits(
                source=count.source or name,
                hits=count.hits,
                is_at_most=count.is_at_most or self._is_checked_later or self._is_open(name),
            )
            for name in self._sources
            if (count := self._counts.get(query, {}).get(name)) and count.hits is not None
        ]
        return QueryHits(text=text or query, counts=counts)

    def _is_open(self, source: str) -> bool:
        """Whether conditions are not sent to the source but checked in its answers."""
        return bool(self._filters.every_condition) and not keeps_conditions(self._sources[source])

    def papers(self) -> list[RawPaper]:
        counts = [count for by_source in self._counts.values() for count in by_source.values()]
        return list({paper.id: paper for count in counts for paper in count.papers}.values())
