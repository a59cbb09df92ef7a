"""A graph whose runs hold the lease on their thread."""

import asyncio
import base64
import json
import uuid

import pytest
from langgraph.types import Command, StateUpdate
from langgraph_api.serde import json_dumpb
from starlette.exceptions import HTTPException
from tests.server.conftest import served_graph
from tests.workflow.doubles import workflow

from paper_search import errors
from paper_search.persistence import LedgerStatus, open_persistence
from paper_search.testing.reports import QUESTION as REPORT_QUESTION
from paper_search.testing.skills import FakeSkills, fake_strategy
from paper_search.workflow import ThreadCatalog
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.session import SearchSession
from paper_search.workflow.skills import Skills

CONFIG = {"configurable": {"thread_id": "t"}}
QUESTION = {"question": "what is known of glass"}


@pytest.fixture
def skills():
    return FakeSkills()


@pytest.fixture
def graph(persistence, skills, door):
    return served_graph(persistence, door, WORKFLOW, Skills(*[skills] * 6))


def of(person: str) -> dict:
    return {"configurable": {"thread_id": "t", "langgraph_auth_user_id": person}}


async def test_a_thread_is_of_who_began_it_and_of_nobody_else__sec_02(graph, persistence):
    await graph.ainvoke(QUESTION, of("bob"))
    for given in (Command(resume="approve"), None, QUESTION):
        with pytest.raises(errors.RequestRefusedError, match="no thread 't'"):
            await graph.ainvoke(given, of("ada"))
    await graph.ainvoke(Command(resume="approve"), of("bob"))
    assert (await ThreadCatalog(persistence).ownership("t")).begun_by == "bob"
    assert [entry.decided_by for entry in await persistence.ledger.entries("t")] == ["bob"]


async def test_a_run_of_another_database_begins_nothing(graph, door):
    thread_id = str(uuid.uuid4())
    run = await door.run(thread_id, {"assistant_id": "paper_search", "input": QUESTION}, "ada")
    config = {"configurable": {**run["config"]["configurable"], "thread_id": "t"}}
    graph.access.shared.name, name = "another", graph.access.shared.name
    with pytest.raises(errors.RequestRefusedError, match="another database"):
        await graph.ainvoke(QUESTION, config)
    assert (await graph.aget_state(CONFIG)).values == {}
    graph.access.shared.name = name
    await graph.ainvoke(QUESTION, config)
    state = await graph.aget_state(CONFIG)
    assert state.interrupts
    assert name not in str(state.metadata)


async def test_no_run_begins_a_thread_in_clear_beside_encrypted_ones(graph, url):
    key = base64.b64encode(bytes(32)).decode()
    async with open_persistence(url, keys=[key]) as encrypted:
        await workflow(persistence=encrypted).start("a secret", thread_id="encrypted")
    with pytest.raises(errors.PaperSearchError, match="PAPER_SEARCH_ENCRYPTION_KEY"):
        await graph.ainvoke(QUESTION, CONFIG)
    assert (await graph.aget_state(CONFIG)).values == {}


async def test_a_decision_is_in_the_ledger_and_counts_once__hum_08(graph, persistence):
    await graph.ainvoke(QUESTION, CONFIG)
    await graph.ainvoke(Command(resume="approve"), CONFIG)
    (entry,) = await persistence.ledger.entries("t")
    assert (entry.decision["action"], entry.status) == ("approve", LedgerStatus.APPLIED)
    late = Command(resume={entry.interrupt_id: {"action": "approve"}})
    with pytest.raises(errors.PaperSearchError):
        await graph.ainvoke(late, CONFIG)
    ((interrupt),) = (await graph.aget_state(CONFIG)).interrupts
    assert interrupt.value["kind"] == "result_review"


@pytest.mark.parametrize("sent_again", [None, Command(resume="approve")])
async def test_a_decision_that_was_stored_and_not_applied_is_applied__per_04(
    graph, persistence, sent_again
):
    await graph.ainvoke(QUESTION, CONFIG)
    session = SearchSession(graph, persistence, "t")
    await session.decide(await session.require_question(), "approve")
    with pytest.raises(errors.AlreadyDecidedError):
        await graph.ainvoke(Command(resume="reject: no"), CONFIG)
    await graph.ainvoke(sent_again, CONFIG)
    ((interrupt),) = (await graph.aget_state(CONFIG)).interrupts
    assert interrupt.value["kind"] == "result_review"


@pytest.mark.parametrize("is_report", [False, True])
@pytest.mark.parametrize(
    "given",
    [
        Command(goto="search"),
        Command(goto="output"),
        Command(goto="finish", resume="approve"),
        Command(update={"last_outcome": "approve"}),
        Command(update={"human_approved": True}),
        Command(resume="yes"),
        Command(resume={"0" * 32: "approve"}),
        None,
    ],
)
async def test_no_run_goes_round_the_open_question__sec_03(
    graph, report_graph, skills, given, *, is_report
):
    served = report_graph if is_report else graph
    begin = {"original_query": REPORT_QUESTION} if is_report else QUESTION
    await served.ainvoke(begin, CONFIG)
    for run in (given, begin):
        with pytest.raises(errors.PaperSearchError):
            await served.ainvoke(run, CONFIG)
    ((interrupt),) = (await served.aget_state(CONFIG)).interrupts
    assert interrupt.value["kind"] == ("plan_review" if is_report else "strategy_confirmation")
    assert "search" not in skills.calls


async def test_going_on_does_not_answer_a_question__hum_14(graph):
    await graph.ainvoke(QUESTION, CONFIG)
    with pytest.raises(errors.ThreadError, match="waits for a decision"):
        await graph.ainvoke(None, CONFIG)
    ((interrupt),) = (await graph.aget_state(CONFIG)).interrupts
    assert interrupt.value["kind"] == "strategy_confirmation"


async def test_a_thread_that_is_driven_is_busy_and_nothing_runs__per_13(graph, persistence, skills):
    async with persistence.leases.hold("t"):
        with pytest.raises(errors.ThreadBusyError) as told:
            await asyncio.create_task(graph.ainvoke(QUESTION, CONFIG))
    assert skills.calls == []
    shown = json.loads(json_dumpb(told.value))  # as LangGraph's server tells a client
    assert (shown["error"], shown["message"]) == ("ThreadBusyError", str(told.value))


async def test_a_run_that_fails_says_why_and_gives_the_lease_back(graph, persistence, skills):
    async def parse(_question: str):
        raise RuntimeError("no model")

    skills.parse = parse
    with pytest.raises(RuntimeError, match="no model"):
        await graph.ainvoke(QUESTION, CONFIG)
    assert not await persistence.leases.is_held("t")


async def test_a_run_that_is_cancelled_gives_the_lease_back(graph, persistence, skills):
    begun = asyncio.Event()

    async def parse(_question: str):
        begun.set()
        await asyncio.sleep(60)

    skills.parse = parse
    run = asyncio.create_task(graph.ainvoke(QUESTION, CONFIG))
    await begun.wait()
    assert await persistence.leases.is_held("t")
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert not await persistence.leases.is_held("t")


async def test_an_edit_of_the_state_is_on_record_and_decides_nothing__sec_03(graph, persistence):
    edit = {"strategy": fake_strategy("mine").model_dump(mode="json")}
    await graph.ainvoke(QUESTION, CONFIG)
    await graph.aupdate_state(CONFIG, edit)
    await graph.ainvoke(None, CONFIG)
    with pytest.raises(
        errors.StaleDecisionError, match=r"At .*, an unnamed person edited the state;"
    ):  # it may mean the old one
        await SearchSession.on(persistence, "t").answers.take("approve", "ada")
    event, _ = await persistence.ledger.audit("t")
    assert event.event == "edited"
    assert event.detail == {"fields": ["strategy"], "as_node": "build_strategy"}
    assert (await graph.aget_state(CONFIG)).values["is_complete"] is False
    for values, step, status in (
        (edit, "confirm_strategy", 403),
        (edit, "finish", 403),
        ({"is_complete": True}, None, 403),
        ({"colour": "red"}, None, 422),
        ([], None, 422),
    ):
        with pytest.raises(HTTPException) as told:
            await graph.aupdate_state(CONFIG, values, step)
        assert told.value.status_code == status
    await graph.aupdate_state(CONFIG, edit, "build_strategy")
    with pytest.raises(HTTPException, match="supersteps"):
        await graph.abulk_update_state(CONFIG, [[StateUpdate({"is_complete": True}, "finish")]])
    assert (await graph.aget_state(CONFIG)).values["is_complete"] is False
