"""`paper-search serve`: its threads, its endpoints, and what it keeps to itself."""

import asyncio
import contextlib
import random
import sqlite3
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import psutil
import pytest
from tests.end_to_end.served import (
    BOB,
    GRAPH,
    QUESTION,
    answered,
    begun,
    open_interrupt,
    question,
)

pytestmark = pytest.mark.slow


async def approved(client: httpx.AsyncClient, thread: str) -> httpx.Response:
    """Approve the open question, by its token."""
    interrupt = await open_interrupt(client, thread)
    assert interrupt
    named = {"action": "approve", "token": interrupt["value"]["token"]}
    return await answered(client, thread, named)


async def eventually(condition: Callable[[], Awaitable[bool]], seconds: float = 120) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if await condition():
            return True
        await asyncio.sleep(0.2)
    return False


async def test_a_search_goes_from_question_to_result__hum_01(served):
    async with served.client() as ada:
        thread = await begun(ada)
        assert await question(ada, thread) == "strategy_confirmation"
        await answered(ada, thread, "approve")
        assert await question(ada, thread) == "result_review"
        twice = await answered(ada, thread, {"action": "approve"})
        assert twice.status_code == 409
        assert "decided (approve)" in twice.json()["detail"]
        assert await question(ada, thread) == "result_review"
        result = (await approved(ada, thread)).json()
        assert result["ended_by"] == "approved"
        assert len(result["collection"]["papers"]) == 15


@pytest.mark.parametrize("token", [None, "wrong-token-of-nobody"])
async def test_without_a_token_nothing_is_told__sec_01(served, token):
    async with served.client(token, **{"x-auth-scheme": "langsmith"}) as nobody:
        for path in ("/assistants/x", "/threads/x", "/info", "/docs", "/openapi.json", "/metrics"):
            assert (await nobody.get(path)).status_code == 401, path
        assert (await nobody.post("/threads/search", json={})).status_code == 401
        assert (await nobody.post("/assistants/search", json={})).status_code == 401


async def test_a_thread_is_there_for_its_owner_alone__sec_02(served):
    async with served.client() as ada, served.client(BOB) as bob:
        thread = await begun(ada)
        run = {"assistant_id": GRAPH, "command": {"resume": "approve"}}
        tries = [
            bob.get(f"/threads/{thread}"),
            bob.get(f"/threads/{thread}/state"),
            bob.get(f"/threads/{thread}/runs"),
            bob.post(f"/threads/{thread}/history", json={}),
            bob.post(f"/threads/{thread}/runs/wait", json=run),
            bob.post(f"/threads/{thread}/runs", json={"assistant_id": GRAPH, "input": {}}),
            bob.patch(f"/threads/{thread}", json={"metadata": {"x": 1}}),
            bob.delete(f"/threads/{thread}"),
        ]
        answers = await asyncio.gather(*tries)
        told = [answer.text for answer in answers if QUESTION in answer.text]
        assert told == []
        refused = {404, 403}
        empty = [
            answer for answer in answers if answer.status_code == 200 and answer.json() in ([], {})
        ]
        assert [
            e.status_code for e in answers if e not in empty and e.status_code not in refused
        ] == []
        listed = (await bob.post("/threads/search", json={"limit": 1000})).json()
        assert thread not in [row["thread_id"] for row in listed]
        assert await question(ada, thread) == "strategy_confirmation"


async def test_no_request_goes_round_a_question__sec_03(served):
    async with served.client() as ada:
        thread = await begun(ada)
        runs, base = f"/threads/{thread}/runs/wait", {"assistant_id": GRAPH}
        steering = [
            {"command": {"goto": "search"}},
            {"command": {"update": {"last_outcome": "approve"}}},
            {"command": {"resume": "approve", "goto": "finish"}},
            {"config": {"configurable": {"__pregel_resume_map": {}}}},
        ]
        for item in steering:
            assert (await ada.post(runs, json={**base, **item})).status_code == 403, item
        state = {"values": {}, "as_node": "confirm_strategy"}
        assert (await ada.post(f"/threads/{thread}/state", json=state)).status_code == 403
        assert await question(ada, thread) == "strategy_confirmation"
        approved = {"values": {"is_complete": True, "ended_by": "approved"}, "as_node": "finish"}
        before = len((await ada.post("/threads/search", json={"limit": 1000})).json())
        made = {"metadata": {"graph_id": GRAPH}, "supersteps": [{"updates": [approved]}]}
        for more in ({}, {"thread_id": thread, "if_exists": "do_nothing"}):
            answer = await ada.post("/threads", json={**made, **more})
            assert answer.status_code == 403
            assert "supersteps: a thread begins with a question" in answer.text
        assert len((await ada.post("/threads/search", json={"limit": 1000})).json()) == before
        for graph, status in (("research_report", 403), (GRAPH, 200)):
            moved = {"metadata": {"graph_id": graph}}
            assert (await ada.patch(f"/threads/{thread}", json=moved)).status_code == status
        assert await question(ada, thread) == "strategy_confirmation"


async def test_the_routes_of_others_threads_are_closed__sec_02(served):
    async with served.client() as ada:
        thread = await begun(ada)
        for method, path in (
            ("GET", f"/internal/debug/thread/{thread}"),
            ("POST", "/internal/truncate"),
            ("POST", "/deploy"),
        ):
            answer = await ada.request(method, path, json={} if method == "POST" else None)
            assert (answer.status_code, "this server has no" in answer.text) == (404, True)
        assert await question(ada, thread) == "strategy_confirmation"


async def test_an_input_sets_nothing_but_the_question_and_the_settings__sec_03(served):
    async with served.client() as ada:
        smuggled = {"is_complete": True, "strategy": {}, "last_outcome": "approve", "found": ["x"]}
        thread = (await ada.post("/threads", json={})).json()["thread_id"]
        run = {"assistant_id": GRAPH, "input": {"question": QUESTION}}
        for wrong, words in (
            ({**run, "input": {**run["input"], **smuggled}}, "the input has no fields found, is_"),
            ({**run, "contxt": {"max_results": 5}}, "a run has no fields contxt; known: assistant"),
            ({**run, "context": {"max_result": 5}}, "max_result"),
        ):
            answer = await ada.post(f"/threads/{thread}/runs/wait", json=wrong)
            assert (answer.status_code, words in answer.text) == (422, True), answer.text
        assert (await ada.get(f"/threads/{thread}")).json()["status"] == "idle"


async def test_of_several_answers_at_once_one_counts__hum_08(served):
    async with served.client() as ada:
        thread = await begun(ada)
        answers = await asyncio.gather(*(answered(ada, thread, "approve") for _ in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200, *[409] * 5]
        assert await question(ada, thread) == "result_review"


async def test_searches_and_reports_are_served(served):
    async with served.client() as ada:
        listed = (await ada.post("/assistants/search", json={})).json()
    assert {assistant["graph_id"] for assistant in listed} == {GRAPH, "research_report"}


async def test_a_deleted_thread_leaves_no_row__per_20(served):
    async with served.client() as ada:
        thread = await begun(ada)
        assert (await ada.delete(f"/threads/{thread}")).status_code < 300
        assert (await ada.get(f"/threads/{thread}")).status_code == 404
    with contextlib.closing(sqlite3.connect(served.folder / "home" / "threads.db")) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        rows = {name: database.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables}  # noqa: S608  # names of tables
    left = {name for name, item in rows.items() if thread in repr(item)}
    assert left == set()


async def test_filter_keys_are_the_servers_own__sec_22(served):
    """A key of a filter never becomes a part of a statement: it is looked up in memory."""
    async with served.client() as ada:
        await begun(ada)
        evil = {"metadata": {"x') OR 1=1 --": "y"}, "values": {"$or": [1]}}
        assert (await ada.post("/threads/search", json=evil)).json() == []
        wrong = await ada.post("/threads/search", json={"status": "' OR 1=1"})
        assert wrong.status_code == 422


async def test_errors_say_neither_where_nor_how__sec_19(served):
    async with served.client() as ada:
        thread = (await ada.post("/threads", json={})).json()["thread_id"]
        tries = [
            await ada.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "nobody"}),
            await ada.get("/threads/not-a-uuid"),
            await ada.post("/threads", json={"thread_id": "../../x"}),
            await ada.post("/threads/search", json={"limit": "many"}),
            await ada.get("/no/such/page"),
        ]
        run = {"assistant_id": GRAPH, "input": {"question": " "}}
        tries.append(await ada.post(f"/threads/{thread}/runs/wait", json=run))
    for attempt in tries:
        for word in ("Traceback", "CANARY", str(served.folder), ".py"):
            assert word not in attempt.text, attempt.text
    assert [answer.status_code < 500 for answer in tries] == [True] * len(tries)


async def test_twenty_searches_at_once_end_and_the_server_still_answers__load_05(served):
    async with served.client() as ada:
        runs = asyncio.gather(*(begun(ada) for _ in range(20)))
        answers = 0
        while not runs.done():
            assert (await ada.get("/ok")).status_code == 200
            answers += 1
        threads = await runs
        assert len(set(threads)) == 20
        assert [await question(ada, thread) for thread in threads] == ["strategy_confirmation"] * 20
        assert answers > 60  # three for each search: none of them holds up the server


async def test_a_short_soak_of_good_and_bad_requests_leaks_nothing__load_06(served):
    """Seeded: threads begun, answered well and badly, deleted; then nothing is left open."""
    chance = random.Random(20261122)  # noqa: S311  # not for secrets
    process = psutil.Process(served.process.pid)
    async with served.client() as ada:
        await _soak(ada, chance, rounds=5)
        before = (process.num_fds(), process.num_threads(), process.memory_info().rss)
        await _soak(ada, chance, rounds=15)

    async def is_as_before() -> bool:
        opened, threads = process.num_fds() - before[0], process.num_threads() - before[1]
        return opened <= 10 and threads <= 10

    assert await eventually(is_as_before)
    assert process.memory_info().rss < before[2] * 1.5 + 50_000_000


async def _soak(client: httpx.AsyncClient, chance: random.Random, rounds: int) -> None:
    bad: list[Any] = ["yes", [], {"action": "fly"}, {"0" * 32: "approve"}, {"action": "edit"}]
    for _ in range(rounds):
        thread = await begun(client)
        for _ in range(chance.randrange(3)):
            assert (await answered(client, thread, chance.choice(bad))).status_code in {409, 422}
        if chance.random() < 0.3:
            assert (await answered(client, thread, "reject: other words")).status_code == 200
        assert (await client.delete(f"/threads/{thread}")).status_code < 300
