"""The ledger of decisions: the first decision on a question counts, in every kind of store."""

from itertools import count

import pytest

from paper_search.persistence import LedgerStatus
from paper_search.persistence.ledger import AuditEntry, DecisionLedger, LedgerEntry

YES, NO = {"action": "approve"}, {"action": "reject", "note": "no"}


@pytest.fixture
def ledger(any_persistence):
    return any_persistence.ledger


async def test_the_first_decision_counts_and_the_second_is_told_of_it(ledger):
    """HUM-09."""
    first = await ledger.record("t", "question", YES, "ada")
    assert (first.decision, first.decided_by, first.status) == (YES, "ada", LedgerStatus.STORED)
    assert await ledger.record("t", "question", NO, "bob") == first
    assert await ledger.entries("t") == [first]
    assert await ledger.entry("t", "question") == first


async def test_marking_a_decision_that_is_not_there_makes_none(ledger):
    await ledger.mark(LedgerEntry("t", "one", YES, "ada", "2026-01-01"), LedgerStatus.APPLIED)
    assert await ledger.entries("t") == []


async def test_which_questions_of_some_threads_are_decided_is_told_at_once(ledger):
    for thread_id, question in [("t", "one"), ("t", "two"), ("other", "t"), ("third", "one")]:
        await ledger.record(thread_id, question, YES, "ada")
    assert await ledger.decided_questions(["t", "third", "none"]) == {
        ("t", "one"),
        ("t", "two"),
        ("third", "one"),
    }
    assert await ledger.decided_questions(["none"]) == await ledger.decided_questions([]) == set()


async def test_the_time_of_a_decision_is_that_of_the_clock():
    times = (f"2026-01-01T00:00:0{second}+00:00" for second in count(1))
    ledger = DecisionLedger(clock=lambda: next(times))
    await ledger.record("t", "one", YES, "ada")
    await ledger.note("t", "one", "refused", "bob", {"decision": NO})
    assert await ledger.entries("t") == [
        LedgerEntry("t", "one", YES, "ada", "2026-01-01T00:00:01+00:00")
    ]
    assert await ledger.audit("t") == [
        AuditEntry("t", "one", "refused", "bob", "2026-01-01T00:00:02+00:00", {"decision": NO})
    ]


async def test_the_last_action_before_a_question_is_the_latest_on_its_thread_alone(ledger):
    assert await ledger.last_action("t", "two") is None
    await ledger.record("t", "one", NO, "bob")
    await ledger.record("other", "one", YES, "eve")
    assert await ledger.last_action("t", "one") is None  # its own decision is not before it
    last = await ledger.last_action("t", "two")
    assert (last.by, last.what) == ("bob", "decided (reject)")
    await ledger.note("t", "one", "forked", "ada", {})
    last = await ledger.last_action("t", "two")
    assert (last.by, last.what) == ("ada", "went back to a question that was decided")
