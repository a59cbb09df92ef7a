"""What breaks under a thread: the disk, the file, the lock; each is named, with what to do."""

import asyncio
import contextlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.answers import reply_to
from tests.conftest import run_sql
from tests.workflow.doubles import at_result, mark_last, workflow

from paper_search.errors import (
    InputError,
    PaperSearchError,
    PersistenceError,
    ThreadBusyError,
    ThreadFinishedError,
    ThreadNotFoundError,
)
from paper_search.models import RawPaper, SearchStrategy
from paper_search.persistence import open_persistence, postgres, sqlite_files
from paper_search.persistence.backups import back_up, restore
from paper_search.testing.skills import FakeSkills, ScriptedHandler, two_papers
from paper_search.workflow import CheckpointKind, ThreadCatalog

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("point", ["confirm_strategy", "search", "review_results"])
async def test_a_disk_that_is_full_at_any_step_is_named_and_nothing_is_lost(point, url):
    """PER-07: at the first question, in the search, at the second question."""
    skills = FakeSkills()
    flow = workflow(skills, persistence=url)
    await flow.start("q", thread_id="t")
    if point == "review_results":
        await reply_to(flow, "t", "approve")

    async def on_a_full_disk() -> None:
        async with open_persistence(url) as persistence:
            if point == "search":
                inner = skills.search

                async def filling(strategy: Any) -> Any:
                    await fill(persistence)
                    return await inner(strategy)

                skills.search = filling
            else:
                await fill(persistence)
            await reply_to(workflow(skills, persistence=persistence), "t", "approve")

    with pytest.raises(PersistenceError, match=r"threads\.db.*full; free space on the disk"):
        await on_a_full_disk()
    assert run_sql(url, "PRAGMA integrity_check") == [("ok",)]
    flow = workflow(handler=ScriptedHandler(otherwise="approve"), persistence=url)
    try:
        found = await flow.resume("t")
    except ThreadFinishedError:  # the last page that was free took the end of the search
        found = await finished(url)
    assert found == await workflow().run("q")


async def finished(url: str) -> Any:
    async with open_persistence(url) as persistence:
        return (await ThreadCatalog(persistence).show("t")).collection


async def fill(persistence: Any) -> None:
    """Let no connection of this persistence write another page."""
    await persistence.checkpointer._database.change("PRAGMA max_page_count = 1")


LIMITED = """
import asyncio, resource, signal, sys
from pathlib import Path
from paper_search.errors import PersistenceError
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow

path = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 40_000,) * 2)
flow = SearchWorkflow(*[FakeSkills()] * 6, persistence=f"sqlite:///{path}")
try:
    for i in range(100):
        asyncio.run(flow.start("q", thread_id=f"n{i}"))
except PersistenceError as error:
    print(error)
"""


def test_a_file_that_may_not_grow_is_named_and_stays_whole(path, url):
    """PER-07: the operating system refuses, at whatever write it happens to be."""
    asyncio.run(workflow(persistence=url).start("q", thread_id="t"))
    said = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", LIMITED, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    ).stdout
    assert "threads.db" in said
    assert "free space" in said
    assert run_sql(url, "PRAGMA integrity_check") == [("ok",)]
    assert asyncio.run(workflow(persistence=url).pending("t")) is not None


@contextlib.contextmanager
def locked(path: Path) -> Any:
    """Let another program hold the write lock."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")


async def test_a_lock_of_three_seconds_is_waited_for(path, url):
    """PER-11."""
    await workflow(persistence=url).start("q", thread_id="t")
    with locked(path):
        answering = asyncio.create_task(reply_to(workflow(persistence=url), "t", "approve"))
        await asyncio.sleep(3)
        assert not answering.done()
    assert (await answering).kind is CheckpointKind.RESULT_REVIEW


async def test_who_reads_does_not_wait_with_who_waits_for_a_lock(path, url):
    """PER-11."""
    async with open_persistence(url) as persistence:
        await workflow(persistence=persistence).start("q", thread_id="t")
        catalog, store = ThreadCatalog(persistence), persistence.store
        with locked(path):
            answering = asyncio.create_task(
                reply_to(workflow(persistence=persistence), "t", "approve")
            )
            await asyncio.sleep(0.5)
            assert [thread.thread_id for thread in await catalog.threads()] == ["t"]
            assert (await catalog.show("t")).thread_id == "t"
            assert await store.asearch(("paper_search",)) == store.search(("paper_search",))
            assert not answering.done()
        assert (await answering).kind is CheckpointKind.RESULT_REVIEW


async def test_a_lock_held_for_too_long_is_named_and_the_thread_goes_on(path, url, monkeypatch):
    """PER-11: longer than the program waits, here 0.5 of 30 seconds."""
    await workflow(persistence=url).start("q", thread_id="t")
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_files, "BUSY_TIMEOUT_S", 0.5)
        with locked(path), pytest.raises(PersistenceError, match=r"threads\.db.*locked.*close"):
            await reply_to(workflow(persistence=url), "t", "approve")
    assert (await reply_to(workflow(persistence=url), "t", "approve")).iteration == 0


def test_the_program_waits_longer_than_20_seconds_for_a_lock():
    """PER-11."""
    assert sqlite_files.BUSY_TIMEOUT_S >= 30


async def test_a_truncated_state_is_named_and_other_threads_go_on(url):
    """PER-09: a blob that is cut off."""
    for name in ("broken", "whole"):
        await workflow(persistence=url).start("q", thread_id=name)
    cut = "UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, 40) WHERE thread_id = 'broken'"
    run_sql(url, cut)
    with pytest.raises(PersistenceError, match=r"damaged.*restore a backup"):
        await workflow(persistence=url).pending("broken")
    async with open_persistence(url) as persistence:
        listed = {thread.thread_id: thread for thread in await ThreadCatalog(persistence).threads()}
        assert "damaged" in listed["broken"].error
        await ThreadCatalog(persistence).delete("broken")
        assert await ThreadCatalog(persistence).names() == ["whole"]
    assert await workflow(persistence=url).pending("whole") is not None


# --- backups --------------------------------------------------------------------------------------


async def test_a_backup_of_a_database_in_use_has_all_that_was_stored(path, url, tmp_path):
    """PER-10: what a copy of the file alone has not, since it is in the write-ahead log."""
    copy, plain = tmp_path / "backup.db", tmp_path / "plain.db"
    async with open_persistence(url) as persistence:
        flow = workflow(persistence=persistence)
        review = await at_result(flow)
        assert back_up(path, copy) == copy.stat().st_size
        assert copy.read_bytes()[18:20] == b"\1\1", "no read-only place reads a write-ahead log"
        shutil.copy(path, plain)  # nothing runs beside
        await reply_to(flow, "t", mark_last(review))
    assert await workflow(persistence=f"sqlite:///{copy}").pending("t") == review
    with pytest.raises(ThreadNotFoundError):  # the copy without the log has the tables alone
        await workflow(persistence=f"sqlite:///{plain}").pending("t")


async def test_restoring_puts_the_threads_back_as_they_were(path, url, tmp_path):
    """PER-10."""
    copy = tmp_path / "backup.db"
    asked = await workflow(persistence=url).start("q", thread_id="t")
    back_up(path, copy)
    await reply_to(workflow(persistence=url), "t", "approve")
    with pytest.raises(InputError, match=r"has 1 threads.*--force"):
        restore(copy, path)
    restore(copy, path, is_overwriting=True)
    assert await workflow(persistence=url).pending("t") == asked
    path.unlink()
    restore(copy, path)
    assert await workflow(persistence=url).pending("t") == asked
    assert run_sql(url, "PRAGMA integrity_check") == [("ok",)]


async def test_nothing_is_restored_under_a_thread_that_is_driven(path, url, tmp_path):
    """PER-10 PER-13."""
    copy = tmp_path / "backup.db"
    async with open_persistence(url) as persistence:
        await workflow(persistence=persistence).start("q", thread_id="t")
        back_up(path, copy)
        async with persistence.leases.hold("t"):
            with pytest.raises(ThreadBusyError):
                restore(copy, path, is_overwriting=True)


def test_a_backup_that_is_none_is_refused(path, url, tmp_path):
    """PER-09: and what is there stays as it is."""
    asyncio.run(workflow(persistence=url).start("q", thread_id="t"))
    for name, data in {"notes.txt": b"notes" * 99, "half.db": path.read_bytes()[:30_000]}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises((InputError, PersistenceError), match=name.replace(".", r"\.")):
            restore(tmp_path / name, path, is_overwriting=True)
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE cookies (x)")
    with pytest.raises(InputError, match="another program"):
        restore(tmp_path / "other.db", path, is_overwriting=True)
    with pytest.raises(InputError, match="no backup"):
        restore(tmp_path / "missing.db", path)
    assert asyncio.run(workflow(persistence=url).pending("t")) is not None


def test_a_backup_overwrites_nothing_unasked(path, url, tmp_path):
    """SEC-12."""
    asyncio.run(workflow(persistence=url).start("q", thread_id="t"))
    target = tmp_path / "precious"
    target.write_text("precious")
    with pytest.raises(InputError, match="exists"):
        back_up(path, target)
    assert target.read_text() == "precious"
    back_up(path, target, is_overwriting=True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["precious", "threads.db"]
    with pytest.raises(PersistenceError, match="no threads"):
        back_up(tmp_path / "nowhere.db", tmp_path / "new.db")
    path.write_bytes(b"no database" * 100)
    with pytest.raises(PersistenceError, match=r"^the database of threads '[^']*threads\.db'"):
        back_up(path, tmp_path / "new.db")


# --- PostgreSQL -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@/threads?host=/nowhere",
        "postgresql://me:s3cret@127.0.0.1:1/threads",
        "postgresql://127.0.0.1:1/threads?user=me&password=s3cret&sslpassword=s3cret2",
        "postgresql://me:s3cret@[bad/threads",
        "postgresql://me:s3%cret@127.0.0.1:1/threads",
        "postgresql://me:s3 cret@127.0.0.1:1/threads",
        "postgresql://me:a@s3cret@127.0.0.1:1/threads",
        "postgresql://me:s3cret/b@127.0.0.1:1/threads",
        "postgresql:/me:s3cret@127.0.0.1:1/threads",
        "host=127.0.0.1 port=1 user=me password=s3cret",
        "password=s3cret host=a:b",
    ],
)
async def test_a_database_that_cannot_be_reached_is_named_without_its_password(url):
    """PER-25 PER-18: nor is a part of it shown that the URL does not mark as one."""
    with pytest.raises(PaperSearchError, match="DATABASE_URL") as caught:
        async with open_persistence(url):
            pass
    assert not re.search("s3|cret", f"{caught.value!r} {caught.value.__cause__!r}")


async def test_a_database_that_stops_is_named_and_is_back_when_it_is_back(
    postgres_url, monkeypatch
):
    """PER-25: for a server that lives long, whose outage is longer than it waits."""
    monkeypatch.setattr(postgres, "POOL_TIMEOUT_S", 1.0)
    name = conninfo_to_dict(postgres_url)["dbname"]
    elsewhere = postgres_url.replace(f"/{name}?", "/postgres?")
    async with open_persistence(postgres_url) as persistence:
        await workflow(persistence=persistence).start("q", thread_id="t")
        run_sql(elsewhere, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        run_sql(
            elsewhere,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?",
            name,
        )
        for _ in range(3):
            for call in (
                persistence.leases.renew("t", "owner"),
                persistence.store.asearch(()),
                ThreadCatalog(persistence).threads(),
            ):
                with pytest.raises(PersistenceError, match=f"dbname={name}.*DATABASE_URL"):
                    await call
        run_sql(elsewhere, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert [thread.thread_id for thread in await ThreadCatalog(persistence).threads()] == ["t"]


@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        ("ALTER DATABASE {name} SET default_transaction_read_only = on", "writable"),
        ("ALTER DATABASE {name} SET role = pg_monitor", "the right to write"),
        ("CREATE TABLE checkpoints (customer text)", "without tables of another program"),
    ],
)
async def test_a_database_that_is_not_for_our_tables_is_told_with_what_to_do(
    postgres_url, statement, advice
):
    """PER-08."""
    run_sql(postgres_url, statement.format(name=conninfo_to_dict(postgres_url)["dbname"]))
    with pytest.raises(PersistenceError, match=f"{advice}.*, then resume"):
        await workflow(persistence=postgres_url).start("q", thread_id="t")


async def test_a_connection_that_is_cut_fails_the_run_and_the_thread_goes_on(postgres_url):
    """PER-25: the server ends all connections in the middle of the search."""

    def cutting(strategy: SearchStrategy) -> list[RawPaper]:
        run_sql(
            postgres_url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        return two_papers(strategy)

    skills = FakeSkills(cutting)
    await workflow(skills, persistence=postgres_url).start("q", thread_id="t")
    flow = workflow(handler=ScriptedHandler(otherwise="approve"), persistence=postgres_url)
    with contextlib.suppress(PersistenceError):  # the pool may have noticed in time
        await reply_to(workflow(skills, persistence=postgres_url), "t", "approve")
    assert await flow.resume("t") == await workflow().run("q")


async def test_processes_may_make_the_tables_at_once(postgres_url):
    """PER-12."""

    async def begin(name: str) -> Any:
        return await workflow(persistence=postgres_url).start("q", thread_id=name)

    begun = await asyncio.gather(*(begin(f"t{i}") for i in range(6)))
    assert len(begun) == 6
    assert run_sql(postgres_url, "SELECT COUNT(DISTINCT thread_id) FROM checkpoints") == [(6,)]


async def test_text_that_no_database_takes_is_cleaned(durable_url):
    """API-20: NUL and half characters in what a source gave."""
    dirty = RawPaper(id="p", title="a\x00b\ud800c", source="fake")
    flow = workflow(FakeSkills(lambda _strategy: [dirty]), persistence=durable_url)
    await flow.start("q\x00q", thread_id="t")
    review = await reply_to(flow, "t", "approve")
    assert {paper.title for paper in review.payload.collection.papers} == {"a\ufffdb\ufffdc"}


async def test_a_process_suspended_in_a_write_blocks_no_other__per_13(postgres_url, monkeypatch):
    monkeypatch.setattr(postgres, "IDLE_S", 1.0)
    async with (
        postgres.open_database(postgres_url, None) as suspended,
        postgres.open_database(postgres_url, None) as awake,
    ):
        await awake.leases.take("t", "elsewhere:1:suspended", -1.0)
        async with suspended.checkpointer._pool.connection() as connection:
            await connection.execute("BEGIN")
            await connection.execute(
                "SELECT owner FROM paper_search_leases WHERE thread_id = 't' FOR SHARE"
            )
            async with asyncio.timeout(30):
                assert (await awake.leases.take("t", "awake")).owner == "awake"
            with pytest.raises(psycopg.Error, match="idle-in-transaction"):
                await connection.execute("COMMIT")


WRITES_MUCH = """
import asyncio, sys
from paper_search.persistence import postgres
postgres.IDLE_S = 1.0

async def main():
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}}
    writes = [(f"channel {number}", "word " * 100) for number in range(50_000)]
    async with postgres.open_database(sys.argv[1], None) as database:
        await database.checkpointer.aput_writes(config, writes, "task")

asyncio.run(main())
"""


def test_a_transaction_ends_whose_process_is_suspended_between_its_statements__per_13(postgres_url):
    """In a pipeline of statements PostgreSQL would wait for the next one for ever."""
    open_transactions = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND query LIKE '%INTO checkpoint_writes%' AND xact_start IS NOT NULL"
        " AND pid <> pg_backend_pid()"
    )

    def wait_for(count: int) -> None:
        deadline = time.monotonic() + 60
        while run_sql(postgres_url, open_transactions) != [(count,)]:
            assert time.monotonic() < deadline

    command = [sys.executable, "-c", WRITES_MUCH, postgres_url]
    with subprocess.Popen(command, cwd=ROOT) as writer:  # noqa: S603  # our own program
        try:
            wait_for(1)
            writer.send_signal(signal.SIGSTOP)
            wait_for(0)
        finally:
            writer.kill()
