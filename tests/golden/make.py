"""Makes the database of the present state version, at every point at which a thread can stand.

Usage: python tests/golden/make.py NAME. A folder tests/golden/NAME is made, never changed: old
threads have to be read by new code. Make one before a release that changes what threads hold.
"""

import asyncio
import gzip
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from paper_search.models import RawPaper, SearchStrategy
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.state import SCHEMA_VERSION as REPORT_VERSION
from paper_search.testing import reports
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.state import SCHEMA_VERSION

Point = Callable[[str], Coroutine[Any, Any, None]]

HERE = Path(__file__).parent
PERSON = "golden"
QUESTION = "What is known about golden threads?"


class FailingScores(FakeSkills):
    """Skills of which one cannot go on."""

    async def score(self, papers: list[RawPaper], intent: Any) -> Any:
        raise RuntimeError(f"the judge of {intent.topic!r} is out, {len(papers)} wait")


async def strategy(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="strategy")


async def result(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="result")
    await flow(url).answer("result", "approve", by=PERSON)


async def second_round(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="second-round")
    await flow(url).answer("second-round", "approve", by=PERSON)
    marks = {"marked_relevant": ["always"]}
    await flow(url).answer("second-round", {"action": "edit", "revised_data": marks}, by=PERSON)


async def done(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="done")
    await flow(url).answer("done", "approve", by=PERSON)
    await flow(url).answer("done", "approve", by=PERSON)


async def failed(url: str) -> None:
    await flow(url).start(QUESTION, thread_id="failed")
    try:
        await flow(url, FailingScores()).answer("failed", "approve", by=PERSON)
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


class FailingSearch(reports.FakeSearch):
    """A search of sources that cannot go on."""

    async def find(self, *_given: object) -> Any:
        raise RuntimeError("the search is out")


async def report_plan(url: str) -> None:
    await report(url).start(reports.QUESTION, thread_id="plan")


async def report_draft(url: str) -> None:
    await report(url).start(reports.QUESTION, thread_id="draft")
    await report(url).answer("draft", "approve", by=PERSON)


async def report_revised(url: str) -> None:
    await report(url).start(reports.QUESTION, thread_id="revised")
    await report(url).answer("revised", "approve", by=PERSON)
    await report(url).answer("revised", {"action": "modify", "feedback": "Shorter."}, by=PERSON)


async def report_done(url: str) -> None:
    await report(url).start(reports.QUESTION, thread_id="done")
    await report(url).answer("done", "approve", by=PERSON)
    await report(url).answer("done", "approve", by=PERSON)


async def report_failed(url: str) -> None:
    await report(url).start(reports.QUESTION, thread_id="failed")
    try:
        await report(url, FailingSearch()).answer("failed", "approve", by=PERSON)
    except RuntimeError:
        return
    raise AssertionError("the report did not fail")


def report(url: str, search: reports.FakeSearch | None = None) -> ReportWorkflow:
    services = reports.report_services(search=search)
    asks = {"hitl_after_planning": True, "hitl_before_output": True}
    return ReportWorkflow(services, persistence=url, target_length=1000, **asks)


POINTS = (strategy, result, second_round, done, failed)
REPORT_POINTS = (report_plan, report_draft, report_revised, report_done, report_failed)


def main(name: str) -> None:
    make(HERE / name, POINTS, SCHEMA_VERSION)
    make(HERE / name / "reports", REPORT_POINTS, REPORT_VERSION)


def make(folder: Path, points: Sequence[Point], version: int) -> None:
    folder.mkdir()
    with tempfile.TemporaryDirectory() as directory:
        for point in points:
            path = Path(directory) / "threads.db"
            asyncio.run(point(f"sqlite:///{path}"))
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            thread = point.__name__.removeprefix("report_").replace("_", "-")
            (folder / f"{thread}.db.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            path.unlink()
    about = {"schema_version": version}
    (folder / "about.json").write_text(json.dumps(about) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
