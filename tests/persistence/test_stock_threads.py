"""Threads that LangGraph's own savers began, continued by ours."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.postgres.aio import AsyncPostgresStore
from langgraph.types import Command, interrupt
from tests.conftest import run_sql
from typing_extensions import TypedDict

from paper_search.persistence import open_persistence

BEGUN = {"question": "why?", "count": 7, "share": 0.5, "is_new": True, "none": None, "ids": ["a"]}
CONFIG = {"configurable": {"thread_id": "t"}}


class State(TypedDict, total=False):
    question: str
    count: int
    share: float
    is_new: bool
    none: None
    ids: list[str]
    answer: str


def asking(saver: Any) -> Any:
    """Return a graph that asks twice and changes one channel at a time."""

    def ask(_state: State) -> State:
        return {"answer": interrupt("first?")}

    def again(state: State) -> State:
        return {"answer": f"{state['answer']}, {interrupt('second?')}"}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_node("again", again)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "again")
    builder.add_edge("again", END)
    return builder.compile(checkpointer=saver)


@asynccontextmanager
async def stock(url: str) -> AsyncIterator[Any]:
    """Open LangGraph's own saver, on tables that ours made."""
    async with open_persistence(url):
        pass
    async with AsyncPostgresSaver.from_conn_string(url) as saver:
        await saver.setup()
        yield saver


@pytest.fixture
async def begun(postgres_url: str) -> str:
    """A database with a thread that the stock saver left at its first question."""
    async with stock(postgres_url) as saver:
        await asking(saver).ainvoke(dict(BEGUN), CONFIG)
    return postgres_url


async def test_texts_and_numbers_of_a_stock_thread_outlive_every_further_step(begun):
    """What did not change since has to be in the newer checkpoints as well."""
    async with open_persistence(begun, keys=[]) as persistence:
        graph = asking(persistence.checkpointer)
        assert (await graph.aget_state(CONFIG)).values == BEGUN
        await graph.ainvoke(Command(resume="one"), CONFIG)
        assert (await graph.aget_state(CONFIG)).values == {**BEGUN, "answer": "one"}
        done = await graph.ainvoke(Command(resume="two"), CONFIG)
    assert done == {**BEGUN, "answer": "one, two"}
    async with open_persistence(begun, keys=[]) as persistence:  # and for whoever comes later
        state = await asking(persistence.checkpointer).aget_state(CONFIG)
    assert state.values == {**BEGUN, "answer": "one, two"}
    assert state.next == ()


async def test_they_outlive_pruning_and_copying(begun):
    async with open_persistence(begun, keys=[]) as persistence:
        graph = asking(persistence.checkpointer)
        await graph.ainvoke(Command(resume="one"), CONFIG)
        await persistence.checkpointer.acopy_thread("t", "copy")
        await persistence.checkpointer.aprune(["t"])
        for name in ("t", "copy"):
            state = await graph.aget_state({"configurable": {"thread_id": name}})
            assert state.values == {**BEGUN, "answer": "one"}, name


async def test_the_newer_checkpoints_hold_no_text_in_clear(begun):
    """Once they are ours, texts are where all other values are, and can be sealed there."""
    async with open_persistence(begun, keys=[]) as persistence:
        await asking(persistence.checkpointer).ainvoke(Command(resume="one"), CONFIG)
    (newest, *_) = run_sql(
        begun, "SELECT checkpoint -> 'channel_values' FROM checkpoints ORDER BY checkpoint_id DESC"
    )
    assert "question" not in (newest[0] or {})


async def test_the_stock_saver_reads_what_ours_wrote(begun):
    async with open_persistence(begun, keys=[]) as persistence:
        await asking(persistence.checkpointer).ainvoke(Command(resume="one"), CONFIG)
    async with stock(begun) as saver:
        assert await asking(saver).ainvoke(Command(resume="two"), CONFIG) == {
            **BEGUN,
            "answer": "one, two",
        }


async def test_ours_goes_on_with_a_file_that_the_stock_saver_of_sqlite_made(tmp_path: Path):
    file = tmp_path / "threads.db"
    async with AsyncSqliteSaver.from_conn_string(str(file)) as saver:
        await asking(saver).ainvoke(dict(BEGUN), CONFIG)
    for answer, values in (("one", BEGUN), ("two", {**BEGUN, "answer": "one"})):
        async with open_persistence(f"sqlite:///{file}", keys=[]) as persistence:
            graph = asking(persistence.checkpointer)
            assert (await graph.aget_state(CONFIG)).values == values
            await graph.ainvoke(Command(resume=answer), CONFIG)


async def test_ours_reads_the_records_that_a_server_wrote_by_the_stock_store(postgres_url):
    """As Aegra does, which gives a graph a store of its own."""
    async with AsyncPostgresStore.from_conn_string(postgres_url) as store:
        await store.setup()
        await store.aput(("paper_search", "t"), "approval", {"terms": ["bees"]})
    async with open_persistence(postgres_url, keys=[]) as persistence:
        item = await persistence.store.aget(("paper_search", "t"), "approval")
    assert item.value == {"terms": ["bees"]}
