"""Back to a question of a report that was decided, openly (HUM-18)."""

import pytest
from tests.answers import reply_to
from tests.report_workflow.doubles import report_workflow

from paper_search.errors import StaleDecisionError
from paper_search.persistence import LedgerStatus
from paper_search.report_workflow.listing import ReportCatalog
from paper_search.testing.reports import QUESTION

PLAN = {"research_plan": {"decomposed_questions": ["How warm are streets?", "And trees?"]}}


@pytest.fixture
async def flow(persistence):
    """A report whose plan was approved and whose draft waits."""
    flow = report_workflow(persistence=persistence)
    await flow.start(QUESTION, thread_id="t")
    await reply_to(flow, "t", "approve", by="ada")
    return flow


async def test_a_plan_is_decided_anew_and_what_came_after_is_done_again(flow, persistence):
    review = await flow.fork("t", "plan_review", by="bob")
    assert (review.kind, review.number) == ("plan_review", 1)
    following = await reply_to(flow, "t", {"action": "modify", "modifications": PLAN}, by="bob")
    assert following.kind == "pre_output_review"
    report = await reply_to(flow, "t", "approve")
    assert report.provenance["sub_questions"] == PLAN["research_plan"]["decomposed_questions"]
    assert report.metadata["versions"] == [1]
    statuses = [entry.status for entry in await persistence.ledger.entries("t")]
    assert statuses == [LedgerStatus.SUPERSEDED, LedgerStatus.APPLIED, LedgerStatus.APPLIED]
    said = [(one.event, one.by) for one in await ReportCatalog(persistence).decisions("t")]
    assert said[:3] == [("decided", "ada"), ("forked", "bob"), ("decided", "bob")]


async def test_a_number_that_was_never_asked_is_named(flow):
    with pytest.raises(StaleDecisionError, match="number 9"):
        await flow.fork("t", number=9)
