"""Screening the papers of a result one by one; each mark is saved at once."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from paper_search.models import Paper
from paper_search.skills.screening import Ranker, StoppingEstimate, stopping_estimate
from paper_search.workflow.marks import (
    MarkStore,
    ScreeningMark,
    author_and_time,
    labels_in,
    verdicts,
)
from paper_search.workflow.questions import markable_ids
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.state import WorkflowState

_SMALL = 2_500
"""Up to so many papers, the order is learned after each mark; with twice as many, every second."""


Check = Callable[[], Awaitable[None]]


async def _allow() -> None:
    pass


class Screening:
    """The papers of one result, ordered by the marks so far."""

    check: Check = staticmethod(_allow)
    """Called before each mark; raises if it would not count."""

    def __init__(
        self,
        papers: Sequence[Paper],
        store: MarkStore,
        marks: Sequence[ScreeningMark],
        iteration: int,
        earlier: Mapping[str, bool],
    ) -> None:
        self.papers = list(papers)
        self.iteration = iteration
        self._store = store
        self._marks = {mark.paper_id: mark for mark in marks}
        self._earlier = dict(earlier)
        self._marks_per_order = max(1, len(self.papers) // _SMALL)
        self._taken_back: str | None = None
        self._ranker: Ranker | None = None
        self._order: tuple[frozenset[tuple[str, bool]], list[Paper]] | None = None

    @property
    def marks(self) -> list[ScreeningMark]:
        return sorted(self._marks.values(), key=lambda mark: mark.number)

    @property
    def stopping_estimate(self) -> StoppingEstimate | None:
        """Return a bound on what is left; None if nothing was screened in this round."""
        ids = [paper.id for paper in self.papers]
        earlier = verdicts_that_hold(self._earlier, self.marks, self.iteration)
        return round_estimate(ids, self.marks, self.iteration, earlier)

    @property
    def reasons(self) -> list[str]:
        """Return the reasons of irrelevant papers, the commonest first."""
        counts = Counter(m.reason for m in self.marks if m.is_relevant is False and m.reason)
        return [reason for reason, _ in counts.most_common()]

    @property
    def labels(self) -> list[str]:
        counts = Counter(label for mark in self.marks for label in mark.labels)
        return [label for label, _ in counts.most_common()]

    def mark_of(self, paper: Paper) -> ScreeningMark | None:
        return self._marks.get(paper.id)

    def queue(self, *, learns: bool = True) -> list[Paper]:
        """Return the papers without a verdict: one just taken back, then the likeliest first.

        Skipped ones come last, in the order in which they were skipped. `learns`: whether the order
        follows the latest marks, which takes a while for thousands of papers.
        """
        verdicts_ = self.verdicts
        ordered = self._order_papers() if learns or self._order is None else self._order[1]
        papers = [paper for paper in ordered if paper.id not in verdicts_]
        return sorted(papers, key=self._place)

    async def say(
        self, paper: Paper, *, is_relevant: bool, reason: str | None = None, by: str | None = None
    ) -> None:
        await self._save(paper, by, is_relevant=is_relevant, is_skipped=False, reason=reason)

    async def skip(self, paper: Paper, *, by: str | None = None) -> None:
        await self._save(paper, by, is_relevant=None, is_skipped=True)

    async def note(self, paper: Paper, words: str, *, by: str | None = None) -> None:
        await self._save(paper, by, note=words)

    async def label(self, paper: Paper, words: str, *, by: str | None = None) -> None:
        """Toggle labels: add those that the paper lacks, and remove those that it has."""
        old = self._marks.get(paper.id)
        before, more = old.labels if old else [], labels_in(words)
        rest = [label for label in before if label not in more]
        fresh = [label for label in more if label not in before]
        await self._save(paper, by, labels=[*rest, *fresh])

    async def undo(self) -> Paper | None:
        """Undo the last verdict or skip of this round and return its paper, if there is one."""
        papers = {paper.id: paper for paper in self.papers}
        marks = [m for m in self.marks if m.iteration == self.iteration and m.paper_id in papers]
        last = next((m for m in reversed(marks) if m.is_relevant is not None or m.is_skipped), None)
        if last is None:
            return None
        await self.check()
        await self._store.undo(last.paper_id, self.iteration)
        del self._marks[last.paper_id]
        if rest := last.without_verdict():
            self._marks[last.paper_id] = rest
        self._taken_back = last.paper_id
        return papers[last.paper_id]

    async def _save(self, paper: Paper, by: str | None, **fields: object) -> None:
        await self.check()
        old = self._marks.get(paper.id)
        is_verdict = "is_skipped" in fields
        number = max((mark.number for mark in self._marks.values()), default=0) + 1
        base = old or ScreeningMark(paper_id=paper.id, number=number, iteration=self.iteration)
        if is_verdict:
            fields |= {"number": number, "iteration": self.iteration}
            # To skip a paper that an earlier round decided on takes that decision back.
            is_open = bool(fields["is_skipped"]) and paper.id in self._earlier
            fields |= {"is_taken_back": is_open, "is_screened": True}
        mark = base.model_copy(update={**fields, **author_and_time(by)})
        await self._store.put(mark)
        self._marks[paper.id] = mark
        self._taken_back = None if is_verdict else self._taken_back

    def _place(self, paper: Paper) -> int:
        if paper.id == self._taken_back:
            return -1
        mark = self._marks.get(paper.id)
        is_skipped = mark is not None and mark.is_skipped and mark.iteration == self.iteration
        return mark.number if mark is not None and is_skipped else 0

    @property
    def verdicts(self) -> dict[str, bool]:
        """Return the latest verdict on each paper: is it relevant?"""
        marks = self.marks
        earlier = verdicts_that_hold(self._earlier, marks, self.iteration)
        return earlier | verdicts(marks, self.iteration if self._store.joins_answers else 0)

    def _order_papers(self) -> list[Paper]:
        """Return all papers, ranked again after every `_marks_per_order` verdicts."""
        verdicts_ = list(self.verdicts.items())
        basis = dict(verdicts_[: len(verdicts_) - len(verdicts_) % self._marks_per_order])
        key = frozenset(basis.items())
        if self._order is None or self._order[0] != key:
            self._order = (key, self._rank(basis))
        return self._order[1]

    def _rank(self, labels: Mapping[str, bool]) -> list[Paper]:
        marks = {n: labels[paper.id] for n, paper in enumerate(self.papers) if paper.id in labels}
        if not marks:
            return self.papers
        if self._ranker is None:
            self._ranker = Ranker([(paper.title, paper.text) for paper in self.papers])
        order = self._ranker.order(marks, [paper.relevance_score for paper in self.papers])
        return [self.papers[n] for n in order]


def verdicts_that_hold(
    earlier: Mapping[str, bool], marks: Sequence[ScreeningMark], iteration: int
) -> dict[str, bool]:
    """Return the verdicts of earlier rounds that were not taken back in this one."""
    back = {mark.paper_id for mark in marks if mark.is_taken_back and mark.iteration >= iteration}
    return {i: verdict for i, verdict in earlier.items() if i not in back}


async def open_screening(
    papers: Sequence[Paper], state: WorkflowState, records: SearchRecords
) -> Screening:
    store, earlier = MarkStore(records), await _verdicts_before(state, records)
    return Screening(papers, store, await store.of_works(), state.current_iteration, earlier)


async def _verdicts_before(state: WorkflowState, records: SearchRecords) -> dict[str, bool]:
    """Return the verdicts of earlier rounds, by the work that each paper now belongs to."""
    works = await records.works_of(list(state.marks))
    return {works.get(i, i): is_relevant for i, is_relevant in state.marks.items()}


def round_estimate(
    ids: Sequence[str], marks: Sequence[ScreeningMark], iteration: int, earlier: Mapping[str, bool]
) -> StoppingEstimate | None:
    """Bound the relevant papers among those of a round; None if nothing was screened in it.

    Marks of other rounds, and on papers that the person picked, are no sample of the rest: their
    papers count as known.
    """
    in_result = set(ids)
    marks = [mark for mark in marks if mark.paper_id in in_result]
    screened = verdicts([mark for mark in marks if mark.is_screened], iteration)
    if not screened:
        return None
    decisions = {i: is_relevant for i, is_relevant in earlier.items() if i in in_result}
    decisions = {**decisions, **verdicts(marks, iteration)}
    decisions = {i: is_relevant for i, is_relevant in decisions.items() if i not in screened}
    unseen = len(in_result) - len(screened) - len(decisions)
    return stopping_estimate(
        list(screened.values()), unseen, known_relevant=sum(decisions.values())
    )


async def with_marks(payload: Any, state: WorkflowState, records: SearchRecords) -> Any:
    """Return the payload about a result with the marks made while the question has been open."""
    markable, iteration = markable_ids(state), state.current_iteration
    marks, pairs = await MarkStore(records).of_round(iteration)
    verdicts_ = {i: mark for i, mark in verdicts(marks, iteration).items() if i in markable}
    before = await _verdicts_before(state, records)
    earlier = verdicts_that_hold(before, marks, iteration)
    ids = state.result.paper_ids if state.result else []
    estimate = round_estimate(ids, marks, iteration, earlier)
    return payload.model_copy(
        update={
            "marks": verdicts_,
            "merge_decisions": pairs,
            "earlier_marks": earlier,
            "stopping_estimate": estimate.advice if estimate else None,
        }
    )
