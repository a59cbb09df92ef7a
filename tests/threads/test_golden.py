"""Searches and reports as a version left them are listed, shown and taken to their end."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search.models import PaperCollection
from paper_search.persistence import open_persistence
from paper_search.report.document import Report
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.testing.reports import QUESTION, report_services
from paper_search.workflow import ThreadStatus

DATABASES = sorted((Path(__file__).parents[1] / "golden").rglob("*.db.gz"))
FOLDERS = {path.parent for path in DATABASES}
ENDED = (ThreadStatus.DONE, None), (ThreadStatus.FAILED, None)
SEARCHES = {
    "strategy": (ThreadStatus.WAITING, "strategy_confirmation"),
    "result": (ThreadStatus.WAITING, "result_review"),
    "second-round": (ThreadStatus.WAITING, "strategy_confirmation"),
    **dict(zip(("done", "failed"), ENDED, strict=True)),
}
REPORTS = {
    "plan": (ThreadStatus.WAITING, "plan_review"),
    "draft": (ThreadStatus.WAITING, "pre_output_review"),
    "revised": (ThreadStatus.WAITING, "pre_output_review"),
    **dict(zip(("done", "failed"), ENDED, strict=True)),
}
LAST_QUESTIONS = ("result_review", "pre_output_review")


def is_report(folder: Path) -> bool:
    return folder.name == "reports"


def name_of(path: Path) -> str:
    return path.name.removesuffix(".db.gz")


def test_every_version_left_a_search_and_a_report_at_every_point():
    assert len(FOLDERS) == 2 * sum(map(is_report, FOLDERS)) > 0
    for folder in FOLDERS:
        points = REPORTS if is_report(folder) else SEARCHES
        assert set(map(name_of, folder.glob("*.db.gz"))) == set(points)


@pytest.fixture(params=DATABASES, ids=lambda path: f"{path.parent.name}-{name_of(path)}")
def golden(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def url(golden: Path, tmp_path: Path) -> str:
    """Of a copy of an old database."""
    path = tmp_path / "threads.db"
    path.write_bytes(gzip.decompress(golden.read_bytes()))
    return f"sqlite:///{path}"


async def test_an_old_thread_is_listed_and_shown(golden, url):
    """PER-14."""
    thread = name_of(golden)
    async with open_persistence(url) as persistence:
        every = ThreadCatalogs(persistence)
        [listed] = await every.threads()
        catalog: Any = await every.catalog_of(thread)
        shown = await catalog.show(thread)
    assert listed.thread_id == thread
    if is_report(golden.parent):
        assert (listed.status, listed.waits_for) == REPORTS[thread]
        assert shown.question == QUESTION
        assert shown.research_plan is not None
    else:
        assert (listed.status, listed.checkpoint) == SEARCHES[thread]
        assert shown.question == "What is known about golden threads?"


async def test_an_old_thread_is_taken_to_its_end(golden, url):
    """PER-14 PER-15: nothing that was decided is asked again, nothing collected is lost."""
    thread, is_of_report = name_of(golden), is_report(golden.parent)
    flow: Any = (
        ReportWorkflow(report_services(), persistence=url)
        if is_of_report
        else workflow(persistence=url)
    )
    if thread == "failed":
        assert (await flow.proceed(thread)).kind in LAST_QUESTIONS
    while thread != "done":
        reached = await reply_to(flow, thread, "approve")
        if isinstance(reached, PaperCollection | Report):
            break
        assert thread in {"strategy", "second-round", "plan"}
        assert reached.kind in LAST_QUESTIONS
    async with open_persistence(url) as persistence:
        catalog: Any = await ThreadCatalogs(persistence).catalog_of(thread)
        shown = await catalog.show(thread)
    assert shown.status is ThreadStatus.DONE
    if is_of_report:
        assert shown.report.provenance["ended_by"] == "approved"
        return
    last = "round_1" if thread == "second-round" else "round_0"
    assert {paper.id for paper in shown.collection.papers} >= {"always", f"only-{last}"}
    assert shown.collection.metadata.query == shown.question
