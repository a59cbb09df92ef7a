"""The result of a search, with a person's decisions on its papers and records."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

from paper_search.models import (
    DeduplicationReport,
    Facets,
    KnownPapersReport,
    MergeDecision,
    Paper,
    PaperCollection,
    RawPaper,
    ScoredPaper,
    ScreeningDecision,
    SearchConstraints,
    SearchMetadata,
    SearchStrategy,
)
from paper_search.models.paper import DECISIONS, PaperDecision
from paper_search.skills.known_papers import check_known_papers
from paper_search.skills.result_organizer import by_score, facets_of
from paper_search.sources.enrichment import GAPS
from paper_search.workflow.full_texts import full_texts, with_full_texts
from paper_search.workflow.marks import MarkStore, ScreeningMark, labels_by_paper
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.rows import VERDICT
from paper_search.workflow.state import CollectionRef, SearchParams, WorkflowState


async def final_collection(
    state: WorkflowState, records: SearchRecords, deduplicate: "Merge | None" = None
) -> PaperCollection:
    """Return the result: the last collection with all papers decided relevant in any round.

    Papers decided irrelevant are set aside; the latest decision counts. The collection is empty
    if nothing was searched. `deduplicate` carries out the merge decisions of the last answer.
    """
    return without_excluded(await collection_with_marks(state, records, deduplicate))


async def collection_with_marks(
    state: WorkflowState, records: SearchRecords, deduplicate: "Merge | None" = None
) -> PaperCollection:
    """Return the result as `final_collection`, with excluded papers still in their place."""
    saved_marks = await MarkStore(records).marks()
    works = await records.works_of([*state.marks, *(mark.paper_id for mark in saved_marks)])
    if state.result is None:
        collection = empty_collection(state.question)
    else:
        collection = await records.collection(state.result)
    decisions = decisions_on_papers(state, saved_marks, works | paper_by_record(collection))
    included = [i for i, decision in decisions.items() if decision.decision == "include"]
    ids = {paper.id for paper in collection.papers}
    more = await records.papers([i for i in included if i not in ids])
    collection = merge_papers(collection, more)
    decision = state.history[-1].feedback if state.history else None
    if deduplicate is not None and decision is not None and decision.merge_decisions:
        collection = await regroup(collection, decision.merge_decisions, records, deduplicate)
        collection = with_facets(await _with_total(collection, state, records))
        decisions = decisions_on_papers(state, saved_marks, works | paper_by_record(collection))
    work_of = works | paper_by_record(collection)
    notes = {work_of.get(m.paper_id, m.paper_id): m.note for m in saved_marks if m.note}
    collection = with_decisions(collection, decisions, notes, labels_by_paper(saved_marks, work_of))
    collection = with_full_texts(collection, await full_texts(records))
    return collection.model_copy(
        update={
            "ended_by": state.ended_by,
            "reports": state.journal,
            "silent_sources": state.silent_sources,
            "known_papers": state.known_papers,
        }
    )


def decisions_on_papers(
    state: WorkflowState, marks: Sequence[ScreeningMark], work_of: Mapping[str, str]
) -> dict[str, ScreeningDecision]:
    """Return the latest decision on each paper."""
    latest: dict[str, tuple[ScreeningDecision, int]] = {}
    for paper_id, (is_relevant, record) in state.marks_with_rounds.items():
        reasons = record.feedback.reasons if record.feedback else {}
        decision = ScreeningDecision(
            decision=_WORDS[is_relevant],
            decided_by=record.decided_by,
            decided_at=record.decided_at,
            reason=reasons.get(paper_id),
        )
        latest[work_of.get(paper_id, paper_id)] = decision, record.iteration
    for mark in marks:
        own = work_of.get(mark.paper_id, mark.paper_id)
        before, iteration = latest.get(own, (ScreeningDecision(), -1))
        is_latest = mark.iteration >= state.current_iteration
        if mark.is_relevant is None:
            if mark.is_taken_back and is_latest:
                latest.pop(own, None)
            continue
        word = _WORDS[mark.is_relevant]
        # The answer of a round repeats its marks, which know who made them, and when.
        if is_latest or (mark.iteration, word) == (iteration, before.decision):
            decision = ScreeningDecision(
                decision=word,
                decided_by=mark.said_by or before.decided_by,
                decided_at=mark.said_at or before.decided_at,
                reason=mark.reason if is_latest else before.reason or mark.reason,
            )
            latest[own] = decision, mark.iteration
    return {paper_id: decision for paper_id, (decision, _) in latest.items()}


def with_decisions(
    collection: PaperCollection,
    decisions: Mapping[str, ScreeningDecision],
    notes: Mapping[str, str],
    labels: Mapping[str, list[str]] | None = None,
) -> PaperCollection:
    """Set the decisions, notes and labels of all papers, replacing earlier ones."""
    labels = labels or {}

    def screen(paper: Paper) -> Paper:
        update = {
            "screening": decisions.get(paper.id),
            "note": notes.get(paper.id),
            "labels": labels.get(paper.id, []),
        }
        has_changed = any(getattr(paper, name) != value for name, value in update.items())
        return paper.model_copy(update=update) if has_changed else paper

    parts = ("papers", "set_aside", "earlier")
    update = {part: [screen(paper) for paper in getattr(collection, part)] for part in parts}
    return collection.model_copy(update=update)


def without_excluded(collection: PaperCollection) -> PaperCollection:
    """Move excluded papers to the end of those set aside."""
    papers = [*collection.papers, *collection.earlier]
    excluded = [paper for paper in papers if paper.decision == "excluded"]
    if not excluded:
        return collection
    update = {
        "papers": [paper for paper in collection.papers if paper.decision != "excluded"],
        "set_aside": [*collection.set_aside, *excluded],
        "earlier": [paper for paper in collection.earlier if paper.decision != "excluded"],
    }
    return with_facets(collection.model_copy(update=update))


def merge_papers(collection: PaperCollection, extra: list[Paper]) -> PaperCollection:
    """Add the papers that the collection lacks, by id; return the same object if it lacks none.

    A collection sorted by score stays sorted. To any other, papers that were set aside are
    appended in their order, then those that the round did not find, by score.
    """
    ids = {paper.id for paper in collection.papers}
    missing = {paper.id: paper for paper in extra if paper.id not in ids}
    if not missing:
        return collection
    rest = [paper for paper in collection.set_aside if paper.id not in missing]
    earlier = [paper for paper in collection.earlier if paper.id not in missing]
    aside = [missing.pop(paper.id) for paper in collection.set_aside if paper.id in missing]
    papers = [*collection.papers, *aside, *sorted(missing.values(), key=by_score)]
    scores = [by_score(paper) for paper in collection.papers]
    if scores == sorted(scores):
        papers = sorted(papers, key=by_score)
    update = {"papers": papers, "set_aside": rest, "earlier": earlier}
    return with_facets(collection.model_copy(update=update))


def part_of(
    collection: PaperCollection,
    *,
    decision: PaperDecision | Literal["all"] | None = None,
    is_all: bool = False,
    min_score: float | None = None,
) -> PaperCollection:
    """Return the collection with some of its papers, and the facets of these.

    Args:
        collection: the whole.
        decision: list papers with this decision; `all` for every one, excluded papers last; None
            for included and undecided ones.
        is_all: also list papers that were set aside, and those of earlier rounds.
        min_score: of all papers that the round found (and with `is_all` of all), list those with
            at least this score.
    """
    kinds = {"all": DECISIONS, None: DECISIONS[:2]}.get(decision, (decision,))
    aside = [paper for paper in collection.set_aside if paper.decision in kinds]
    papers = [paper for paper in collection.papers if paper.decision in kinds]
    papers += [paper for paper in aside if paper.decision != "undecided"]
    rest = [paper for paper in aside if paper.decision == "undecided"]
    earlier = [paper for paper in collection.earlier if paper.decision in kinds]
    if is_all:
        papers, rest, earlier = [*papers, *rest, *earlier], [], []
    if min_score is not None:
        every = [*papers, *rest]
        papers = [p for p in every if p.relevance_score >= min_score or not p.is_judged]
        ids = {paper.id for paper in papers}
        rest = [paper for paper in every if paper.id not in ids]
    update = {"papers": papers, "set_aside": rest, "earlier": earlier}
    part = collection.model_copy(update=update)
    is_same = [paper.id for paper in papers] == [paper.id for paper in collection.papers]
    return part if is_same else with_facets(part)


def with_facets(collection: PaperCollection) -> PaperCollection:
    return collection.model_copy(update={"facets": facets_of(collection.papers)})


async def _with_total(
    collection: PaperCollection, state: WorkflowState, records: SearchRecords
) -> PaperCollection:
    if state.result is None or state.result.counts is None:
        return collection
    work_of = await records.works_of(state.found) | paper_by_record(collection)
    total = len({work_of.get(i, i) for i in state.found})
    metadata = collection.metadata.model_copy(update={"total_found": total})
    return collection.model_copy(update={"metadata": metadata})


def known_papers_of_round(
    state: WorkflowState, params: SearchParams, scored: list[ScoredPaper], reference: CollectionRef
) -> KnownPapersReport | None:
    """Return which of the papers that the run must find were found; None if there are none."""
    if not params.must_find:
        return None
    before = state.known_papers
    ids = set(reference.paper_ids)
    return check_known_papers(
        params.must_find,
        [verdict.paper for verdict in scored],
        [verdict.paper.id in ids for verdict in scored],
        [*before.in_result, *before.not_in_result] if before else [],
    )


def empty_collection(question: str) -> PaperCollection:
    strategy = SearchStrategy(queries=[], sources=[], filters=SearchConstraints())
    return PaperCollection(
        metadata=SearchMetadata(query=question, search_strategy=strategy, total_found=0),
        papers=[],
        facets=Facets(),
    )


def paper_by_record(collection: PaperCollection) -> dict[str, str]:
    every = (*collection.papers, *collection.set_aside)
    return {member: paper.id for paper in every for member in _records_of(paper)}


_WORDS = {True: "include", False: "exclude"}
Merge = Callable[[list[RawPaper], Sequence[MergeDecision]], Awaitable[DeduplicationReport]]


async def regroup(
    collection: PaperCollection,
    decisions: Sequence[MergeDecision],
    records: SearchRecords,
    merge: Merge,
) -> PaperCollection:
    """Merge or split the papers that the decisions name; all others stay as they are.

    A new paper takes the place and the verdict of the first paper that its records come from.
    """
    ids = {i for decision in decisions for i in (decision.one, decision.other)}
    affected = [paper for paper in collection.papers if ids & set(_records_of(paper))]
    ids_of_all = [i for paper in affected for i in _records_of(paper)]
    record_ids = set(await records.get("records", ids_of_all))
    # A paper that an organizer made without our records can be neither merged nor split.
    touched = [paper for paper in affected if record_ids.issuperset(_records_of(paper))]
    paper_of = {member: paper for paper in touched for member in _records_of(paper)}
    if not touched:
        return collection
    choices = [d for d in decisions if {d.one, d.other} <= paper_of.keys()]
    members = await records.records(list(paper_of))
    report = await merge(members, _decisions_on_all_pairs(touched, choices))
    groups: dict[str, list[Paper]] = {}
    for work in report.works:
        sources = [paper_of[i] for i in (work.merged_from or [work.id]) if i in paper_of]
        first = min(sources, key=touched.index)
        work_ = _with_findings(work, sorted(sources, key=touched.index))
        groups.setdefault(first.id, []).append(_with_verdict_of(first, work_))
    parts = (groups.get(p.id, []) if p in touched else [p] for p in collection.papers)
    return collection.model_copy(update={"papers": [paper for part in parts for paper in part]})


def _with_findings(work: RawPaper, papers: Iterable[Paper]) -> RawPaper:
    """Return the work with the fields that were looked up for its papers.

    Half of a split paper gets none: which half they belong to is not known.
    """
    members = set(_records_of(work))
    whole = [paper for paper in papers if members.issuperset(_records_of(paper))]
    values: dict[str, str] = {}
    origins = dict(work.field_sources)
    for gap in GAPS:
        giver = next((paper for paper in whole if getattr(paper, gap)), None)
        if giver is not None and not getattr(work, gap):
            values[gap] = getattr(giver, gap)
            origins[gap] = giver.field_sources.get(gap, giver.id)
    return work.model_copy(update={**values, "field_sources": origins}) if values else work


def _records_of(paper: Paper | RawPaper) -> list[str]:
    return paper.merged_from or [paper.id]


def _decisions_on_all_pairs(
    papers: Iterable[Paper], decisions: Sequence[MergeDecision]
) -> list[MergeDecision]:
    """Return a decision on every pair of records: as decided, else as the papers are now.

    If two records are decided to be one work, all records of their papers are.
    """
    verdicts = {frozenset((d.one, d.other)): d.is_same for d in decisions}
    group = {member: number for number, paper in enumerate(papers) for member in _records_of(paper)}
    for pair, is_same in verdicts.items():
        one, other = sorted(group[i] for i in pair)
        if is_same:
            group = {i: one if number == other else number for i, number in group.items()}
    return [
        MergeDecision(
            one=one,
            other=other,
            is_same=verdicts.get(frozenset((one, other)), group[one] == group[other]),
        )
        for one, other in combinations(group, 2)
    ]


def _with_verdict_of(paper: Paper, work: RawPaper) -> Paper:
    """Return the work with the verdict on a paper; half of a split paper is unjudged."""
    verdict = {name: getattr(paper, name) for name in VERDICT}
    if paper.grades and not set(_records_of(work)).issuperset(_records_of(paper)):
        because = "it was judged as part of a paper that has been split"
        verdict |= {"grades": [], "is_judged": False, "unjudged_because": because}
    return Paper.from_scored(ScoredPaper(paper=work, **verdict))
