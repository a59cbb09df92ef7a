"""What each search of a thread brought, row by row: all counts and audits are made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pydantic import BaseModel, Field

from paper_search.models import Arrival, SearchReport, SourceReport
from paper_search.prompts import prompt_digests


class SearchedRound(BaseModel):
    """One search: what it brought, when, and what it was done with."""

    iteration: int
    """The round, from 0."""
    searched_at: str
    """UTC, ISO 8601."""
    arrivals: list[Arrival]
    program: str
    """Version of this program."""
    models: dict[str, str] = Field(default_factory=dict)
    """The model of each skill by the name of its prompt; a skill that asks none is left out."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of these prompts."""

    @property
    def records(self) -> list[str]:
        """Return the ids of the records that arrived, each once."""
        return list(dict.fromkeys(row.record for row in self.arrivals if row.record is not None))


def arrivals_of(answer: SearchReport, ids: Sequence[str]) -> list[Arrival]:
    """Return a row for each time that a source gave a record.

    Args:
        answer: of all sources; a record that several queries brought says so.
        ids: under which its records are stored, in their order.
    """
    if answer.arrivals:
        stored = dict(zip((paper.id for paper in answer.papers), ids, strict=True))
        return [
            row.model_copy(update={"record": stored[row.record]}) if row.record else row
            for row in answer.arrivals
        ]
    rows: list[Arrival] = []
    for name, paper in zip(ids, answer.papers, strict=True):
        rows += [
            Arrival(record=name, source=seen.source, query=seen.query, position=seen.rank)
            for seen in paper.sightings
        ] or [Arrival(record=name, source=paper.source)]
    later = Counter((s.source, s.query) for paper in answer.papers for s in paper.sightings[1:])
    for report in answer.sources:
        key = report.source, report.query
        counted = min(later[key], report.repeated)  # two queries may be sent as one string
        later[key] -= counted
        rows += _removed(report, counted)
    return rows


def arrivals_again(before: Sequence[Arrival], again: Sequence[Arrival]) -> list[Arrival]:
    """Return the rows of a round after sources were asked again: what they repeat came once."""
    known = {(row.source, row.query, row.record) for row in before if row.record}
    asked = {(row.source, row.query) for row in again}
    # An answer in full counts anew what was removed from it.
    kept = [row for row in before if row.record or (row.source, row.query) not in asked]
    return [*kept, *(r for r in again if (r.source, r.query, r.record) not in known)]


def searched_round(
    iteration: int, arrivals: Sequence[Arrival], models: Mapping[str, str]
) -> SearchedRound:
    """Return what is kept of a search that has just ended."""
    from paper_search import __version__  # noqa: PLC0415  # reads the disk

    return SearchedRound(
        iteration=iteration,
        searched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        arrivals=list(arrivals),
        program=__version__,
        models=dict(models),
        prompts=prompt_digests(models),
    )


def _removed(report: SourceReport, later: int) -> list[Arrival]:
    """Return a row for each record that a source gave and that was removed at once.

    Args:
        report: of one query.
        later: of the repeated records, those that an earlier query to the source gave.
    """
    reasons = {
        "not what was asked for": report.excluded,
        "no title": report.dropped,
        "the same record on a later page": report.repeated - later,
        "beyond the number that was asked for": report.beyond_limit,
        "the source did not come to an end": report.unused,
    }
    return [
        Arrival(source=report.source, query=report.query, removed=reason)
        for reason, count in reasons.items()
        for _ in range(count)
    ]
