"""Many threads, many processes, one place."""

import asyncio

import pytest
from tests.conftest import run_sql
from tests.preforked import workers
from tests.work import counted
from tests.workflow.doubles import workflow

from paper_search.persistence import open_persistence
from paper_search.workflow import ThreadCatalog, ThreadStatus

THREADS = 50


async def begin_and_approve(url: str, name: str, count: int) -> None:
    async with open_persistence(url) as place:
        flow = workflow(persistence=place)
        names = [f"{name}-{i}" for i in range(count)]
        await asyncio.gather(*(flow.start("q", thread_id=name) for name in names))
        await asyncio.gather(*(flow.answer(name, "approve") for name in names))


def work(url: str, name: str, count: int) -> None:
    """Move threads in one process of many (`preforked`)."""
    asyncio.run(begin_and_approve(url, name, count))


@pytest.mark.slow
def test_four_processes_with_fifty_threads_each_share_one_file(url):
    """LOAD-01 LOAD-02: nobody hears of a lock, no thread is lost, each waits where it should."""
    workers().work_at_once(__name__, *([url, f"p{i}", THREADS] for i in range(4)))
    infos = asyncio.run(listed(url, limit=1000))
    assert {info.thread_id for info in infos} == {
        f"p{i}-{k}" for i in range(4) for k in range(THREADS)
    }
    assert {(info.status, info.checkpoint) for info in infos} == {
        (ThreadStatus.WAITING, "result_review")
    }
    assert run_sql(url, "PRAGMA integrity_check") == [("ok",)]
    decisions = "SELECT COUNT(*), COUNT(DISTINCT thread_id) FROM paper_search_decisions"
    assert run_sql(url, decisions) == [(4 * THREADS, 4 * THREADS)]


async def listed(url, *, limit):
    async with open_persistence(url) as persistence:
        return await ThreadCatalog(persistence).threads(limit=limit)


MANY = {
    "sqlite": (
        "WITH RECURSIVE n(i) AS (SELECT {0} UNION ALL SELECT i + 1 FROM n WHERE i < {1})",
        "json_object('updated_at', printf('2020-01-01T00:00:%06d', i))",
    ),
    "postgres": (
        "WITH n AS (SELECT generate_series({0}, {1}) AS i)",
        "jsonb_build_object('updated_at', '2020-01-01T00:00:' || lpad(i::text, 6, '0'))",
    ),
}
COPIED = {
    "sqlite": {
        "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, "
        "metadata",
        "writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value",
    },
    "postgres": {
        "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, "
        "metadata",
        "checkpoint_blobs": "checkpoint_ns, channel, version, type, blob",
        "checkpoint_writes": "checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, "
        "task_path",
    },
}


def multiply(url: str, first: int, last: int) -> None:
    """Copy the thread `t` to threads of these numbers, without what has its name in it."""
    kind = "sqlite" if url.startswith("sqlite") else "postgres"
    numbers, value = MANY[kind]
    numbers = numbers.format(first, last)
    for table, columns in COPIED[kind].items():
        run_sql(
            url,
            f"{numbers} INSERT INTO {table} (thread_id, {columns}) "  # noqa: S608  # constants
            f"SELECT 'n' || i, {columns} FROM {table}, n WHERE thread_id = 't'",
        )
    run_sql(
        url,
        f"{numbers} INSERT INTO store (prefix, key, value) "  # noqa: S608  # constants
        f"SELECT prefix, 'n' || i, {value} FROM store, n "
        "WHERE prefix = 'paper_search.threads' AND key = 't'",
    )


@pytest.mark.slow
async def test_a_page_of_ten_thousand_threads_takes_the_work_of_one_of_two_hundred(durable_url):
    """LOAD-07: the first page, and one from the middle."""
    await workflow(persistence=durable_url).start("q", thread_id="t")
    await asyncio.to_thread(multiply, durable_url, 1, 199)
    async with open_persistence(durable_url) as persistence:
        catalog = ThreadCatalog(persistence)
        with counted() as few:
            assert len(await catalog.threads(limit=100)) == 100
        await asyncio.to_thread(multiply, durable_url, 200, 9999)
        for offset, first in ((0, "t"), (5000, "n5000")):
            with counted() as many:
                page = await catalog.threads(limit=100, offset=offset)
            assert many.lines < 2 * few.lines
            assert len(page) == 100
            assert page[0].thread_id == first
            assert {part.status for part in page} == {ThreadStatus.WAITING}
        assert await catalog.threads(limit=100, offset=10_000) == []
