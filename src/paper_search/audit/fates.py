"""What became of every record that ever arrived at a search: exactly one fate each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from paper_search.audit.reading import ReviewThread
from paper_search.models import Arrival, Paper, RawPaper, ScoredPaper
from paper_search.workflow.counts import PlacedArrival, SearchedRound, placements, rows_of
from paper_search.workflow.results import decisions_on_papers, empty_collection


class Fate(str, Enum):
    REMOVED = "removed"
    """A check of ours removed it at once: it has no title, or is not what was asked for."""
    DUPLICATE = "duplicate"
    """It had arrived before, or another record stands for the same work."""
    INCLUDED = "included"
    """A person decided so."""
    EXCLUDED = "excluded"
    """A person decided so."""
    UNDECIDED = "undecided"
    """It is in the result, and no person has decided on it."""
    NOT_JUDGED = "not_judged"
    """The same, and the judge of relevance failed on it."""
    SET_ASIDE = "set_aside"
    """Its score or its place in the order is below the line of the result."""
    NOT_CARRIED_OVER = "not_carried_over"
    """An earlier or reopened round found it, and the result does not hold it."""
    PENDING = "pending"
    """Found, and not worked on yet: the round has not come to its result."""


@dataclass(frozen=True)
class Work:
    """A paper, the records that it stands for, and its fate."""

    paper: Paper
    members: tuple[str, ...]
    fate: Fate
    why: str

    @property
    def own(self) -> str:
        return self.paper.id if self.paper.id in self.members else self.members[0]


@dataclass(frozen=True)
class RecordFate:
    """A record that arrived, and what became of it."""

    row: PlacedArrival
    fate: Fate
    why: str
    record: RawPaper | None = None
    """None: it was removed at once."""
    work: Work | None = None
    """That it belongs to; None: it was removed at once."""

    @property
    def arrival(self) -> Arrival:
        return self.row.arrival

    @property
    def round(self) -> SearchedRound | None:
        return self.row.round

    @property
    def is_again(self) -> bool:
        """Whether the same record of the same source had arrived before."""
        return self.row.before is not None

    @property
    def kept_as(self) -> str:
        """Return the id of the record that stands for its work; "" if it was removed at once."""
        return self.work.own if self.work else ""


def fates(thread: ReviewThread) -> list[RecordFate]:
    """Return the fate of every record that ever arrived, in the order of arrival.

    Records of rounds that do not count any more come last, each once.
    """
    works = {member: work for work in _works(thread) for member in work.members}
    work_of = {member: work.own for member, work in works.items()}
    counting = {i for round_ in thread.rounds for i in round_.records}
    outside = [i for i in sorted(thread.records) if i not in counting]
    rest = [(Arrival(record=i, source=thread.records[i].source), None) for i in outside]
    rows = placements([*rows_of(thread.rounds), *rest], work_of)
    return [_fate(row, thread.records, works) for row in rows]


def works_of(records: Iterable[RecordFate]) -> list[Work]:
    """Return each work once, in the order in which the records that stand for them arrived."""
    return [row.work for row in records if row.work and row.fate is not Fate.DUPLICATE]


def _fate(
    row: PlacedArrival, records: Mapping[str, RawPaper], works: Mapping[str, Work]
) -> RecordFate:
    if (name := row.arrival.record) is None:
        return RecordFate(row, Fate.REMOVED, row.arrival.removed or "")
    record, work = records[name], works[name]
    if row.before is not None:
        why = f"arrived in round {row.before.iteration + 1} already"
        return RecordFate(row, Fate.DUPLICATE, why, record, work)
    if name == work.own:
        return RecordFate(row, work.fate, work.why, record, work)
    return RecordFate(row, Fate.DUPLICATE, f"the same work as {work.own}", record, work)


def _works(thread: ReviewThread) -> Iterator[Work]:
    """Yield works that hold each record once; a paper of no record of ours has none to hold."""
    used_ids: set[str] = set()
    collection = thread.collection or empty_collection(thread.state.question)
    result = thread.state.result
    hidden = set(result.set_aside_ids[: result.hidden]) if result else set()
    papers = [(paper, _of_shown(paper)) for paper in collection.papers]
    aside = [
        (paper, _of_set_aside(paper, is_hidden=paper.id in hidden))
        for paper in collection.set_aside
    ]
    # Where two papers hold one record, the one that a person decided on has it.
    for paper, (fate, why) in sorted([*papers, *aside], key=lambda item: not _is_decided(item[0])):
        ids = [i for i in paper.merged_from or [paper.id] if i in thread.records]
        members = [i for i in dict.fromkeys(ids) if i not in used_ids]
        if members:
            used_ids.update(members)
            yield Work(paper, tuple(members), fate, why)
    yield from _beyond_the_result(thread, [i for i in sorted(thread.records) if i not in used_ids])


def _of_shown(paper: Paper) -> tuple[Fate, str]:
    if (decided := _decided(paper)) is not None:
        return decided
    if not paper.is_judged:
        return Fate.NOT_JUDGED, paper.relevance_reason
    return Fate.UNDECIDED, "in the result; nobody has decided on it"


def _of_set_aside(paper: Paper, *, is_hidden: bool) -> tuple[Fate, str]:
    if (decided := _decided(paper)) is not None:
        return decided
    if is_hidden:
        return Fate.SET_ASIDE, "beyond the number of papers that were asked for"
    return (
        Fate.SET_ASIDE,
        f"below the line of the result: score {paper.relevance_score:.2f}",
    )


def _decided(paper: Paper) -> tuple[Fate, str] | None:
    if paper.decision == "undecided":
        return None
    fate = Fate.INCLUDED if paper.decision == "included" else Fate.EXCLUDED
    return fate, (paper.screening.reason if paper.screening else None) or ""


def _is_decided(paper: Paper) -> bool:
    return paper.decision != "undecided"


def _beyond_the_result(thread: ReviewThread, left: Iterable[str]) -> Iterator[Work]:
    """Yield the works of the records that the result does not hold; decisions on them count."""
    groups: dict[str, list[str]] = {}
    for record_id in left:
        groups.setdefault(thread.work_of.get(record_id, record_id), []).append(record_id)
    latest = thread.rounds[-1].records if thread.rounds and thread.is_between_steps else []
    ids = {i for round_ in thread.rounds for i in round_.records}
    papers = _screened(thread, groups)
    earlier = set(thread.state.result.earlier_ids) if thread.state.result else set()
    for work_id, members in groups.items():
        paper = papers[work_id]
        if (decided := _decided(paper)) is not None:
            fate, why = decided
        elif work_id not in earlier and not set(members).isdisjoint(latest):
            fate, why = Fate.PENDING, "found, and not worked on yet"
        elif set(members).isdisjoint(ids):
            fate, why = Fate.NOT_CARRIED_OVER, "found in a round that was reopened"
        else:
            fate, why = Fate.NOT_CARRIED_OVER, "found in an earlier round, and not in the result"
        yield Work(paper, tuple(members), fate, why)


def _screened(thread: ReviewThread, groups: Mapping[str, list[str]]) -> dict[str, Paper]:
    work_of = {i: work_id for work_id, members in groups.items() for i in members}
    decisions = decisions_on_papers(thread.state, thread.marks, work_of)
    papers = {}
    for work_id, members in groups.items():
        own = work_id if work_id in members else members[0]
        record = thread.records[own]
        bare = ScoredPaper(paper=record, relevance_score=0.0, relevance_reason="", is_judged=False)
        verdict = {"screening": decisions.get(work_id)}
        papers[work_id] = Paper.from_scored(bare).model_copy(update=verdict)
    return papers
