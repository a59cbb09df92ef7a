"""What a person said of single papers while screening, kept beside the checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langgraph.store.base import BaseStore, PutOp
from pydantic import BaseModel

from paper_search.models import UserFeedback
from paper_search.threads.records import PAGE, storable
from paper_search.workflow.records import SearchRecords


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


class MarkStore:
    """Keeps the marks of a thread beside its records; the graph's checkpoints are not touched.

    Args:
        store: where they are.
        thread_id: whose they are.
    """

    def __init__(self, store: BaseStore, thread_id: str) -> None:
        self._store = store
        self._namespace = SearchRecords(store, thread_id).namespace("marks")

    async def marks(self) -> list[ScreeningMark]:
        """Return all marks in the order in which they were made."""
        found: list[ScreeningMark] = []
        while page := await self._store.asearch(self._namespace, limit=PAGE, offset=len(found)):
            found += [ScreeningMark.model_validate(item.value) for item in page]
        return sorted(found, key=lambda mark: mark.number)

    async def put(self, mark: ScreeningMark) -> None:
        """Save a mark in the place of an earlier one on the paper; it is on disk on return."""
        value = storable(mark.model_dump(mode="json"))
        # Not `aput`: its write is done by another task, which holds no lease.
        operation = PutOp(self._namespace, mark.paper_id, value, index=False)
        await self._store.abatch([operation])

    async def remove(self, paper_id: str) -> None:
        """Take the mark on a paper back."""
        await self._store.abatch([PutOp(self._namespace, paper_id, None)])

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
