"""LangGraph's own verbs at the server, as Studio and `langgraph_sdk` use them."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import APIStatusError
from tests.end_to_end.served import ADA, BOB, GRAPH, QUESTION, Served, command_line

from paper_search.persistence import open_persistence
from paper_search.review import share_thread
from paper_search.workflow.session import SearchSession

pytestmark = pytest.mark.slow

UNASKED = {"enable_strategy_checkpoint": False, "enable_result_checkpoint": False}


def client_of(served: Served, token: str) -> Any:
    headers = {"authorization": f"Bearer {token}"}
    return get_client(url=served.process.url, api_key=None, headers=headers, timeout=120)


@pytest.fixture
async def ada(served: Served) -> AsyncIterator[Any]:
    async with client_of(served, ADA) as client:
        yield client


@pytest.fixture
async def bob(served: Served) -> AsyncIterator[Any]:
    async with client_of(served, BOB) as client:
        yield client


async def notes(served: Served, thread: str) -> list[tuple[str, str, dict[str, Any]]]:
    async with open_persistence(served.database) as persistence:
        audit = await persistence.ledger.audit(thread)
    return [(note.event, note.by, note.detail) for note in audit]


async def begun(client: Any, **options: Any) -> str:
    thread: str = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, GRAPH, input={"question": QUESTION}, **options)
    return thread


async def question(client: Any, thread: str) -> dict[str, Any] | None:
    interrupts = (await client.threads.get_state(thread))["interrupts"]
    return interrupts[0]["value"] if interrupts else None


async def approve(client: Any, thread: str) -> Any:
    """Approve the open question, which is named by its token."""
    token = (await question(client, thread) or {}).get("token")
    answer = {"action": "approve", "token": token}
    return await client.runs.wait(thread, GRAPH, command={"resume": answer})


async def refusal(work: Any) -> int:
    with pytest.raises((APIStatusError, httpx.HTTPStatusError)) as refused:
        await work
    return refused.value.response.status_code


async def test_studio_edits_the_strategy_and_the_question_shows_the_edit(ada, served):
    thread = await begun(ada)
    values = (await ada.threads.get_state(thread))["values"]
    edited = {**values["strategy"], "queries": values["strategy"]["queries"][:1]}
    edited["queries"][0]["boolean_query"] = "graph AND molecules"
    head = await ada.threads.update_state(thread, {"strategy": edited})
    await ada.runs.wait(thread, GRAPH, input=None, checkpoint=head["checkpoint"])
    asked = await question(ada, thread)
    assert asked["kind"] == "strategy_confirmation"
    assert [q["boolean_query"] for q in asked["payload"]["strategy"]["queries"]] == [
        "graph AND molecules"
    ]
    await approve(ada, thread)
    assert (await question(ada, thread))["kind"] == "result_review"
    assert ("edited", "ada", {"fields": ["strategy"], "as_node": "build_strategy"}) in await notes(
        served, thread
    )


async def test_a_strategy_that_was_edited_after_its_approval_is_asked_again__sec_03(ada):
    thread = await begun(ada)
    await ada.runs.wait(thread, GRAPH, command={"resume": "approve"}, interrupt_before=["search"])
    state = await ada.threads.get_state(thread)
    assert state["next"] == ["search"]
    edited = {**state["values"]["strategy"], "queries": []}
    assert await refusal(ada.threads.update_state(thread, {"strategy": edited})) == 409
    await ada.threads.update_state(thread, {"strategy": edited}, as_node="build_strategy")
    await ada.runs.wait(thread, GRAPH, input=None)
    asked = await question(ada, thread)
    assert (asked["kind"], asked["payload"]["strategy"]["queries"]) == ("strategy_confirmation", [])


async def test_studio_edits_what_the_question_about_the_result_shows(ada):
    thread = await begun(ada)
    await approve(ada, thread)
    scores = (await ada.threads.get_state(thread))["values"]["scores"]
    assert await ada.threads.update_state(thread, {"scores": dict.fromkeys(scores, 0.0)})
    await ada.runs.wait(thread, GRAPH, input=None)
    assert (await question(ada, thread))["kind"] == "result_review"


async def test_a_run_that_stops_before_a_step_goes_on_without_an_answer(ada):
    thread = await begun(ada)
    await ada.runs.wait(thread, GRAPH, command={"resume": "approve"}, interrupt_before=["search"])
    assert (await ada.threads.get_state(thread))["next"] == ["search"]
    await ada.runs.wait(thread, GRAPH, input=None)
    assert (await question(ada, thread))["kind"] == "result_review"


@pytest.mark.parametrize("kind", ["strategy_confirmation", "result_review"])
async def test_studio_goes_back_to_either_question(ada, served, kind):
    """By a run from an earlier checkpoint: it is asked again, and what came after is undone."""
    thread = await begun(ada)
    await approve(ada, thread)
    result = await approve(ada, thread)
    assert result["ended_by"] == "approved"
    history = await ada.threads.get_history(thread, limit=100)
    past = next(
        state
        for state in history
        if state["interrupts"] and state["interrupts"][0]["value"]["kind"] == kind
    )
    await ada.runs.wait(thread, GRAPH, input=None, checkpoint=past["checkpoint"])
    assert (await question(ada, thread))["kind"] == kind
    assert not (await ada.threads.get_state(thread))["values"]["is_complete"]
    ((event, by, detail),) = await notes(served, thread)
    assert (event, by) == ("forked", "ada")
    assert detail["back_to"] == past["checkpoint"]["checkpoint_id"]
    async with open_persistence(served.database) as persistence:
        entries = await persistence.ledger.entries(thread)
    undone = {"strategy_confirmation": 2, "result_review": 1}[kind]
    assert [entry.status.value for entry in entries].count("superseded") == undone
    while await question(ada, thread):
        await approve(ada, thread)
    assert (await ada.threads.get_state(thread))["values"]["ended_by"] == "approved"


async def test_an_edit_that_would_be_a_decision_is_refused__sec_03(ada):
    thread = await begun(ada)
    before = await question(ada, thread)
    for values, node, status in (
        ({"is_complete": True}, None, 403),
        ({"ended_by": "approved"}, "organize", 403),
        ({"history": []}, None, 403),
        ({"accumulated_ids": ["x"]}, None, 422),
        ({"last_outcome": "approve"}, None, 422),
        ({"workflow_params": UNASKED}, None, 422),
        ({"strategy": 7}, None, 422),
        ({"no_such_field": 1}, None, 422),
        ([{"strategy": None}], None, 422),
        ({}, "confirm_strategy", 403),
        ({}, "review_results", 403),
        ({}, "finish", 403),
    ):
        work = ada.threads.update_state(thread, values, as_node=node)
        assert await refusal(work) == status, (values, node)
    assert await question(ada, thread) == before


async def test_who_jumps_over_the_question_searches_nothing__sec_03(ada):
    thread = await begun(ada)
    await ada.threads.update_state(thread, {}, as_node="scope_strategy")
    await ada.threads.update_state(thread, {}, as_node="build_strategy")
    await ada.runs.wait(thread, GRAPH, input=None)
    assert (await question(ada, thread))["kind"] == "strategy_confirmation"


async def test_a_copy_has_all_that_the_thread_has_and_goes_its_own_way(ada, bob, served):
    thread = await begun(ada)
    await approve(ada, thread)
    assert await refusal(bob.threads.copy(thread)) in {403, 404}
    copy = (await ada.threads.copy(thread))["thread_id"]
    assert copy != thread
    result = await approve(ada, copy)
    assert (result["ended_by"], len(result["collection"]["papers"]) > 0) == ("approved", True)
    assert (await question(ada, thread))["kind"] == "result_review"
    assert ("copied", "ada", {"from": thread}) in await notes(served, copy)
    assert await refusal(bob.threads.get_state(copy)) in {403, 404}


async def test_a_thread_is_not_copied_while_it_runs_or_is_being_deleted(ada, served):
    thread = await begun(ada)
    async with open_persistence(served.database) as persistence:
        listed = await ada.threads.count()
        async with persistence.leases.hold(thread):
            assert await refusal(ada.threads.copy(thread)) == 409
        assert await ada.threads.count() == listed
    copy = (await ada.threads.copy(thread))["thread_id"]
    assert (await question(ada, copy))["kind"] == "strategy_confirmation"
    empty = (await ada.threads.create())["thread_id"]
    assert await refusal(ada.threads.copy(empty)) == 409


async def test_who_is_invited_reads_and_changes_nothing__sec_02(ada, bob, served):
    thread = await begun(ada)

    async def shared_as(role: str) -> None:
        async with open_persistence(served.database) as persistence:
            await share_thread(persistence, thread, "bob", role, accounts=["ada", "bob"])

    async def listed_becomes(*, is_there: bool) -> None:
        async with asyncio.timeout(60):
            for _ in itertools.count():
                found = await bob.threads.search(limit=100)
                if is_there is any(each["thread_id"] == thread for each in found):
                    return
                await asyncio.sleep(0.2)

    await shared_as("reviewer")
    assert await question(bob, thread) == await question(ada, thread), "nothing to be blind to"
    await approve(ada, thread)
    assert await refusal(bob.threads.get_state(thread)) == 403
    async with open_persistence(served.database) as persistence:
        reviewers = await SearchSession.on(persistence, thread).reviewers()
        for name in ("ada", "bob"):
            await listed_becomes(is_there=False)
            await reviewers.finish(name)
    await listed_becomes(is_there=True)
    assert await question(bob, thread) == await question(ada, thread)
    await shared_as("reader")
    assert await question(bob, thread) == await question(ada, thread)
    assert await refusal(approve(bob, thread)) == 403
    writes = (
        bob.threads.copy(thread), bob.threads.delete(thread),
        bob.threads.update(thread, metadata={"a": 1}),
        bob.threads.update_state(thread, {"question": "q"}),
        bob.runs.create(thread, GRAPH, input={"question": "another"}),
    )  # fmt: skip
    for write in writes:
        assert await refusal(write) in {403, 404}
    await listed_becomes(is_there=True)
    await shared_as("none")
    assert await refusal(bob.threads.get_state(thread)) == 404
    await listed_becomes(is_there=False)
    assert await question(ada, thread) is not None


async def test_who_takes_a_run_back_or_prunes_loses_no_thread(ada, bob, served):
    thread, other = await begun(ada), await begun(bob)
    (run,) = await ada.runs.list(thread)
    async with served.client() as http:
        for method, path, body, status in (
            ("DELETE", f"/threads/{thread}/runs/{run['run_id']}", None, 403),
            ("DELETE", f"/threads/{thread}/runs/{other}", None, 403),
            ("POST", f"/threads/{thread}/runs/{run['run_id']}/cancel?action=rollback", None, 403),
            ("POST", "/runs/cancel?action=rollback", {"status": "all"}, 403),
            ("POST", "/threads/prune", {"thread_ids": [thread], "strategy": "keep_latest"}, 422),
            ("POST", "/threads/prune", {"thread_ids": [thread, other]}, 404),
        ):
            answer = await http.request(method, path, json=body)
            assert answer.status_code == status, (path, answer.text)
            assert (await question(ada, thread))["kind"] == "strategy_confirmation", path
    assert (await ada.threads.prune([thread]))["pruned_count"] == 1
    assert await refusal(ada.threads.get_state(thread)) == 404
    assert (await question(bob, other))["kind"] == "strategy_confirmation"


async def test_an_assistant_has_settings_of_its_own_and_an_owner(ada, bob):
    short = await ada.assistants.create(GRAPH, context={"max_results": 3, "must_find": ["x"]})
    named = short["assistant_id"]
    thread = (await ada.threads.create())["thread_id"]
    await ada.runs.wait(thread, named, input={"question": QUESTION})
    await approve(ada, thread)
    assert len((await question(ada, thread))["payload"]["collection"]["papers"]) == 3
    assert named in [item["assistant_id"] for item in await ada.assistants.search()]
    assert named not in [item["assistant_id"] for item in await bob.assistants.search()]
    assert await refusal(bob.assistants.get(named)) in {403, 404}
    other = (await bob.threads.create())["thread_id"]
    assert await refusal(bob.runs.wait(other, named, input={"question": QUESTION})) in {403, 404}
    for context in ({"sources": ["arxiv"]}, {"max_reslts": 3}, {"max_results": -1}):
        config = {"configurable": context}
        for work in (
            ada.assistants.create(GRAPH, context=context),
            ada.assistants.create(GRAPH, config=config),
            ada.assistants.update(named, context=context),
            ada.assistants.update(named, config=config),
            ada.runs.wait(None, named, input={"question": QUESTION}, context=context),
        ):
            assert await refusal(work) == 422
    assert await refusal(ada.assistants.update(named, graph_id="research_report")) == 422
    await ada.assistants.update(named, graph_id="research_report", context={})
    await ada.assistants.update(named, graph_id=GRAPH)
    await ada.assistants.update(named, context={"max_results": 2})
    await ada.assistants.delete(named)


async def test_a_run_without_a_thread_searches_where_nobody_is_asked(ada):
    result = await ada.runs.wait(None, GRAPH, input={"question": QUESTION}, context=UNASKED)
    assert (result["ended_by"], len(result["collection"]["papers"]) > 0) == ("not_reviewed", True)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("context", [1]),
        ("context", {"workflow_params": [1]}),
        ("context", {"max_reslts": 3}),
        ("context", {"max_iterations": "many"}),
        ("context", {"budget": {"calls": -1}}),
        ("config", [1]),
        ("config", {"configurable": [1]}),
        ("config", {"configurable": {"max_reslts": 3}}),
        ("input", [1]),
        ("input", {"question": QUESTION, "workflow_params": [1]}),
        ("input", {"question": QUESTION, "workflow_params": {"sources": "sample"}}),
        ("command", [1]),
        ("metadata", [1]),
        ("metadata", {"owner": "bob"}),
        ("metadata", {"readers": ["bob"]}),
        ("checkpoint_id", 7),
        ("checkpoint_id", ["x"]),
        ("config", {"configurable": {"checkpoint_id": ["x"]}}),
        ("langsmith_tracer", "x"),
    ],
)
async def test_what_cannot_be_run_is_refused_and_is_no_failure(served, field, value):
    async with served.client() as http:
        thread = (await http.post("/threads", json={})).json()["thread_id"]
        run = {"assistant_id": GRAPH, "input": {"question": QUESTION}, field: value}
        for path in (f"/threads/{thread}/runs", "/runs"):
            answer = await http.post(path, json=run)
            assert 400 <= answer.status_code < 500, (path, answer.text)


async def test_the_history_before_a_checkpoint_is_what_came_before_it(ada, served):
    thread = await begun(ada)
    latest, *past = await ada.threads.get_history(thread)
    before = await ada.threads.get_history(thread, before=latest["checkpoint"])
    assert [state["checkpoint_id"] for state in before] == [p["checkpoint_id"] for p in past]
    async with served.client() as http:
        asked = {"before": {"checkpoint_id": 7}}
        assert (await http.post(f"/threads/{thread}/history", json=asked)).status_code == 422
        edit = {"values": {}, "checkpoint_id": ["x"]}
        assert (await http.post(f"/threads/{thread}/state", json=edit)).status_code == 422


async def test_nobody_names_who_sees_a_thread_in_its_metadata__sec_02(ada, bob):
    readers = {"readers": ["bob"]}
    assert await refusal(ada.threads.create(metadata=readers)) == 403
    thread = await begun(ada)
    assert await refusal(ada.threads.update(thread, metadata=readers)) == 403
    assert thread not in [each["thread_id"] for each in await bob.threads.search(limit=100)]


async def test_crons_webhooks_and_the_store_stay_closed(served):
    run = {"assistant_id": GRAPH, "input": {"question": QUESTION}}
    async with served.client() as http:
        thread = (await http.post("/threads", json={})).json()["thread_id"]
        for path, body in (
            ("/runs/crons", {**run, "schedule": "* * * * *"}),
            (f"/threads/{thread}/runs/crons", {**run, "schedule": "* * * * *"}),
            (f"/threads/{thread}/runs", {**run, "webhook": "http://127.0.0.1:1/x"}),
            ("/store/items/search", {"namespace_prefix": []}),
        ):
            assert 400 <= (await http.post(path, json=body)).status_code < 500, path


async def test_a_stream_of_the_third_version_says_what_waits_and_takes_the_answer(ada):
    thread = (await ada.threads.create())["thread_id"]
    async with ada.threads.stream(thread, assistant_id=GRAPH) as stream, asyncio.timeout(100):
        await stream.run.start(input={"question": QUESTION})
        while not stream.interrupts:  # noqa: ASYNC110  # it sets no event
            await asyncio.sleep(0.05)
        # The client's field `value` stays empty: this server calls it `payload`.
        (shown,) = stream.interrupts
        (waiting,) = (await ada.threads.get_state(thread))["interrupts"]
        assert shown["interrupt_id"] == waiting["id"]
        await stream.run.respond({"action": "approve"})
        kind = "strategy_confirmation"
        while kind != "result_review":
            await asyncio.sleep(0.1)
            kind = (await question(ada, thread) or {}).get("kind")


async def test_a_command_answers_a_thread_that_was_begun_elsewhere(ada, served):
    found = command_line(served.environment, "find", QUESTION, "--json")
    thread = json.loads(found.stdout)["thread_id"]
    async with asyncio.timeout(60):
        listed: set[str] = set()
        while thread not in listed:
            listed = {each["thread_id"] for each in await ada.threads.search(limit=100)}
            await asyncio.sleep(0.1)
    (waiting,) = (await ada.threads.get_state(thread))["interrupts"]
    params = {"interrupt_id": waiting["id"], "namespace": [], "response": {"action": "approve"}}
    async with served.client() as http, asyncio.timeout(60):
        command = {"id": 1, "method": "input.respond", "params": params}
        answer = await http.post(f"/threads/{thread}/commands", json=command)
        assert answer.json()["type"] == "success", answer.text
        kind = ""
        while kind != "result_review":
            await asyncio.sleep(0.1)
            kind = (await question(ada, thread) or {}).get("kind", "")
