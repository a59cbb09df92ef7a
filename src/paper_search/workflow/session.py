"""What the threads of a search have of their own: two questions, and papers to screen."""

from __future__ import annotations

from typing import Any

from paper_search.errors import ThreadNotWaitingError
from paper_search.models import PaperCollection
from paper_search.persistence import Persistence
from paper_search.threads.reading import Events
from paper_search.threads.session import ThreadSession
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    CheckpointRef,
    Decision,
    read_checkpoint,
)
from paper_search.workflow.decisions import answer_model, past_decision
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.questions import markable_ids, record_ids, result_question
from paper_search.workflow.records import SearchRecords, StrategyApprovals
from paper_search.workflow.results import final_collection
from paper_search.workflow.screening import MarkStore, Screening, open_screening, with_marks
from paper_search.workflow.state import WorkflowState


class SearchSession(ThreadSession[WorkflowState, Checkpoint, PaperCollection | None]):
    """Reads and drives one search; see `ThreadSession`."""

    workflow = WORKFLOW
    begins_with = "question"
    noun = "search"
    after_the_end = "Export its result, or start a new search"
    records_type = SearchRecords
    question_type = Checkpoint
    decision_type = Decision
    reference_type = CheckpointRef
    reference_field = "checkpoint"
    audited = ("action", "note", "checkpoint")

    def __init__(
        self,
        graph: Any,
        persistence: Persistence,
        thread_id: str,
        events: Events = lambda _event, _details: None,
    ) -> None:
        super().__init__(graph, persistence, thread_id, events)
        self._records = SearchRecords(persistence.store, thread_id)
        self._marks = MarkStore(persistence.store, thread_id)

    async def result(self) -> PaperCollection | None:
        """Return the latest collection; None: nothing was searched and the thread is not done."""
        state = await self.state()
        if state.result is None and not state.is_complete:
            return None
        return await final_collection(state, self._records, self._marks)

    async def screening(self) -> Screening:
        """Return the papers of the result to go through one by one.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadNotWaitingError: there is no result yet, or another one is being made.
        """
        state = await self.state()
        waiting = None if state.is_complete else await self.open_question()
        at_result = waiting is not None and (waiting.question.kind is CheckpointKind.RESULT_REVIEW)
        if state.result is None or not (state.is_complete or at_result):
            raise ThreadNotWaitingError(
                f"thread {self._thread_id!r} has no result to screen: it is neither done nor does "
                "it wait with one. Resume it up to the question about the result"
            )
        collection = await final_collection(state, self._records, self._marks)
        return await open_screening(collection.papers, state, self._marks)

    async def _question(self, shown: Any, state: WorkflowState) -> Checkpoint:
        checkpoint = read_checkpoint(shown)
        if checkpoint.kind is CheckpointKind.STRATEGY_CONFIRMATION:
            return checkpoint
        whole = await result_question(state, checkpoint.run_id, self._records, preview=None)
        payload = await with_marks(whole.payload, state, self._marks)
        return whole.model_copy(update={"timestamp": checkpoint.timestamp, "payload": payload})

    def _answers(self, question: Checkpoint, state: WorkflowState) -> Any:
        return answer_model(question, markable_ids(state), record_ids(state))

    def _past_decision(self, named: CheckpointRef, decision: Any) -> Decision | None:
        return past_decision(named.kind, decision)

    async def _undo_effects(self, named: CheckpointRef) -> None:
        await StrategyApprovals(self._records).revoke(named.iteration)
