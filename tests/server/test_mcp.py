"""`/mcp`: a client of the Model Context Protocol takes a search from question to result."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest

from paper_search.config import load_config
from paper_search.server.app_factory import create_app
from paper_search.server.open_persistence import SharedPersistence

ADA, BOB = "CANARY-token-of-ada-01", "CANARY-token-of-bob-02"
BEGIN = {"question": "graph neural networks for molecules", "sources": ["sample"]}
Call = Callable[..., Awaitable[Any]]


@pytest.fixture
async def client(tmp_path, monkeypatch) -> AsyncIterator[httpx.AsyncClient]:
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "PAPER_SEARCH_HOME": str(tmp_path),
        "PAPER_SEARCH_MCP": "true",
        "PAPER_SEARCH_SOURCES": "library,sample",
        "PAPER_SEARCH_TOKENS": f"ada={ADA}, bob={BOB}",
    }.items():
        monkeypatch.setenv(name, value)
    config = load_config()
    app = create_app(config, SharedPersistence(config.persistence_url))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as opened,
    ):
        yield opened


@pytest.fixture
def send(client) -> Call:
    async def send(method: str, bearer: str = ADA, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        headers = {"authorization": f"Bearer {bearer}"}
        answer = await client.post("/mcp", json=message, headers=headers)
        assert (answer.status_code, answer.json()["id"]) == (200, 7)
        return answer.json()

    return send


@pytest.fixture
def call(send) -> Call:
    async def call(tool: str, bearer: str = ADA, **arguments: Any) -> Any:
        said = await send("tools/call", bearer, name=tool, arguments=arguments)
        result = said["result"]
        is_error = result.get("isError")
        return result["content"][0]["text"] if is_error else result["structuredContent"]

    return call


async def test_a_search_runs_to_its_questions_is_answered_and_ends(call):
    asked = await call("search", **BEGIN)
    assert (asked["status"], asked["question"]["kind"]) == ("waiting", "strategy_confirmation")
    named = {"thread_id": asked["thread_id"]}
    asked = await call("answer", **named, token=asked["token"], decision="approve")
    assert asked["question"]["kind"] == "result_review"
    assert await call("show", **named) == asked
    done = await call("answer", **named, token=asked["token"], decision={"action": "approve"})
    assert (done["status"], done["result"]["ended_by"]) == ("done", "approved")
    assert done["result"]["papers"]


async def test_an_answer_goes_on_with_the_sources_that_the_thread_began_with(call):
    asked = await call("search", **BEGIN)
    named = {"thread_id": asked["thread_id"]}
    asked = await call("answer", **named, token=asked["token"], decision="approve")
    assert '"source": "sample"' in json.dumps(asked["question"])
    assert '"source": "library"' not in json.dumps(asked["question"])


async def test_a_report_goes_on_with_the_sources_that_it_began_with(call):
    asked = await call("report", **BEGIN)
    named = {"thread_id": asked["thread_id"]}
    asked = await call("answer", **named, token=asked["token"], decision="approve")
    assert asked["question"]["kind"] == "pre_output_review"


async def test_a_report_asks_about_its_plan(call):
    asked = await call("report", **BEGIN)
    assert asked["question"]["kind"] == "plan_review"


async def test_what_cannot_be_used_is_told_and_the_question_stays_open(call):
    assert "question: Field required" in await call("search", questions="x")
    assert "empty" in await call("search", question=" ")
    asked = await call("search", **BEGIN)
    named = {"thread_id": asked["thread_id"]}
    for token, decision in (("0" * 8, "approve"), (asked["token"], "perhaps")):
        assert isinstance(await call("answer", **named, token=token, decision=decision), str)
    assert await call("show", **named) == asked


async def test_a_thread_is_there_for_its_owner_alone__sec_02(call):
    asked = await call("search", **BEGIN)
    named = {"thread_id": asked["thread_id"]}
    for tool, given in (("show", {}), ("answer", {"token": asked["token"], "decision": "approve"})):
        assert "no thread" in await call(tool, BOB, **named, **given)
    assert (await call("show", **named))["status"] == "waiting"


async def test_a_client_is_introduced_and_told_what_is_unknown(send, client):
    told = (await send("initialize", protocolVersion="2024-11-05"))["result"]
    assert told["protocolVersion"] == "2024-11-05"
    assert (await send("initialize"))["result"]["protocolVersion"] == "2025-06-18"
    tools = (await send("tools/list"))["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["search", "report", "answer", "show"]
    assert "known: search" in (await send("tools/call", name="x"))["error"]["message"]
    assert "resources/list" in (await send("resources/list"))["error"]["message"]
    owner = {"authorization": f"Bearer {ADA}"}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await client.post("/mcp", json=note, headers=owner)).status_code == 202
    assert (await client.post("/mcp", json=[], headers=owner)).status_code == 400
    assert (await client.get("/mcp", headers=owner)).status_code == 405
    assert (await client.post("/mcp", json=note)).status_code == 401


@pytest.mark.parametrize("params", [[1], "find", 7, {"name": ["search"]}, {"name": {"a": 1}}])
async def test_parameters_in_another_form_are_refused_by_a_sentence(client, params) -> None:
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    headers = {"authorization": f"Bearer {ADA}"}
    answer = await client.post("/mcp", json=message, headers=headers)
    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == -32602
