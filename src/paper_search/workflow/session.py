"""One thread, driven: every door of the program goes through here."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

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
from paper_search.models import PaperCollection
from paper_search.persistence import LedgerEntry, LedgerStatus, Persistence
from paper_search.steps.compiler import PARAMS, compile_workflow
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    CheckpointRef,
    read_checkpoint,
    reference,
)
from paper_search.workflow.decisions import check_decision
from paper_search.workflow.forks import fork
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.questions import markable_ids, record_ids, result_question
from paper_search.workflow.records import RecordShelf
from paper_search.workflow.replays import (
    excerpt,
    is_same_decision,
    named_checkpoint,
    to_storable,
)
from paper_search.workflow.results import final_collection
from paper_search.workflow.screening import MarkShelf, Screening, open_screening, with_marks
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import SearchParams, WorkflowState, read_state

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
        self._ledger = persistence.ledger
        self._shelf = RecordShelf(persistence.store, thread_id)
        self._marks = MarkShelf(persistence.store, thread_id)
        # Strict: an answer to a question that is not open is an error, and changes nothing.
        chosen = {"thread_id": thread_id, "__pregel_strict_resume": True}
        self._config: RunnableConfig = {"configurable": chosen}

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
            raise ThreadWaitingError(f"thread {self._thread_id!r} waits for a decision")
        await self.apply(entry)

    async def answer(self, question: OpenQuestion, decision: Any, by: str | None = None) -> None:
        """Give the decision on a question and run up to the next one or the end.

        Args:
            question: which one.
            decision: in the shape of any client.
            by: who decides; None: who runs the program.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another checkpoint.
            AlreadyDecidedError: the question was decided before, and differently.
        """
        await self.apply(await self.decide(question, decision, by))

    async def decide(
        self, question: OpenQuestion, decision: Any, by: str | None = None
    ) -> LedgerEntry:
        """Store the decision on a question, which from now on is the one that counts.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another checkpoint.
            AlreadyDecidedError: the question was decided before, and differently.
        """
        person = by or current_person()
        valid = check_decision(
            question.checkpoint, decision, question.markable_ids, question.record_ids
        )
        named = valid.model_copy(update={"checkpoint": reference(question.checkpoint)})
        plain: dict[str, Any] = to_storable(named.model_dump(mode="json"))
        entry = await self._ledger.record(self._thread_id, question.interrupt_id, plain, person)
        if entry.decision != plain:
            raise await self._refused(entry, plain, person)
        return entry

    async def apply(self, entry: LedgerEntry) -> None:
        """Give a stored decision to the graph and run up to the next question or the end."""
        await self._run(Command(resume={entry.interrupt_id: entry.decision}))
        await self._ledger.mark(entry, LedgerStatus.APPLIED)

    async def is_replay(self, decision: Any, by: str | None = None) -> bool:
        """Whether the decision was given before, on a checkpoint that it names; nothing changes.

        Raises:
            AlreadyDecidedError: that checkpoint was decided differently.
        """
        named = named_checkpoint(decision)
        if named is None or not await self.exists():
            return False
        interrupt = await self._interrupt()
        if interrupt is not None and reference(read_checkpoint(interrupt.value)) == named:
            return False
        entry = await self._earlier(named)
        if entry is None:
            return False
        if not is_same_decision(entry.decision, decision, named):
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
        named = CheckpointRef.model_validate(entry.decision["checkpoint"])
        if not is_same_decision(entry.decision, decision, named):
            raise await self._refused(entry, decision, by or current_person())
        return True

    async def busy(self, error: ThreadBusyError, decision: Any, by: str | None) -> ThreadError:
        """Return what to say to who decides while another process drives; keep it for the audit."""
        person = by or current_person()
        named = named_checkpoint(decision)
        entry = await self._earlier(named) if named else await self.decided()
        if entry is None:
            open_id = getattr(await self._interrupt(), "id", "")
            await self._note_refusal(open_id, decision, person, "busy")
            return error
        named = CheckpointRef.model_validate(entry.decision["checkpoint"])
        if is_same_decision(entry.decision, decision, named):
            return ThreadBusyError(
                f"the same decision was stored by {entry.decided_by} at {entry.decided_at} and is "
                f"being applied: {error}"
            )
        return await self._refused(entry, decision, person)

    async def state(self) -> WorkflowState:
        """Return the state of the thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
            PersistenceError: it was written by another version of the program.
        """
        return read_state((await self.snapshot()).values, self._thread_id)

    async def snapshot(self) -> Any:
        """Return LangGraph's snapshot of the thread.

        Raises:
            ThreadNotFoundError: there is no such thread.
        """
        snapshot = await self._graph.aget_state(self._config)
        is_begun = not snapshot.values or "question" in snapshot.values
        if not snapshot.metadata or not is_begun:  # it may have died before its first step
            raise ThreadNotFoundError(
                f"no search has the thread {self._thread_id!r}; `paper-search threads` lists all, "
                "and a report goes on with `paper-search report --thread`"
            )
        return snapshot

    async def open_question(self) -> OpenQuestion | None:
        """Return the question that waits for a person, with all its papers; None: none does.

        One that was decided does not wait, also where the graph was not told yet.
        """
        snapshot = await self.snapshot()
        if not snapshot.interrupts:
            return None
        interrupt = snapshot.interrupts[0]
        if await self._ledger.entry(self._thread_id, interrupt.id) is not None:
            return None
        checkpoint = read_checkpoint(interrupt.value)
        state = read_state(snapshot.values, self._thread_id)
        if checkpoint.kind is CheckpointKind.RESULT_REVIEW:
            run_id = checkpoint.run_id
            whole = await result_question(state, run_id, self._shelf, preview=None)
            payload = await with_marks(whole.payload, state, self._marks)
            checkpoint = whole.model_copy(
                update={"timestamp": checkpoint.timestamp, "payload": payload}
            )
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
        if question is None and (entry := await self.decided()) is not None:
            raise ThreadNotWaitingError(
                f"the question of thread {self._thread_id!r} was decided by {entry.decided_by} at "
                f"{entry.decided_at} and the decision is not applied yet; resume the thread "
                "without a decision to apply it"
            )
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

    async def fork(self, kind: CheckpointKind, iteration: int | None, by: str | None) -> None:
        """Ask a question again that was decided.

        Raises:
            StaleDecisionError: it was never decided, or the history was pruned.
        """
        await self.state()  # a thread of another version is left alone
        person = by or current_person()
        await fork(self._graph, self._persistence, self._thread_id, kind, iteration, person)

    async def is_at_rest(self) -> bool:
        """Whether the thread waits with a question or is done."""
        return (await self.state()).is_complete or await self.open_question() is not None

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

    async def is_driven(self) -> bool:
        """Whether a living process drives the thread at this moment."""
        return await self._persistence.leases.is_held(self._thread_id)

    async def _interrupt(self) -> Any:
        """Return the interrupt that LangGraph shows, decided or not."""
        snapshot = await self.snapshot()
        return snapshot.interrupts[0] if snapshot.interrupts else None

    async def _earlier(self, named: CheckpointRef) -> LedgerEntry | None:
        """Return the decision that counts for a checkpoint that is past."""
        found = [
            each
            for each in await self._ledger.entries(self._thread_id)
            if each.status is not LedgerStatus.SUPERSEDED
            and CheckpointRef.model_validate(each.decision["checkpoint"]) == named
        ]
        return found[-1] if found else None

    async def _refused(self, entry: LedgerEntry, decision: Any, person: str) -> ThreadError:
        await self._note_refusal(entry.interrupt_id, decision, person, "already decided")
        return AlreadyDecidedError(
            f"this question of thread {self._thread_id!r} was already decided "
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
                f"thread {self._thread_id!r} is done; there is nothing to resume. "
                "Export its result, or start a new search"
            )

    async def _run(self, graph_input: Any) -> None:
        options = {"stream_mode": ["custom"], "durability": "sync"}
        async for _mode, event in self._graph.astream(graph_input, self._config, **options):
            details = {name: value for name, value in event.items() if name != "event"}
            self._events(event["event"], details)
