"""The counts of a search, all computed from the rows of its arrivals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import BaseModel, Field

from paper_search.models import Arrival, SearchReport, SourceReport, SourceStatus
from paper_search.models.source_report import REASONS, quantity
from paper_search.prompts import prompt_digests


class SearchedRound(BaseModel):
    iteration: int
    """The round, from 0."""
    searched_at: str
    """UTC, ISO 8601."""
    arrivals: list[Arrival]
    program: str
    """Version of this program."""
    models: dict[str, str] = Field(default_factory=dict)
    """The model of each skill that asks one, by the name of the skill's prompt."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of these prompts."""

    @property
    def records(self) -> list[str]:
        return list(dict.fromkeys(row.record for row in self.arrivals if row.record is not None))


def arrivals_of(answer: SearchReport, ids: Sequence[str], waits: int = 0) -> list[Arrival]:
    """Return a row for each time that a source returned a record.

    `ids`: of the stored records, in order. `waits`: waits for sources in the round so far.
    """
    own_ids: dict[tuple[str, str], str] = {}
    for name, paper in zip(ids, answer.papers, strict=True):
        for source in (paper.source, *(sighting.source for sighting in paper.sightings)):
            own_ids.setdefault((source, paper.id), name)
    return [
        row.model_copy(
            update={"record": row.record and own_ids[row.source, row.record], "waits": waits}
        )
        for row in answer.rows()
    ]


def replays(
    before: Sequence[SourceReport], again: Sequence[SourceReport]
) -> set[tuple[str, str | None]]:
    """Return the pairs of source and query that the same round had already answered in full.

    Nothing was sent for them `again`: the cache gave the same answers.
    """
    full = [row for row in before if not row.status.is_failure]
    counts = {(row.source, row.query): row.received for row in full}
    keys = {(row.source, row.query): row.received for row in again if row.from_cache}
    return {key for key, count in keys.items() if counts.get(key) == count}


def searched_round(
    iteration: int, arrivals: Sequence[Arrival], models: Mapping[str, str]
) -> SearchedRound:
    from paper_search import __version__  # noqa: PLC0415  # reads the disk

    return SearchedRound(
        iteration=iteration,
        searched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        arrivals=list(arrivals),
        program=__version__,
        models=dict(models),
        prompts=prompt_digests(models),
    )


MIN_RISE = 10
"""A paper that moves up by fewer places is not mentioned."""


class RoundChanges(BaseModel):
    """The changes from one result to the next."""

    new_ids: list[str] = Field(default_factory=list)
    """Papers that no earlier round found."""
    risen: dict[str, int] = Field(default_factory=dict)
    """Places that a paper moved up (at least `MIN_RISE`), by its id."""
    queries: str = ""
    """Terms added (+) and removed (-); empty if the queries are the same."""

    @property
    def summary(self) -> str:
        """Return one line: `12 new papers in the result; 3 moved up by 10 places or more`."""
        count = len(self.new_ids)
        papers = quantity(count, "new paper") if count else "No new papers"
        parts = [f"{papers} in the result"]
        if self.risen:
            parts.append(f"{len(self.risen)} moved up by {MIN_RISE} places or more")
        line = "; ".join(parts)
        return f"{line}. Queries: {self.queries}" if self.queries else line


def round_changes(
    before: list[str], after: list[str], earlier_ids: set[str], queries: str
) -> RoundChanges:
    """Return what changed between two lists of paper ids, best first."""
    places = {name: place for place, name in enumerate(before)}
    moves = {name: places[name] - place for place, name in enumerate(after) if name in places}
    return RoundChanges(
        new_ids=[name for name in after if name not in earlier_ids],
        risen={name: move for name, move in moves.items() if move >= MIN_RISE},
        queries=queries,
    )


class RoundCounts(BaseModel):
    """The counts of one round: `arrived = removed + again + first_found`."""

    round: int
    """From 1."""
    searched_at: str
    """UTC, ISO 8601."""
    arrived: int
    """Records, as often as sources returned them."""
    removed: int
    """Of these, not kept, for one of `REASONS`."""
    again: int
    """Records that the same source had returned before, to another query or in another round."""
    first_found: int
    """Records that had not arrived before."""
    new_works: int
    """Works of which no record had arrived before."""
    works: int
    """Works of all rounds up to this one."""

    @property
    def summary(self) -> str:
        """Return one line: `60 records arrived: 2 repeated, 58 new; 43 new works`."""
        parts = [
            f"{self.again:,} repeated" if self.again else "",
            f"{self.removed:,} not kept" if self.removed else "",
            f"{self.first_found:,} new",
        ]
        line = f"{quantity(self.arrived, 'record')} arrived: {', '.join(filter(None, parts))}"
        earlier = f" (with earlier rounds {self.works:,})" if self.round > 1 else ""
        return f"{line}; {quantity(self.new_works, 'new work')}{earlier}"


@dataclass(frozen=True)
class PlacedArrival:
    arrival: Arrival
    round: SearchedRound | None
    """None if its round does not count."""
    before: SearchedRound | None = None
    """The round in which the same record of the same source had arrived first, if any."""
    is_first_of_work: bool = False
    """Whether no record of the same work had arrived before."""


def placements(
    rows: Iterable[tuple[Arrival, SearchedRound | None]], work_of: Mapping[str, str]
) -> Iterator[PlacedArrival]:
    """Yield arrivals, given in order, with what came before each, by record and by work."""
    first: dict[str, SearchedRound | None] = {}
    works: set[str] = set()
    for arrival, round_ in rows:
        if arrival.record is None:
            yield PlacedArrival(arrival, round_)
        elif arrival.record in first:
            yield PlacedArrival(arrival, round_, before=first[arrival.record])
        else:
            first[arrival.record] = round_
            work = work_of.get(arrival.record, arrival.record)
            yield PlacedArrival(arrival, round_, is_first_of_work=work not in works)
            works.add(work)


def rows_of(rounds: Iterable[SearchedRound]) -> Iterator[tuple[Arrival, SearchedRound]]:
    return ((arrival, round_) for round_ in rounds for arrival in round_.arrivals)


def count_rounds(rounds: Sequence[SearchedRound], work_of: Mapping[str, str]) -> list[RoundCounts]:
    """Return the counts of each round; for `work_of`, see `placements`."""
    of_round: dict[int, list[PlacedArrival]] = {round_.iteration: [] for round_ in rounds}
    for row in placements(rows_of(rounds), work_of):
        if row.round is not None:
            of_round[row.round.iteration].append(row)
    counts: list[RoundCounts] = []
    for round_ in rounds:
        rows = of_round[round_.iteration]
        removed = sum(row.arrival.record is None for row in rows)
        again = sum(row.before is not None for row in rows)
        new_works = sum(row.is_first_of_work for row in rows)
        counts.append(
            RoundCounts(
                round=round_.iteration + 1,
                searched_at=round_.searched_at,
                arrived=len(rows),
                removed=removed,
                again=again,
                first_found=len(rows) - removed - again,
                new_works=new_works,
                works=new_works + (counts[-1].works if counts else 0),
            )
        )
    return counts


@dataclass(frozen=True)
class SourceSummary:
    """All queries to one source together.

    `status`: that of the first failure if all queries failed; `PARTIAL` if some did. `hits` and
    `kept`: sums over the queries; no hits if the source does not report them. `note`: all distinct
    errors and notes.
    """

    source: str
    status: SourceStatus
    hits: int | None
    kept: int
    note: str


def summaries(reports: Iterable[SourceReport]) -> list[SourceSummary]:
    """Return one entry for each source, in the order of asking."""
    groups: dict[str, list[SourceReport]] = {}
    for report in reports:
        groups.setdefault(report.source, []).append(report)
    return [_summary(source, group) for source, group in groups.items()]


def _summary(source: str, reports: list[SourceReport]) -> SourceSummary:
    counts = {name: sum(getattr(report, name) for report in reports) for name in REASONS}
    together = SourceReport(source=source, status=SourceStatus.OK, **counts)
    errors = [report.error for report in reports if not report.is_asked_again]
    remarks = [text for text in (*errors, *(report.note for report in reports)) if text]
    remarks += filter(None, [together.removals])
    remarks += [report.day for report in reports if report.from_cache]
    hits = {report.query: report.hits for report in reports if report.hits is not None}
    latest = [report.status for report in reports if not report.is_asked_again]
    if SourceStatus.EMPTY in latest and any(report.kept for report in reports):
        latest.append(SourceStatus.OK)  # it had returned papers before the wait
    return SourceSummary(
        source,
        _status(latest),
        sum(hits.values()) if hits else None,
        sum(report.kept for report in reports),
        "; ".join(dict.fromkeys(part for text in remarks for part in text.split("; "))),
    )


def _status(statuses: Sequence[SourceStatus]) -> SourceStatus:
    failures = [status for status in statuses if status.is_failure]
    if failures:
        return failures[0] if len(failures) == len(statuses) else SourceStatus.PARTIAL
    return SourceStatus.OK if SourceStatus.OK in statuses else SourceStatus.EMPTY


def aside(excluded: int) -> str:
    """Return the words that follow the number of papers set aside."""
    return f"set aside, {excluded:,} of them excluded" if excluded else "set aside"
