"""ThreadReader: one thread of any graph, read."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel

from paper_search.errors import ThreadFinishedError, ThreadNotFoundError, ThreadNotWaitingError
from paper_search.persistence import LedgerEntry, Persistence
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.threads import INPUT
from paper_search.steps import Workflow
from paper_search.steps.compiler import compile_workflow, graph_to_read
from paper_search.steps.types import token_of
from paper_search.threads.questions import (
    Question,
    ThreadQuestion,
    answer_model,
    checked_question,
)
from paper_search.threads.records import RecordStore
from paper_search.threads.state import read_state

Events = Callable[[str, Mapping[str, Any]], None]


class ThreadState(Protocol):
    """A state that says whether it is the last one."""

    is_complete: bool


StateT = TypeVar("StateT", bound=ThreadState)
QuestionT = TypeVar("QuestionT", bound=Question)
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class OpenQuestion(Generic[QuestionT]):
    """A question that waits on a thread, and the interrupt that an answer must name."""

    interrupt_id: str
    question: QuestionT
    answers: Any
    """The type of the decisions that it takes."""


class ThreadReader(ABC, Generic[StateT, QuestionT, ResultT]):
    """Reads one thread.

    A subclass says what belongs to one graph: its table, its question, its result.

    Args:
        graph: made by `ThreadReader.graph` on the same persistence.
        persistence: where the thread lives.
        thread_id: which one.
        events: takes what the steps report.
    """

    workflow: ClassVar[Workflow]
    """The table of the graph."""
    begins_with: ClassVar[str]
    """The channel that the threads of this graph have, and of no other: what was asked for."""
    noun: ClassVar[str]
    """What such a thread is called."""
    after_the_end: ClassVar[str] = "Start a new one"
    """What can be done with a thread that is done."""
    records_type: ClassVar[type[RecordStore]]
    """What keeps the records of a thread."""
    question_type: ClassVar[type[BaseModel]] = ThreadQuestion

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
        self._ledger = persistence.ledger
        # Strict: an answer to a question that is not open is an error, and changes nothing.
        chosen = {"thread_id": thread_id, "__pregel_strict_resume": True}
        self._config: RunnableConfig = {"configurable": chosen}

    @classmethod
    def graph(cls, persistence: Persistence, services: Any = None) -> Any:
        """Return the graph on a persistence; without services, to read only."""
        checkpointer, store = persistence.checkpointer, persistence.store
        if services is None:
            return graph_to_read(cls.workflow, checkpointer=checkpointer, store=store)
        return compile_workflow(
            cls.workflow,
            services=services,
            checkpointer=checkpointer,
            store=store,
        )

    @classmethod
    def on(cls, persistence: Persistence, thread_id: str, services: Any = None) -> Self:
        """Return what reads a thread on a persistence; without services, it cannot be driven."""
        return cls(cls.graph(persistence, services), persistence, thread_id)

    # --- what each graph says of itself -----------------------------------------------------------

    @classmethod
    def check_input(cls, asked_for: str) -> None:
        """Refuse what no thread of this graph can begin with.

        Raises:
            QuestionError: it cannot be used.
        """
        checked_question(asked_for)

    @abstractmethod
    async def result(self) -> ResultT:
        """Return the result as far as there is one."""

    def _answers(self, question: Any, state: StateT) -> Any:
        """Return the type of the decisions that a question takes."""
        del state  # a plain question says itself which it takes
        return answer_model(question)

    async def _question(self, shown: Any, state: StateT) -> QuestionT:
        """Return the question that an interrupt shows, with all that is needed to decide."""
        del state  # it shows all that is needed
        return self.question_type.model_validate(shown)  # type: ignore[return-value]  # the subclass pairs them

    # --- reading ----------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def lease(self) -> AsyncIterator[None]:
        """Hold the thread against other processes.

        Raises:
            ThreadBusyError: another one drives it.
        """
        async with self._persistence.leases.hold(self._thread_id):
            yield

    async def is_driven(self) -> bool:
        """Whether a living process drives the thread at this moment."""
        return await self._persistence.leases.is_held(self._thread_id)

    @property
    def thread_id(self) -> str:
        """Return which thread it is."""
        return self._thread_id

    async def exists(self) -> bool:
        """Whether there is a thread of this id, of whatever graph."""
        config: RunnableConfig = {"configurable": {"thread_id": self._thread_id}}
        try:
            return await self._persistence.checkpointer.aget_tuple(config) is not None
        except DamagedError:
            return True

    async def state(self) -> StateT:
        """Return the state of the thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
            PersistenceError: it was written by another version of the program.
        """
        return self._read((await self.snapshot()).values)

    async def snapshot(self) -> Any:
        """Return LangGraph's snapshot of the thread.

        Raises:
            ThreadNotFoundError: there is no such thread, or it belongs to another graph.
        """
        snapshot = await self._graph.aget_state(self._config)
        if not snapshot.metadata:
            raise ThreadNotFoundError(
                f"no {self.noun} has the thread {self._thread_id!r}; `paper-search threads` lists "
                "all"
            )
        channels = await self._channels(snapshot)
        if channels and self.begins_with not in channels:
            raise ThreadNotFoundError(
                f"thread {self._thread_id!r} is not a {self.noun}; it belongs to another graph: "
                "see `paper-search show`"
            )
        return snapshot

    async def open_question(self) -> OpenQuestion[QuestionT] | None:
        """Return the question that waits for a person; None: none does.

        One that was decided does not wait, also where the graph was not told yet.
        """
        snapshot = await self.snapshot()
        if not snapshot.interrupts:
            return None
        interrupt = snapshot.interrupts[0]
        if await self._ledger.entry(self._thread_id, interrupt.id) is not None:
            return None
        state = self._read(snapshot.values)
        shown = {**interrupt.value, "token": token_of(interrupt.id)}
        question = await self._question(shown, state)
        answers = self._answers(question, state)
        return OpenQuestion(interrupt.id, question, answers)

    async def require_question(self) -> OpenQuestion[QuestionT]:
        """Return the question that waits for a person.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: it is done.
            ThreadNotWaitingError: it stopped between two questions.
        """
        await self._require_unfinished()
        question = await self.open_question()
        if question is None and (entry := await self.decided()) is not None:
            raise ThreadNotWaitingError(
                f"the question of {self.noun} {self._thread_id!r} was decided by "
                f"{entry.decided_by} at {entry.decided_at} and the decision is not applied yet; "
                "resume the thread without a decision to apply it"
            )
        if question is None:
            raise ThreadNotWaitingError(
                f"{self.noun} {self._thread_id!r} does not wait for a decision: it stopped between "
                "two questions. Resume it without a decision first; none was used"
            )
        return question

    async def is_at_rest(self) -> bool:
        """Whether the thread waits with a question or is done."""
        return (await self.state()).is_complete or await self.open_question() is not None

    async def decided(self) -> LedgerEntry | None:
        """Return the decision on the latest question that the graph was not told yet, if any."""
        interrupt = await self._interrupt()
        return await self._ledger.entry(self._thread_id, interrupt.id) if interrupt else None

    # --- within -----------------------------------------------------------------------------------

    def _read(self, values: Mapping[str, Any]) -> StateT:
        """Return the state in the channels; Raises PersistenceError."""
        model: Any = self.workflow.state
        state: StateT = read_state(model, values, f"{self.noun} {self._thread_id!r}")
        return state

    async def channels(self) -> Mapping[str, Any]:
        """Return the channels of the thread; before its first step, what it was begun with.

        Raises:
            ThreadNotFoundError: there is no such thread, or it belongs to another graph.
        """
        return await self._channels(await self.snapshot())

    async def _channels(self, snapshot: Any) -> Mapping[str, Any]:
        return snapshot.values or await self._input()

    async def _input(self) -> Mapping[str, Any]:
        """Return what a thread was begun with that died before its first step."""
        config: RunnableConfig = {"configurable": {"thread_id": self._thread_id}}
        found = await self._persistence.checkpointer.aget_tuple(config)
        given = found.checkpoint["channel_values"].get(INPUT) if found else None
        return given if isinstance(given, Mapping) else {}

    async def _interrupt(self) -> Any:
        """Return the interrupt that LangGraph shows, decided or not."""
        snapshot = await self.snapshot()
        return snapshot.interrupts[0] if snapshot.interrupts else None

    async def _require_unfinished(self) -> None:
        if (await self.state()).is_complete:
            raise ThreadFinishedError(
                f"{self.noun} {self._thread_id!r} is done; there is nothing to resume. "
                f"{self.after_the_end}"
            )
