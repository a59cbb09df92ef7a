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
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

from paper_search.models import RawPaper, SearchStrategy
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.state import SCHEMA_VERSION as REPORT_VERSION
from paper_search.testing import reports
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.state import SCHEMA_VERSION

Flow = SearchWorkflow | ReportWorkflow
Answer = str | dict[str, Any]

HERE = Path(__file__).parent
PERSON = "golden"
QUESTION = "What is known about golden threads?"


class FailingScores(FakeSkills):
    """Skills of which one cannot go on."""

    async def score(self, papers: list[RawPaper], intent: Any) -> Any:
        raise RuntimeError(f"the judge of {intent.topic!r} is out, {len(papers)} wait")


MARKS = {"action": "edit", "revised_data": {"marked_relevant": ["always"]}}
SHORTER = {"action": "modify", "feedback": "Shorter."}
POINTS: dict[str, list[Answer]] = {
    "strategy": [],
    "result": ["approve"],
    "second-round": ["approve", MARKS],
    "done": ["approve", "approve"],
    "failed": ["approve"],
}
REPORT_POINTS: dict[str, list[Answer]] = {
    "plan": [],
    "draft": ["approve"],
    "revised": ["approve", SHORTER],
    "done": ["approve", "approve"],
    "failed": ["approve"],
}
"""The answers that bring a thread to each point; the one called so fails at its answer."""


def search(url: str, *, is_failing: bool) -> SearchWorkflow:
    skills = FailingScores(records) if is_failing else FakeSkills(records)
    return SearchWorkflow(*[skills] * 6, persistence=url)


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


def report(url: str, *, is_failing: bool) -> ReportWorkflow:
    services = reports.report_services(search=FailingSearch() if is_failing else None)
    asks = {"hitl_after_planning": True, "hitl_before_output": True}
    return ReportWorkflow(services, persistence=url, target_length=1000, **asks)


async def lead(workflow: Flow, question: str, thread: str, answers: Sequence[Answer]) -> None:
    await workflow.start(question, thread_id=thread)
    for answer in answers:
        await workflow.answer(thread, answer, by=PERSON)


def main(name: str) -> None:
    make(HERE / name, search, QUESTION, POINTS, SCHEMA_VERSION)
    make(HERE / name / "reports", report, reports.QUESTION, REPORT_POINTS, REPORT_VERSION)


def make(
    folder: Path,
    flow: Callable[..., Flow],
    question: str,
    points: Mapping[str, Sequence[Answer]],
    version: int,
) -> None:
    folder.mkdir()
    for point, answers in points.items():
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "threads.db"
            workflow = flow(f"sqlite:///{path}", is_failing=point == "failed")
            fails = pytest.raises(RuntimeError) if point == "failed" else nullcontext()
            with fails:
                asyncio.run(lead(workflow, question, point, answers))
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (folder / f"{point}.db.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    about = {"schema_version": version}
    (folder / "about.json").write_text(json.dumps(about) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
