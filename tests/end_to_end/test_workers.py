"""Two workers of Aegra, an open-source LangGraph server, on one PostgreSQL; one is killed.

Aegra needs Python 3.12 and has an environment of its own, `.venv-aegra`, which `.ci/run` makes.
"""

import asyncio
import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.end_to_end.served import (
    ServedProcess,
    answered,
    bare_environment,
    begun,
    command_line,
    open_interrupt,
    question,
)

from paper_search.persistence import open_persistence

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
UVICORN = ROOT / ".venv-aegra" / "bin" / "uvicorn"


def worker(environment: dict[str, str]) -> ServedProcess:
    """Start one process of Aegra."""
    command = (UVICORN, "aegra_api.main:app", "--host", "127.0.0.1")
    return ServedProcess(command, environment, Path(environment["HOME"]), alive="/health")


def client_of(process: ServedProcess) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=process.url, timeout=240)


@pytest.fixture(scope="module")
def environment(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if not UVICORN.exists():
        pytest.skip("Aegra needs Python 3.12 or later, which .ci/run did not find")
    folder = tmp_path_factory.mktemp("workers")
    shutil.copytree(ROOT / "graphs", folder / "graphs")
    shutil.copy(ROOT / "tests" / "end_to_end" / "aegra.json", folder)
    return bare_environment(
        folder,
        DATABASE_URL=postgres_server,
        AEGRA_CONFIG="aegra.json",
        LANGGRAPH_STRICT_MSGPACK="true",
        LANGSMITH_TRACING="false",
    )


@pytest.fixture(scope="module")
def workers(environment: dict[str, str]) -> Iterator[tuple[ServedProcess, ServedProcess]]:
    with contextlib.ExitStack() as stack:
        first = worker(environment)  # it makes the tables
        stack.callback(first.kill)
        second = worker(environment)
        stack.callback(second.kill)
        yield first, second


async def test_a_thread_goes_on_at_another_worker_and_at_the_command_line(workers, environment):
    one, other = workers
    async with client_of(one) as first, client_of(other) as second:
        thread = await begun(first)
        assert await question(second, thread) == "strategy_confirmation"
        await answered(second, thread, "approve")
        assert await question(first, thread) == "result_review"
        listed = json.loads(command_line(environment, "threads", "--json").stdout)
        assert [row["status"] for row in listed if row["thread_id"] == thread] == ["waiting"]
        interrupt = await open_interrupt(first, thread)
        result = (await answered(first, thread, {interrupt["id"]: "approve"})).json()
        assert result["ended_by"] == "approved"
        assert len(result["collection"]["papers"]) > 0


async def test_of_two_answers_at_two_workers_one_counts__hum_09(workers, environment):
    one, other = workers
    async with client_of(one) as first, client_of(other) as second:
        thread = await begun(first)
        # Each names the question that it means, so the later one cannot answer the next.
        named = {"run_id": thread, "kind": "strategy_confirmation", "iteration": 0}
        yes = {"action": "approve", "checkpoint": named}
        no = {"action": "reject", "note": "wider", "checkpoint": named}
        await asyncio.gather(answered(first, thread, yes), answered(second, thread, no))
        now = await question(first, thread)
    async with open_persistence(environment["DATABASE_URL"]) as place:
        (entry,) = await place.ledger.entries(thread)
    went_on = {"approve": "result_review", "reject": "strategy_confirmation"}
    assert now == went_on[entry.decision["action"]]


async def test_a_thread_of_a_killed_worker_goes_on_at_the_other(workers, environment):
    """The last one: the first worker is gone afterwards."""
    one, other = workers
    async with client_of(one) as first, client_of(other) as second:
        thread, driven = await begun(first), await begun(first)
        run = asyncio.create_task(answered(first, driven, "approve"))
        await asyncio.sleep(0.05)
        one.kill()
        await asyncio.gather(run, return_exceptions=True)
        await answered(second, thread, "approve")
        assert await question(second, thread) == "result_review"
    # Killed before or after it stored the decision: the thread waits with one question or the next.
    assert command_line(environment, "resume", driven).returncode == 3
