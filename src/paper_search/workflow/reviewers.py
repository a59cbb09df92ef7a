"""Independent reviewers of the same papers, and their agreement."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from statistics import fmean
from typing import Any

from pydantic import BaseModel, Field

from paper_search.config import current_person
from paper_search.errors import InputError, ThreadFinishedError
from paper_search.models import Paper, ScreeningDecision
from paper_search.workflow.marks import MarkStore, ScreeningMark
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.screening import Check, Screening

Verdicts = Mapping[str, bool]
"""By the id of a paper: is it relevant?"""


class ReviewerProgress(BaseModel):
    """The progress of one reviewer, without their decisions."""

    name: str
    decided: int
    of: int
    """Papers to decide on."""
    is_done: bool
    """They decided on all papers, or said that they are done."""


class Conflict(BaseModel):
    paper_id: str
    title: str = ""
    included_by: list[str]
    excluded_by: list[str]
    notes: dict[str, str] = Field(default_factory=dict)
    """What reviewers noted on it, by reviewer."""
    settled: str | None = None
    """`include` or `exclude`; None until somebody settles it."""
    settled_by: str | None = None


class Agreement(BaseModel):
    """The progress of reviewers and, once all of them are done, their agreement."""

    reviewers: list[ReviewerProgress] = Field(default_factory=list)
    is_blind: bool = True
    """Whether decisions are hidden from others: not all are done, or there are fewer than two."""
    decided_by_several: int = 0
    """Papers on which at least two reviewers decided."""
    included: int = 0
    """By all who decided on them."""
    excluded: int = 0
    differing: int = 0
    """Of these, full texts that they exclude for different reasons; a person settles them."""
    conflicts: list[Conflict] = Field(default_factory=list)
    observed: float | None = None
    """Share of the papers decided by several on which they agree; None if there are none."""
    kappa: float | None = None
    """Cohen's kappa over the papers that both decided on; the mean over pairs (Light's) for more
    than two reviewers. None if undefined: no such papers, or one verdict on all of them."""
    by_update: "list[Agreement]" = Field(default_factory=list)
    """If the review was updated: on papers of the first search, then of each update."""

    @property
    def lines(self) -> list[str]:
        kappa = "not defined" if self.kappa is None else f"{self.kappa:z.2f}"
        alike = f"{self.included} included, {self.excluded} excluded"
        alike += f", {self.differing} of them for different reasons" if self.differing else ""
        alike = f"{alike}, {len(self.conflicts)} in conflict"
        lines = [f"Decided by several: {self.decided_by_several} ({alike})."]
        if self.observed is not None:
            lines.append(f"Agreement: {self.observed:.0%}; Cohen's kappa: {kappa}.")
        for number, part in enumerate(self.by_update):
            name = f"Update {number}" if number else "First search"
            lines.append(f"{name}: {' '.join(part.lines)}")
        return lines


def cohens_kappa(one: Verdicts, other: Verdicts) -> float | None:
    """Return how far two reviewers agree beyond chance; None if it is not defined."""
    both = sorted(one.keys() & other.keys())
    if not both:
        return None
    observed = fmean(one[i] == other[i] for i in both)
    yes, others_yes = fmean(one[i] for i in both), fmean(other[i] for i in both)
    by_chance = yes * others_yes + (1 - yes) * (1 - others_yes)
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def agreement_of(
    paper_ids: Sequence[str],
    verdicts: Mapping[str, Verdicts],
    finished: Collection[str],
    earlier: Collection[str] = (),
) -> Agreement:
    """Return the progress of reviewers and, if all are done, their agreement."""
    own = {
        name: {i: verdicts_[i] for i in paper_ids if i in verdicts_}
        for name, verdicts_ in sorted(verdicts.items())
    }
    progress = [
        ReviewerProgress(
            name=name,
            decided=len(verdicts_),
            of=len(every := {*paper_ids} - ({*earlier} - {*verdicts_})),
            is_done=name in finished or len(verdicts_) == len(every),
        )
        for name, verdicts_ in own.items()
    ]
    if len(own) < 2 or not all(reviewer.is_done for reviewer in progress):  # noqa: PLR2004  # nobody to agree with
        return Agreement(reviewers=progress)
    sides = {
        i: [[name for name, said in own.items() if said.get(i) is word] for word in (True, False)]
        for i in paper_ids
    }
    shared = {i: (yes, no) for i, (yes, no) in sides.items() if len(yes) + len(no) > 1}
    kappas = [cohens_kappa(one, other) for one, other in combinations(own.values(), 2)]
    defined = [kappa for kappa in kappas if kappa is not None]
    conflicts = [
        Conflict(paper_id=i, included_by=yes, excluded_by=no)
        for i, (yes, no) in shared.items()
        if yes and no
    ]
    return Agreement(
        reviewers=progress,
        is_blind=False,
        decided_by_several=len(shared),
        included=sum(not no for _, no in shared.values()),
        excluded=sum(not yes for yes, _ in shared.values()),
        conflicts=conflicts,
        observed=1 - len(conflicts) / len(shared) if shared else None,
        kappa=fmean(defined) if defined else None,
    )


REVIEWER_NAME = re.compile(r"[\w.@+-](?:[\w .@+-]{0,58}[\w.@+-])?")


def check_name(name: str) -> None:
    if not REVIEWER_NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a valid name of a reviewer; use 1 to 60 letters, digits, spaces, "
            "'_', '.', '@', '+' or '-'"
        )


class ReviewerMarks(MarkStore):
    """Stores the marks of one reviewer apart from those of the others and of the thread."""

    part = "reviews"
    joins_answers = False

    def __init__(self, records: SearchRecords, reviewer: str) -> None:
        super().__init__(records)
        self._reviewer = reviewer

    def _marks(self, rows: Mapping[str, Any]) -> list[ScreeningMark]:
        return [mark for mark in super()._marks(rows) if mark.said_by == self._reviewer]

    async def put(self, *marks: ScreeningMark) -> None:
        await super().put(*(mark.model_copy(update={"said_by": self._reviewer}) for mark in marks))

    def _key(self, paper_id: str) -> str:
        return f"{self._reviewer}/{paper_id}"


async def status_of(records: SearchRecords, name: str) -> bool | None:
    """Return whether a reviewer said that they are done; None if there is no such reviewer."""
    rows = await records.rows("reviewers")
    return rows[name].get("done_in") is not None if name in rows else None


@dataclass
class Reviewers:
    papers: list[Paper]
    records: SearchRecords
    iteration: int
    decisions: dict[str, ScreeningDecision]
    """Decisions of the thread, by the id of the paper."""
    update_of: Mapping[str, int]
    """The update that found each paper (0: the first search); empty without updates."""
    earlier: Verdicts
    """Verdicts from before the last update; new reviewers are not asked about these papers."""
    check: Check
    """Called before a decision of the thread; raises if it would not count."""

    async def join(self, name: str) -> None:
        """Add a reviewer, or let one who was done continue."""
        check_name(name)
        await self._require_blind()
        await self.records.put("reviewers", {name: {"joined": True, "done_in": None}})

    async def _require_blind(self) -> None:
        if not (await self.agreement()).is_blind:
            thread_id = self.records.thread_id
            raise ThreadFinishedError(
                f"the reviewers of thread {thread_id!r} are done, and their decisions are shown; "
                f"`paper-search reconcile {thread_id}` lists the conflicts"
            )

    async def finish(self, name: str) -> None:
        """Record that a reviewer is done with these papers, even if some are undecided."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        done = {"done_in": self.iteration, "done_at": at, "done_with": [p.id for p in self.papers]}
        await self.records.put("reviewers", {name: {"joined": True, **done}})

    async def screening(self, name: str) -> Screening:
        check_name(name)
        store = ReviewerMarks(self.records, name)
        marks = await store.of_works()
        screening = Screening(self.papers, store, marks, self.iteration, self.earlier)

        async def check() -> None:
            # Who is not done and has papers left keeps the others blind.
            is_through = {paper.id for paper in self.papers} <= screening.verdicts.keys()
            if is_through or await status_of(self.records, name) is not False:
                await self._require_blind()

        screening.check = check
        return screening

    async def agreement(self) -> Agreement:
        rows = await self.records.rows("reviewers")
        marks = {name: await self._marks_of(name) for name in rows}
        verdicts = {
            name: {i: m.is_relevant for i, m in own.items() if m.is_relevant is not None}
            for name, own in marks.items()
        }
        finishers = frozenset(name for name, row in rows.items() if self._is_done(row))
        titles = {paper.id: paper.title for paper in self.papers}
        result = agreement_of(list(titles), verdicts, finishers, self.earlier)
        if self.update_of and not result.is_blind:
            most = max(self.update_of.values())
            parts = [[i for i in titles if self.update_of.get(i, 0) == n] for n in range(most + 1)]
            result.by_update = [agreement_of(ids, verdicts, verdicts) for ids in parts]
        for conflict in result.conflicts:
            conflict.title = titles[conflict.paper_id]
            own_marks = {n: own.get(conflict.paper_id) for n, own in marks.items()}
            conflict.notes = {n: m.note for n, m in own_marks.items() if m and m.note}
            decision = self.decisions.get(conflict.paper_id, ScreeningDecision())
            conflict.settled, conflict.settled_by = decision.decision, decision.decided_by
        return result

    async def settle(
        self,
        paper_ids: Sequence[str],
        *,
        is_relevant: bool,
        by: str | None = None,
        reason: str | None = None,
    ) -> None:
        """Decide on papers for the thread. `by`: who decides; None for the current user."""
        self.require(paper_ids)
        if not paper_ids:
            return
        if (await self.agreement()).is_blind:
            raise InputError(
                "not all reviewers are done, so there is no conflict to settle yet; "
                f"`paper-search reconcile {self.records.thread_id}` shows the progress of each"
            )
        await self.check()
        store = MarkStore(self.records)
        await store.say(paper_ids, self.iteration, is_relevant=is_relevant, reason=reason, by=by)
        word = "include" if is_relevant else "exclude"
        person = by or current_person()
        decision = ScreeningDecision(decision=word, decided_by=person, reason=reason)
        self.decisions.update(dict.fromkeys(paper_ids, decision))

    async def enter_agreed(self) -> int:
        """Enter shared verdicts on undecided papers as decisions of the thread; return how many."""
        verdicts = await self.shared_verdicts()
        names = ", ".join(await self.records.rows("reviewers"))
        for is_relevant in (True, False):
            ids = [i for i, verdict in verdicts.items() if verdict is is_relevant]
            await self.settle(ids, is_relevant=is_relevant, by=names)
        return len(verdicts)

    async def shared_verdicts(self) -> dict[str, bool]:
        """Return verdicts that all reviewers share on undecided papers; empty until all finish."""
        agreement = await self.agreement()
        if agreement.is_blind:
            return {}
        own = [await self._marks_of(reviewer.name) for reviewer in agreement.reviewers]
        open_ = [paper.id for paper in self.papers if paper.id not in self.decisions]
        marks = {i: [m[i].is_relevant for m in own if i in m] for i in open_}
        verdicts = {i: [v for v in row if v is not None] for i, row in marks.items()}
        return {i: row[0] for i, row in verdicts.items() if len(row) > 1 and len({*row}) == 1}

    @property
    def reasons(self) -> dict[str, str]:
        return {i: decision.reason for i, decision in self.decisions.items() if decision.reason}

    def require(self, paper_ids: Sequence[str]) -> None:
        """Raise an InputError if one of them is not a paper of the result."""
        ids = {paper.id for paper in self.papers}
        if unknown := [i for i in paper_ids if i not in ids]:
            raise InputError(
                f"{unknown[0]!r} is not a paper of this result; `paper-search reconcile "
                f"{self.records.thread_id}` lists the ids of the conflicts"
            )

    def _is_done(self, row: Mapping[str, Any]) -> bool:
        """Whether a reviewer is done, and no paper has arrived since; merged ones keep an id."""
        papers = {paper.id for paper in self.papers}
        return row.get("done_in") is not None and papers <= set(row.get("done_with", papers))

    async def _marks_of(self, name: str) -> dict[str, ScreeningMark]:
        marks = await ReviewerMarks(self.records, name).of_works()
        return {mark.paper_id: mark for mark in marks}
