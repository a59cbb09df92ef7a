"""Answers that are repeated, late, or from two people at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from paper_search.config import current_person
from paper_search.errors import (
    AlreadyDecidedError,
    InvalidDecisionError,
    StaleDecisionError,
    ThreadBusyError,
    ThreadError,
    ThreadTakenOverError,
)
from paper_search.persistence import LedgerEntry, LedgerStatus
from paper_search.steps.types import token_of
from paper_search.threads.decisions import (
    QuestionReference,
    check,
    decode,
    excerpt,
    plain,
    with_token,
)
from paper_search.threads.questions import OpenQuestion

if TYPE_CHECKING:
    from paper_search.threads.session import ThreadSession


class Answers:
    def __init__(self, session: ThreadSession[Any, Any, Any]) -> None:
        self._session = session
        self._ledger, self._thread_id = session.ledger, session.thread_id

    async def take(
        self,
        decision: Any,
        by: str | None = None,
        token: str | None = None,
        latest_token: str | None = None,
    ) -> None:
        """Answer the open question; of concurrent answers, one succeeds.

        If another process is answering, the error says what it decided, if that is known. Arguments
        as for `ThreadEngine.answer`; `latest_token`: of the question that the person was shown
        last, for an answer that names none.
        """
        if token is None and self._name_in(decision) is None:
            token = latest_token
        if token is not None:
            decision = with_token(decision, token, self._session.actions)
        try:
            is_replay = await self.is_replay(decision, by)
            if is_replay and await self._is_at_rest():
                return
            async with self._session.lease():
                # Somebody may have answered since, and another question may be open now.
                is_replay = is_replay or await self.is_replay(decision, by)
                entry = await self._session.unapplied_decision()
                if is_replay and not await self._is_at_rest():
                    await self._session.proceed()  # the process that applied it is dead
                elif is_replay:
                    return
                elif entry is None:
                    question = await self._session.require_question()
                    await self.require_name(question, decision, by)
                    await self._session.answer(question, decision, by)
                elif await self.is_same(entry, decision, by):
                    await self._session.apply(entry)
        except ThreadTakenOverError:
            raise
        except ThreadBusyError as error:
            raise await self.busy(error, decision, by) from None

    async def is_replay(self, decision: Any, by: str | None) -> bool:
        """Whether the decision was given before on a past question; raise if that has another."""
        name = self._name_in(decision)
        if name is None or not await self._session.exists():
            return False
        interrupt = await self._session.interrupt()
        if interrupt is not None and self._is_meant(name, interrupt.id, interrupt.value):
            return False
        entry = await self._earlier(name)
        return entry is not None and await self.is_same(entry, decision, by)

    async def require_name(
        self, question: OpenQuestion[Any], decision: Any, by: str | None
    ) -> None:
        """Refuse an answer that names no question, unless this is the first of the thread.

        It might be meant for an earlier question: a double click, a script that ran twice.

        Raises:
            InvalidDecisionError: the answer is invalid.
            StaleDecisionError: it names no question; the message says how to name this one.
        """
        if self._name_in(decision) is not None:
            return
        last = await self._ledger.last_action(self._thread_id, question.interrupt_id)
        if last is None:
            return
        person = by or current_person()
        check(decision, question.answers)
        await self._note_refusal(question.interrupt_id, decision, person, "names no question")
        token = question.question.token
        raise StaleDecisionError(
            f"the answer does not say which question it is for. At {last.at}, {last.by} "
            f"{last.what}; after that another question was asked, which is still open: "
            f"{question.question.reference}. To answer that one: `paper-search resume "
            f'{self._thread_id} --approve --token {token}`, or "token": "{token}" in the answer; '
            'in a client with text boxes, an edit whose box `decision` says "approve" or '
            '"reject: why"'
        )

    async def is_same(self, entry: LedgerEntry, decision: Any, by: str | None = None) -> bool:
        if not await self._is_equal(entry, decision):
            raise await self.refusal(entry, decision, by or current_person())
        return True

    async def busy(self, error: ThreadBusyError, decision: Any, by: str | None) -> ThreadError:
        """Return the error for an answer while another process runs; record it for the audit."""
        person = by or current_person()
        name = self._name_in(decision)
        entry = await self._earlier(name) if name else await self._session.unapplied_decision()
        if entry is None:
            open_id = getattr(await self._session.interrupt(), "id", "")
            await self._note_refusal(open_id, decision, person, "busy")
            return error
        if await self._is_equal(entry, decision):
            return ThreadBusyError(
                f"the same decision was stored by {entry.decided_by} at {entry.decided_at} and is "
                f"being applied: {error}"
            )
        return await self.refusal(entry, decision, person)

    async def reopen(
        self, is_wanted: Callable[[Any], bool], words: str, by: str | None = None
    ) -> None:
        """Ask a decided question again; what happened since stays in the history and the audit.

        The caller holds the lease. Arguments as for `ThreadEngine.go_back`.
        """
        await self._session.delete_damaged()
        before = await self._session.state()  # raises for a thread of another version
        now = (await self._session.compiled.aget_state(self._session.anywhere)).config
        snapshot = await self._decided_before(now, is_wanted)
        if snapshot is None:
            raise StaleDecisionError(
                f"thread {self._thread_id!r} has no answered question about its {words} in its "
                "history: it was never answered, or the history was pruned"
            )
        interrupt = snapshot.interrupts[0]
        reference = self._session.reference(interrupt.value)
        await self._session.undo_effects(reference)
        # Without an answer: together with an old checkpoint, LangGraph would not read it.
        await self._session.compiled.ainvoke(None, snapshot.config, durability="sync")
        for entry in await self._ledger.entries(self._thread_id):
            if self._session.reference_of(entry).position >= reference.position:
                await self._ledger.mark(entry, LedgerStatus.SUPERSEDED)
        checkpoint_id = now["configurable"]["checkpoint_id"]
        detail = {"back_to": reference.model_dump(mode="json"), "left": checkpoint_id}
        detail |= await self._session.restore_records(reference, before)
        person = by or current_person()
        await self._ledger.note(self._thread_id, interrupt.id, "forked", person, detail)

    async def undo_from(self, checkpoint_id: str, by: str | None) -> None:
        """Undo the decisions since a checkpoint, before the graph continues there."""
        session = self._session
        latest_id, question_ids = await session.checkpoint_id(), set[str]()
        async for past in session.compiled.aget_state_history(session.anywhere):
            if past.config["configurable"]["checkpoint_id"] >= checkpoint_id:
                question_ids |= {interrupt.id for interrupt in past.interrupts}
        entries = await self._ledger.entries(self._thread_id)
        undone = [entry for entry in entries if entry.interrupt_id in question_ids]
        if undone:
            questions = map(session.reference_of, undone)
            await session.undo_effects(min(questions, key=lambda question: question.position))
        for entry in undone:
            await self._ledger.mark(entry, LedgerStatus.SUPERSEDED)
        detail = {"back_to": checkpoint_id, "left": latest_id}
        await self._ledger.note(self._thread_id, "", "forked", by or current_person(), detail)

    def _name_in(self, decision: Any) -> QuestionReference | None:
        """Return how an answer of any client names its question; None if it names none."""
        try:
            fields = decode(plain(decision), self._session.actions)
            reference, token = fields.get(self._session.reference_field), fields.get("token")
            name = None if reference is None else self._session.reference(plain(reference))
            return QuestionReference(name, token) if name is not None or token else None
        except (ValueError, RecursionError):  # a ValidationError is a ValueError
            return None

    def _is_meant(self, name: QuestionReference, interrupt_id: str, value: Any) -> bool:
        return name.means(self._session.reference(value), token_of(interrupt_id))

    async def _is_equal(self, entry: LedgerEntry, decision: Any) -> bool:
        """Whether an answer is the decision; text boxes are read by what the question showed."""
        session, reference = self._session, self._session.reference_of(entry)
        if (past := session.past_decision(reference, decision)) is not None:
            return session.decision_for_ledger(past, reference) == entry.decision
        question = await session.past_question(entry.interrupt_id)
        with contextlib.suppress(InvalidDecisionError, StaleDecisionError):
            return question is not None and session.row_of(question, decision) == entry.decision
        return False

    async def _earlier(self, name: QuestionReference) -> LedgerEntry | None:
        """Return the decision that counts for a past question, if there is one."""
        entries = [
            entry
            for entry in await self._ledger.entries(self._thread_id)
            if entry.status is not LedgerStatus.SUPERSEDED
            and self._is_meant(
                name, entry.interrupt_id, entry.decision[self._session.reference_field]
            )
        ]
        return entries[-1] if entries else None

    async def _is_at_rest(self) -> bool:
        state = await self._session.state()
        return state.is_complete or await self._session.open_question() is not None

    async def refusal(self, entry: LedgerEntry, decision: Any, person: str) -> ThreadError:
        """Return the error for an answer to a decided question; record it for the audit."""
        await self._note_refusal(entry.interrupt_id, decision, person, "already decided")
        place = self._session.reference_of(entry).place
        return AlreadyDecidedError(
            f"this question of {self._session.noun} {self._thread_id!r} was already decided "
            f"({entry.decision['action']}) by {entry.decided_by} at {entry.decided_at}; "
            "the first decision counts; yours was ignored. "
            f"`paper-search fork {self._thread_id} --round {place}` starts again from this question"
        )

    async def _note_refusal(
        self, interrupt_id: str, decision: Any, person: str, reason: str
    ) -> None:
        detail = {"reason": reason, "decision": excerpt(decision)}
        await self._ledger.note(self._thread_id, interrupt_id, "refused", person, detail)

    async def _decided_before(self, now: Any, is_wanted: Callable[[Any], bool]) -> Any:
        """Return the latest snapshot with a wanted question that was decided, if any.

        What a fork left does not count: its decisions are superseded, and later rounds have
        overwritten its rows. Damaged states may be missing in between.
        """
        decided = {entry.interrupt_id for entry in await self._ledger.entries(self._thread_id)}
        before: Any = now
        async for past in self._session.compiled.aget_state_history(self._session.anywhere):
            if before is None or _id_of(past.config) > _id_of(before):
                continue
            before = past.parent_config
            if not past.interrupts:
                continue
            interrupt = past.interrupts[0]
            is_open = past.config == now and interrupt.id not in decided
            if not is_open and is_wanted(self._session.reference(interrupt.value)):
                return past
        return None


def _id_of(config: Any) -> str:
    checkpoint_id: str = config["configurable"]["checkpoint_id"]
    return checkpoint_id
