"""A decision on a report counts once, whoever gives it how often, and silence is one as well."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paper_search.errors import (
    AlreadyDecidedError,
    InvalidDecisionError,
    StaleDecisionError,
    ThreadBusyError,
    ThreadFinishedError,
    ThreadNotFoundError,
    ThreadNotWaitingError,
)
from paper_search.persistence import LedgerStatus, open_persistence
from paper_search.report.models import now
from paper_search.report_workflow import ReportWorkflow, Review, reviews
from paper_search.report_workflow.session import ReportSession
from paper_search.testing.reports import QUESTION, FakeSearch, report_services
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow

ROOT = Path(__file__).parents[2]
FIRST = {"run_id": "t", "kind": "plan_review", "number": 1}
SECOND = {"run_id": "t", "kind": "pre_output_review", "number": 2}
APPROVE = {"action": "approve", "review": FIRST}
REJECT = {"action": "reject", "feedback": "no", "review": FIRST}


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def persistence(request, tmp_path):
    """An open persistence of each kind."""
    url = {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path}/threads.db"}.get(request.param)
    async with open_persistence(url or request.getfixturevalue("postgres_url")) as persistence:
        yield persistence


@pytest.fixture
def search() -> FakeSearch:
    return FakeSearch()


def workflow(persistence: Any, search: FakeSearch | None = None, **settings: Any) -> ReportWorkflow:
    asks = {"hitl_after_planning": True, "hitl_before_output": True}
    services = report_services(search=search)
    return ReportWorkflow(
        services, persistence=persistence, target_length=1000, **(asks | settings)
    )


def session_on(persistence: Any) -> ReportSession:
    return ReportSession.on(persistence, "t", report_services())


async def events(persistence: Any) -> list[tuple[str, str]]:
    return [(event.event, event.by) for event in await persistence.ledger.audit("t")]


async def test_the_same_decision_again_changes_nothing_and_says_how_the_report_stands(
    persistence, search
):
    """HUM-08: a replay, which is a success."""
    flow = workflow(persistence, search)
    await flow.start(QUESTION, thread_id="t")
    review = await flow.answer("t", APPROVE)
    asked = list(search.asked)
    assert await flow.answer("t", APPROVE) == review
    assert await flow.answer("t", json.dumps(APPROVE)) == review
    done = await flow.answer("t", {"action": "approve", "review": SECOND})
    assert await flow.answer("t", {"action": "approve", "review": SECOND}) == done
    assert await flow.answer("t", APPROVE) == done
    assert await flow.resume("t", APPROVE) == done
    assert search.asked == asked
    assert await events(persistence) == []


async def test_another_decision_on_a_decided_question_is_told_who_decided_when(persistence):
    """HUM-09 HUM-19: one wins, and the loser is in the audit."""
    flow = workflow(persistence)
    await flow.start(QUESTION, thread_id="t")
    review = await flow.answer("t", APPROVE, by="ada")
    (entry,) = await persistence.ledger.entries("t")
    assert (entry.decided_by, entry.status) == ("ada", LedgerStatus.APPLIED)
    with pytest.raises(AlreadyDecidedError, match=re.escape(f"by ada at {entry.decided_at}")):
        await flow.answer("t", REJECT, by="bob")
    assert await flow.pending("t") == review
    (loser,) = await persistence.ledger.audit("t")
    assert (loser.event, loser.by, loser.interrupt_id) == ("refused", "bob", entry.interrupt_id)
    assert json.loads(loser.detail["decision"])["feedback"] == "no"


async def test_a_change_that_is_given_twice_in_other_words_of_json_is_one_change(persistence):
    """HUM-08: modifications are compared as they are read, not as they are written."""
    flow = workflow(persistence)
    await flow.start(QUESTION, thread_id="t")
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


async def test_a_refused_answer_is_not_in_the_ledger(persistence):
    """HUM-02 HUM-07: nothing is stored of what cannot be used, and the question stays open."""
    flow = workflow(persistence)
    asked = await flow.start(QUESTION, thread_id="t")
    with pytest.raises(InvalidDecisionError, match="research_plan"):
        await flow.answer("t", {"action": "modify", "modifications": {"research_plan": 3}})
    with pytest.raises(StaleDecisionError):
        await flow.answer("t", {"action": "approve", "review": SECOND})
    assert await persistence.ledger.entries("t") == []
    assert await flow.pending("t") == asked


async def test_a_late_decision_without_a_ledger_entry_is_stale(persistence):
    """HUM-10: nobody ever decided that question."""
    flow = workflow(persistence)
    await flow.start(QUESTION, thread_id="t")
    await flow.answer("t", "approve")
    with pytest.raises(StaleDecisionError):
        await flow.answer("t", {"action": "approve", "review": FIRST | {"number": 7}})
    assert (await flow.pending("t")).kind == "pre_output_review"


async def test_a_bare_answer_to_a_report_that_is_done_is_refused(persistence):
    """HUM-11."""
    flow = workflow(persistence, hitl_after_planning=False, hitl_before_output=False)
    await flow.start(QUESTION, thread_id="t")
    with pytest.raises(ThreadFinishedError, match="paper-search export THREAD"):
        await flow.answer("t", "approve")


async def stored_and_not_applied(persistence: Any) -> None:
    """Leave a report as a process leaves it that dies right after storing a decision."""
    await workflow(persistence).start(QUESTION, thread_id="t")
    driven = session_on(persistence)
    await driven.decide(await driven.require_question(), "approve", "ada")


async def test_a_decision_whose_process_died_is_applied_by_proceed(persistence):
    """PER-04: stored, never given to the graph."""
    await stored_and_not_applied(persistence)
    flow = workflow(persistence)
    assert await flow.pending("t") is None
    assert (await flow.proceed("t")).kind == "pre_output_review"
    assert [e.status for e in await persistence.ledger.entries("t")] == [LedgerStatus.APPLIED]


async def test_a_decision_whose_process_died_is_taken_over_by_who_says_the_same(persistence):
    """PER-04 HUM-08."""
    await stored_and_not_applied(persistence)
    assert (await workflow(persistence).answer("t", "approve")).kind == "pre_output_review"


async def test_a_decision_whose_process_died_stands_against_another_one(persistence, search):
    """PER-04 HUM-09."""
    await stored_and_not_applied(persistence)
    flow = workflow(persistence, search)
    with pytest.raises(AlreadyDecidedError, match="by ada"):
        await flow.answer("t", "reject: no")
    assert search.asked == []
    with pytest.raises(ThreadNotWaitingError, match="decided by ada"):
        await session_on(persistence).require_question()


async def test_who_decides_while_another_drives_is_told_so_and_is_in_the_audit(persistence):
    """HUM-08 HUM-09: busy; nothing of it is stored."""
    is_there, may_go = asyncio.Event(), asyncio.Event()

    class Slow(FakeSearch):
        async def find(self, *given: Any) -> Any:
            is_there.set()
            await may_go.wait()
            return await super().find(*given)

    flow = workflow(persistence, Slow())
    await flow.start(QUESTION, thread_id="t")
    first = asyncio.create_task(flow.answer("t", "approve", by="ada"))
    await is_there.wait()
    with pytest.raises(ThreadBusyError):
        await workflow(persistence).answer("t", "reject: no", by="bob")
    with pytest.raises(AlreadyDecidedError, match="by ada"):
        await workflow(persistence).answer("t", REJECT, by="eve")
    may_go.set()
    await first
    assert await events(persistence) == [("refused", "bob"), ("refused", "eve")]


async def test_two_of_one_process_who_answer_at_once_cause_one_run(persistence, search):
    """HUM-09."""
    flow = workflow(persistence, search)
    await flow.start(QUESTION, thread_id="t")
    answers = [flow.answer("t", APPROVE, by="ada"), flow.answer("t", REJECT, by="bob")]
    told = await asyncio.gather(*answers, return_exceptions=True)
    (entry,) = await persistence.ledger.entries("t")
    losers = [
        message for message in told if isinstance(message, (AlreadyDecidedError, ThreadBusyError))
    ]
    assert len(losers) == 1
    assert bool(search.asked) == (entry.decision["action"] == "approve")


# --- silence --------------------------------------------------------------------------------------


@pytest.fixture
def later(monkeypatch):
    """Let the time to answer be over."""
    return lambda: monkeypatch.setattr(reviews, "now", lambda: now() + timedelta(hours=1))


async def test_silence_is_in_the_ledger_as_silence(persistence, later):
    """HUM-14: approved only where the run is set to it, and never in secret."""
    flow = workflow(persistence, auto_approve_on_timeout=["plan_review"])
    await flow.start(QUESTION, thread_id="t")
    later()
    assert (await flow.proceed("t")).kind == "pre_output_review"
    (entry,) = await persistence.ledger.entries("t")
    assert (entry.decided_by, entry.decision["decided_by"]) == ("timeout", "timeout")
    assert entry.status is LedgerStatus.APPLIED


async def test_two_who_find_the_time_to_be_over_approve_once(persistence, search, later):
    flow = workflow(persistence, search, auto_approve_on_timeout=["plan_review"])
    await flow.start(QUESTION, thread_id="t")
    later()
    told = await asyncio.gather(flow.proceed("t"), flow.proceed("t"), return_exceptions=True)
    assert sum(isinstance(message, Review) for message in told) == 1
    assert len(await persistence.ledger.entries("t")) == 1
    assert search.asked == list(dict.fromkeys(search.asked))


async def test_an_answer_that_was_stored_before_the_time_was_over_stands_against_silence(
    persistence, search, later
):
    flow = workflow(persistence, search, auto_approve_on_timeout=["plan_review"])
    await flow.start(QUESTION, thread_id="t")
    driven = ReportSession.on(persistence, "t", report_services(search=search))
    question = await driven.require_question()
    await driven.decide(question, "reject: no", "ada")  # and dies
    later()
    assert await driven.approve_by_timeout(question)
    (entry,) = await persistence.ledger.entries("t")
    assert (entry.decided_by, entry.decision["action"]) == ("ada", "reject")
    assert (await driven.state()).ended_by == "rejected_by_person"
    assert search.asked == []


async def test_a_person_who_comes_after_silence_decided_is_told_so(persistence, later):
    flow = workflow(persistence, auto_approve_on_timeout=["plan_review"])
    await flow.start(QUESTION, thread_id="t")
    later()
    await flow.proceed("t")
    for answer in (REJECT, APPROVE):
        with pytest.raises(AlreadyDecidedError, match="by timeout"):
            await flow.answer("t", answer, by="bob")
    assert await events(persistence) == [("refused", "bob")] * 2


# --- two graphs on one place ----------------------------------------------------------------------


async def test_the_thread_of_a_search_is_no_report_and_the_other_way_round(persistence):
    await workflow(persistence).start(QUESTION, thread_id="t")
    flow = SearchWorkflow(*[FakeSkills()] * 6, persistence=persistence)
    with pytest.raises(ThreadNotFoundError, match="is not a search"):
        await flow.answer("t", "approve")
    await flow.start(QUESTION, thread_id="s")
    with pytest.raises(ThreadNotFoundError, match="is not a report"):
        await workflow(persistence).answer("s", "approve")


async def test_a_thread_that_died_before_its_first_step_belongs_to_the_graph_that_began_it(
    persistence, monkeypatch
):
    """PER-02: only its input is there."""
    with monkeypatch.context() as patch:
        patch.setattr(persistence.checkpointer, "aput", dying_at(2, persistence.checkpointer.aput))
        patch.setattr(persistence.checkpointer, "aput_writes", dying_at(1))
        with pytest.raises(OSError, match="power"):
            await workflow(persistence).start(QUESTION, thread_id="t")
    assert (await session_on(persistence).snapshot()).values == {}
    flow = SearchWorkflow(*[FakeSkills()] * 6, persistence=persistence)
    with pytest.raises(ThreadNotFoundError, match="is not a search"):
        await flow.proceed("t")
    assert (await workflow(persistence).proceed("t")).kind == "plan_review"


def dying_at(number: int, write: Any = None) -> Any:
    calls = 0

    async def dying(*given: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls >= number:
            raise OSError("no power")
        return await write(*given, **options)

    return dying


# --- across processes -----------------------------------------------------------------------------

PERSON = """
import asyncio, json, sys
from paper_search.errors import AlreadyDecidedError, ThreadBusyError, ThreadFinishedError
from paper_search.report_workflow import ReportWorkflow
from paper_search.testing.reports import report_services

url, who, action = sys.argv[1:]
flow = ReportWorkflow(report_services(), persistence=url)
named = {"run_id": "t", "kind": "plan_review", "number": 1}
print("ready", flush=True)
sys.stdin.readline()
try:
    asyncio.run(flow.answer("t", {"action": action, "review": named}, by=who))
    print("stands")
except AlreadyDecidedError as error:
    print("decided", error)
except ThreadBusyError as error:
    print("busy", error)
except ThreadFinishedError as error:
    print("finished", error)
"""


@pytest.mark.slow
def test_of_six_processes_that_decide_at_the_same_moment_one_resumes(durable_url: str):
    """HUM-08 HUM-09: one effect; the others hear of it, or that somebody is at it."""
    asyncio.run(workflow(durable_url).start(QUESTION, thread_id="t"))
    actions = ["approve", "reject"] * 3
    people = [
        subprocess.Popen(  # noqa: S603  # our own program
            [sys.executable, "-c", PERSON, durable_url, f"person {i}", action],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for i, action in enumerate(actions)
    ]
    assert [process.stdout.readline() for process in people] == ["ready\n"] * len(people)
    for person in people:
        person.stdin.write("\n")
        person.stdin.flush()
    said = [process.communicate(timeout=240)[0].strip() for process in people]
    (entry,) = asyncio.run(entries(durable_url))
    won = entry.decision["action"]
    assert any(message.startswith("stands") for message in said)
    for action, words in zip(actions, said, strict=True):
        heard = {"stands" if action == won else "decided", "busy", "finished"}
        assert words.split()[0] in heard


async def entries(url: str) -> list[Any]:
    async with open_persistence(url) as persistence:
        return await persistence.ledger.entries("t")


DIES = """
import asyncio, os, signal, sys
from paper_search.persistence import open_persistence
from paper_search.report_workflow.session import ReportSession
from paper_search.testing.reports import report_services

async def main():
    async with open_persistence(sys.argv[1]) as persistence:
        session = ReportSession.on(persistence, "t", report_services())
        async with session.lease():
            await session.decide(await session.require_question(), "approve", "ada")
            os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_process_killed_between_storing_and_resuming_is_taken_over(durable_url: str):
    """PER-04: its lease is no obstacle, and its decision is applied once."""
    asyncio.run(workflow(durable_url).start(QUESTION, thread_id="t"))
    ended = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", DIES, durable_url], cwd=ROOT, check=False, timeout=240
    )
    assert ended.returncode == -signal.SIGKILL
    reached = asyncio.run(workflow(durable_url).proceed("t"))
    assert isinstance(reached, Review)
    assert reached.kind == "pre_output_review"
