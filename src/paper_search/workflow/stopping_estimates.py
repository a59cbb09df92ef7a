"""A bound on the relevant papers left in a round, from the labels of its screening."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paper_search.skills.screening import StoppingEstimate, stopping_estimate
from paper_search.workflow.marks import MarkStore, ScreeningMark, verdicts
from paper_search.workflow.questions import markable_ids
from paper_search.workflow.state import WorkflowState


def round_estimate(
    ids: Sequence[str],
    marks: Sequence[ScreeningMark],
    iteration: int,
    earlier: Mapping[str, bool],
) -> StoppingEstimate | None:
    """Bound the relevant papers among those of a round; None: nothing was screened in it.

    Marks of other rounds, and on papers that the person picked, say nothing about the rest: their
    papers count as known.
    """
    in_result = set(ids)
    marks = [mark for mark in marks if mark.paper_id in in_result]
    screened = verdicts([mark for mark in marks if mark.is_screened], iteration)
    if not screened:
        return None
    known = {i: is_relevant for i, is_relevant in earlier.items() if i in in_result}
    known = {**known, **verdicts(marks, iteration)}
    known = {i: is_relevant for i, is_relevant in known.items() if i not in screened}
    unseen = len(in_result) - len(screened) - len(known)
    return stopping_estimate(list(screened.values()), unseen, known_relevant=sum(known.values()))


async def with_marks(payload: Any, state: WorkflowState, store: MarkStore) -> Any:
    """Return the question about a result with what was marked while it has been open."""
    marks = await store.of_round(state.current_iteration)
    markable, iteration = markable_ids(state), state.current_iteration
    said = {i: mark for i, mark in verdicts(marks, iteration).items() if i in markable}
    taken_back = {mark.paper_id for mark in marks if mark.is_taken_back}
    ids = state.result.paper_ids if state.result else []
    estimate = round_estimate(ids, marks, iteration, state.marks)
    return payload.model_copy(
        update={
            "marks": said,
            "merge_decisions": await store.said_same(iteration),
            "earlier_marks": {i: m for i, m in state.marks.items() if i not in taken_back},
            "stopping_estimate": estimate.advice if estimate else None,
        }
    )
