"""Reports on the page, asked over HTTP."""

import pytest
from tests.answers import reply_to

from paper_search.persistence import open_persistence
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.reports import QUESTION, report_services

ASKS = {"hitl_after_planning": True, "hitl_before_output": True}


async def begin_reports(url: str) -> list[str]:
    """Make three reports: one waits with its plan, one with its draft, one has ended."""
    names = ["planned", "drafted", "ended"]
    async with open_persistence(url) as persistence:
        for approvals, thread_id in enumerate(names):
            flow = ReportWorkflow(report_services(), persistence=persistence, **ASKS)
            await flow.start(QUESTION, thread_id=thread_id)
            for _ in range(approvals):
                await reply_to(flow, thread_id, "approve")
    return names


@pytest.fixture
async def reports(tmp_path):
    await begin_reports(f"sqlite:///{tmp_path / 'threads.db'}")


@pytest.mark.usefixtures("reports")
def test_reports_open_as_pages_that_run_and_load_nothing(visitors):
    page = visitors()
    page.open("")
    for thread_id in ("drafted", "ended"):
        assert f'href="/review/reports/{thread_id}"' in page.text
    assert 'href="/review/reports/planned"' not in page.text
    for thread_id in ("drafted", "ended"):
        answer = page.client.get(f"/review/reports/{thread_id}")
        assert answer.status_code == 200
        assert "<h2>References" in answer.text
        assert answer.text.count("<main>") == 1
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
        assert "script-src" not in policy
        assert "frame-ancestors 'none'" in policy


@pytest.mark.usefixtures("reports")
def test_a_report_without_text_and_one_of_somebody_else_are_refused(visitors):
    page = visitors()
    assert page.open("/reports/planned") == 409
    assert "has no text yet" in page.text
    assert page.open("/reports/none") == 404
    assert page.open("/threads/ended") == 409
    assert "/review/reports/ended" in page.text
    stranger = visitors(ada="CANARY-token-of-ada-01", bob="CANARY-token-of-bob-02")
    stranger.open("")
    stranger.send("/sign-in", token="CANARY-token-of-bob-02")
    assert stranger.open("/reports/ended") == 404
