"""The status of every record of a search, and the PRISMA 2020 flow that counts them."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from pydantic import BaseModel, Field

from paper_search.audit.reading import ReviewThread, names_of_sources
from paper_search.models import Arrival, Paper, RawPaper, ScoredPaper
from paper_search.models.source_report import quantity
from paper_search.workflow.counts import (
    PlacedArrival,
    RoundCounts,
    SearchedRound,
    count_rounds,
    placements,
    rows_of,
)
from paper_search.workflow.full_texts import FullTextFlow, count_full_texts
from paper_search.workflow.results import decisions_on_papers, empty_collection
from paper_search.workflow.state import MOST_ITERATIONS


class PrismaFlow(BaseModel):
    """Numbers of records and works in the flow.

    `identified = removed_by_checks + duplicates + works`;
    `works = set_aside + not_carried_over + pending + for_screening`;
    `for_screening = undecided + not_judged + screened`; `screened = excluded + included`.
    """

    identified: int
    """Records of all sources and rounds, counted each time they arrived."""
    by_source: dict[str, int] = Field(default_factory=dict)
    """The same, by service or database."""
    rounds: list[RoundCounts] = Field(default_factory=list)
    outside_rounds: int = 0
    """Records of rounds that a fork undid. They are in no other count, since the search log has no
    strings for them."""
    removed_by_checks: int = 0
    """Before screening, for one of `removal_reasons`: unusable, not what was asked for, or beyond
    the number that was."""
    removal_reasons: dict[str, int] = Field(default_factory=dict)
    duplicates: int
    """Records beyond the first of each work."""
    given_again: int = 0
    """Of the duplicates, the same record from the same source, by another query or in a later
    round."""
    works: int
    set_aside: int
    not_carried_over: int
    pending: int
    for_screening: int
    undecided: int
    not_judged: int
    screened: int
    excluded: int
    exclusion_reasons: dict[str, int] = Field(default_factory=dict)
    """Works by reason for exclusion, or "no reason given"."""
    included: int
    """By title and abstract."""
    full_texts: FullTextFlow | None = None
    """The second stage; None if it has not begun."""
    parts: "list[PrismaFlow]" = Field(default_factory=list)
    """For an updated review: the flow before its first update, and of each update. Works of an
    earlier part are duplicates in a later one."""
    previous_included: int | None = None
    """For an updated review: works included before its last update (PRISMA 2020: studies included
    in the previous version of the review); None without an update."""
    ended_by: str | None = None
    """Why the search ended; None if it has not."""

    @property
    def included_last(self) -> int:
        """Works included in the review: by full text, if that stage has begun."""
        return self.included if self.full_texts is None else self.full_texts.included

    @property
    def summary(self) -> str:
        """One line: `60 records identified, 15 duplicates, 45 works`."""
        removed = self.removed_by_checks
        parts = [
            f"{quantity(self.identified, 'record')} identified",
            f"{removed:,} not kept" if removed else "",
            quantity(self.duplicates, "duplicate"),
            quantity(self.works, "work"),
        ]
        return ", ".join(filter(None, parts))


def flow_of(thread: ReviewThread, records: "Sequence[RecordRow]") -> PrismaFlow:
    work_of = {row.arrival.record: row.kept_as for row in records if row.arrival.record}
    counts = count_rounds(thread.rounds, work_of)
    whole = _flow(thread, records, counts)
    starts = [entry.iteration for entry in thread.state.updates]
    if not starts:
        return whole
    parts = []
    for start, end in pairwise([0, *starts, MOST_ITERATIONS + 1]):
        # Records without a round are from before any update.
        own = [row for row in records if start <= (row.round.iteration if row.round else 0) < end]
        parts.append(_flow(thread, own, [c for c in counts if start < c.round <= end]))
    before = sum(part.included_last for part in parts[:-1])
    return whole.model_copy(update={"parts": parts, "previous_included": before})


def _flow(
    thread: ReviewThread, rows: "Sequence[RecordRow]", rounds: list[RoundCounts]
) -> PrismaFlow:
    records = [row for row in rows if row.is_counted]
    count = Counter(record.status for record in records)
    excluded = [record for record in records if record.status is Status.EXCLUDED]
    removed = [record for record in records if record.status is Status.REMOVED]
    screened = count[Status.INCLUDED] + count[Status.EXCLUDED]
    works = works_of(records)
    included = [work.paper.id for work in works if work.status is Status.INCLUDED]
    names = names_of_sources(record.arrival.source for record in records)
    return PrismaFlow(
        **{status.value: count[status] for status in _COUNTED},
        identified=len(records),
        by_source=dict(sorted(Counter(names[row.arrival.source] for row in records).items())),
        rounds=rounds,
        outside_rounds=len(rows) - len(records),
        removed_by_checks=count[Status.REMOVED],
        removal_reasons=_most_first(record.why for record in removed),
        duplicates=count[Status.DUPLICATE],
        given_again=sum(record.is_again for record in records),
        works=len(works),
        for_screening=count[Status.UNDECIDED] + count[Status.NOT_JUDGED] + screened,
        screened=screened,
        exclusion_reasons=_most_first(record.why or "no reason given" for record in excluded),
        full_texts=count_full_texts(included, thread.full_texts),
        ended_by=thread.info.ended_by,
    )


def _most_first(reasons: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(reasons).items(), key=lambda item: (-item[1], item[0])))


class Status(str, Enum):
    REMOVED = "removed"
    """Not kept: unusable, not what was asked for, or beyond the number."""
    DUPLICATE = "duplicate"
    """It arrived before, or another record represents the same work."""
    INCLUDED = "included"
    """By a person's decision."""
    EXCLUDED = "excluded"
    """By a person's decision."""
    UNDECIDED = "undecided"
    """In the result, without a person's decision."""
    NOT_JUDGED = "not_judged"
    """The same, and not graded by a judge."""
    SET_ASIDE = "set_aside"
    """Below the threshold of the result by score, or beyond its number of papers."""
    NOT_CARRIED_OVER = "not_carried_over"
    """Found by an earlier or reopened round, and not in the result."""
    PENDING = "pending"
    """Found, but the round has not reached its result yet."""


_COUNTED = frozenset(Status) - {Status.REMOVED, Status.DUPLICATE}
"""Statuses of works, which the flow counts under the same names."""


@dataclass(frozen=True)
class Work:
    paper: Paper
    members: tuple[str, ...]
    """The first represents the work: one of a round that counts, if there is one."""
    status: Status
    why: str

    @property
    def own(self) -> str:
        return self.members[0]


@dataclass(frozen=True)
class RecordRow:
    row: PlacedArrival
    status: Status
    why: str
    record: RawPaper | None = None
    """None if it was removed at once."""
    work: Work | None = None
    """None if it was removed at once."""

    @property
    def arrival(self) -> Arrival:
        return self.row.arrival

    @property
    def round(self) -> SearchedRound | None:
        return self.row.round

    @property
    def is_again(self) -> bool:
        return self.row.before is not None

    @property
    def is_counted(self) -> bool:
        """Whether the flow counts it: a search that a fork undid does not count."""
        return self.round is not None or self.status in {Status.INCLUDED, Status.EXCLUDED}

    @property
    def kept_as(self) -> str:
        """The id of the record that represents its work; "" if it was removed at once."""
        return self.work.own if self.work else ""


def record_rows(thread: ReviewThread) -> list[RecordRow]:
    """Return every record that ever arrived with its status, in the order of arrival.

    Records of rounds that no longer count come last, each once.
    """
    counting = {i for round_ in thread.rounds for i in round_.records}
    every = (_with_own_first(work, counting) for work in _works(thread))
    works = {member: work for work in every for member in work.members}
    work_of = {member: work.own for member, work in works.items()}
    outside = [i for i in sorted(thread.records) if i not in counting]
    rest = [(Arrival(record=i, source=thread.records[i].source), None) for i in outside]
    rows = placements([*rows_of(thread.rounds), *rest], work_of)
    return [_record_row(row, thread.records, works) for row in rows]


def _with_own_first(work: Work, counting: Container[str]) -> Work:
    by_rank = sorted(work.members, key=lambda i: (i not in counting, i != work.paper.id))
    return replace(work, members=tuple(by_rank))


def works_of(records: Iterable[RecordRow]) -> list[Work]:
    """Return each work once, in the order of arrival of the records that represent them."""
    return [row.work for row in records if row.work and row.status is not Status.DUPLICATE]


def _record_row(
    row: PlacedArrival, records: Mapping[str, RawPaper], works: Mapping[str, Work]
) -> RecordRow:
    if (name := row.arrival.record) is None:
        return RecordRow(row, Status.REMOVED, row.arrival.removed or "")
    record, work = records[name], works[name]
    if row.before is not None:
        why = f"arrived in round {row.before.iteration + 1} already"
        return RecordRow(row, Status.DUPLICATE, why, record, work)
    if name == work.own:
        return RecordRow(row, work.status, work.why, record, work)
    return RecordRow(row, Status.DUPLICATE, f"the same work as {work.own}", record, work)


def _works(thread: ReviewThread) -> Iterator[Work]:
    """Yield the works, with each record in one of them; papers without our records are left out."""
    used_ids: set[str] = set()
    collection = thread.collection or empty_collection(thread.state.question)
    result = thread.state.result
    hidden = set(result.set_aside_ids[: result.hidden]) if result else set()
    every = [(p, _of_shown(p)) for p in collection.papers]
    for paper in collection.set_aside:
        why = f"below the threshold of the result: score {paper.relevance_score:.2f}"
        if paper.id in hidden:
            why = "beyond the number of papers that were asked for"
        every.append((paper, _verdict(paper, Status.SET_ASIDE, why)))
    every += _of_updates(thread, collection.earlier)
    with_records = []
    # If two papers share a record, the one that a person decided on keeps it.
    for paper, verdict in sorted(every, key=lambda item: item[0].decision == "undecided"):
        ids = [i for i in paper.merged_from or [paper.id] if i in thread.records]
        members = [i for i in dict.fromkeys(ids) if i not in used_ids]
        if members:
            used_ids.update(members)
            with_records.append((paper, members, verdict))
    rest: dict[str, list[str]] = {}
    for record_id in sorted(thread.records.keys() - used_ids):
        rest.setdefault(thread.work_of.get(record_id, record_id), []).append(record_id)
    for paper, members, (status, why) in with_records:
        # A rejected round may have found further records of the same work.
        yield Work(paper, (*members, *rest.pop(paper.id, [])), status, why)
    yield from _outside_result(thread, rest)


def _of_updates(
    thread: ReviewThread, papers: Iterable[Paper]
) -> Iterator[tuple[Paper, tuple[Status, str]]]:
    """Yield papers of earlier rounds with their status in the result before an update.

    Nobody decided on them, and an update does not count them as new.
    """
    results = [(set(u.paper_ids), set(u.set_aside_ids)) for u in thread.state.updates]
    for paper in papers:
        ids = {paper.id, *paper.merged_from}
        if any(ids & result for result, _ in results):
            yield paper, _of_shown(paper, "in the result before an update")
        elif any(ids & aside for _, aside in results):
            yield paper, (Status.SET_ASIDE, "set aside in the result before an update")


def _of_shown(paper: Paper, where: str = "in the result") -> tuple[Status, str]:
    if not paper.is_judged:
        return _verdict(paper, Status.NOT_JUDGED, paper.relevance_reason)
    return _verdict(paper, Status.UNDECIDED, f"{where}; not decided")


def _verdict(paper: Paper, status: Status, why: str) -> tuple[Status, str]:
    """Return a person's decision on a paper and its reason; without one, the arguments."""
    if paper.decision == "undecided":
        return status, why
    return Status(paper.decision), (paper.screening.reason if paper.screening else None) or ""


def _outside_result(thread: ReviewThread, groups: Mapping[str, list[str]]) -> Iterator[Work]:
    """Yield works that are not in the result; decisions on them count."""
    latest = thread.rounds[-1].records if thread.rounds and thread.is_between_steps else []
    ids = {i for round_ in thread.rounds for i in round_.records}
    papers = _screened(thread, groups)
    earlier = set(thread.state.result.earlier_ids) if thread.state.result else set()
    for work_id, members in groups.items():
        status, why = Status.NOT_CARRIED_OVER, "found in a round that was reopened"
        if work_id not in earlier and not set(members).isdisjoint(latest):
            status, why = Status.PENDING, "found, and not processed yet"
        elif not set(members).isdisjoint(ids):
            why = "of an earlier round, which ended without a decision on it"
        paper = papers[work_id]
        yield Work(paper, tuple(members), *_verdict(paper, status, why))


def _screened(thread: ReviewThread, groups: Mapping[str, list[str]]) -> dict[str, Paper]:
    work_of = {i: work_id for work_id, members in groups.items() for i in members}
    decisions = decisions_on_papers(thread.state, thread.marks, work_of)
    papers = {}
    for work_id, members in groups.items():
        record = thread.records[work_id if work_id in members else members[0]]
        bare = ScoredPaper(paper=record, relevance_score=0.0, relevance_reason="", is_judged=False)
        verdict = {"screening": decisions.get(work_id)}
        papers[work_id] = Paper.from_scored(bare).model_copy(update=verdict)
    return papers
