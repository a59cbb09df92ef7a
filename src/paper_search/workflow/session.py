"""One thread, driven: every door of the program goes through here."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from paper_search.errors import (
    PersistenceError,
    ThreadExistsError,
    ThreadFinishedError,
    ThreadNotFoundError,
    ThreadNotWaitingError,
    ThreadWaitingError,
)
from paper_search.models import PaperCollection
from paper_search.persistence import Persistence
from paper_search.steps.compiler import PARAMS, compile_workflow
from paper_search.workflow.checkpoints import Checkpoint, CheckpointKind, reference
from paper_search.workflow.decisions import check_decision
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.questions import markable_ids, record_ids, result_question
from paper_search.workflow.records import RecordShelf
from paper_search.workflow.results import final_collection
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import SCHEMA_VERSION, SearchParams, WorkflowState

Events = Callable[[str, Mapping[str, Any]], None]


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


class ThreadSession:
    """Reads and drives one thread.

    Args:
        graph: made by `search_graph` on the same place.
        persistence: where the thread lives.
        thread_id: which one.
        events: takes what the steps report.
    """

    def __init__(
        self,
        graph: Any,
        persistence: Persistence,
        thread_id: str,
        events: Events = lambda _event, _details: None,
    ) -> None:
        self._graph = graph
        self._thread_id = thread_id
        self._events = events
        self._persistence = persistence
        self._shelf = RecordShelf(persistence.store, thread_id)
        # Strict: an answer to a question that is not open is an error, and changes nothing.
        self._config: RunnableConfig = {
            "configurable": {"thread_id": thread_id, "__pregel_strict_resume": True},
        }

    @contextlib.asynccontextmanager
    async def lease(self) -> AsyncIterator[None]:
        """Hold the thread against other processes.

        Raises:
            ThreadBusyError: another one drives it.
        """
        async with self._persistence.leases.hold(self._thread_id):
            yield

    async def exists(self) -> bool:
        """Whether there is a thread of this id."""
        config: RunnableConfig = {"configurable": {"thread_id": self._thread_id}}
        return await self._persistence.checkpointer.aget_tuple(config) is not None

    async def begin(self, question: str, params: SearchParams) -> None:
        """Run a new thread up to its first question or its end.

        Raises:
            ThreadExistsError: the thread carries a search already.
        """
        if await self.exists():
            raise ThreadExistsError(
                f"thread {self._thread_id!r} carries a search already; "
                "resume it, or start another one without naming a thread"
            )
        await self._run({"question": question, PARAMS: params.model_dump(mode="json")})

    async def proceed(self) -> None:
        """Go on with a thread that stopped in the middle of its steps.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: it is done.
            ThreadWaitingError: it waits for a decision.
        """
        await self._require_unfinished()
        if await self.open_question() is not None:
            raise ThreadWaitingError(f"thread {self._thread_id!r} waits for a decision")
        await self._run(None)

    async def answer(self, question: OpenQuestion, decision: Any) -> None:
        """Give the decision on a question and run up to the next one or the end.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another checkpoint.
        """
        valid = check_decision(
            question.checkpoint, decision, question.markable_ids, question.record_ids
        )
        named = valid.model_copy(update={"checkpoint": reference(question.checkpoint)})
        answer = named.model_dump(mode="json")
        await self._run(Command(resume={question.interrupt_id: answer}))

    async def state(self) -> WorkflowState:
        """Return the state of the thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
            PersistenceError: it was written by another version of the program.
        """
        return self._read(await self.snapshot())

    async def snapshot(self) -> Any:
        """Return LangGraph's snapshot of the thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        snapshot = await self._graph.aget_state(self._config)
        if not snapshot.metadata or "question" not in snapshot.values:
            raise ThreadNotFoundError(
                f"no search has the thread {self._thread_id!r}; `paper-search threads` lists those "
                "there are, and a report goes on with `paper-search report --thread`"
            )
        return snapshot

    async def open_question(self) -> OpenQuestion | None:
        """Return the question that waits for a person, with all its papers; None: none does."""
        snapshot = await self.snapshot()
        if not snapshot.interrupts:
            return None
        interrupt = snapshot.interrupts[0]
        checkpoint = Checkpoint.model_validate(interrupt.value)
        state = self._read(snapshot)
        if checkpoint.kind is CheckpointKind.RESULT_REVIEW:
            run_id = checkpoint.run_id
            whole = await result_question(state, run_id, self._shelf, preview=None)
            checkpoint = whole.model_copy(update={"timestamp": checkpoint.timestamp})
        return OpenQuestion(interrupt.id, checkpoint, markable_ids(state), record_ids(state))

    async def require_question(self) -> OpenQuestion:
        """Return the question that waits for a person.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: it is done.
            ThreadNotWaitingError: it stopped between two questions.
        """
        await self._require_unfinished()
        question = await self.open_question()
        if question is None:
            raise ThreadNotWaitingError(
                f"thread {self._thread_id!r} does not wait for a decision: it stopped between two "
                "questions. Resume it without a decision first; none was used"
            )
        return question

    async def result(self) -> PaperCollection | None:
        """Return the latest collection; None: nothing was searched and the thread is not done."""
        state = await self.state()
        if state.result is None and not state.is_complete:
            return None
        return await final_collection(state, self._shelf)

    async def is_driven(self) -> bool:
        """Whether a living process drives the thread at this moment."""
        return await self._persistence.leases.is_held(self._thread_id)

    async def _require_unfinished(self) -> None:
        if (await self.state()).is_complete:
            raise ThreadFinishedError(
                f"thread {self._thread_id!r} is done; there is nothing to resume. "
                "Export its result, or start a new search"
            )

    def _read(self, snapshot: Any) -> WorkflowState:
        values = snapshot.values
        version = values.get("schema_version", SCHEMA_VERSION)
        if version != SCHEMA_VERSION:
            raise PersistenceError(
                f"thread {self._thread_id!r} was written with schema version {version}; "
                f"this program reads {SCHEMA_VERSION}"
            )
        known = {name: values[name] for name in WorkflowState.model_fields if name in values}
        return WorkflowState.model_validate(known)

    async def _run(self, graph_input: Any) -> None:
        stream = self._graph.astream(
            graph_input, self._config, stream_mode=["custom"], durability="sync"
        )
        async for _mode, event in stream:
            details = {name: value for name, value in event.items() if name != "event"}
            self._events(event["event"], details)
