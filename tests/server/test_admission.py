"""Admission: a run that does not fit how its thread stands is refused before it starts."""

import uuid

import pytest
from starlette.exceptions import HTTPException
from tests.answers import reply_to
from tests.conftest import run_sql
from tests.server.conftest import CONFIG, Opened
from tests.workflow.doubles import workflow

from paper_search import errors
from paper_search.persistence import Persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.server.access import Access, http_refusals
from paper_search.threads.records import root_of
from paper_search.workflow import ThreadCatalog
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.session import SearchSession

NEW = {"assistant_id": "paper_search", "input": {"question": "q"}}
GO_ON = {"assistant_id": "paper_search", "input": None}


def answer(resume) -> dict:
    return {"assistant_id": "paper_search", "command": {"resume": resume}}


@pytest.mark.parametrize("said", ["approve", {"action": "approve"}, [{"type": "accept"}]])
async def test_an_answer_of_any_shape_names_its_question(door, begin, said):
    thread_id = await begin()
    run = await door.run(thread_id, answer(said), "ada")
    ((interrupt, decision),) = run["command"]["resume"].items()
    assert len(interrupt) == 32
    assert decision["action"] == "approve"
    assert decision["checkpoint"]["kind"] == "strategy_confirmation"


async def test_an_answer_by_interrupt_is_taken_for_the_open_one_only__hum_10(door, begin):
    thread_id = await begin()
    run = await door.run(thread_id, answer("approve"), "ada")
    (interrupt,) = run["command"]["resume"]
    named = answer({interrupt: {"action": "reject", "note": "no"}})
    assert await door.run(thread_id, named, "ada")
    status, _ = await door.refused(thread_id, answer({"0" * 32: "approve"}))
    assert status == 409


@pytest.mark.parametrize(
    "said", ["yes", {}, [], 1, {"action": "approve", "extra": 1}, "x" * 100_000]
)
async def test_an_answer_that_is_no_decision_names_the_field__hum_02(door, begin, said):
    thread_id = await begin()
    status, text = await door.refused(thread_id, answer(said))
    assert status == 422
    assert "the question stays open" in text
    assert await door.run(thread_id, answer("approve"), "ada")


async def test_an_answer_to_another_checkpoint_is_stale__hum_07(door, begin):
    thread_id = await begin()
    run = await door.run(thread_id, answer("approve"), "ada")
    (decision,) = run["command"]["resume"].values()
    later = await begin("approve")
    status, _ = await door.refused(later, answer(decision))
    assert status == 409


async def test_a_decision_given_again_is_told_what_the_thread_waits_with__hum_07(
    door, begin, persistence
):
    thread_id = await begin()
    run = await door.run(thread_id, answer("approve"), "ada")
    (decision,) = run["command"]["resume"].values()
    question = await reply_to(workflow(persistence=persistence), thread_id, "approve")
    status, text = await door.refused(thread_id, answer(decision))
    assert status == 409
    assert text == (
        "this decision was given before and counts; the thread waits with the next question: "
        f"{question.reference} (token {question.token})"
    )


async def test_a_question_is_not_passed_over_by_a_new_search__hum_12(door, begin):
    thread_id = await begin()
    for payload in (NEW, GO_ON, {**GO_ON, "command": {"resume": None}}):
        assert (await door.refused(thread_id, payload))[0] == 409


async def test_a_finished_thread_keeps_its_result_and_takes_nothing__hum_11(door, begin):
    thread_id = await begin("approve", "approve")
    status, text = await door.refused(thread_id, NEW)
    assert status == 409
    assert "is done: another search needs another thread" in text
    assert (await door.refused(thread_id, answer("approve")))[0] == 409
    assert (await door.refused(thread_id, GO_ON))[0] == 409


@pytest.mark.parametrize("payload", [answer("approve"), GO_ON])
async def test_an_unknown_thread_begins_nothing_by_an_answer__hum_11(door, payload):
    thread_id = str(uuid.uuid4())
    assert await door.refused(thread_id, payload) == (404, f"no thread {thread_id!r}")


async def test_a_thread_of_somebody_else_is_not_there__sec_02(door, begin):
    thread_id = await begin()
    for payload in (NEW, GO_ON, answer("approve"), answer("rubbish")):
        assert (await door.refused(thread_id, payload, owner="bob"))[0] == 404
    with pytest.raises(errors.RequestRefusedError):
        await door.access.delete(thread_id, "bob")
    with pytest.raises(errors.RequestRefusedError):
        await door.access.require_visible(thread_id, "bob")
    await door.access.require_visible(thread_id, "ada")


def test_a_failure_of_the_database_is_none_of_the_request__per_25():
    with pytest.raises(HTTPException) as caught, http_refusals():
        raise errors.PersistenceError("the database is down; start it")
    assert (caught.value.status_code, caught.value.detail) == (
        500,
        "the database is down; start it",
    )


async def test_a_thread_that_is_driven_is_busy__per_13(door, begin, persistence):
    thread_id = await begin()
    async with persistence.leases.hold(thread_id):
        assert (await door.refused(thread_id, answer("approve")))[0] == 409
        with pytest.raises(errors.ThreadBusyError):
            await door.access.delete(thread_id, "ada")


async def test_an_answer_is_for_the_latest_checkpoint_only__hum_18(door, begin, persistence):
    """What names it needs no token: Agent Chat UI sends the checkpoint that it shows."""
    thread_id = await begin("approve")
    config = {"configurable": {"thread_id": thread_id}}
    ids = [
        saved_state.config["configurable"]["checkpoint_id"]
        async for saved_state in persistence.checkpointer.alist(config)
    ]
    latest = {**answer("approve"), "checkpoint": {"checkpoint_id": ids[0]}}
    assert await door.run(thread_id, latest, "ada")
    earlier = {**answer("approve"), "checkpoint_id": ids[-1]}
    status, text = await door.refused(thread_id, earlier)
    assert status == 409
    assert "names an earlier checkpoint" in text
    assert await door.run(thread_id, {**GO_ON, "checkpoint_id": ids[-1]}, "ada")


async def test_a_thread_stays_with_who_began_it__sec_02(door, begin, persistence):
    thread_id = await begin()
    records = SearchRecords(persistence.store, thread_id)
    await persistence.index.erase(root_of(thread_id), [records.listed_in], thread_id)
    await records.index("q", "bob")
    question = await reply_to(workflow(persistence=persistence), thread_id, "approve")
    named = answer({"action": "approve", "token": question.token})
    assert await door.run(thread_id, named, "bob")
    assert (await door.refused(thread_id, answer("approve"), owner="ada"))[0] == 404


async def test_what_is_deleted_leaves_no_thread(door, begin, persistence):
    thread_id = await begin()
    await door.access.delete(thread_id, "ada")
    await door.access.delete(thread_id, "ada")
    with pytest.raises(errors.ThreadNotFoundError):
        await ThreadCatalog(persistence).info(thread_id)
    assert await ThreadCatalog(persistence).threads() == []


async def test_a_damaged_thread_can_be_deleted(door, begin, persistence, tmp_path):
    """PER-09"""
    damaged, whole = await begin(), await begin()
    for table, column, where in (
        ("checkpoints", "checkpoint", "thread_id"),
        ("store", "value", "key"),
    ):
        cut = f"UPDATE {table} SET {column} = substr({column}, 9) WHERE {where} = ?"  # noqa: S608  # constants
        run_sql(f"sqlite:///{tmp_path}/threads.db", cut, damaged)
    await door.access.delete(damaged, "ada")
    assert [info.thread_id for info in await ThreadCatalog(persistence).threads()] == [whole]


async def test_a_thread_that_begins_during_a_look_is_no_other_programs(persistence, url):
    """The server looks whether a run still goes on, half a second after it was sent."""

    class Beginning(ThreadCatalogs):
        async def graph_of(self, thread_id: str) -> str | None:
            graph = await super().graph_of(thread_id)
            await workflow(persistence=persistence).start("what is known", thread_id=thread_id)
            return graph

    class Looking(Access):
        def catalogs(self, persistence: Persistence) -> ThreadCatalogs:
            return Beginning(persistence)

    access, thread_id = Looking(Opened(url, persistence), CONFIG), str(uuid.uuid4())
    assert await access.session(persistence, thread_id, "ada") is None  # not yet; not refused
    assert await SearchSession.on(persistence, thread_id).exists()
