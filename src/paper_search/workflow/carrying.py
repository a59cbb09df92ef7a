"""What a round takes over from the rounds before it: what a person decided on, and no more."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from paper_search.models import MarkedPaper, RawPaper, ScoredPaper
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.state import CollectionRef, WorkflowState


async def divide_works(
    state: WorkflowState,
    records: SearchRecords,
    works: Sequence[RawPaper],
    ids: Sequence[str],
    *,
    judges_again: bool,
) -> dict[str, list[str]]:
    """Return which of the works are to be judged, and which only earlier rounds found.

    Args:
        state: before the works are in it.
        records: of the thread.
        works: merged of the records of this round and of earlier ones.
        ids: under which they are stored, in the same order.
        judges_again: whether papers of earlier rounds that are marked relevant are judged again.
    """
    old = set(state.pool) - set(state.found)
    members = [set(work.merged_from or [work.id]) for work in works]
    earlier = [i for i, of_work in zip(ids, members, strict=True) if of_work <= old]
    verdicts = await _verdicts(state, records)
    # Half of a work that a person split has never been judged.
    kept = {*earlier} & {*await records.judged(earlier)}
    kept -= {i for i in earlier if judges_again and verdicts.get(i)}
    return {"works": [i for i in ids if i not in kept], "earlier": earlier}


async def without_earlier(
    state: WorkflowState, records: SearchRecords, scored: Sequence[ScoredPaper]
) -> list[ScoredPaper]:
    """Return the papers that this round found or a person marked relevant."""
    earlier, verdicts = set(state.earlier), await _verdicts(state, records)
    return [v for v in scored if v.paper.id not in earlier or verdicts.get(v.paper.id)]


async def with_earlier(
    state: WorkflowState,
    records: SearchRecords,
    reference: CollectionRef,
    scored: Sequence[ScoredPaper],
) -> CollectionRef:
    """Return the result with the papers that only earlier rounds found, in their parts.

    Args:
        state: of the round.
        records: of the thread.
        reference: to what was made of the papers of this round.
        scored: these papers, with those that were marked relevant in earlier rounds.
    """
    earlier, verdicts = set(state.earlier), await _verdicts(state, records)
    carried = sum(verdict.paper.id in earlier for verdict in scored)
    excluded = [i for i in state.earlier if verdicts.get(i) is False]
    total = reference.metadata.total_found - carried
    update = {
        "metadata": reference.metadata.model_copy(update={"total_found": total}),
        "set_aside_ids": [*reference.set_aside_ids, *excluded],
        "earlier_ids": [i for i in state.earlier if i not in verdicts],
    }
    return reference.model_copy(update=update)


async def pool_after(
    state: WorkflowState, records: SearchRecords, *, is_rejected: bool
) -> dict[str, Any]:
    """Return the records that the next round knows of; of a rejected round's, those decided on.

    Args:
        state: with the answer to the round in its history.
        records: of the thread.
        is_rejected: whether the answer was a rejection.
    """
    whole = list(dict.fromkeys([*state.found, *state.pool]))
    if is_rejected:
        named = await records.merged_into(whole)
        refused = {named.get(i, i) for i in state.found} - {*await _verdicts(state, records)}
        whole = [i for i in whole if named.get(i, i) not in refused]
    return {"found": [], "pool": whole}


def placed(scored: Sequence[ScoredPaper], marked: Sequence[MarkedPaper]) -> list[ScoredPaper]:
    """Return papers with their place in the order; what was marked irrelevant is set aside."""
    refused = {mark.id for mark in marked if not mark.is_relevant}
    places = itertools.count(1)
    return [
        paper if paper.paper.id in refused else paper.model_copy(update={"place": next(places)})
        for paper in scored
    ]


async def _verdicts(state: WorkflowState, records: SearchRecords) -> dict[str, bool]:
    """Return by the id of a work whether a person marked it relevant; the latest mark counts."""
    named = await records.merged_into(list(state.marks))
    return {named.get(i, i): is_relevant for i, is_relevant in state.marks.items()}
