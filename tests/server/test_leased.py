"""A graph whose runs hold the lease on their thread."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, asynccontextmanager

import pytest

from paper_search.errors import ThreadBusyError
from paper_search.server.leased import leased
from paper_search.steps.compiler import compile_workflow
from paper_search.testing.skills import FakeSkills
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.skills import Skills

CONFIG = {"configurable": {"thread_id": "t"}}
QUESTION = {"question": "what is known of glass"}


@pytest.fixture
def skills():
    return FakeSkills()


@pytest.fixture
def graph(place, skills):
    @asynccontextmanager
    async def opener():
        yield place

    compiled = compile_workflow(WORKFLOW, services=Skills(*[skills] * 6))
    served = leased(compiled, opener)
    # The server makes a copy with its saver and store for each run.
    return served.copy({"checkpointer": place.checkpointer, "store": place.store})


async def test_a_run_holds_the_lease_from_its_first_step_to_its_question(graph, place):
    held = []
    stream = graph.astream(QUESTION, CONFIG, stream_mode="updates")
    async with aclosing(stream):
        async for part in stream:
            is_step = "__interrupt__" not in part
            held += [await place.leases.is_held("t")] if is_step else []
    assert held == [True, True]
    assert not await place.leases.is_held("t")
    assert (await graph.aget_state(CONFIG)).interrupts


async def test_each_part_may_be_taken_by_another_task(graph):
    """As the server does: a lease that belonged to the first of them would be lost."""
    stream = graph.astream(QUESTION, CONFIG, stream_mode="updates")
    parts = []
    async with aclosing(stream):
        while (part := await asyncio.create_task(anext(stream, None))) is not None:
            parts.extend(part)
    assert parts == ["parse_intent", "build_strategy", "__interrupt__"]


async def test_a_thread_that_is_driven_is_busy_and_nothing_runs__per_13(graph, place, skills):
    async with place.leases.hold("t"):
        with pytest.raises(ThreadBusyError):
            await asyncio.create_task(graph.ainvoke(QUESTION, CONFIG))
    assert skills.calls == []


async def test_a_run_that_fails_says_why_and_gives_the_lease_back(graph, place, skills):
    async def parse(_question: str):
        raise RuntimeError("no model")

    skills.parse = parse
    with pytest.raises(RuntimeError, match="no model"):
        await graph.ainvoke(QUESTION, CONFIG)
    assert not await place.leases.is_held("t")


async def test_a_run_that_is_cancelled_gives_the_lease_back(graph, place, skills):
    begun = asyncio.Event()

    async def parse(_question: str):
        begun.set()
        await asyncio.sleep(60)

    skills.parse = parse
    run = asyncio.create_task(graph.ainvoke(QUESTION, CONFIG))
    await begun.wait()
    assert await place.leases.is_held("t")
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert not await place.leases.is_held("t")
