"""How many relevant papers are left in a round, told from what was marked in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paper_search.skills.screening import StoppingEstimate, stopping_estimate
from paper_search.workflow.marks import MarkStore, ScreeningMark, verdicts
from paper_search.workflow.questions import markable_ids
from paper_search.workflow.state import CollectionRef, IterationRecord, WorkflowState

AS_READ = "assuming you read every paper above your last mark"
"""What an estimate from marks on a page assumes."""


def round_estimate(
    ids: Sequence[str],
    marks: Sequence[ScreeningMark],
    iteration: int,
    earlier: Mapping[str, bool],
) -> StoppingEstimate | None:
    """Return what is left to find among the papers of a round; None: nothing was screened in it.

    Marks of other rounds tell nothing of how this one was drawn; they only count as found.
    """
    shown = set(ids)
    now = verdicts([mark for mark in marks if mark.paper_id in shown], iteration)
    if not now:
        return None
    known = {i: said for i, said in earlier.items() if i in shown and i not in now}
    unseen = len(shown) - len(now) - len(known)
    return stopping_estimate(list(now.values()), unseen, found_before=sum(known.values()))


def page_estimate(
    ids: Sequence[str], marks: Mapping[str, bool], earlier: Mapping[str, bool]
) -> StoppingEstimate | None:
    """Return what is left to find, from marks made on a list; None: none of it was marked.

    Whoever marks a paper has looked at those above it (Joachims 2002,
    doi:10.1145/775047.775067): what has no mark there counts as irrelevant.

    Args:
        ids: of the papers, in the order in which they were shown.
        marks: by paper id: is it relevant?
        earlier: marks of the rounds before, which count as found only.
    """
    shown = [i for i in ids if i not in earlier or i in marks]
    last = max((place for place, i in enumerate(shown) if i in marks), default=-1)
    if last < 0:
        return None
    read = [marks.get(i, False) for i in shown[: last + 1]]
    found_before = sum(said for i, said in earlier.items() if i in set(ids) - set(shown))
    return stopping_estimate(read, len(shown) - len(read), found_before=found_before)


def carried_estimate(
    state: WorkflowState, made: Sequence[ScreeningMark], following: CollectionRef
) -> str | None:
    """Return what the marks of the last answer say of the result that it was about.

    Args:
        state: before the result that follows replaces that one.
        made: while screening.
        following: that result.
    """
    shown = state.result.paper_ids if state.result else []
    rounds = [record for record in state.history if _said(record)]
    if not rounds or not shown:
        return None
    marks, iteration = _said(rounds[-1]), rounds[-1].iteration
    earlier = {i: said for record in rounds[:-1] for i, said in _said(record).items()}
    found, condition = round_estimate(shown, made, iteration, earlier), ""
    if found is None:
        found, condition = page_estimate(shown, marks, earlier), f", {AS_READ}"
    if found is None:
        return None
    fresh = len(set(following.paper_ids) - set(shown))
    return f"Round {iteration + 1}{condition}: {found.advice} New in this round: {fresh} papers."


async def with_marks(payload: Any, state: WorkflowState, store: MarkStore) -> Any:
    """Return the question about a result with what was marked while it has been open."""
    marks = await store.of_round(state.current_iteration)
    markable, iteration = markable_ids(state), state.current_iteration
    said = {i: mark for i, mark in verdicts(marks, iteration).items() if i in markable}
    taken_back = {mark.paper_id for mark in marks if mark.is_taken_back}
    ids = state.result.paper_ids if state.result else []
    found = round_estimate(ids, marks, iteration, state.marks)
    return payload.model_copy(
        update={
            "marks": said,
            "merge_decisions": await store.said_same(iteration),
            "earlier_marks": {i: m for i, m in state.marks.items() if i not in taken_back},
            "stopping_estimate": found.advice if found else payload.stopping_estimate,
        }
    )


def _said(record: IterationRecord) -> dict[str, bool]:
    feedback = record.feedback
    if feedback is None:
        return {}
    return dict.fromkeys(feedback.marked_irrelevant, False) | dict.fromkeys(
        feedback.marked_relevant, True
    )
