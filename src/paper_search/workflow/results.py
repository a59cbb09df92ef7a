"""What a search gives in the end."""

from __future__ import annotations

from collections.abc import Mapping

from paper_search.models import (
    Facets,
    Paper,
    PaperCollection,
    SearchConstraints,
    SearchMetadata,
    SearchStrategy,
)
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.regrouping import Merge, regrouped
from paper_search.workflow.state import WorkflowState


async def final_collection(
    state: WorkflowState, records: SearchRecords, deduplicate: Merge | None = None
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
    merged = with_notes(merged, await records.notes())
    return merged.model_copy(
        update={
            "ended_by": state.ended_by,
            "reports": [*state.earlier_reports, *state.reports],
            "silent_sources": state.silent_sources,
            "known_papers": state.known_papers,
            "coverage": state.result.coverage if state.result else None,
        }
    )


def with_notes(collection: PaperCollection, notes: Mapping[str, str]) -> PaperCollection:
    """Return the collection with what the person noted, by paper id; itself without notes."""
    if not notes:
        return collection
    papers = [
        paper.model_copy(update={"note": notes[paper.id]}) if paper.id in notes else paper
        for paper in collection.papers
    ]
    return collection.model_copy(update={"papers": papers})


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
