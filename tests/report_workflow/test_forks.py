"""Back to a question of a report that was decided, openly (HUM-18)."""

import pytest
from tests.answers import reply_to
from tests.report_workflow.doubles import report_workflow

from paper_search.errors import StaleDecisionError
from paper_search.testing.reports import QUESTION


@pytest.fixture
async def flow(persistence):
    """A report whose plan was approved and whose draft waits."""
    flow = report_workflow(persistence=persistence)
    await flow.start(QUESTION, thread_id="t")
    await reply_to(flow, "t", "approve", by="ada")
    return flow


async def test_a_number_that_was_never_asked_is_named(flow):
    with pytest.raises(StaleDecisionError, match="its plan or draft with the number 9"):
        await flow.fork("t", number=9)
