"""What a round takes over from those before it, and what slow sources add to it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

from paper_search.models import (
    Arrival,
    MarkedPaper,
    RawPaper,
    ScoredPaper,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.skills import ResultOrganizer
from paper_search.skills.strategy.changes import changes
from paper_search.workflow.counts import count_rounds, round_changes, works_before
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.skills import Skills
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

    To an update, every work is earlier of which a record was there before it.

    Args:
        state: before the works are in it.
        records: of the thread.
        works: merged of the records of this round and of earlier ones.
        ids: under which they are stored, in the same order.
        judges_again: whether papers of earlier rounds that are marked relevant are judged again.
    """
    old = set(state.pool) - set(state.found)
    known = await records.found_before(state.updates[-1].iteration) if state.updates else set()
    members = [set(work.merged_from or [work.id]) for work in works]
    earlier = [i for i, own in zip(ids, members, strict=True) if own <= old or own & known]
    verdicts = await _verdicts(state, records)
    # Half of a work that a person split has never been judged.
    unchanged = {*earlier} & {*await records.judged(earlier)}
    unchanged -= {i for i in earlier if judges_again and verdicts.get(i)}
    return {"works": [i for i in ids if i not in unchanged], "earlier": earlier}


async def without_earlier(
    state: WorkflowState, records: SearchRecords, scored: Sequence[ScoredPaper]
) -> list[ScoredPaper]:
    earlier, verdicts = set(state.earlier), await _verdicts(state, records)
    return [v for v in scored if v.paper.id not in earlier or verdicts.get(v.paper.id)]


async def with_earlier(
    state: WorkflowState, records: SearchRecords, reference: CollectionRef
) -> CollectionRef:
    """Return the result with the papers that only earlier rounds found, in their parts."""
    verdicts = await _verdicts(state, records)
    excluded = [i for i in state.earlier if verdicts.get(i) is False]
    update = {
        "set_aside_ids": [*reference.set_aside_ids, *excluded],
        "earlier_ids": [i for i in state.earlier if i not in verdicts],
    }
    return reference.model_copy(update=update)


async def with_counts(
    state: WorkflowState, records: SearchRecords, reference: CollectionRef, skills: Skills
) -> CollectionRef:
    """Return the result with what its round brought, and what differs from the result before."""
    rounds, work_of = await records.rounds_until(state.current_iteration)
    counts = count_rounds(rounds, work_of)
    update: dict[str, Any] = {"counts": counts[-1] if counts else None}
    if counts and isinstance(skills.result_organizer, ResultOrganizer):
        total = {"total_found": len({work_of.get(i, i) for i in state.found})}
        update["metadata"] = reference.metadata.model_copy(update=total)
    if (before := state.result) is not None and state.strategy is not None:
        update["changes"] = round_changes(
            before.paper_ids,
            reference.paper_ids,
            {*before.all_ids, *works_before(rounds, work_of)},
            changes(before.metadata.search_strategy, state.strategy),
        )
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
        work_of = await records.merged_into(whole)
        refused = {work_of.get(i, i) for i in state.found} - {*await _verdicts(state, records)}
        whole = [i for i in whole if work_of.get(i, i) not in refused]
    return {"found": [], "pool": whole}


def with_places(scored: Sequence[ScoredPaper], marked: Sequence[MarkedPaper]) -> list[ScoredPaper]:
    """Return papers with their place in the order; what was marked irrelevant is set aside."""
    refused = {mark.id for mark in marked if not mark.is_relevant}
    places = itertools.count(1)
    return [
        paper if paper.paper.id in refused else paper.model_copy(update={"place": next(places)})
        for paper in scored
    ]


async def _verdicts(state: WorkflowState, records: SearchRecords) -> dict[str, bool]:
    """Return by the id of a work whether a person marked it relevant; the latest mark counts."""
    work_of = await records.merged_into(list(state.marks))
    return {work_of.get(i, i): is_relevant for i, is_relevant in state.marks.items()}


async def ask_again(
    services: Skills, strategy: SearchStrategy, awaited: Sequence[str]
) -> SearchReport:
    """Return what the awaited sources of a strategy have, each up to its deadline.

    Args:
        services: what searches.
        strategy: as it was approved; what it does not name is not asked, as in any search.
        awaited: the sources that ran out of time.
    """
    is_limited = bool(strategy.sources) and services.has_any_of(strategy.sources)
    names = [name for name in awaited if not is_limited or name in strategy.sources]
    # Another process may have fewer sources; a strategy without any that is known asks all.
    sources = [name for name in names if services.has_any_of([name])]
    absent = [_gone(name) for name in names if name not in sources]
    if not sources:
        return SearchReport(sources=absent)
    answer = await services.search(
        strategy.model_copy(update={"sources": sources}), is_waiting=True
    )
    return answer.model_copy(update={"sources": [*answer.sources, *absent]})


def joined_reports(
    before: Sequence[SourceReport],
    again: Sequence[SourceReport],
    arrivals: tuple[Sequence[Arrival], Sequence[Arrival]],
) -> list[SourceReport]:
    """Return the rows of a round after some of its sources were asked again.

    Args:
        before: the rows so far; those of a source that was asked again say so.
        again: what it did then.
        arrivals: what came before, and then; a record that came before is kept once.
    """
    records: set[tuple[str, str | None]] = {(r.source, r.record) for r in arrivals[0] if r.record}
    repeated: Counter[tuple[str, str | None]] = Counter()
    for row in arrivals[1]:
        if (row.source, row.record) in records:
            repeated[row.source, row.query] += 1
            records.remove((row.source, row.record))
    names = {report.source for report in again}
    return [
        *(
            report.model_copy(update={"is_asked_again": True}) if report.source in names else report
            for report in before
        ),
        *(_repeating(report, repeated[report.source, report.query]) for report in again),
    ]


def _repeating(report: SourceReport, count: int) -> SourceReport:
    count = min(count, report.kept)
    update = {"kept": report.kept - count, "repeated": report.repeated + count}
    return report.model_copy(update=update) if count else report


def _gone(name: str) -> SourceReport:
    error = f"{name!r} cannot be asked here: it is not among the sources that are set up"
    return SourceReport(source=name, status=SourceStatus.UNREACHABLE, error=error)
