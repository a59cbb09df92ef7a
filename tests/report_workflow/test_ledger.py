"""A decision on a report counts once, whoever gives it how often, and silence is one as well."""

from typing import Any

import pytest
from tests.report_workflow.doubles import later, report_workflow
from tests.workflow.doubles import workflow

from paper_search.errors import AlreadyDecidedError, ThreadNotFoundError, ThreadWaitingError
from paper_search.persistence import LedgerStatus
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.engine import ReportSession
from paper_search.testing.reports import QUESTION, FakeSearch, report_services

FIRST = {"run_id": "t", "kind": "plan_review", "number": 1}
APPROVE = {"action": "approve", "review": FIRST}
REJECT = {"action": "reject", "feedback": "no", "review": FIRST}


@pytest.fixture
def persistence(any_persistence):
    return any_persistence


@pytest.fixture
def search() -> FakeSearch:
    return FakeSearch()


@pytest.fixture
async def flow(persistence, search) -> ReportWorkflow:
    """A report that waits with its plan, and whose questions silence approves."""
    named = ["plan_review", "pre_output_review"]
    flow = report_workflow(persistence=persistence, search=search, auto_approve_on_timeout=named)
    await flow.start(QUESTION, thread_id="t")
    return flow


async def test_a_change_that_is_given_twice_in_other_words_of_json_is_one_change(flow):
    """HUM-08: modifications are compared as they are read, not as they are written."""
    query = {"query_text": "shade trees"}
    edit = {"action": "modify", "review": FIRST}
    given = {"research_plan": {"search_queries": [query], "methodology": "by hand"}}
    review = await flow.answer("t", edit | {"modifications": given})
    whole = {"search_queries": [query | {"search_type": "academic", "priority": 1}]}
    same = {"research_plan": {"methodology": "by hand"} | whole}
    assert await flow.answer("t", edit | {"modifications": same}) == review
    other = {"research_plan": {"methodology": "by machine"}}
    with pytest.raises(AlreadyDecidedError):
        await flow.answer("t", edit | {"modifications": other})


async def test_an_edit_of_text_boxes_that_is_given_twice_is_one_change(flow, persistence):
    """HUM-08: they hold what the question showed, and its changes are told by that."""
    asked = await flow.pending("t")
    boxes = asked.action_requests[0].args | {"methodology": "by hand"}
    edit = {"type": "edit", "args": {"action": asked.action_requests[0].name, "args": boxes}}
    review = await flow.answer("t", edit, token=asked.token)
    assert await flow.answer("t", edit, token=asked.token) == review
    assert await persistence.ledger.audit("t") == []
    for other in ("by machine", 7):
        boxes["methodology"] = other
        with pytest.raises(AlreadyDecidedError):
            await flow.answer("t", edit, token=asked.token)


# --- silence --------------------------------------------------------------------------------------


async def test_silence_is_in_the_ledger_as_silence(flow, persistence):
    """HUM-14: approved only where the run is set to it, and never in secret."""
    with pytest.raises(ThreadWaitingError):
        await flow.proceed("t")
    with later(seconds=1801):
        assert (await flow.proceed("t")).kind == "pre_output_review"
    with later(hours=2):
        report = await flow.proceed("t")
    for entry in await persistence.ledger.entries("t"):
        assert (entry.decided_by, entry.decision["decided_by"]) == ("timeout", "timeout")
        assert entry.status is LedgerStatus.APPLIED
    assert report.provenance["ended_by"] == "approved_by_timeout"
    assert any("nobody answered in time" in row for row in report.provenance["checkpoints"])
    assert report.provenance["is_approved_by_person"] is False


async def test_an_answer_stored_before_the_time_was_over_beats_silence(flow, persistence, search):
    assert flow
    driven = ReportSession.on(persistence, "t", report_services(search=search))
    question = await driven.require_question()
    await driven.decide(question, "reject: no", "ada")  # and dies
    with later(hours=1):
        assert await driven.approve_by_timeout(question)
    (entry,) = await persistence.ledger.entries("t")
    assert (entry.decided_by, entry.decision["action"]) == ("ada", "reject")
    assert (await driven.state()).ended_by == "rejected_by_person"
    assert search.asked == []


async def test_a_person_who_comes_after_silence_decided_is_told_so(flow, persistence):
    with later(hours=1):
        await flow.proceed("t")
    for answer in (REJECT, APPROVE):
        with pytest.raises(AlreadyDecidedError, match="by timeout"):
            await flow.answer("t", answer, by="bob")
    told = [(event.event, event.by) for event in await persistence.ledger.audit("t")]
    assert told == [("refused", "bob")] * 2


# --- two graphs on one place ----------------------------------------------------------------------


async def test_a_thread_that_died_at_once_is_of_the_graph_that_began_it(persistence, monkeypatch):
    """PER-02: only its input is there."""
    with monkeypatch.context() as patch:
        patch.setattr(persistence.checkpointer, "aput", dying_at(2, persistence.checkpointer.aput))
        patch.setattr(persistence.checkpointer, "aput_writes", dying_at(1))
        with pytest.raises(OSError, match="power"):
            await report_workflow(persistence=persistence).start(QUESTION, thread_id="t")
    session = ReportSession.on(persistence, "t", report_services())
    assert (await session.snapshot()).values == {}
    with pytest.raises(ThreadNotFoundError, match="is not a search"):
        await workflow(persistence=persistence).proceed("t")
    asked = await report_workflow(persistence=persistence).proceed("t")
    assert asked.kind == "plan_review"


def dying_at(number: int, write: Any = None) -> Any:
    calls = 0

    async def dying(*given: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls >= number:
            raise OSError("no power")
        return await write(*given, **options)

    return dying
