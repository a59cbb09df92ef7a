"""A collection after a person said which of its records are one work and which are not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import combinations

from paper_search.models import (
    DeduplicationReport,
    MergeDecision,
    Paper,
    PaperCollection,
    RawPaper,
    ScoredPaper,
)
from paper_search.sources.enrichment import GAPS
from paper_search.workflow.records import SearchRecords

Merge = Callable[[list[RawPaper], Sequence[MergeDecision]], Awaitable[DeduplicationReport]]


async def regrouped(
    collection: PaperCollection,
    decisions: Sequence[MergeDecision],
    records: SearchRecords,
    merge: Merge,
) -> PaperCollection:
    """Return the collection with the papers that the decisions are about merged or split.

    All other papers stay as they are. A new paper stands where the first of those stood that its
    records come from, with that one's verdict.
    """
    named = {i for decision in decisions for i in (decision.one, decision.other)}
    affected = [paper for paper in collection.papers if named & set(_members(paper))]
    stored = await records.stored([i for paper in affected for i in _members(paper)])
    # A paper that an organizer made of no record of ours can be neither merged nor split.
    touched = [paper for paper in affected if stored.issuperset(_members(paper))]
    paper_of = {member: paper for paper in touched for member in _members(paper)}
    if not touched:
        return collection
    wanted = [
        decision for decision in decisions if {decision.one, decision.other} <= paper_of.keys()
    ]
    members = await records.records(list(paper_of))
    report = await merge(members, _spelled_out(touched, wanted))
    made: dict[str, list[Paper]] = {}
    for work in report.works:
        sources = [paper_of[i] for i in (work.merged_from or [work.id]) if i in paper_of]
        first = min(sources, key=touched.index)
        found = _with_findings(work, sorted(sources, key=touched.index))
        made.setdefault(first.id, []).append(_judged_as(first, found))
    kept = [made.get(paper.id, []) if paper in touched else [paper] for paper in collection.papers]
    return collection.model_copy(update={"papers": [paper for group in kept for paper in group]})


def _with_findings(work: RawPaper, papers: Iterable[Paper]) -> RawPaper:
    """Return the work with what was looked up for the papers that it is made of.

    Half of a paper that was split gets nothing: whose it was is not known.
    """
    members = set(_members(work))
    whole = [paper for paper in papers if members.issuperset(_members(paper))]
    found: dict[str, str] = {}
    origins = dict(work.field_sources)
    for gap in GAPS:
        giver = next((paper for paper in whole if getattr(paper, gap)), None)
        if giver is not None and not getattr(work, gap):
            found[gap] = getattr(giver, gap)
            origins[gap] = giver.field_sources.get(gap, giver.id)
    return work.model_copy(update={**found, "field_sources": origins}) if found else work


def _members(paper: Paper | RawPaper) -> list[str]:
    return paper.merged_from or [paper.id]


def _spelled_out(
    papers: Iterable[Paper], decisions: Sequence[MergeDecision]
) -> list[MergeDecision]:
    """Return a word on every pair: as decided, else as the papers have it now.

    What is said to be one work brings all records of the two papers together.
    """
    said = {frozenset((decision.one, decision.other)): decision.is_same for decision in decisions}
    group = {member: number for number, paper in enumerate(papers) for member in _members(paper)}
    for pair, is_same in said.items():
        one, other = sorted(group[i] for i in pair)
        if is_same:
            group = {i: one if number == other else number for i, number in group.items()}
    return [
        MergeDecision(
            one=one,
            other=other,
            is_same=said.get(frozenset((one, other)), group[one] == group[other]),
        )
        for one, other in combinations(group, 2)
    ]


def _judged_as(paper: Paper, work: RawPaper) -> Paper:
    return Paper.from_scored(
        ScoredPaper(
            paper=work,
            relevance_score=paper.relevance_score,
            relevance_reason=paper.relevance_reason,
            tags=paper.tags,
            is_judged=paper.is_judged,
        )
    )
