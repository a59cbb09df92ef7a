"""Makes the database of the present state version, at every point at which a thread can stand.

Usage: python tests/golden/make.py NAME. A folder tests/golden/NAME is made, never changed: old
threads have to be read by new code. Make one before a release that changes what threads hold.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from paper_search.models import RawPaper, SearchStrategy
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.state import SCHEMA_VERSION

HERE = Path(__file__).parent
QUESTION = "What is known about golden threads?"


class FailingScores(FakeSkills):
    """Skills of which one cannot go on."""

    async def score(self, papers: list[RawPaper], intent: Any) -> Any:
        raise RuntimeError(f"the judge of {intent.topic!r} is out, {len(papers)} wait")


async def strategy(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="strategy")


async def result(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="result")
    await flow(url).answer("result", "approve")


async def second_round(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="second-round")
    await flow(url).answer("second-round", "approve")
    marks = {"marked_relevant": ["always"]}
    await flow(url).answer("second-round", {"action": "edit", "revised_data": marks})


async def done(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="done")
    await flow(url).answer("done", "approve")
    await flow(url).answer("done", "approve")


async def failed(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="failed")
    try:
        await flow(url, FailingScores()).answer("failed", "approve")
    except RuntimeError:
        return
    raise AssertionError("the thread did not fail")


def flow(url: str, skills: FakeSkills | None = None) -> SearchWorkflow:
    return SearchWorkflow(*[skills or FakeSkills(records)] * 6, persistence=url)


def records(strategy: SearchStrategy) -> list[RawPaper]:
    """Return what every strategy finds, and what only this one does."""
    query = strategy.queries[0].boolean_query
    return [
        RawPaper(id="always", title="Found every time", source="fake", year=2020),
        RawPaper(id=f"only-{query}", title=f"Found by {query}", source="fake", year=2021),
    ]


POINTS = (strategy, result, second_round, done, failed)


def main(name: str) -> None:
    folder = HERE / name
    folder.mkdir()
    with tempfile.TemporaryDirectory() as directory:
        for point in POINTS:
            path = Path(directory) / "threads.db"
            asyncio.run(point(f"sqlite:///{path}"))
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            thread = point.__name__.replace("_", "-")
            (folder / f"{thread}.db.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            path.unlink()
    about = {"schema_version": SCHEMA_VERSION}
    (folder / "about.json").write_text(json.dumps(about) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
