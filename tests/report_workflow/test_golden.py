"""Reports that earlier versions left behind are listed, shown and taken to their end."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.answers import reply_to

from paper_search.persistence import open_persistence
from paper_search.report.document import Report
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.session import ReportCatalog
from paper_search.testing.reports import QUESTION, report_services
from paper_search.workflow import ThreadStatus

GOLDEN = Path(__file__).parents[1] / "golden"
DATABASES = sorted(GOLDEN.glob("*/reports/*.db.gz"))
STATUS = {
    "plan": (ThreadStatus.WAITING, "plan_review"),
    "draft": (ThreadStatus.WAITING, "pre_output_review"),
    "revised": (ThreadStatus.WAITING, "pre_output_review"),
    "done": (ThreadStatus.DONE, None),
    "failed": (ThreadStatus.FAILED, None),
}


def named(path: Path) -> str:
    return f"{path.parents[1].name}-{path.name.removesuffix('.db.gz')}"


def test_every_version_left_a_report_at_every_point() -> None:
    versions = {path.parent for path in DATABASES}
    assert versions
    for version in versions:
        points = {path.name.removesuffix(".db.gz") for path in version.glob("*.db.gz")}
        assert points == set(STATUS)


@pytest.fixture(params=DATABASES, ids=named)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """URL of a copy of an old database, and the report in it."""
    packed: Path = request.param
    path = tmp_path / "threads.db"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return f"sqlite:///{path}", packed.name.removesuffix(".db.gz")


async def test_an_old_report_is_listed_and_shown(old: tuple[str, str]) -> None:
    """PER-14."""
    url, thread = old
    async with open_persistence(url) as persistence:
        listed = await ReportCatalog(persistence).threads()
        shown = await ReportCatalog(persistence).show(thread)
    assert [row.thread_id for row in listed] == [thread]
    assert (listed[0].status, listed[0].waits_for) == STATUS[thread]
    assert listed[0].question == QUESTION
    assert shown.research_plan is not None


async def test_an_old_report_is_taken_to_its_end(old: tuple[str, str]) -> None:
    """PER-14 PER-15: nothing that was decided is asked again, nothing collected is lost."""
    url, thread = old
    flow = ReportWorkflow(report_services(), persistence=url)
    status, _ = STATUS[thread]
    if status is ThreadStatus.FAILED:
        reached = await flow.proceed(thread)
        assert not isinstance(reached, Report)
        assert reached.kind == "pre_output_review"
    while status is not ThreadStatus.DONE:
        reached = await reply_to(flow, thread, "approve")
        if isinstance(reached, Report):
            break
        assert (thread, reached.kind) == ("plan", "pre_output_review")
    async with open_persistence(url) as persistence:
        shown = await ReportCatalog(persistence).show(thread)
    assert shown.status is ThreadStatus.DONE
    assert shown.report is not None
    assert shown.report.provenance["ended_by"] == "approved"
