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
from paper_search.skills.result_organizer import by_score, facets_of
from paper_search.workflow.marks import MarkStore, ScreeningMark, labels_by_paper
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.regrouping import Merge, regrouped
from paper_search.workflow.state import WorkflowState


async def final_collection(
    state: WorkflowState,
    records: SearchRecords,
    marks: MarkStore,
    deduplicate: Merge | None = None,
) -> PaperCollection:
    """Return the result: the last collection with all papers decided relevant in any round.

    What was decided irrelevant is set aside; the latest decision on a paper counts. An empty one
    if nothing was searched. With `deduplicate`, what the person's last answer said on what is one
    work is carried out.
    """
    return without_excluded(await merged_collection(state, records, marks, deduplicate))


async def merged_collection(
    state: WorkflowState,
    records: SearchRecords,
    marks: MarkStore,
    deduplicate: Merge | None = None,
) -> PaperCollection:
    """Return the result with what was decided irrelevant still in its place; see above."""
    made = await marks.marks()
    merged = await records.merged_into([*state.marks, *(mark.paper_id for mark in made)])
    if state.result is None:
        collection = empty_collection(state.question)
    else:
        collection = await records.collection(state.result)
    decisions = decisions_on_papers(state, made, merged | _members(collection))
    included = [i for i, said in decisions.items() if said.decision == "include"]
    held = {paper.id for paper in collection.papers}
    collection = merge_papers(
        collection, await records.papers([i for i in included if i not in held])
    )
    said = state.history[-1].feedback if state.history else None
    if deduplicate is not None and said is not None and said.merge_decisions:
        before = collection
        collection = await regrouped(before, said.merge_decisions, records, deduplicate)
        collection = recounted(collection, len(collection.papers) - len(before.papers))
        decisions = decisions_on_papers(state, made, merged | _members(collection))
    named = merged | _members(collection)
    notes = {named.get(mark.paper_id, mark.paper_id): mark.note for mark in made if mark.note}
    collection = with_decisions(collection, decisions, notes, labels_by_paper(made, named))
    return collection.model_copy(
        update={
            "ended_by": state.ended_by,
            "reports": state.journal,
            "silent_sources": state.silent_sources,
            "known_papers": state.known_papers,
        }
    )


def decisions_on_papers(
    state: WorkflowState, marks: Sequence[ScreeningMark], named: Mapping[str, str]
) -> dict[str, ScreeningDecision]:
    """Return the decision that stands on each paper; the latest counts.

    Args:
        state: with the answers of all rounds.
        marks: made one by one; those of this round are later than all answers.
        named: by the id of a paper, that of the one that it was merged into since.
    """
    said: dict[str, tuple[ScreeningDecision, int]] = {}
    for paper_id, (is_relevant, record) in state.marked_in.items():
        reasons = record.feedback.reasons if record.feedback else {}
        decision = ScreeningDecision(
            decision=_word(is_relevant=is_relevant),
            decided_by=record.decided_by,
            decided_at=record.decided_at,
            reason=reasons.get(paper_id),
        )
        said[named.get(paper_id, paper_id)] = decision, record.iteration
    for mark in marks:
        own = named.get(mark.paper_id, mark.paper_id)
        before, iteration = said.get(own, (ScreeningDecision(), -1))
        is_latest = mark.iteration >= state.current_iteration
        if mark.is_relevant is None:
            if mark.is_taken_back and is_latest:
                said.pop(own, None)
            continue
        word = _word(is_relevant=mark.is_relevant)
        # The answer of a round repeats its marks; they know better who made them, and when.
        if is_latest or (mark.iteration, word) == (iteration, before.decision):
            decision = ScreeningDecision(
                decision=word,
                decided_by=mark.said_by or before.decided_by,
                decided_at=mark.said_at or before.decided_at,
                reason=mark.reason or (None if is_latest else before.reason),
            )
            said[own] = decision, mark.iteration
    return {paper_id: decision for paper_id, (decision, _) in said.items()}


def with_decisions(
    collection: PaperCollection,
    decisions: Mapping[str, ScreeningDecision],
    notes: Mapping[str, str],
    labels: Mapping[str, list[str]] | None = None,
) -> PaperCollection:
    """Return the collection with what a person said of its papers; itself if nothing was said."""
    labels = labels or {}
    if not decisions and not notes and not labels:
        return collection

    def screened(paper: Paper) -> Paper:
        update = {
            "screening": decisions.get(paper.id, paper.screening),
            "note": notes.get(paper.id, paper.note),
            "labels": labels.get(paper.id, paper.labels),
        }
        has_changed = any(getattr(paper, name) != value for name, value in update.items())
        return paper.model_copy(update=update) if has_changed else paper

    parts = ("papers", "set_aside", "earlier")
    update = {part: [screened(paper) for paper in getattr(collection, part)] for part in parts}
    return collection.model_copy(update=update)


def without_excluded(collection: PaperCollection) -> PaperCollection:
    """Return the collection with what was decided irrelevant set aside, after all else there."""
    listed = [*collection.papers, *collection.earlier]
    excluded = [paper for paper in listed if paper.decision == "excluded"]
    if not excluded:
        return collection
    update = {
        "papers": [paper for paper in collection.papers if paper.decision != "excluded"],
        "set_aside": [*collection.set_aside, *excluded],
        "earlier": [paper for paper in collection.earlier if paper.decision != "excluded"],
    }
    return recounted(collection.model_copy(update=update))


def merge_papers(collection: PaperCollection, extra: list[Paper]) -> PaperCollection:
    """Return the collection with the papers that it lacks, by id; itself if it lacks none.

    A collection in the order of the scores stays so. In any other, what was set aside follows in
    the order that it had there, and then what the round did not find, by score.
    """
    known = {paper.id for paper in collection.papers}
    missing = {paper.id: paper for paper in extra if paper.id not in known}
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
    return recounted(collection.model_copy(update=update))


def recounted(collection: PaperCollection, split: int = 0) -> PaperCollection:
    """Return a changed collection with the counts of what it holds now.

    Args:
        collection: with its papers as they are now.
        split: how many more works than before the round found, since a person split or merged.
    """
    total = collection.metadata.total_found + split
    metadata = collection.metadata.model_copy(update={"total_found": total})
    facets = facets_of(collection.papers)
    return collection.model_copy(update={"metadata": metadata, "facets": facets})


def empty_collection(question: str) -> PaperCollection:
    """Return the result of a search in which nothing was ever asked of a source."""
    strategy = SearchStrategy(queries=[], sources=[], filters=SearchConstraints())
    return PaperCollection(
        metadata=SearchMetadata(query=question, search_strategy=strategy, total_found=0),
        papers=[],
        facets=Facets(),
    )


def _members(collection: PaperCollection) -> dict[str, str]:
    """Return by the id of a record the paper of the collection that it was merged into."""
    every = (*collection.papers, *collection.set_aside)
    return {member: paper.id for paper in every for member in paper.merged_from}


def _word(*, is_relevant: bool) -> str:
    return "include" if is_relevant else "exclude"
