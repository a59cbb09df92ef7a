"""One search's thread, driven: every door of the program goes through here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paper_search.config import current_person
from paper_search.errors import ThreadNotWaitingError
from paper_search.models import PaperCollection
from paper_search.persistence import Persistence
from paper_search.steps.compiler import PARAMS, compile_workflow
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    CheckpointRef,
    read_checkpoint,
    reference,
)
from paper_search.workflow.decisions import check_decision
from paper_search.workflow.driven import DrivenThread, Events
from paper_search.workflow.forks import fork
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.questions import markable_ids, record_ids, result_question
from paper_search.workflow.records import RecordShelf
from paper_search.workflow.replays import is_same_decision, named_checkpoint
from paper_search.workflow.results import final_collection
from paper_search.workflow.screening import MarkShelf, Screening, open_screening, with_marks
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import SearchParams, WorkflowState, read_state


@dataclass(frozen=True)
class OpenQuestion:
    """A question that waits on a thread, and the interrupt that an answer must name."""

    interrupt_id: str
    checkpoint: Checkpoint
    markable_ids: frozenset[str]
    """Papers that an answer may mark."""
    record_ids: frozenset[str]
    """Records that an answer may say are one work, or are not."""


def search_graph(persistence: Persistence, skills: Skills | None = None) -> Any:
    """Return the paper-search graph on a place for threads; without skills, to read only."""
    return compile_workflow(
        WORKFLOW,
        services=skills,
        checkpointer=persistence.checkpointer,
        store=persistence.store,
    )


class ThreadSession(DrivenThread[WorkflowState, OpenQuestion, CheckpointRef]):
    """Reads and drives one search.

    Args:
        graph: made by `search_graph` on the same place.
        persistence: where the thread lives.
        thread_id: which one.
        events: takes what the steps report.
    """

    begins_with = "question"
    noun = "search"
    reference_field = "checkpoint"
    after_the_end = "Export its result, or start a new search"

    def __init__(
        self,
        graph: Any,
        persistence: Persistence,
        thread_id: str,
        events: Events = lambda _event, _details: None,
    ) -> None:
        super().__init__(graph, persistence, thread_id, events)
        self._shelf = RecordShelf(persistence.store, thread_id)
        self._marks = MarkShelf(persistence.store, thread_id)

    async def begin(self, question: str, params: SearchParams) -> None:
        """Run a new thread up to its first question or its end.

        Raises:
            ThreadExistsError: the thread carries something already.
        """
        await self._begin({"question": question, PARAMS: params.model_dump(mode="json")})

    def checked(self, question: OpenQuestion, decision: Any) -> dict[str, Any]:
        """See `DrivenThread.checked`."""
        valid = check_decision(
            question.checkpoint, decision, question.markable_ids, question.record_ids
        )
        named = valid.model_copy(update={"checkpoint": reference(question.checkpoint)})
        return named.model_dump(mode="json")

    async def result(self) -> PaperCollection | None:
        """Return the latest collection; None: nothing was searched and the thread is not done."""
        state = await self.state()
        if state.result is None and not state.is_complete:
            return None
        return await final_collection(state, self._shelf)

    async def fork(self, kind: CheckpointKind, iteration: int | None, by: str | None) -> None:
        """Ask a question again that was decided.

        Raises:
            StaleDecisionError: it was never decided, or the history was pruned.
        """
        await self.state()  # a thread of another version is left alone
        person = by or current_person()
        await fork(self._graph, self._persistence, self._thread_id, kind, iteration, person)

    async def screening(self) -> Screening:
        """Return the papers of the result to go through one by one.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadNotWaitingError: there is no result yet, or another one is being made.
        """
        state = await self.state()
        question = None if state.is_complete else await self.open_question()
        at_result = question is not None and (
            question.checkpoint.kind is CheckpointKind.RESULT_REVIEW
        )
        if state.result is None or not (state.is_complete or at_result):
            raise ThreadNotWaitingError(
                f"thread {self._thread_id!r} has no result to screen: it is neither done nor does "
                "it wait with one. Resume it up to the question about the result"
            )
        collection = await final_collection(state, self._shelf)
        return await open_screening(collection.papers, state, self._marks)

    def _read(self, values: Mapping[str, Any]) -> WorkflowState:
        return read_state(values, self._thread_id)

    async def _shown(self, interrupt: Any, values: Mapping[str, Any]) -> OpenQuestion:
        checkpoint = read_checkpoint(interrupt.value)
        state = self._read(values)
        if checkpoint.kind is CheckpointKind.RESULT_REVIEW:
            run_id = checkpoint.run_id
            whole = await result_question(state, run_id, self._shelf, preview=None)
            payload = await with_marks(whole.payload, state, self._marks)
            checkpoint = whole.model_copy(
                update={"timestamp": checkpoint.timestamp, "payload": payload}
            )
        return OpenQuestion(interrupt.id, checkpoint, markable_ids(state), record_ids(state))

    def _reference(self, value: Any) -> CheckpointRef:
        return CheckpointRef.model_validate(value)

    def _named(self, decision: Any) -> CheckpointRef | None:
        return named_checkpoint(decision)

    def _says(self, stored: Mapping[str, Any], decision: Any, named: CheckpointRef) -> bool:
        return is_same_decision(stored, decision, named)
