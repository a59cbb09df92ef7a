"""ThreadSession: one thread of any graph, driven from question to question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import BaseModel

from paper_search.config import current_person
from paper_search.errors import (
    AlreadyDecidedError,
    StaleDecisionError,
    ThreadBusyError,
    ThreadError,
    ThreadExistsError,
    ThreadTakenOverError,
    ThreadWaitingError,
)
from paper_search.persistence import LedgerEntry, LedgerStatus
from paper_search.steps.types import PARAMS, token_of
from paper_search.threads.decisions import (
    ACTIONS,
    Named,
    check,
    decode,
    excerpt,
    naming,
    plain,
    to_storable,
)
from paper_search.threads.questions import QuestionRef, ThreadDecision
from paper_search.threads.reading import OpenQuestion, QuestionT, ResultT, StateT, ThreadReader


class ThreadSession(ThreadReader[StateT, QuestionT, ResultT]):
    """Drives one thread; each decision counts once."""

    decision_type: ClassVar[type[BaseModel]] = ThreadDecision
    reference_type: ClassVar[type[BaseModel]] = QuestionRef
    reference_field: ClassVar[str] = "question"
    """The field of a decision that names the question."""
    actions: ClassVar[tuple[str, ...]] = ACTIONS
    """The words that an answer in plain text may begin with."""
    audited: ClassVar[tuple[str, ...]] = ("action", "note", "question")
    """The fields of a decision that the audit shows."""

    # --- what each graph says of itself -----------------------------------------------------------

    @classmethod
    def audit_detail(cls, decision: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the audit shows of a stored decision."""
        return {name: decision.get(name) for name in cls.audited}

    def _past_decision(self, named: Any, decision: Any) -> BaseModel | None:
        """Return the decision in an answer to a question that is past, or None."""
        del named  # the shape of a decision is the same for all questions
        try:
            return self.decision_type.model_validate(plain(decision))
        except (ValueError, RecursionError):
            return None

    def _as_stored(self, decision: BaseModel, named: Any) -> dict[str, Any]:
        """Return a decision on a question as the ledger has it."""
        whole = decision.model_copy(update={self.reference_field: named})
        return to_storable(whole.model_dump(mode="json", exclude={"token"}))

    def _as_told(self, entry: LedgerEntry) -> dict[str, Any]:
        """Return a stored decision as the graph is given it."""
        return entry.decision

    async def _undo_effects(self, named: Any) -> None:
        """Undo what the decisions from a question on left beside the state, before a fork."""

    # --- driving ----------------------------------------------------------------------------------

    async def begin(self, asked_for: str, params: BaseModel | None = None) -> None:
        """Run a new thread up to its first question or its end.

        Args:
            asked_for: what the thread begins with.
            params: the settings of the run; None: the defaults of the graph.

        Raises:
            ThreadExistsError: the thread carries something already.
        """
        if await self.exists():
            raise ThreadExistsError(
                f"thread {self._thread_id!r} already exists; resume it or omit the thread id"
            )
        settings = {} if params is None else {PARAMS: params.model_dump(mode="json")}
        await self._run({self.begins_with: asked_for, **settings})

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

    async def answer(
        self, question: OpenQuestion[QuestionT], decision: Any, by: str | None = None
    ) -> None:
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

    def checked(self, question: OpenQuestion[QuestionT], decision: Any) -> dict[str, Any]:
        """Return a decision of any client's shape as it is stored; it names its question.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another question.
        """
        return self._as_stored(check(decision, question.answers), question.question.reference)

    async def decide(
        self, question: OpenQuestion[QuestionT], decision: Any, by: str | None = None
    ) -> LedgerEntry:
        """Store the decision on a question, which from now on is the one that counts.

        Raises:
            InvalidDecisionError: it cannot be used; the question stays open.
            StaleDecisionError: it names another question.
            AlreadyDecidedError: the question was decided before, and differently.
        """
        person = by or current_person()
        stored = self.checked(question, decision)
        entry = await self._ledger.record(self._thread_id, question.interrupt_id, stored, person)
        if entry.decision != stored:
            raise await self._refused(entry, stored, person)
        return entry

    def resuming(self, entry: LedgerEntry) -> Command[Any]:
        """Return what gives a stored decision to the graph, with who decided it and when."""
        return Command(resume={entry.interrupt_id: self._as_told(entry)})

    async def apply(self, entry: LedgerEntry) -> None:
        """Give a stored decision to the graph and run up to the next question or the end."""
        await self._run(self.resuming(entry))
        await self._ledger.mark(entry, LedgerStatus.APPLIED)

    async def fork(
        self, is_wanted: Callable[[Any], bool], words: str, by: str | None = None
    ) -> None:
        """Ask a decided question again; what came after stays in the history and in the audit.

        The caller holds the lease.

        Args:
            is_wanted: whether a question is the one, by its reference; the latest such is asked.
            words: what the question is called in an error.
            by: who does it; None: who runs the program.

        Raises:
            StaleDecisionError: the thread never asked it, or its history was pruned.
        """
        await self.state()  # a thread of another version is left alone
        now = (await self._graph.aget_state(self._anywhere)).config
        asked = await self._decided_before(now, is_wanted)
        if asked is None:
            raise StaleDecisionError(
                f"thread {self._thread_id!r} has no decided {words} in its history: it was never "
                "decided, or the history was pruned"
            )
        interrupt = asked.interrupts[0]
        named = self._reference(interrupt.value)
        await self._undo_effects(named)
        # Without an answer: one that is given together with an old checkpoint would not be read.
        await self._graph.ainvoke(None, asked.config, durability="sync")
        for entry in await self._ledger.entries(self._thread_id):
            if self._reference_of(entry).position >= named.position:
                await self._ledger.mark(entry, LedgerStatus.SUPERSEDED)
        left = now["configurable"]["checkpoint_id"]
        detail = {"back_to": named.model_dump(mode="json"), "left": left}
        person = by or current_person()
        await self._ledger.note(self._thread_id, interrupt.id, "forked", person, detail)

    # --- decisions that come again, late, or from two ---------------------------------------------

    async def take(
        self,
        decision: Any,
        by: str | None = None,
        token: str | None = None,
        shown: str | None = None,
    ) -> None:
        """Answer the open question; of many people who do so at once, one succeeds.

        Who was refused because another one is at it learns what that one decided, if it is known.

        Args:
            decision: of any shape that `decisions.decode` knows.
            by: who decides; None: who runs the program.
            token: of the question that is meant; None: the decision names it, or does not.
            shown: the same for an answer that names none: whoever gives it was shown this last.

        Raises:
            ThreadError: see `ThreadEngine.answer`.
            InvalidDecisionError: the decision cannot be used; the question stays open.
        """
        if token is None and self._named(decision) is None:
            token = shown
        if token is not None:
            decision = naming(decision, token, self.actions)
        try:
            is_replay = await self.is_replay(decision, by)
            if is_replay and await self.is_at_rest():
                return
            async with self.lease():
                # Somebody may have answered since, and the thread asks something else by now.
                is_replay = is_replay or await self.is_replay(decision, by)
                entry = await self.decided()
                if is_replay and not await self.is_at_rest():
                    await self.proceed()  # whoever was at it is dead
                elif is_replay:
                    return
                elif entry is None:
                    question = await self.require_question()
                    await self.require_meant(question, decision, by)
                    await self.answer(question, decision, by)
                elif await self.is_same(entry, decision, by):
                    await self.apply(entry)
        except ThreadTakenOverError:
            raise
        except ThreadBusyError as error:
            raise await self.busy(error, decision, by) from None

    async def is_replay(self, decision: Any, by: str | None = None) -> bool:
        """Whether the decision was given before, on a question that it names; nothing changes.

        Raises:
            AlreadyDecidedError: that question was decided differently.
        """
        named = self._named(decision)
        if named is None or not await self.exists():
            return False
        interrupt = await self._interrupt()
        if interrupt is not None and self._is_meant(named, interrupt.id, interrupt.value):
            return False
        entry = await self._earlier(named)
        if entry is None:
            return False
        if not self._says(entry.decision, decision, self._reference_of(entry)):
            raise await self._refused(entry, decision, by or current_person())
        return True

    async def require_meant(
        self, question: OpenQuestion[QuestionT], decision: Any, by: str | None = None
    ) -> None:
        """Refuse an answer that names no question, unless the thread has asked this one alone.

        After another one, whoever answers may mean that: a double click, a script that ran twice.

        Raises:
            InvalidDecisionError: it cannot be used at all.
            StaleDecisionError: it names none; says what was decided, and how to name this one.
        """
        if self._named(decision) is not None:
            return
        last = await self._ledger.last_action(self._thread_id, question.interrupt_id)
        if last is None:
            return
        person = by or current_person()
        check(decision, question.answers)
        await self._note_refusal(question.interrupt_id, decision, person, "names no question")
        token = question.question.token
        raise StaleDecisionError(
            f"the answer does not say which question it is for. {last.by} {last.what} at "
            f"{last.at}; after that another question was asked, which is still open: "
            f"{question.question.reference}. To answer that one: `paper-search resume "
            f'{self._thread_id} --approve --token {token}`, or "token": "{token}" in the answer'
        )

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

    # --- within -----------------------------------------------------------------------------------

    async def _run(self, graph_input: Any) -> None:
        options = {"stream_mode": ["custom"], "durability": "sync"}
        async for _mode, event in self._graph.astream(graph_input, self._config, **options):
            details = {name: value for name, value in event.items() if name != "event"}
            self._events(event["event"], details)

    @property
    def _anywhere(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self._thread_id}}

    async def _decided_before(self, now: Any, is_wanted: Callable[[Any], bool]) -> Any:
        """Return the latest snapshot that asked a wanted question which was decided; None: none."""
        decided = {entry.interrupt_id for entry in await self._ledger.entries(self._thread_id)}
        async for past in self._graph.aget_state_history(self._anywhere):
            if not past.interrupts:
                continue
            interrupt = past.interrupts[0]
            is_open = past.config == now and interrupt.id not in decided
            if not is_open and is_wanted(self._reference(interrupt.value)):
                return past
        return None

    def _reference(self, value: Any) -> Any:
        """Return what names the question that an interrupt shows, or that a decision names."""
        return self.reference_type.model_validate(value)

    def _reference_of(self, entry: LedgerEntry) -> Any:
        return self._reference(entry.decision[self.reference_field])

    def _named(self, decision: Any) -> Named | None:
        """Return how a decision of any shape names its question; None: it names none."""
        try:
            decoded = decode(plain(decision), self.actions)
            given = decoded if isinstance(decoded, Mapping) else {}
            reference, token = given.get(self.reference_field), given.get("token")
            named = None if reference is None else self._reference(plain(reference))
            return Named(named, token) if named is not None or token else None
        except (ValueError, RecursionError):  # a ValidationError is a ValueError
            return None

    def _is_meant(self, named: Named, interrupt_id: str, value: Any) -> bool:
        return named.means(self._reference(value), token_of(interrupt_id))

    def _says(self, stored: Mapping[str, Any], decision: Any, named: Any) -> bool:
        """Whether a decision of any shape says what was stored for a question."""
        said = self._past_decision(named, decision)
        return said is not None and self._as_stored(said, named) == dict(stored)

    async def _earlier(self, named: Named) -> LedgerEntry | None:
        """Return the decision that counts for a question that is past."""
        found = [
            entry
            for entry in await self._ledger.entries(self._thread_id)
            if entry.status is not LedgerStatus.SUPERSEDED
            and self._is_meant(named, entry.interrupt_id, entry.decision[self.reference_field])
        ]
        return found[-1] if found else None

    async def _refused(self, entry: LedgerEntry, decision: Any, person: str) -> ThreadError:
        await self._note_refusal(entry.interrupt_id, decision, person, "already decided")
        return AlreadyDecidedError(
            f"this question of {self.noun} {self._thread_id!r} was already decided "
            f"({entry.decision['action']}) by {entry.decided_by} at {entry.decided_at}; "
            "the first decision counts; yours was ignored. "
            "`paper-search fork` starts again from this question"
        )

    async def _note_refusal(
        self, interrupt_id: str, decision: Any, person: str, reason: str
    ) -> None:
        detail = {"reason": reason, "decision": excerpt(decision)}
        await self._ledger.note(self._thread_id, interrupt_id, "refused", person, detail)
