"""ThreadSession: one thread of any graph, read and driven from question to question."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import BaseModel

from paper_search.config import current_person
from paper_search.errors import (
    ThreadExistsError,
    ThreadFinishedError,
    ThreadNotFoundError,
    ThreadNotWaitingError,
    ThreadWaitingError,
)
from paper_search.persistence import LedgerEntry, LedgerStatus, Persistence
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.threads import INPUT
from paper_search.steps import Workflow
from paper_search.steps.compiler import compile_workflow, graph_to_read
from paper_search.steps.types import PARAMS, token_of
from paper_search.threads.answers import Answers
from paper_search.threads.decisions import ACTIONS, check, plain, to_storable
from paper_search.threads.questions import (
    OpenQuestion,
    QuestionRef,
    QuestionT,
    ThreadDecision,
    ThreadQuestion,
    answer_model,
    load_state,
    valid_question,
)
from paper_search.threads.records import RecordStore

Events = Callable[[str, Mapping[str, Any]], None]


class ThreadState(Protocol):
    is_complete: bool


StateT = TypeVar("StateT", bound=ThreadState)
ResultT = TypeVar("ResultT")

STRICT_RESUME = "__pregel_strict_resume"
"""LangGraph's key that makes an answer to a question that is not open an error."""


class ThreadSession(ABC, Generic[StateT, QuestionT, ResultT]):
    """Reads and runs one thread; each decision counts once.

    A subclass defines what belongs to one graph: its table, its questions, its result.

    `graph`: from `ThreadSession.graph`, on the same persistence. `events`: receives what the steps
    report.
    """

    workflow: ClassVar[Workflow]
    begins_with: ClassVar[str]
    """As in the `Catalog` of the graph."""
    noun: ClassVar[str]
    after_the_end: ClassVar[str] = "Start a new one"
    """What to do after a thread is finished, in errors."""
    records_type: ClassVar[type[RecordStore]]
    question_type: ClassVar[type[BaseModel]] = ThreadQuestion
    decision_type: ClassVar[type[BaseModel]] = ThreadDecision
    reference_type: ClassVar[type[BaseModel]] = QuestionRef
    reference_field: ClassVar[str] = "question"
    actions: ClassVar[tuple[str, ...]] = ACTIONS
    """The words with which an answer in plain text may begin."""
    audit_fields: ClassVar[tuple[str, ...]] = ("action", "note", "question")
    """The fields of a decision that the audit shows."""

    decided_fields: ClassVar[frozenset[str]] = frozenset({"is_complete", "ended_by"})
    """Fields of the state that record a person's decisions; no edit of a state can set them."""
    edited_after: ClassVar[Mapping[str, str]] = {}
    """The step after which an edit of the state is made, by the step that would run next."""

    def __init__(
        self,
        graph: Any,
        persistence: Persistence,
        thread_id: str,
        events: Events = lambda _event, _details: None,
    ) -> None:
        self.compiled = graph
        self.thread_id = thread_id
        self._events = events
        self._persistence = persistence
        self.ledger = persistence.ledger
        self.records: Any = self.records_type(persistence.store, thread_id)
        self.answers = Answers(self)
        place = {"thread_id": thread_id, STRICT_RESUME: True}
        self._config: RunnableConfig = {"configurable": place}
        self.anywhere: RunnableConfig = {"configurable": {"thread_id": thread_id}}

    @classmethod
    def graph(cls, persistence: Persistence, services: Any = None) -> Any:
        """Return the graph on a persistence; without services, it is read-only."""
        checkpointer, store = persistence.checkpointer, persistence.store
        if services is None:
            return graph_to_read(cls.workflow, checkpointer=checkpointer, store=store)
        return compile_workflow(
            cls.workflow, services=services, checkpointer=checkpointer, store=store
        )

    @classmethod
    def on(cls, persistence: Persistence, thread_id: str, services: Any = None) -> Self:
        """Return the session of a thread on a persistence; without services, it is read-only."""
        return cls(cls.graph(persistence, services), persistence, thread_id)

    # --- what a subclass defines or may override --------------------------------------------------

    @classmethod
    def check_input(cls, asked_for: str) -> None:
        """Raise a QuestionError if no thread of this graph can begin with the input."""
        valid_question(asked_for)

    @abstractmethod
    async def result(self) -> ResultT:
        """Return the result so far."""

    def _answers(self, question: Any, state: StateT) -> Any:
        del state  # a plain question itself lists the actions that it takes
        return answer_model(question)

    async def _question(self, payload: Any, state: StateT) -> QuestionT:
        del state  # it shows all that is needed
        return self.question_type.model_validate(payload)  # type: ignore[return-value]  # the subclass pairs them

    @classmethod
    def audit_detail(cls, decision: Mapping[str, Any]) -> dict[str, Any]:
        return {name: decision.get(name) for name in cls.audit_fields}

    def past_decision(self, reference: Any, decision: Any) -> BaseModel | None:
        """Return the decision in an answer to a past question, if it has one."""
        del reference  # the shape of a decision is the same for all questions
        try:
            return self.decision_type.model_validate(plain(decision))
        except (ValueError, RecursionError):
            return None

    def decision_for_ledger(self, decision: BaseModel, reference: Any) -> dict[str, Any]:
        whole = decision.model_copy(update={self.reference_field: reference})
        return to_storable(whole.model_dump(mode="json", exclude={"token"}))

    def _decision_for_graph(self, entry: LedgerEntry) -> dict[str, Any]:
        return entry.decision

    async def undo_effects(self, reference: Any) -> None:
        """Before a fork, undo what decisions from this question on stored outside the state."""

    async def restore_records(self, reference: Any, before: StateT) -> dict[str, Any]:
        """After a fork, restore the rows of that time; return what is lost, for the ledger."""
        del reference, before
        return {}

    async def propose(self) -> None:
        """Record the part of an edited state that a person is about to be shown."""

    def lease(self) -> AbstractAsyncContextManager[None]:
        return self._persistence.leases.hold(self.thread_id)

    async def is_running(self) -> bool:
        return await self._persistence.leases.is_held(self.thread_id)

    async def exists(self) -> bool:
        """Whether any graph has a thread of this id."""
        try:
            return await self._persistence.checkpointer.aget_tuple(self.anywhere) is not None
        except DamagedError:
            return True

    async def delete_damaged(self) -> None:
        """If the latest state cannot be read, go back to the one saved before the damage."""
        saver = self._persistence.checkpointer
        try:
            await saver.aget_tuple(self.anywhere)
        except DamagedError:
            delete = getattr(saver, "adelete_damaged", None)  # not on PostgreSQL
            if delete is None:
                raise
            await delete(self.thread_id)

    async def state(self) -> StateT:
        return self._read((await self.snapshot()).values)

    async def snapshot(self) -> Any:
        snapshot = await self.compiled.aget_state(self._config)
        if not snapshot.metadata:
            problem = f"there is no {self.noun} with the thread id {self.thread_id!r}"
            raise ThreadNotFoundError(f"{problem}; `paper-search threads` lists all")
        channels = snapshot.values or await self._input()
        if channels and self.begins_with not in channels:
            raise ThreadNotFoundError(
                f"thread {self.thread_id!r} is not a {self.noun}; it belongs to another graph: "
                f"see `paper-search show {self.thread_id}`"
            )
        return snapshot

    async def checkpoint_id(self) -> str:
        name: str = (await self.snapshot()).config["configurable"]["checkpoint_id"]
        return name

    async def open_question(self) -> OpenQuestion[QuestionT] | None:
        """Return the question that waits for a person; a decided one does not, even unapplied."""
        snapshot = await self.snapshot()
        interrupt = snapshot.interrupts[0] if snapshot.interrupts else None
        if interrupt is None or await self.ledger.entry(self.thread_id, interrupt.id) is not None:
            return None
        return await self._asked(snapshot, interrupt)

    async def past_question(self, interrupt_id: str) -> OpenQuestion[QuestionT] | None:
        """Return a question of the history as it was asked; None if that was pruned."""
        async for past in self.compiled.aget_state_history(self.anywhere):
            if past.interrupts and past.interrupts[0].id == interrupt_id:
                return await self._asked(past, past.interrupts[0])
        return None

    async def _asked(self, snapshot: Any, interrupt: Any) -> OpenQuestion[QuestionT]:
        state = self._read(snapshot.values)
        names = {"run_id": self.thread_id, "token": token_of(interrupt.id)}
        payload = {**interrupt.value, **names}
        question = await self._question(payload, state)
        return OpenQuestion(interrupt.id, question, self._answers(question, state), state)

    async def require_question(self) -> OpenQuestion[QuestionT]:
        await self._require_unfinished()
        question = await self.open_question()
        if question is None and (entry := await self.unapplied_decision()) is not None:
            raise ThreadNotWaitingError(
                f"the question of {self.noun} {self.thread_id!r} was decided by "
                f"{entry.decided_by} at {entry.decided_at}, but the decision is not applied yet; "
                "resume the thread without a decision to apply it"
            )
        if question is None:
            raise ThreadNotWaitingError(
                f"{self.noun} {self.thread_id!r} is not waiting for a decision: it stopped between "
                "two questions. The decision was not used; resume the thread without one first"
            )
        return question

    async def unapplied_decision(self) -> LedgerEntry | None:
        """Return the stored decision on the latest question, if the graph has not received it."""
        interrupt = await self.interrupt()
        return await self.ledger.entry(self.thread_id, interrupt.id) if interrupt else None

    # --- running ----------------------------------------------------------------------------------

    async def begin(self, asked_for: str, params: BaseModel | None = None) -> None:
        """Run a new thread up to its first question or its end; None for the default settings."""
        if await self.exists():
            raise ThreadExistsError(
                f"thread {self.thread_id!r} already exists; resume it or omit the thread id"
            )
        await self.check_key()
        settings = {} if params is None else {PARAMS: params.model_dump(mode="json")}
        await self._run({self.begins_with: asked_for, **settings})

    async def check_key(self) -> None:
        """Raise LockedError if the latest thread of any graph was written with another key.

        A thread that began without the key would be stored in clear text beside encrypted ones;
        with another key, nobody who can read the others could read it.
        """
        saver: Any = self._persistence.checkpointer
        for latest in await self._persistence.index.latest(1):
            with contextlib.suppress(DamagedError):
                await saver.aget_tuple({"configurable": {"thread_id": latest.thread_id}})

    async def proceed(self) -> None:
        """Continue a thread that stopped between two questions, or apply its stored decision."""
        await self._require_unfinished()
        is_between_questions = await self.interrupt() is None
        if is_between_questions:
            await self._run(None)
        if (entry := await self.unapplied_decision()) is not None:  # a lost one is asked again
            await self.apply(entry)
        elif not is_between_questions:
            raise ThreadWaitingError(f"{self.noun} {self.thread_id!r} waits for a decision")

    async def answer(
        self, question: OpenQuestion[QuestionT], decision: Any, by: str | None = None
    ) -> None:
        """Store a decision, and run up to the next question or the end."""
        await self.apply(await self.decide(question, decision, by))

    def row_of(self, question: OpenQuestion[QuestionT], decision: Any) -> dict[str, Any]:
        """Return an answer of any client as the ledger stores it; it names its question."""
        return self.decision_for_ledger(
            check(decision, question.answers), question.question.reference
        )

    async def decide(
        self, question: OpenQuestion[QuestionT], decision: Any, by: str | None = None
    ) -> LedgerEntry:
        """Store the decision on a question; raise AlreadyDecidedError if it has another one."""
        person = by or current_person()
        row = self.row_of(question, decision)
        entry = await self.ledger.record(self.thread_id, question.interrupt_id, row, person)
        if entry.decision != row:
            raise await self.answers.refusal(entry, row, person)
        return entry

    def resume_command(self, entry: LedgerEntry) -> Command[Any]:
        return Command(resume={entry.interrupt_id: self._decision_for_graph(entry)})

    async def apply(self, entry: LedgerEntry) -> None:
        await self._run(self.resume_command(entry))
        await self.ledger.mark(entry, LedgerStatus.APPLIED)

    async def entries(self) -> list[LedgerEntry]:
        """Return the decisions, oldest first; those on past questions count as applied."""
        entries, interrupt = await self.ledger.entries(self.thread_id), await self.interrupt()
        past = {LedgerStatus.STORED: LedgerStatus.APPLIED}
        return [
            replace(entry, status=past.get(entry.status, entry.status))
            if interrupt is None or entry.interrupt_id != interrupt.id
            else entry
            for entry in entries
        ]

    # --- within -----------------------------------------------------------------------------------

    def _read(self, values: Mapping[str, Any]) -> StateT:
        model: Any = self.workflow.state
        state: StateT = load_state(model, values, f"{self.noun} {self.thread_id!r}")
        return state

    async def channels(self) -> Mapping[str, Any]:
        """Return the channels of the thread; before its first step, those of its input."""
        return (await self.snapshot()).values or await self._input()

    async def _input(self) -> Mapping[str, Any]:
        """Return the input of a thread that died before its first step."""
        saved = await self._persistence.checkpointer.aget_tuple(self.anywhere)
        request = saved.checkpoint["channel_values"].get(INPUT) if saved else None
        return request if isinstance(request, Mapping) else {}

    async def interrupt(self) -> Any:
        """Return LangGraph's interrupt, decided or not; in a copied thread it names the copy."""
        interrupts = (await self.snapshot()).interrupts
        if not interrupts or not isinstance(interrupts[0].value, Mapping):
            return interrupts[0] if interrupts else None
        return replace(interrupts[0], value={**interrupts[0].value, "run_id": self.thread_id})

    async def _require_unfinished(self) -> None:
        if (await self.state()).is_complete:
            raise ThreadFinishedError(
                f"{self.noun} {self.thread_id!r} is finished; there is nothing to resume. "
                f"{self.after_the_end}"
            )

    async def _run(self, graph_input: Any) -> None:
        options = {"stream_mode": ["custom"], "durability": "sync"}
        async for _mode, event in self.compiled.astream(graph_input, self._config, **options):
            details = {name: value for name, value in event.items() if name != "event"}
            self._events(event["event"], details)

    def reference(self, value: Any) -> Any:
        return self.reference_type.model_validate(value)

    def reference_of(self, entry: LedgerEntry) -> Any:
        return self.reference(entry.decision[self.reference_field])
