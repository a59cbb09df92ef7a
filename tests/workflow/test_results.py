"""What a person said of papers while searching is in the result, and in its exports."""

from __future__ import annotations

from pathlib import Path

from paper_search.config import load_config
from paper_search.exports import export
from paper_search.models import PaperCollection, UserFeedback
from paper_search.workflow import (
    Checkpoint,
    CheckpointKind,
    Decision,
    DecisionAction,
    SearchWorkflow,
)
from paper_search.workflow.marks import ScreeningMark
from paper_search.workflow.results import with_screening


class MarksTwo:
    """Marks the first paper relevant and the second irrelevant, then approves."""

    def __init__(self) -> None:
        self.marked: list[str] = []

    async def handle(self, checkpoint: Checkpoint) -> Decision:
        if checkpoint.kind is CheckpointKind.STRATEGY_CONFIRMATION or self.marked:
            return Decision(action=DecisionAction.APPROVE)
        papers = checkpoint.payload.collection.papers  # type: ignore[union-attr]  # of a result
        self.marked = [paper.id for paper in papers[:2]]
        feedback = UserFeedback(marked_relevant=self.marked[:1], marked_irrelevant=self.marked[1:])
        return Decision(action=DecisionAction.EDIT, revised_data=feedback.model_dump())


async def searched(home: Path) -> tuple[PaperCollection, list[str]]:
    handler = MarksTwo()
    flow = SearchWorkflow.from_config(load_config(home=home), handler, sources=["sample"])
    return await flow.run("graph neural networks"), handler.marked


async def test_marks_are_decisions_in_the_result_also_on_what_was_set_aside(
    tmp_path: Path,
) -> None:
    collection, (relevant, irrelevant) = await searched(tmp_path)

    every = {paper.id: paper for paper in (*collection.papers, *collection.set_aside)}
    decisions = {i: paper.screening.decision for i, paper in every.items() if paper.screening}
    assert decisions == {relevant: "include", irrelevant: "exclude"}
    assert "U1  - decision: include" in export(collection, "ris")
    assert "U1  - decision: exclude" in export(collection.listed(is_all=True), "ris")


async def test_a_mark_of_the_screening_says_when_and_brings_its_note(tmp_path: Path) -> None:
    collection, _ = await searched(tmp_path)
    third = collection.papers[2]
    mark = ScreeningMark(
        paper_id=third.id, number=1, iteration=1, is_relevant=True, note="odd", said_at="2026"
    )

    paper = with_screening(collection, {}, [mark]).papers[2]

    assert paper.screening_columns == {
        "decision": "include",
        "decided_by": "",
        "decided_at": "2026",
        "reason": "",
        "note": "odd",
    }


async def test_a_collection_of_which_nothing_was_said_is_itself(tmp_path: Path) -> None:
    collection, _ = await searched(tmp_path)
    assert with_screening(collection, {}, []) is collection
