"""One SQLite file with saver, store and leases in it."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from contextlib import closing

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from paper_search.errors import PersistenceError, ThreadTakenOverError
from paper_search.persistence import open_persistence
from paper_search.persistence.leases import Leases
from paper_search.persistence.serialization import serializer
from paper_search.persistence.sqlite_files import PAGE_SIZE
from paper_search.persistence.tables import SqliteDatabase


def _pragma(path, name):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


async def test_the_file_is_complete_before_it_has_its_name(path):
    """PER-12: whoever finds it finds all tables."""
    async with open_persistence(f"sqlite:///{path}"):
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = {name for (name,) in rows}
    assert tables >= {"checkpoints", "writes", "store", "store_migrations", "paper_search_leases"}
    assert _pragma(path, "journal_mode") == "wal"
    assert _pragma(path, "page_size") == PAGE_SIZE


@pytest.mark.parametrize("error", [None, OSError("inside")])
async def test_closing_leaves_one_file_and_no_task(path, tmp_path, error):
    before = asyncio.all_tasks()
    with pytest.raises(OSError, match="inside") if error else contextlib.nullcontext():
        async with open_persistence(f"sqlite:///{path}") as persistence:
            await persistence.store.aput(("n",), "k", {"v": 1})
            if error:
                raise error
    assert asyncio.all_tasks() == before
    assert list(tmp_path.iterdir()) == [path]


async def test_closing_waits_for_work_and_holds_up_nobody(path):
    is_free, passed = threading.Event(), asyncio.Event()
    database = SqliteDatabase(path)
    at_work = asyncio.create_task(database(lambda _: is_free.wait(5)))
    await asyncio.sleep(0)
    closing_it = asyncio.create_task(database.aclose())
    asyncio.get_running_loop().call_later(0.05, passed.set)
    await passed.wait()
    assert not closing_it.done()
    is_free.set()
    await closing_it
    assert at_work.done()


async def test_in_memory_work_is_done_at_once_and_by_one_caller_at_a_time():
    database = SqliteDatabase()
    assert await database(lambda _: threading.get_ident()) == threading.get_ident()
    await database.change("CREATE TABLE numbers (number INTEGER)")

    def add(connection):
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(0.01)
        connection.execute("INSERT INTO numbers SELECT COUNT(*) FROM numbers")
        connection.commit()

    await asyncio.gather(*[asyncio.to_thread(database.wait_for, add) for _ in range(9)])
    assert await database.rows("SELECT COUNT(DISTINCT number) FROM numbers") == [(9,)]


@pytest.mark.parametrize("place", ["sqlite", "postgres"])
async def test_who_uses_it_after_its_end_is_told_so(place, path, request):
    server = request.getfixturevalue("postgres_url") if place == "postgres" else None
    async with open_persistence(server or f"sqlite:///{path}") as persistence:
        pass
    with pytest.raises(PersistenceError, match=r"closed[:;] .*open it again"):
        await persistence.ledger.entries("t")
    with pytest.raises(PersistenceError, match=r"closed[:;] .*open it again"):
        await persistence.store.aget(("n",), "k")


async def test_work_that_fails_leaves_no_transaction_open(path):
    def fail(connection):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE half (it)")
        raise OSError("inside")

    database = SqliteDatabase(path)
    with pytest.raises(OSError, match="inside"):
        await database(fail)
    assert await database.rows("SELECT name FROM sqlite_master WHERE name = 'half'") == []
    with closing(sqlite3.connect(path, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")  # the file is not locked


async def test_leases_on_a_broken_file_name_it(path):
    """PER-09."""
    path.write_bytes(b"no database" * 100)
    with pytest.raises(PersistenceError, match=r"threads\.db"):
        await Leases(SqliteDatabase(path)).holder("t")


@pytest.mark.parametrize(
    "value", [None, True, 1, -1.5, "ü", [1, [2]], {"a": {"b": []}}, 2**63, "\ud800"]
)
def test_json_values_survive_the_serializer(value):
    serde = serializer()
    again = serde.loads_typed(serde.dumps_typed(value))
    assert again == (value if value != "\ud800" else "?")


async def test_the_result_of_a_step_is_stored_together_with_the_state_after_it(path):
    """PER-03: a kill leaves both or neither."""
    async with open_persistence(f"sqlite:///{path}") as persistence, persistence.leases.hold("t"):
        saver, place = persistence.checkpointer, {"thread_id": "t", "checkpoint_ns": ""}
        first = await saver.aput({"configurable": place}, empty_checkpoint(), {"step": 0}, {})
        for writes, stored in (
            ([("a", 1)], []),
            ([("b", 2), ("__error__", "x")], ["a", "b", "__error__"]),
        ):
            await saver.aput_writes(first, writes, f"task {writes}")
            written = (await saver.aget_tuple(first)).pending_writes
            assert sorted(name for _, name, _ in written) == sorted(stored)
        await saver.aput_writes(first, [("c", 3)], "last")
        await saver.aput(first, empty_checkpoint(), {"step": 1}, {})
        assert ("last", "c", 3) in (await saver.aget_tuple(first)).pending_writes


async def test_who_lost_the_lease_writes_no_record_and_no_state(path):
    place = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    async with open_persistence(f"sqlite:///{path}") as here:
        async with here.leases.hold("t"):
            await here.store.aput(("t",), "before", {"n": 1})
            with closing(sqlite3.connect(path)) as another, another:
                another.execute("UPDATE paper_search_leases SET owner = 'another'")
            with pytest.raises(ThreadTakenOverError):
                await here.store.aput(("t",), "after", {"n": 2})
            with pytest.raises(ThreadTakenOverError):
                await here.checkpointer.aput(place, empty_checkpoint(), {}, {})
            assert [item.key for item in await here.store.asearch(("t",))] == ["before"]
        assert await here.checkpointer.aget_tuple(place) is None
