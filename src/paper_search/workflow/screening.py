"""A person going through the papers of a result one by one, each word saved at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import BaseStore
from pydantic import BaseModel

from paper_search.models import Paper, UserFeedback
from paper_search.skills.screening import Outlook, Ranker, outlook
from paper_search.workflow.questions import markable_ids
from paper_search.workflow.records import PAGE, RecordShelf
from paper_search.workflow.state import WorkflowState

_SMALL = 2_500
"""Papers up to which the order is learned anew after every mark; of twice as many, every second."""


class ScreeningMark(BaseModel):
    """What a person said of one paper."""

    paper_id: str
    number: int
    """Place in the order in which it was said, from 1."""
    iteration: int
    """Of the search, in which it was said."""
    is_relevant: bool | None = None
    """None: neither; the paper was skipped, or has a note only."""
    is_skipped: bool = False
    note: str | None = None
    said_at: str = ""
    """UTC, ISO 8601."""


class MarkShelf:
    """Keeps the marks of a thread beside its records; the graph's checkpoints are not touched.

    Args:
        store: where they are.
        thread_id: whose they are.
    """

    def __init__(self, store: BaseStore, thread_id: str) -> None:
        self._store = store
        self._namespace = RecordShelf(store, thread_id).namespace("marks")

    async def marks(self) -> list[ScreeningMark]:
        """Return all marks in the order in which they were made."""
        found: list[ScreeningMark] = []
        while page := await self._store.asearch(self._namespace, limit=PAGE, offset=len(found)):
            found += [ScreeningMark.model_validate(item.value) for item in page]
        return sorted(found, key=lambda mark: mark.number)

    async def put(self, mark: ScreeningMark) -> None:
        """Save a mark in the place of an earlier one on the paper; it is on disk on return."""
        value = mark.model_dump(mode="json")
        await self._store.aput(self._namespace, mark.paper_id, value, index=False)

    async def remove(self, paper_id: str) -> None:
        """Take the mark on a paper back."""
        await self._store.adelete(self._namespace, paper_id)

    async def of_round(self, iteration: int) -> dict[str, bool]:
        """Return what was said relevant or not in one round, by paper id."""
        return verdicts(await self.marks(), iteration)


def verdicts(marks: Sequence[ScreeningMark], iteration: int) -> dict[str, bool]:
    """Return those of the marks that say relevant or not and belong to one round."""
    return {
        mark.paper_id: mark.is_relevant
        for mark in marks
        if mark.iteration == iteration and mark.is_relevant is not None
    }


def round_outlook(
    ids: Sequence[str],
    marks: Sequence[ScreeningMark],
    iteration: int,
    earlier: Mapping[str, bool],
) -> Outlook | None:
    """Return what is left to find among the papers of a round; None: nothing was screened in it.

    Marks of other rounds tell nothing of how this one was drawn; they only count as found.
    """
    shown = set(ids)
    now = verdicts([mark for mark in marks if mark.paper_id in shown], iteration)
    if not now:
        return None
    known = {i: said for i, said in earlier.items() if i in shown and i not in now}
    unseen = len(shown) - len(now) - len(known)
    return outlook(list(now.values()), unseen, found_before=sum(known.values()))


def joined(
    feedback: UserFeedback | None, screened: Mapping[str, bool], known_ids: frozenset[str]
) -> UserFeedback | None:
    """Return the feedback of an answer with the marks of the screening before it.

    Where both speak of a paper, the answer counts. None: neither says anything.
    """
    given = feedback or UserFeedback()
    said = {*given.marked_relevant, *given.marked_irrelevant, *given.unmarked}
    added = {i: mark for i, mark in screened.items() if i in known_ids and i not in said}
    if not added:
        return feedback
    return given.model_copy(
        update={
            "marked_relevant": [*given.marked_relevant, *(i for i, mark in added.items() if mark)],
            "marked_irrelevant": [
                *given.marked_irrelevant,
                *(i for i, mark in added.items() if not mark),
            ],
        }
    )


class Screening:
    """The papers of one result in the order that the marks so far suggest.

    Args:
        papers: best first, as the result has them.
        shelf: where marks go.
        marks: what is there already.
        iteration: of the search.
        earlier: marks of the rounds before, by paper id.
    """

    def __init__(
        self,
        papers: Sequence[Paper],
        shelf: MarkShelf,
        marks: Sequence[ScreeningMark],
        iteration: int,
        earlier: Mapping[str, bool],
    ) -> None:
        self.papers = list(papers)
        self.iteration = iteration
        self._shelf = shelf
        self._marks = {mark.paper_id: mark for mark in marks}
        self._earlier = dict(earlier)
        self._every = max(1, len(self.papers) // _SMALL)
        self._taken_back: str | None = None
        self._ranker: Ranker | None = None
        self._order: tuple[frozenset[tuple[str, bool]], list[Paper]] | None = None

    @property
    def marks(self) -> list[ScreeningMark]:
        """Return the marks in the order in which they were made."""
        return sorted(self._marks.values(), key=lambda mark: mark.number)

    @property
    def outlook(self) -> Outlook | None:
        """Return what is left to find; None: nothing was screened in this round."""
        ids = [paper.id for paper in self.papers]
        return round_outlook(ids, self.marks, self.iteration, self._earlier)

    def mark_of(self, paper: Paper) -> ScreeningMark | None:
        """Return what was said of a paper while screening."""
        return self._marks.get(paper.id)

    def queue(self) -> list[Paper]:
        """Return the papers without a verdict: what was just taken back, then the likeliest first.

        Skipped ones come last, the one that was skipped first before the others.
        """
        said = self._said()
        left = [paper for paper in self._ordered() if paper.id not in said]
        return sorted(left, key=self._place)

    async def say(self, paper: Paper, *, is_relevant: bool) -> None:
        """Save the verdict on a paper."""
        await self._put(paper, is_relevant=is_relevant, is_skipped=False)

    async def skip(self, paper: Paper) -> None:
        """Save that the paper is to come later."""
        await self._put(paper, is_relevant=None, is_skipped=True)

    async def note(self, paper: Paper, words: str) -> None:
        """Save a note on a paper, in the place of an earlier one."""
        await self._put(paper, note=words)

    async def undo(self) -> Paper | None:
        """Take the last verdict or skip of this round back; None: there is none left."""
        mine = {paper.id: paper for paper in self.papers}
        made = [m for m in self.marks if m.iteration == self.iteration and m.paper_id in mine]
        last = next((m for m in reversed(made) if m.is_relevant is not None or m.is_skipped), None)
        if last is None:
            return None
        bare = last.model_copy(update={"is_relevant": None, "is_skipped": False})
        if last.note:
            await self._shelf.put(bare)
            self._marks[last.paper_id] = bare
        else:
            await self._shelf.remove(last.paper_id)
            del self._marks[last.paper_id]
        self._taken_back = last.paper_id
        return mine[last.paper_id]

    async def _put(self, paper: Paper, **said: object) -> None:
        old = self._marks.get(paper.id)
        is_verdict = "note" not in said
        number = max((mark.number for mark in self._marks.values()), default=0) + 1
        base = old or ScreeningMark(paper_id=paper.id, number=number, iteration=self.iteration)
        moved = {"number": number, "iteration": self.iteration} if is_verdict else {}
        now = {"said_at": datetime.now(UTC).isoformat()}
        mark = base.model_copy(update={**said, **moved, **now})
        await self._shelf.put(mark)
        self._marks[paper.id] = mark
        self._taken_back = None if is_verdict else self._taken_back

    def _place(self, paper: Paper) -> int:
        if paper.id == self._taken_back:
            return -1
        mark = self._marks.get(paper.id)
        is_skipped = mark is not None and mark.is_skipped and mark.iteration == self.iteration
        return mark.number if mark is not None and is_skipped else 0

    def _said(self) -> dict[str, bool]:
        made = {m.paper_id: m.is_relevant for m in self.marks if m.is_relevant is not None}
        return self._earlier | made

    def _ordered(self) -> list[Paper]:
        """Return all papers, re-ranked by the marks; by the first so many of them, if rarely."""
        said = list(self._said().items())
        used = dict(said[: len(said) - len(said) % self._every])
        key = frozenset(used.items())
        if self._order is None or self._order[0] != key:
            self._order = (key, self._ranked(used))
        return self._order[1]

    def _ranked(self, said: Mapping[str, bool]) -> list[Paper]:
        marks = {n: said[each.id] for n, each in enumerate(self.papers) if each.id in said}
        if not marks:
            return self.papers
        if self._ranker is None:
            self._ranker = Ranker([(each.title, each.abstract) for each in self.papers])
        order = self._ranker.order(marks, [each.relevance_score for each in self.papers])
        return [self.papers[n] for n in order]


async def open_screening(
    papers: Sequence[Paper], state: WorkflowState, shelf: MarkShelf
) -> Screening:
    """Return the papers of a thread's result, with the marks on them so far."""
    return Screening(papers, shelf, await shelf.marks(), state.current_iteration, state.marks)


async def with_marks(payload: Any, state: WorkflowState, shelf: MarkShelf) -> Any:
    """Return the question about a result with what was marked while it has been open."""
    marks = await shelf.marks()
    markable, iteration = markable_ids(state), state.current_iteration
    said = {i: mark for i, mark in verdicts(marks, iteration).items() if i in markable}
    ids = state.result.paper_ids if state.result else []
    found = round_outlook(ids, marks, iteration, state.marks)
    return payload.model_copy(update={"marks": said, "outlook": found.advice if found else None})
