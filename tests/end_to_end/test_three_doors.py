"""One thread, three doors: the server, Python and the command line on one SQLite file."""

import asyncio
import json
import shlex
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_client
from tests.end_to_end.served import ServedProcess, bare_environment, command_line, serving_bare

from paper_search.config import AppConfig, LLMConfig, SearchSourceConfig
from paper_search.models import EndReason
from paper_search.testing.llm import LLMCall, grades_of
from paper_search.testing.model_server import ModelServer, run_model_server
from paper_search.testing.skills import ScriptedHandler
from paper_search.workflow import Checkpoint, CheckpointKind, SearchWorkflow

pytestmark = pytest.mark.slow

QUESTION = "graph neural networks"


@pytest.fixture
def judged() -> list[str]:
    """What the model was asked about papers."""
    return []


@pytest.fixture
def model(judged: list[str]) -> Iterator[ModelServer]:
    grade = grades_of({})

    def answer(call: LLMCall) -> object:
        judged.append(call.user_message)
        return grade(call)

    with run_model_server({"BatchAnswer": answer}) as server:
        yield server


@pytest.fixture
def environment(tmp_path: Path, model: ModelServer) -> dict[str, str]:
    return bare_environment(
        tmp_path,
        LLM_MODEL="fake",
        LLM_BASE_URL=model.url,
        OPENAI_API_KEY="sk-CANARY-three-doors",
        LANGSMITH_TRACING="false",
        LANGGRAPH_CLI_NO_ANALYTICS="1",
    )


@pytest.fixture
def config(tmp_path: Path, model: ModelServer) -> AppConfig:
    return AppConfig(
        home=tmp_path / "home",
        llm=LLMConfig(model="fake", base_url=model.url, api_key="sk-CANARY-three-doors"),
        sources={"library": SearchSourceConfig(name="library")},
    )


def workflow(config: AppConfig, handler: ScriptedHandler | None = None) -> SearchWorkflow:
    return SearchWorkflow.from_config(config, handler, persistence=config.persistence_url)


async def started_on(server: ServedProcess) -> tuple[str, dict]:
    """Run a new thread to its first question over the server's API."""
    async with get_client(url=server.url) as client:
        thread = await client.threads.create()
        thread_id = thread["thread_id"]
        await client.runs.wait(thread_id, "paper_search", input={"question": QUESTION})
        state = await client.threads.get_state(thread_id)
        return thread_id, state["interrupts"][0]


async def finished_over(server: ServedProcess, thread_id: str) -> dict:
    """Approve the result of a thread that another door made; return what the run gives."""
    async with get_client(url=server.url) as client:
        interrupt = (await client.threads.get_state(thread_id))["interrupts"][0]
        answer = {interrupt["id"]: {"action": "approve"}}
        output: dict = await client.runs.wait(thread_id, "paper_search", command={"resume": answer})
        papers = output["collection"]["papers"]
        assert interrupt["value"]["payload"]["total_papers"] == len(papers)
        return output


async def is_listed(server: ServedProcess, expected: dict[str, str]) -> bool:
    """Wait until the server lists just these threads, by their statuses."""
    async with get_client(url=server.url) as client, asyncio.timeout(120):
        while True:
            listed = await client.threads.search(limit=100)
            if {row["thread_id"]: row["status"] for row in listed} == expected:
                return True
            await asyncio.sleep(0.2)


async def test_threads_go_through_all_doors_and_a_killed_server_forgets_none(
    tmp_path, environment, config, model, judged
):
    with serving_bare(environment, tmp_path) as server:
        first, interrupt = await started_on(server)
        second, _ = await started_on(server)
        waiting, _ = await started_on(server)
    assert interrupt["value"]["kind"] == "strategy_confirmation"
    handler = ScriptedHandler(["approve", "approve"])
    result = await workflow(config, handler).resume(first)
    assert handler.kinds == [CheckpointKind.STRATEGY_CONFIRMATION, CheckpointKind.RESULT_REVIEW]
    assert result.ended_by is EndReason.APPROVED
    listed = json.loads(command_line(environment, "threads", "--json").stdout)
    assert {(row["thread_id"], row["status"], row["checkpoint"]) for row in listed} == {
        (first, "done", None),
        (second, "waiting", "strategy_confirmation"),
        (waiting, "waiting", "strategy_confirmation"),
    }
    asked = command_line(environment, "resume", second, "--approve", "--json")
    assert asked.returncode == 3
    printed = shlex.split(json.loads(asked.stdout)["continue"])
    done = command_line(environment, *printed[printed.index("resume") :])
    assert done.returncode == 0, done.stderr
    papers = {paper["title"] for paper in json.loads(done.stdout)["papers"]}

    of_python = await workflow(config).start(QUESTION, thread_id=str(uuid.uuid4()))
    assert isinstance(of_python, Checkpoint)
    reviewing = await workflow(config).answer(of_python.run_id, "approve")
    assert reviewing.kind is CheckpointKind.RESULT_REVIEW
    found = command_line(environment, "find", QUESTION, "--json")
    assert found.returncode == 3, found.stderr
    of_command = json.loads(found.stdout)["thread_id"]
    # In another folder: LangGraph's own list of the first would begin again what it saw run.
    with serving_bare(environment, tmp_path / "again") as server:
        waits = dict.fromkeys((waiting, of_python.run_id, of_command), "interrupted")
        assert await is_listed(server, {first: "idle", second: "idle", **waits})
        async with get_client(url=server.url) as client:
            for thread_id in (waiting, of_command):
                state = await client.threads.get_state(thread_id)
                name, run = state["interrupts"][0]["id"], (thread_id, "paper_search")
                perhaps = {"resume": {name: {"action": "perhaps"}}}
                with pytest.raises(httpx.HTTPStatusError, match="422") as refusal:
                    await client.runs.wait(*run, command=perhaps)
                assert "action" in refusal.value.response.json()["detail"]
                await client.runs.wait(*run, command={"resume": {name: "approve"}})
                state = await client.threads.get_state(thread_id)
                assert state["interrupts"][0]["value"]["kind"] == "result_review"
        output = await finished_over(server, of_python.run_id)
    assert output["ended_by"] == "approved"
    result = await workflow(config, ScriptedHandler(["approve"])).resume(of_command)
    assert result.ended_by is EndReason.APPROVED
    shown = json.loads(command_line(environment, "show", of_command, "--json").stdout)
    assert shown["status"] == "done"
    # Each step of each thread ran once, and no paper was asked about twice.
    assert model.calls["IntentAnswer"] == model.calls["StrategyAnswer"] == 5
    own = {paper["title"] for paper in output["collection"]["papers"]}
    assert len(judged) == len(set(judged)) >= len(papers | own) > 0
