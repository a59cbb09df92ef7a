"""The sequence of answers and forks after which a report once seemed not to wait."""

import pytest
from tests.answers import reply_to

from paper_search.errors import InvalidDecisionError
from paper_search.report_workflow import ReportWorkflow, Review
from paper_search.testing.reports import QUESTION, report_services

MODIFY = {"action": "modify", "feedback": "more on dry cities"}


async def test_a_plan_that_is_changed_and_asked_again_by_forks_still_leads_to_the_output(tmp_path):
    def flow() -> ReportWorkflow:
        return ReportWorkflow(
            report_services(),
            persistence=f"sqlite:///{tmp_path / 'threads.db'}",
            target_length=1000,
            max_human_reviews=4,
            auto_approve_on_timeout=["plan_review"],
        )

    async def nonsense() -> None:
        with pytest.raises(InvalidDecisionError):
            await reply_to(flow(), "t", {"action": "buy"})

    await flow().start(QUESTION, thread_id="t")
    for _ in range(2):
        assert (await reply_to(flow(), "t", MODIFY)).number == 2
        assert (await flow().fork("t")).number == 1
    await nonsense()
    assert (await reply_to(flow(), "t", MODIFY)).number == 2
    await nonsense()
    asked = await reply_to(flow(), "t", {"action": "skip"})
    assert isinstance(asked, Review)
    assert (asked.kind, asked.number) == ("pre_output_review", 3)
    waiting = await flow().pending("t")
    assert waiting is not None
    assert waiting.number == 3
