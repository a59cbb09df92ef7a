"""DrivenThread: what every door does with a thread, whichever graph it belongs to."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import BaseModel

from paper_search.config import current_person
from paper_search.errors import (
    AlreadyDecidedError,
    ThreadBusyError,
    ThreadError,
    ThreadExistsError,
    ThreadFinishedError,
    ThreadNotFoundError,
    ThreadNotWaitingError,
    ThreadWaitingError,
)
from paper_search.persistence import LedgerEntry, LedgerStatus, Persistence
from paper_search.workflow.replays import excerpt, to_storable

Events = Callable[[str, Mapping[str, Any]], None]
_INPUT = "__start__"
"""The channel that holds the input until the first step has run."""


class Ends(Protocol):
    """A state that says whether it is the last one."""

    is_complete: bool


class Waits(Protocol):
    """A question that waits, and the interrupt that an answer must name."""

    @property
    def interrupt_id(self) -> str:
        """Return the id of the interrupt."""
        ...


StateT = TypeVar("StateT", bound=Ends)
QuestionT = TypeVar("QuestionT", bound=Waits)
ReferenceT = TypeVar("ReferenceT", bound=BaseModel)


class DrivenThread(ABC, Generic[StateT, QuestionT, ReferenceT]):
    """Reads and drives one thread; each decision counts once.

    Args:
        graph: compiled on the same place.
        persistence: where the thread lives.
        thread_id: which one.
        events: takes what the steps report.
    """

    begins_with: ClassVar[str]
    """The channel that the threads of this graph have, and of no other."""
    noun: ClassVar[str]
    """What such a thread is called."""
    reference_field: ClassVar[str]
    """The field of a decision that names the question."""
    after_the_end: ClassVar[str]
    """What can be done with a thread that is done."""

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

    # --- what each graph says of itself -----------------------------------------------------------

    @abstractmethod
    def _read(self, values: Mapping[str, Any]) -> StateT:
        """Return the state in the channels; Raises PersistenceError."""

    @abstractmethod
    async def _shown(self, interrupt: Any, values: Mapping[str, Any]) -> QuestionT:
        """Return the question of an interrupt, with all that is needed to decide."""

    @abstractmethod
    def _reference(self, value: Any) -> ReferenceT:
        """Return what names the question that an interrupt shows, or that a decision names."""

    @abstractmethod
    def checked(self, question: QuestionT, decision: Any) -> dict[str, Any]:
        """Return a decision of any client's shape as it is stored; it names its question.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another question.
        """

    @abstractmethod
    def _named(self, decision: Any) -> ReferenceT | None:
        """Return the question that a decision of any shape names; None: it names none."""

    @abstractmethod
    def _says(self, stored: Mapping[str, Any], decision: Any, named: ReferenceT) -> bool:
        """Whether a decision of any shape says what was stored for a question."""

    # --- driving ----------------------------------------------------------------------------------

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

    async def exists(self) -> bool:
        """Whether there is a thread of this id, of whatever graph."""
        config: RunnableConfig = {"configurable": {"thread_id": self._thread_id}}
        return await self._persistence.checkpointer.aget_tuple(config) is not None

    async def proceed(self) -> None:
        """Go on with a thread that stopped in the middle of its steps.

        A decision that was stored and not applied, because whoever stored it died, is applied.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadFinishedError: it is done.
            ThreadWaitingError: it waits for a decision.
        """
        await self._require_unfinished()
        interrupt = await self._interrupt()
        if interrupt is None:
            await self._run(None)
            return
        entry = await self._ledger.entry(self._thread_id, interrupt.id)
        if entry is None:
            raise ThreadWaitingError(f"{self.noun} {self._thread_id!r} waits for a decision")
        await self.apply(entry)

    async def answer(self, question: QuestionT, decision: Any, by: str | None = None) -> None:
        """Give the decision on a question and run up to the next one or the end.

        Args:
            question: which one.
            decision: in the shape of any client.
            by: who decides; None: who runs the program.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another question.
            AlreadyDecidedError: the question was decided before, and differently.
        """
        await self.apply(await self.decide(question, decision, by))

    async def decide(
        self, question: QuestionT, decision: Any, by: str | None = None
    ) -> LedgerEntry:
        """Store the decision on a question, which from now on is the one that counts.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another question.
            AlreadyDecidedError: the question was decided before, and differently.
        """
        person = by or current_person()
        plain = to_storable(self.checked(question, decision))
        entry = await self._ledger.record(self._thread_id, question.interrupt_id, plain, person)
        if entry.decision != plain:
            raise await self._refused(entry, plain, person)
        return entry

    async def apply(self, entry: LedgerEntry) -> None:
        """Give a stored decision to the graph and run up to the next question or the end."""
        await self._run(Command(resume={entry.interrupt_id: entry.decision}))
        await self._ledger.mark(entry, LedgerStatus.APPLIED)

    # --- decisions that come again, late, or from two ---------------------------------------------

    async def is_replay(self, decision: Any, by: str | None = None) -> bool:
        """Whether the decision was given before, on a question that it names; nothing changes.

        Raises:
            AlreadyDecidedError: that question was decided differently.
        """
        named = self._named(decision)
        if named is None or not await self.exists():
            return False
        interrupt = await self._interrupt()
        if interrupt is not None and self._reference(interrupt.value) == named:
            return False
        entry = await self._earlier(named)
        if entry is None:
            return False
        if not self._says(entry.decision, decision, named):
            raise await self._refused(entry, decision, by or current_person())
        return True

    async def decided(self) -> LedgerEntry | None:
        """Return the decision on the latest question that the graph was not told yet, if any."""
        interrupt = await self._interrupt()
        return await self._ledger.entry(self._thread_id, interrupt.id) if interrupt else None

    async def is_same(self, entry: LedgerEntry, decision: Any, by: str | None = None) -> bool:
        """Whether the decision says what was stored.

        Raises:
            AlreadyDecidedError: it does not.
        """
        if not self._says(entry.decision, decision, self._reference_of(entry)):
            raise await self._refused(entry, decision, by or current_person())
        return True

    async def busy(self, error: ThreadBusyError, decision: Any, by: str | None) -> ThreadError:
        """Return what to say to who decides while another process drives; keep it for the audit."""
        person = by or current_person()
        named = self._named(decision)
        entry = await self._earlier(named) if named else await self.decided()
        if entry is None:
            open_id = getattr(await self._interrupt(), "id", "")
            await self._note_refusal(open_id, decision, person, "busy")
            return error
        if self._says(entry.decision, decision, self._reference_of(entry)):
            return ThreadBusyError(
                f"the same decision was stored by {entry.decided_by} at {entry.decided_at} and is "
                f"being applied: {error}"
            )
        return await self._refused(entry, decision, person)

    # --- reading ----------------------------------------------------------------------------------

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
            ThreadNotFoundError: there is no such thread, or another graph began it.
        """
        snapshot = await self._graph.aget_state(self._config)
        if not snapshot.metadata:
            raise ThreadNotFoundError(
                f"no {self.noun} has the thread {self._thread_id!r}; `paper-search threads` lists "
                "all"
            )
        channels = snapshot.values or await self._input()
        if channels and self.begins_with not in channels:
            raise ThreadNotFoundError(
                f"thread {self._thread_id!r} is no {self.noun}: another graph began it; "
                "`paper-search show` says what it is"
            )
        return snapshot

    async def open_question(self) -> QuestionT | None:
        """Return the question that waits for a person; None: none does.

        One that was decided does not wait, also where the graph was not told yet.
        """
        snapshot = await self.snapshot()
        if not snapshot.interrupts:
            return None
        interrupt = snapshot.interrupts[0]
        if await self._ledger.entry(self._thread_id, interrupt.id) is not None:
            return None
        return await self._shown(interrupt, snapshot.values)

    async def require_question(self) -> QuestionT:
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

    # --- within -----------------------------------------------------------------------------------

    async def _begin(self, given: Mapping[str, Any]) -> None:
        """Run a new thread up to its first question or its end; Raises ThreadExistsError."""
        if await self.exists():
            raise ThreadExistsError(
                f"thread {self._thread_id!r} is in use already; "
                "resume it, or start another one without naming a thread"
            )
        await self._run(dict(given))

    async def _run(self, graph_input: Any) -> None:
        options = {"stream_mode": ["custom"], "durability": "sync"}
        async for _mode, event in self._graph.astream(graph_input, self._config, **options):
            details = {name: value for name, value in event.items() if name != "event"}
            self._events(event["event"], details)

    async def _input(self) -> Mapping[str, Any]:
        """Return what a thread was begun with that died before its first step."""
        config: RunnableConfig = {"configurable": {"thread_id": self._thread_id}}
        found = await self._persistence.checkpointer.aget_tuple(config)
        given = found.checkpoint["channel_values"].get(_INPUT) if found else None
        return given if isinstance(given, Mapping) else {}

    async def _interrupt(self) -> Any:
        """Return the interrupt that LangGraph shows, decided or not."""
        snapshot = await self.snapshot()
        return snapshot.interrupts[0] if snapshot.interrupts else None

    def _reference_of(self, entry: LedgerEntry) -> ReferenceT:
        return self._reference(entry.decision[self.reference_field])

    async def _earlier(self, named: ReferenceT) -> LedgerEntry | None:
        """Return the decision that counts for a question that is past."""
        found = [
            each
            for each in await self._ledger.entries(self._thread_id)
            if each.status is not LedgerStatus.SUPERSEDED and self._reference_of(each) == named
        ]
        return found[-1] if found else None

    async def _refused(self, entry: LedgerEntry, decision: Any, person: str) -> ThreadError:
        await self._note_refusal(entry.interrupt_id, decision, person, "already decided")
        return AlreadyDecidedError(
            f"this question of {self.noun} {self._thread_id!r} was already decided "
            f"({entry.decision['action']}) by {entry.decided_by} at {entry.decided_at}; "
            "that decision stands, yours was not used. `paper-search fork` takes another one openly"
        )

    async def _note_refusal(
        self, interrupt_id: str, decision: Any, person: str, reason: str
    ) -> None:
        detail = {"reason": reason, "decision": excerpt(decision)}
        await self._ledger.note(self._thread_id, interrupt_id, "refused", person, detail)

    async def _require_unfinished(self) -> None:
        if (await self.state()).is_complete:
            raise ThreadFinishedError(
                f"{self.noun} {self._thread_id!r} is done; there is nothing to resume. "
                f"{self.after_the_end}"
            )
