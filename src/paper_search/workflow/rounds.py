"""Rounds: what they take over from earlier ones, slow sources, files that join, and updates."""

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel, Field

from paper_search.errors import InputError
from paper_search.models import (
    Arrival,
    MarkedPaper,
    PaperCollection,
    Purpose,
    RawPaper,
    ScoredPaper,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.models.source_report import minute
from paper_search.skills import ResultOrganizer
from paper_search.skills.result_organizer import facets_of
from paper_search.skills.strategy.changes import changes
from paper_search.steps.types import PARAMS, VISITS
from paper_search.threads.records import storable
from paper_search.workflow.counts import arrivals_of, count_rounds, round_changes, searched_round
from paper_search.workflow.marks import MarkStore
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.results import decisions_on_papers
from paper_search.workflow.rows import record_row
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import (
    DEFAULT_MAX_ITERATIONS,
    MOST_ITERATIONS,
    CollectionRef,
    ReviewUpdate,
    SearchParams,
    WorkflowState,
)


async def divide_works(
    state: WorkflowState,
    records: SearchRecords,
    works: Sequence[RawPaper],
    ids: Sequence[str],
    *,
    judges_again: bool,
) -> dict[str, list[str]]:
    """Return the works to judge, and those that only earlier rounds found.

    In an update, a work is earlier if any of its records was there before it. `judges_again`:
    also judge papers of earlier rounds that are marked relevant.
    """
    old = set(state.pool) - set(state.found)
    before = set[str]()
    if state.updates:
        ended = [number for number in state.searched if number < state.updates[-1].iteration]
        rounds = await records.rounds(ended)
        before = {i for round_ in rounds for i in round_.records}
    members = [set(work.merged_from or [work.id]) for work in works]
    earlier = [i for i, own in zip(ids, members, strict=True) if own <= old or own & before]
    verdicts = await work_verdicts(state, records)
    # Half of a work that a person split has never been judged.
    unchanged = {*earlier} & {*await records.judged_ids(earlier)}
    unchanged -= {i for i in earlier if judges_again and verdicts.get(i)}
    return {"works": [i for i in ids if i not in unchanged], "earlier": earlier}


async def without_earlier(
    state: WorkflowState, records: SearchRecords, scored: Sequence[ScoredPaper]
) -> list[ScoredPaper]:
    earlier, verdicts = set(state.earlier), await work_verdicts(state, records)
    return [v for v in scored if v.paper.id not in earlier or verdicts.get(v.paper.id)]


async def with_earlier(
    state: WorkflowState, records: SearchRecords, reference: CollectionRef
) -> CollectionRef:
    """Add the papers that only earlier rounds found to the parts of a result."""
    verdicts = await work_verdicts(state, records)
    excluded = await records.works([i for i in state.earlier if verdicts.get(i) is False])
    members = {work.id: work.merged_from for work in excluded if work.merged_from}
    update = {
        "set_aside_ids": [*reference.set_aside_ids, *(work.id for work in excluded)],
        "earlier_ids": [i for i in state.earlier if i not in verdicts],
        "members": {**reference.members, **members},
    }
    return reference.model_copy(update=update)


async def with_counts(
    state: WorkflowState, records: SearchRecords, reference: CollectionRef, skills: Skills
) -> CollectionRef:
    """Add the counts of the round, and the changes since the previous result, to a result."""
    rounds = await records.rounds(state.searched)
    work_of = await records.works_of(sorted({i for round_ in rounds for i in round_.records}))
    work_of |= {i: work for work, ids in reference.members.items() for i in ids}
    counts = count_rounds(rounds, work_of)
    update: dict[str, Any] = {"counts": counts[-1] if counts else None}
    if counts and isinstance(skills.result_organizer, ResultOrganizer):
        total = {"total_found": len({work_of.get(i, i) for i in state.found})}
        update["metadata"] = reference.metadata.model_copy(update=total)
    if (before := state.result) is not None and state.strategy is not None:
        earlier = {work_of.get(i, i) for round_ in rounds[:-1] for i in round_.records}
        queries = changes(before.metadata.search_strategy, state.strategy)
        is_same = before.counts and counts and before.counts.round == counts[-1].round
        compared, known = before.paper_ids, {*before.all_ids}
        if is_same and before.changes:  # sources were waited for, or files joined
            compared, queries = before.compared_ids, before.changes.queries
            known = set() if earlier else known - {*before.changes.new_ids}
        update["compared_ids"] = compared
        update["changes"] = round_changes(compared, reference.paper_ids, earlier | known, queries)
    return reference.model_copy(update=update)


async def pool_after(
    state: WorkflowState, records: SearchRecords, *, is_rejected: bool
) -> dict[str, Any]:
    """Return the records that the next round starts with; of a rejected one, those decided on."""
    whole = list(dict.fromkeys([*state.found, *state.pool]))
    if is_rejected:
        work_of = await records.works_of(whole)
        refused = {work_of.get(i, i) for i in state.found} - {*await work_verdicts(state, records)}
        whole = [i for i in whole if work_of.get(i, i) not in refused]
    return {"found": [], "pool": whole}


def with_places(scored: Sequence[ScoredPaper], marks: Sequence[MarkedPaper]) -> list[ScoredPaper]:
    """Number papers in their order; those marked irrelevant get no place, and are set aside."""
    refused = {mark.id for mark in marks if not mark.is_relevant}
    places = itertools.count(1)
    return [
        paper if paper.paper.id in refused else paper.model_copy(update={"place": next(places)})
        for paper in scored
    ]


async def work_verdicts(state: WorkflowState, records: SearchRecords) -> dict[str, bool]:
    """Return the latest verdict on each work, including marks saved since the last answer."""
    marks = await MarkStore(records).marks()
    work_of = await records.works_of([*state.marks, *(mark.paper_id for mark in marks)])
    decisions = decisions_on_papers(state, marks, work_of)
    return {i: decision.decision == "include" for i, decision in decisions.items()}


async def ask_again(
    services: Skills, strategy: SearchStrategy, slow_sources: Sequence[str]
) -> SearchReport:
    """Query the sources that ran out of time again, if the approved strategy names them."""
    is_limited = bool(strategy.sources) and services.has_any_of(strategy.sources)
    names = [name for name in slow_sources if not is_limited or name in strategy.sources]
    # Another process may have fewer sources; a strategy that names none of them queries all.
    sources = [name for name in names if services.has_any_of([name])]
    error = "cannot be queried here: it is not configured"
    absent = [
        SourceReport(source=name, status=SourceStatus.UNREACHABLE, error=f"{name!r} {error}")
        for name in names
        if name not in sources
    ]
    if not sources:
        return SearchReport(sources=absent)
    answer = await services.search(
        strategy.model_copy(update={"sources": sources}), is_waiting=True
    )
    return answer.model_copy(update={"sources": [*answer.sources, *absent]})


def join_reports(
    before: Sequence[SourceReport],
    again: Sequence[SourceReport],
    arrivals: tuple[Sequence[Arrival], Sequence[Arrival]],
    known: Collection[tuple[str, str | None]] = (),
) -> list[SourceReport]:
    """Return the rows of a round after some of its sources were queried again, marked as such.

    `arrivals`: those of before and of now; a record that came twice is kept once. `known`: pairs
    of source and query that were answered in full before; each has one row.
    """
    records: set[tuple[str, str | None]] = {(r.source, r.record) for r in arrivals[0] if r.record}
    repeated: Counter[tuple[str, str | None]] = Counter()
    for row in arrivals[1]:
        if (row.source, row.record) in records:
            repeated[row.source, row.query] += 1
            records.remove((row.source, row.record))
    names = {report.source for report in again}
    asked_again = {"is_asked_again": True}
    return [
        *(
            report.model_copy(update=asked_again)
            if report.source in names and (report.source, report.query) not in known
            else report
            for report in before
        ),
        *(
            row.model_copy(update={"kept": row.kept - count, "repeated": row.repeated + count})
            for row in again
            if (row.source, row.query) not in known
            for count in [min(repeated[row.source, row.query], row.kept)]
        ),
    ]


SOURCE = "import"
"""The one source of a strategy whose records come from files."""
_LATE_DAYS = 14
"""A service may show a record for the first time this long after its day of entry."""
_BATCHES, _RECORDS = "batches", "arriving"


class AddedFile(BaseModel):
    name: str
    digest: str
    """SHA-256 of its content."""
    records: int
    at: str
    """UTC, ISO 8601."""
    by: str


class Batch(BaseModel):
    report: SearchReport = Field(default_factory=SearchReport)
    files: list[AddedFile]
    by: str


async def save_batch(records: SearchRecords, batch: Batch, number: int) -> None:
    """Store a batch. It counts once the state names its number (0: the thread began with it)."""
    papers = batch.report.papers
    await records.put(_RECORDS, {f"{number}/{paper.id}": record_row(paper) for paper in papers})
    row = batch.model_dump(mode="json", exclude={"report": {"papers"}})
    row["papers"] = [paper.id for paper in papers]
    await records.put(_BATCHES, {str(number): storable(row)})


async def files_of_batches(records: SearchRecords, batches: int) -> list[AddedFile]:
    """Return the files that a thread began with, and those of so many batches added since."""
    rows = await records.get(_BATCHES, [str(number) for number in range(batches + 1)])
    return [AddedFile.model_validate(file) for row in rows.values() for file in row["files"]]


async def take_batch(
    state: WorkflowState, records: SearchRecords, models: dict[str, str]
) -> dict[str, Any]:
    """Add the arriving batch to the records of the round, and return the changed fields."""
    number, iteration = state.arriving, state.current_iteration
    [row] = records.in_order(await records.get(_BATCHES, [str(number)]), [str(number)], "batch")
    keys = [f"{number}/{i}" for i in row["papers"]]
    values = records.in_order(await records.get(_RECORDS, keys), keys)
    papers = [RawPaper.model_validate(value) for value in values]
    report = SearchReport.model_validate({**row["report"], "papers": papers})
    ids = await records.save_records(papers)
    before = await records.arrivals(iteration, state.waits)
    rows = [*before, *arrivals_of(report, ids, state.waits)]
    searched = searched_round(iteration, rows, models)
    if before:  # the round is as old as its first search
        at = (await records.rounds([iteration]))[-1].searched_at
        searched = searched.model_copy(update={"searched_at": at})
    await records.save_round(searched)
    update = {"iteration": iteration, "allowed_by": row["by"]}
    reports = [entry.model_copy(update=update) for entry in report.sources]
    ids = list(dict.fromkeys([*state.found, *ids]))
    return {"found": ids, "reports": [*state.reports, *reports], "arriving": 0, "awaited": []}


async def with_files(
    state: WorkflowState, collection: PaperCollection, records: SearchRecords, limit: int | None
) -> tuple[PaperCollection, int | None]:
    """Move all papers from files into the result; return it and the number of papers it shows."""
    names = {file.name for file in await files_of_batches(records, state.batches)}
    if not names:
        return collection, limit
    arrivals = [row for round_ in await records.rounds(state.searched) for row in round_.arrivals]
    of_files = {row.record for row in arrivals if row.query in names}
    back = [p for p in collection.set_aside if of_files & {p.id, *p.merged_from}]
    others = [p for p in collection.papers if not of_files & {p.id, *p.merged_from}]
    beyond = others[limit or len(others) :]
    moved = {paper.id for paper in (*back, *beyond)}
    shown = [*(paper for paper in collection.papers if paper.id not in moved), *back]
    rest = [paper for paper in collection.set_aside if paper.id not in moved]
    update = {"papers": [*shown, *beyond], "set_aside": rest, "facets": facets_of(shown)}
    return collection.model_copy(update=update), len(shown)


async def reopen_values(
    state: WorkflowState, params: Any, records: SearchRecords
) -> dict[str, Any]:
    """Return the channel values that begin another round of a finished thread."""
    record_ids, reports = state.found, [*state.earlier_reports, *state.reports]
    if not record_ids and not state.history[-1].is_rejected:
        record_ids = (await records.rounds(state.searched))[-1].records
    settings = SearchParams.model_validate(params or {})
    most = min(MOST_ITERATIONS, state.current_iteration + DEFAULT_MAX_ITERATIONS)
    asks = {"enable_strategy_checkpoint": True, "enable_result_checkpoint": True}
    update = {"max_iterations": max(most, settings.max_iterations), **asks}
    return {
        PARAMS: settings.model_copy(update=update).model_dump(mode="json"),
        VISITS: {},
        "is_complete": False,
        "ended_by": None,
        "found": record_ids,
        "pool": list(dict.fromkeys([*state.pool, *state.found])),
        "earlier_reports": [report.model_dump(mode="json") for report in reports],
        "reports": [],
        "waits": 0,
        "edit": None,
    }


async def update_values(
    state: WorkflowState, params: Any, records: SearchRecords, by: str, *, is_quiet: bool
) -> dict[str, Any]:
    """Return the channel values that search the last approved strategy again."""
    approved = [record.strategy for record in state.history if not record.is_rejected]
    if state.result is None or not approved or approved[-1].sources == [SOURCE]:
        raise InputError(
            f"thread {records.thread_id!r} has no approved strategy to search again: add new "
            f"exports of its databases with `paper-search add {records.thread_id} FILE`"
        )
    review_update = ReviewUpdate(
        iteration=state.current_iteration,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        by=by,
        searched_at=(await records.rounds(state.asked_sources))[-1].searched_at,
        ended_by=state.ended_by,
        is_quiet=is_quiet,
        paper_ids=state.result.paper_ids,
        set_aside_ids=state.result.set_aside_ids,
    )
    updates = [entry.model_dump(mode="json") for entry in [*state.updates, review_update]]
    strategy = approved[-1].model_dump(mode="json")
    again = await reopen_values(state, params, records)
    return {**again, "found": [], "strategy": strategy, "updates": updates}


def hits_then_and_now(
    state: WorkflowState, counts: Iterable[SourceReport]
) -> dict[str, list[tuple[int, int]]]:
    """Return, by source, the hits of each query in the last search and in `counts`."""
    asked = [row for row in state.earlier_reports if not row.is_file]
    searches = [row for row in asked if row.purpose is Purpose.SEARCH]
    latest = max((row.iteration for row in searches), default=0)
    then = {(row.source, row.query): row.hits for row in searches if row.iteration == latest}
    hits: dict[str, list[tuple[int, int]]] = {source: [] for source, _ in then}
    for row in counts:
        before = then.get((row.source, row.query))
        if before is not None and row.hits is not None:
            hits[row.source].append((before, row.hits))
    return hits


def is_without_news(state: WorkflowState, counts: Sequence[SourceReport]) -> bool:
    """Whether a quiet update ends here: every source reports as many hits as before."""
    hits = hits_then_and_now(state, counts)
    is_quiet = state.new_update is not None and state.new_update.is_quiet
    asked = {(row.source, row.query) for row in state.earlier_reports}
    unsaid = [row for row in counts if row.hits is None and (row.source, row.query) in asked]
    is_known = bool(hits) and all(hits.values()) and not unsaid
    return is_quiet and is_known and all(a == b for pairs in hits.values() for a, b in pairs)


def update_remarks(state: WorkflowState) -> Iterator[str]:
    """Yield what a person should know about an update before approving its strategy."""
    if (review_update := state.new_update) is None:
        return
    yield (
        f"this is an update: the strategy was last searched {minute(review_update.searched_at)}; "
        "you are asked only about works that were not found before"
    )
    counts = [row for row in state.counts if row.iteration == state.current_iteration]
    is_cut, most = False, state.strategy.filters.max_results if state.strategy else 0
    for source, hits in hits_then_and_now(state, counts).items():
        if hits:
            then, now = (sum(column) for column in zip(*hits, strict=True))
            yield f"{source}: {now:,} hits for all queries together, {then:,} then"
            is_cut = is_cut or any(hits_now > most for _, hits_now in hits)
    if is_cut:
        day = datetime.fromisoformat(review_update.searched_at).date() - timedelta(days=_LATE_DAYS)
        yield (
            f"only the first {most:,} hits of a query are read; adding `AND entered:{day}/` to it "
            "reaches works entered since, but not those that a service shows late"
        )
