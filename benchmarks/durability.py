"""What durability costs: CPU per thread and place, a page of 10,000 threads, pruning, a backup.

Run `python -m benchmarks.durability`; PostgreSQL URLs as arguments are measured too.
CPU time of this process; the database server's own is not in it.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import sqlite3
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

from paper_search.persistence import open_persistence
from paper_search.persistence.backups import back_up
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.workflow import SearchWorkflow, ThreadCatalog
from paper_search.workflow.records import SearchRecords

THREADS = 40
LISTED = 10_000
NUMBERS = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {LISTED - 1})"  # noqa: S608  # a number


async def threads(place: Any, count: int) -> float:
    """Take threads through both questions to the end; return CPU milliseconds each."""
    flow = SearchWorkflow(
        *[FakeSkills()] * 6, ScriptedHandler(otherwise="approve"), persistence=place
    )
    await flow.run("warm up")
    begun = time.process_time()
    for _ in range(count):
        await flow.run("q", thread_id=uuid.uuid4().hex)
    return (time.process_time() - begun) / count * 1000


async def places(directory: Path, urls: list[str]) -> None:
    key = base64.b64encode(os.urandom(32)).decode()
    rows: list[tuple[str, str, list[str]]] = [("memory", "memory:", [])]
    rows += [
        ("SQLite", f"sqlite:///{directory}/plain.db", []),
        ("SQLite, encrypted", f"sqlite:///{directory}/sealed.db", [key]),
    ]
    for url in urls:
        rows += [("PostgreSQL", url, [])]
    print("| place | CPU ms a thread |\n|---|---|")
    for name, url, keys in rows:
        async with open_persistence(url, keys=keys) as place:
            print(f"| {name} | {await threads(place, THREADS):.1f} |")


async def upkeep(directory: Path) -> None:
    path = directory / "many.db"
    async with open_persistence(f"sqlite:///{path}", keys=[]) as place:
        flow = SearchWorkflow(*[FakeSkills()] * 6, persistence=place)
        await flow.start("q", thread_id="t")
        await flow.answer("t", "approve")
        multiply(path)
        for number in range(1, LISTED):
            await SearchRecords(place.store, f"n{number}").index("q")
        catalog = ThreadCatalog(place)
        for limit, offset in ((100, 0), (100, LISTED // 2), (1000, 0), (LISTED, 0)):
            begun = time.process_time()
            await catalog.threads(limit=limit, offset=offset)
            spent = time.process_time() - begun
            print(f"{limit:,} of {LISTED:,} threads from {offset:,}: {spent * 1000:.0f} ms CPU")
        begun, before = time.process_time(), path.stat().st_size
        names = await catalog.names(limit=1000)
        for name in names:
            await catalog.prune(name)
        await place.compact()
        spent = time.process_time() - begun
        print(
            f"pruning {len(names):,} threads and compacting: {spent:.1f} s CPU, "
            f"{before / 1e6:.0f} to {path.stat().st_size / 1e6:.0f} MB"
        )
        begun = time.process_time()
        size = back_up(path, directory / "backup.db")
        print(f"backup of {size / 1e6:.0f} MB in use: {time.process_time() - begun:.2f} s CPU")


def multiply(path: Path) -> None:
    """Copy the one thread to many, without checksums, which have its name in them."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for table in ("checkpoints", "writes"):
            told = connection.execute(f"PRAGMA table_info({table})").fetchall()
            columns = ", ".join(name for _, name, *_ in told if name != "thread_id")
            connection.execute(
                f"{NUMBERS} INSERT INTO {table} (thread_id, {columns}) "  # noqa: S608  # constants
                f"SELECT 'n' || i, {columns.replace('checksum', 'NULL')} FROM {table}, n "
                "WHERE thread_id = 't'"
            )


async def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        await places(Path(name), sys.argv[1:])
        await upkeep(Path(name))


if __name__ == "__main__":
    asyncio.run(main())
