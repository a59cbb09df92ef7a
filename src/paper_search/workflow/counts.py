"""The counts of a search, all of them made of the rows of its arrivals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from paper_search.models import Arrival
from paper_search.workflow.rounds import SearchedRound


class RoundCounts(BaseModel):
    """What one round brought: `arrived = removed + again + first_found`."""

    round: int
    """From 1."""
    searched_at: str
    """UTC, ISO 8601."""
    arrived: int
    """Records as often as its sources gave them."""
    removed: int
    """Of these, removed by a check of ours."""
    again: int
    """The same record of the same source had arrived before: by another query, or in an earlier
    round."""
    first_found: int
    """Records that had not arrived before."""
    new_works: int
    """Works of which no record had arrived before."""
    works: int
    """Works of all rounds up to this one."""

    @property
    def summary(self) -> str:
        """Return one line: `60 records arrived: 2 given again, 58 new; 43 new works`."""
        parts = [
            f"{self.again:,} given again" if self.again else "",
            f"{self.removed:,} removed by a check" if self.removed else "",
            f"{self.first_found:,} new",
        ]
        line = f"{counted(self.arrived, 'record')} arrived: {', '.join(filter(None, parts))}"
        earlier = f" (with earlier rounds {self.works:,})" if self.round > 1 else ""
        return f"{line}; {counted(self.new_works, 'new work')}{earlier}"


@dataclass(frozen=True)
class PlacedArrival:
    """An arrival and what came before it."""

    arrival: Arrival
    round: SearchedRound | None
    """None: it is of no round that counts."""
    before: SearchedRound | None = None
    """The round in which the same record of the same source arrived first, if it did."""
    is_first_of_work: bool = False
    """Whether no record of the same work had arrived before."""


def placed(
    rows: Iterable[tuple[Arrival, SearchedRound | None]], work_of: Mapping[str, str]
) -> Iterator[PlacedArrival]:
    """Yield arrivals with what came before each.

    Args:
        rows: with their rounds, in the order of arrival.
        work_of: by the id of a record, that of its work; its own where it is left out.
    """
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
    """Yield every arrival with its round."""
    return ((arrival, round_) for round_ in rounds for arrival in round_.arrivals)


def count_rounds(rounds: Sequence[SearchedRound], work_of: Mapping[str, str]) -> list[RoundCounts]:
    """Return what each round brought; see `placed`."""
    of_round: dict[int, list[PlacedArrival]] = {round_.iteration: [] for round_ in rounds}
    for row in placed(rows_of(rounds), work_of):
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


def works_before(rounds: Sequence[SearchedRound], work_of: Mapping[str, str]) -> set[str]:
    """Return the works that rounds before the last one brought."""
    return {work_of.get(i, i) for round_ in rounds[:-1] for i in round_.records}


def counted(count: int, noun: str) -> str:
    """Return a number with what it counts."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
