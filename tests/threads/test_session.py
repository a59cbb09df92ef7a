"""What the session of a thread tells, stores and refuses, whatever the graph is."""

import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.errors import UnknownInterruptError
from langgraph.types import Command
from tests.threads.looks import LookCatalog, LookSession

from paper_search.config import current_person
from paper_search.errors import AlreadyDecidedError, ThreadBusyError
from paper_search.persistence import Persistence
from paper_search.threads.session import STRICT_RESUME


@pytest.fixture
def session(persistence: Persistence) -> LookSession:
    return LookSession.on(persistence, "t")


@pytest.fixture
async def decided(session: LookSession) -> LookSession:
    """A session whose question ada approved, and whose graph was not told yet."""
    await session.begin("a b")
    await session.decide(await session.require_question(), "approve", "ada")
    return session


async def naming_its_question(session: LookSession, action: str) -> dict[str, Any]:
    """Return a decision that names the question that is open now."""
    reference = (await session.require_question()).question.reference
    return {"action": action, "question": reference.model_dump()}


async def refused(persistence: Persistence) -> list[tuple[str, str, Any]]:
    """Return who was refused why, with what, as the audit has it."""
    told = await LookCatalog(persistence).decisions("t")
    return [
        (event.by, event.detail["reason"], event.detail["decision"])
        for event in told
        if event.event == "refused"
    ]


async def stopped(persistence: Persistence, by: str) -> dict[str, Any]:
    """Return the decision of a thread that stopped in the step after it."""

    async def fail() -> None:
        raise RuntimeError("stopped")

    failing = LookSession.on(persistence, "t", fail)
    await failing.begin("a b")
    decision = await naming_its_question(failing, "approve")
    with pytest.raises(RuntimeError, match="stopped"):
        await failing.answer(await failing.require_question(), decision, by)
    return decision


async def test_langgraph_refuses_an_answer_to_a_question_that_is_not_open(session):
    await session.begin("a b")
    before = await session.checkpoint_id()
    config = {"configurable": {"thread_id": "t", STRICT_RESUME: True}}
    with pytest.raises(UnknownInterruptError):
        await session.compiled.ainvoke(Command(resume={"0" * 32: "approve"}), config)
    assert await session.checkpoint_id() == before


async def test_a_step_begins_when_the_one_before_it_is_saved(persistence):
    saved: list[str] = []

    async def look() -> None:
        saved.append((await LookSession.on(persistence, "t").state()).answer)

    session = LookSession.on(persistence, "t", look)
    await session.begin("a b")
    await session.answers.take("approve")
    assert saved == ["2 papers (high)"]


async def test_who_decides_the_same_while_it_is_applied_learns_who_was_first(decided):
    async with decided.lease():
        with pytest.raises(ThreadBusyError, match="same decision was stored by ada at 2"):
            await decided.answers.take("approve", "bob")


async def test_who_decides_otherwise_while_it_is_applied_learns_who_was_first(decided, persistence):
    async with decided.lease():
        with pytest.raises(AlreadyDecidedError, match="by ada"):
            await decided.answers.take("reject", "bob")
    assert await refused(persistence) == [("bob", "already decided", '"reject"')]


async def test_a_past_questions_decision_being_applied_is_known_as_the_same(session, persistence):
    decision = await stopped(persistence, "ada")
    async with session.lease():
        with pytest.raises(ThreadBusyError, match="same decision was stored by ada"):
            await session.answers.take(decision, "bob")
    assert await refused(persistence) == []


async def test_a_decision_that_was_stored_and_not_applied_is_applied_by_whoever_repeats_it(decided):
    await decided.answers.take("approve", "bob")
    assert await decided.result() == "2 papers (high)"


async def test_a_decision_stored_and_not_applied_counts_against_another(decided, persistence):
    with pytest.raises(AlreadyDecidedError, match="by ada"):
        await decided.answers.take("reject", "bob")
    assert await refused(persistence) == [("bob", "already decided", '"reject"')]


async def test_of_two_at_one_question_the_second_is_kept_with_their_decision(session, persistence):
    await session.begin("a b")
    question = await session.require_question()
    await session.decide(question, "approve", "ada")
    with pytest.raises(AlreadyDecidedError):
        await session.decide(question, {"action": "reject", "note": "too few"}, "bob")
    ((by, reason, decision),) = await refused(persistence)
    assert (by, reason) == ("bob", "already decided")
    assert json.loads(decision)["note"] == "too few"


class Overtaken(LookSession):
    """One whose answer waits for the thread while Ada answers the same question."""

    adas: Any

    @contextlib.asynccontextmanager
    async def lease(self) -> AsyncIterator[None]:
        await LookSession.on(self._persistence, "t").answers.take(self.adas, "ada")
        async with super().lease():
            yield


async def overtaken(persistence: Persistence) -> tuple[Overtaken, dict[str, Any]]:
    """Return a session that is overtaken, and the decision of both, after which it asks again."""
    session = Overtaken.on(persistence, "t")
    await LookSession.on(persistence, "t").begin("a b c")
    session.adas = await naming_its_question(session, "reject")
    return session, session.adas


async def test_who_is_overtaken_by_the_same_answer_is_done_though_more_is_asked(persistence):
    session, decision = await overtaken(persistence)
    await session.answers.take(decision, "bob")
    assert (await session.require_question()).question.number == 2
    assert await refused(persistence) == []


async def test_who_gives_no_name_acts_as_who_runs_the_program(session, persistence):
    await session.begin("a b")
    question = await session.require_question()
    await session.decide(question, "approve")
    with pytest.raises(AlreadyDecidedError, match=f"by {current_person()}"):
        await session.answers.take("reject")
    await session.answers.take("approve")
    async with session.lease():
        await session.answers.reopen(lambda named: named.number == 1, "enough")
    told = await LookCatalog(persistence).decisions("t")
    assert {event.event for event in told} == {"decided", "refused", "forked"}
    assert {event.by for event in told} == {current_person()}
