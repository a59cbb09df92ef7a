"""What a search gives in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paper_search.models import (
    Facets,
    Paper,
    PaperCollection,
    ScreeningDecision,
    SearchConstraints,
    SearchMetadata,
    SearchStrategy,
)
from paper_search.workflow.marks import MarkStore, ScreeningMark
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.regrouping import Merge, regrouped
from paper_search.workflow.state import WorkflowState


async def final_collection(
    state: WorkflowState,
    records: SearchRecords,
    marks: MarkStore,
    deduplicate: Merge | None = None,
) -> PaperCollection:
    """Return the last collection with the accumulated papers; an empty one if there is none.

    With `deduplicate`, what the person's last answer said on what is one work is carried out.
    """
    if state.result is None:
        collection = empty_collection(state.question)
    else:
        collection = await records.collection(state.result)
    extra = await records.papers(state.accumulated_ids)
    merged = merge_papers(collection, extra)
    said = state.history[-1].feedback if state.history else None
    if deduplicate is not None and said is not None and said.merge_decisions:
        merged = await regrouped(merged, said.merge_decisions, records, deduplicate)
    merged = with_screening(merged, state.marks, await marks.marks())
    return merged.model_copy(
        update={
            "ended_by": state.ended_by,
            "reports": [*state.earlier_reports, *state.reports],
            "silent_sources": state.silent_sources,
            "known_papers": state.known_papers,
            "coverage": state.result.coverage if state.result else None,
        }
    )


def with_screening(
    collection: PaperCollection, verdicts: Mapping[str, bool], marks: Sequence[ScreeningMark]
) -> PaperCollection:
    """Return the collection with what a person said of its papers; itself if nothing was said.

    Args:
        collection: of whose papers it is.
        verdicts: by paper id: is it relevant?
        marks: of the screening, with the time and the notes.
    """
    made = {mark.paper_id: mark for mark in marks}
    if not verdicts and not made:
        return collection

    def screened(paper: Paper) -> Paper:
        mark = made.get(paper.id)
        own = mark.is_relevant if mark else None
        verdict = verdicts.get(paper.id, own)
        update: dict[str, object] = {"note": mark.note} if mark and mark.note else {}
        if verdict is not None:
            said_at = mark.said_at if mark and own == verdict else None
            update["screening"] = ScreeningDecision(
                decision="include" if verdict else "exclude", decided_at=said_at or None
            )
        return paper.model_copy(update=update) if update else paper

    return collection.model_copy(
        update={
            "papers": [screened(paper) for paper in collection.papers],
            "set_aside": [screened(paper) for paper in collection.set_aside],
        }
    )


def merge_papers(collection: PaperCollection, extra: list[Paper]) -> PaperCollection:
    """Return the collection with the papers that it lacks, by id; itself if it lacks none."""
    known = {paper.id for paper in collection.papers}
    missing = [paper for paper in extra if paper.id not in known]
    if not missing:
        return collection
    added = {paper.id for paper in missing}
    rest = [paper for paper in collection.set_aside if paper.id not in added]
    papers = [*collection.papers, *missing]
    return collection.model_copy(update={"papers": papers, "set_aside": rest})


def empty_collection(question: str) -> PaperCollection:
    """Return the result of a search in which nothing was ever asked of a source."""
    strategy = SearchStrategy(queries=[], sources=[], filters=SearchConstraints())
    return PaperCollection(
        metadata=SearchMetadata(query=question, search_strategy=strategy, total_found=0),
        papers=[],
        facets=Facets(),
    )
