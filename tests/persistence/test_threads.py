"""Seed 003's PersistenceConfig and ThreadManager, on each persistence."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from paper_search import errors
from paper_search.persistence import PersistenceConfig, ThreadManager


class State(TypedDict, total=False):
    question: str
    answer: str
    status: str


def compiled(persistence: Any) -> Any:
    def ask(state: State) -> State:
        return {"answer": interrupt(state["question"]), "status": "completed"}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=persistence.checkpointer)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def config(request, tmp_path):
    if request.param == "postgres":
        return PersistenceConfig("postgres", request.getfixturevalue("postgres_url"))
    return PersistenceConfig(request.param, str(tmp_path / "t.db"))


async def test_a_thread_is_created_read_listed_and_resumed(config):
    async with config.open() as persistence:
        manager, graph = ThreadManager(persistence, ttl_hours=1), compiled(persistence)
        begun = datetime.now(UTC) - timedelta(seconds=1)
        thread_id = await manager.create_thread({"question": "why", "status": "pending"})
        assert uuid.UUID(thread_id).version == 4
        assert await manager.get_thread_state(thread_id) == {"question": "why", "status": "pending"}
        (listed,) = await manager.list_active_threads()
        assert (listed["thread_id"], listed["status"]) == (thread_id, "pending")
        assert begun <= datetime.fromisoformat(listed["created_at"])
        paused = await manager.resume_thread(graph, thread_id)
        assert paused["__interrupt__"][0].value == "why"
        with pytest.raises(errors.ThreadWaitingError):
            await manager.resume_thread(graph, thread_id)
        done = await manager.resume_thread(graph, thread_id, Command(resume="because"))
        assert done["answer"] == "because"
        assert await manager.list_active_threads() == []
        assert (await manager.get_thread_state(thread_id))["status"] == "completed"


async def test_finished_threads_expire_and_waiting_ones_never(config):
    """HUM-14."""
    async with config.open() as persistence:
        manager, graph = ThreadManager(persistence, ttl_hours=1), compiled(persistence)
        waiting, done = [await manager.create_thread({"question": "q"}) for _ in range(2)]
        await manager.resume_thread(graph, waiting)
        await manager.resume_thread(graph, done)
        await manager.resume_thread(graph, done, Command(resume="a"))
        now = datetime.now(UTC)
        assert await manager.expire(now + timedelta(minutes=59)) == []
        assert await manager.expire(now + timedelta(days=30)) == [done]
        assert await manager.get_thread_state(done) is None
        assert await manager.get_thread_state(waiting) is not None
        assert await ThreadManager(persistence).expire(now + timedelta(days=9999)) == []


async def test_an_unknown_thread_is_no_new_run(config):
    """HUM-11."""
    async with config.threads() as manager:
        with pytest.raises(errors.ThreadNotFoundError, match="'nobody'"):
            await manager.resume_thread(None, "nobody")
        assert await manager.get_thread_state("nobody") is None
        assert await manager.list_active_threads() == []


async def test_a_driven_thread_is_left_alone(config):
    """PER-13: without the lease nothing is written either."""
    async with config.open() as persistence:
        manager = ThreadManager(persistence)
        thread_id = await manager.create_thread({"question": "q"})
        graph = compiled(persistence)

        async def intrude() -> None:
            await graph.ainvoke(None, {"configurable": {"thread_id": thread_id}})

        import asyncio
        import contextvars

        async with persistence.leases.hold(thread_id):
            outside = contextvars.Context()
            with pytest.raises(errors.ThreadBusyError):
                await asyncio.create_task(manager.resume_thread(graph, thread_id), context=outside)
            with pytest.raises(errors.ThreadBusyError):
                await asyncio.create_task(intrude(), context=contextvars.Context())
        await manager.resume_thread(graph, thread_id)


@pytest.mark.parametrize(
    ("backend", "given", "url"),
    [
        ("memory", None, "memory:"),
        ("sqlite", None, "sqlite:///research_workflows.db"),
        ("sqlite", "a/b.db", "sqlite:///a/b.db"),
        ("sqlite", "sqlite:////a/b.db", "sqlite:////a/b.db"),
        ("postgres", "postgresql://h/d", "postgresql://h/d"),
    ],
)
def test_a_backend_becomes_a_url(backend, given, url):
    assert PersistenceConfig(backend, given).url == url
    assert PersistenceConfig().ttl_hours == 24


def test_postgres_takes_the_url_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with pytest.raises(errors.ConfigError, match="PostgreSQL connection string required"):
        PersistenceConfig("postgres")
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:secret@h/d")
    config = PersistenceConfig("postgres")
    assert config.url == "postgresql://me:secret@h/d"
    assert "secret" not in repr(PersistenceConfig("postgres", config.url))


def test_what_cannot_be_is_refused():
    with pytest.raises(errors.UnknownNameError, match="known: memory, postgres, sqlite"):
        PersistenceConfig("redis")
    with pytest.raises(errors.ConfigError, match="ttl_hours"):
        PersistenceConfig(ttl_hours=0)


async def test_the_saver_can_be_had_alone(tmp_path):
    config = PersistenceConfig("sqlite", str(tmp_path / "t.db"))
    async with config.get_checkpointer() as saver:
        assert await saver.aget_tuple({"configurable": {"thread_id": "t"}}) is None
