"""A decision counts once, whoever gives it how often, and whatever happens in between."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.answers import reply_to
from tests.forking import run_at_once
from tests.workflow.crashing import LoggingSkills
from tests.workflow.doubles import STEPS, workflow

from paper_search.errors import (
    AlreadyDecidedError,
    InvalidDecisionError,
    StaleDecisionError,
    ThreadBusyError,
)
from paper_search.models import PaperCollection
from paper_search.persistence import LedgerStatus, open_persistence
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.workflow import CheckpointKind, SearchWorkflow, ThreadCatalog, ThreadStatus
from paper_search.workflow.session import SearchSession

ROOT = Path(__file__).parents[2]
FIRST = {"run_id": "t", "kind": "strategy_confirmation", "iteration": 0}
SECOND = {"run_id": "t", "kind": "result_review", "iteration": 0}
APPROVE = {"action": "approve", "checkpoint": FIRST}


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def persistence(request, tmp_path):
    """An open persistence of each kind."""
    url = {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path}/threads.db"}.get(request.param)
    async with open_persistence(url or request.getfixturevalue("postgres_url")) as persistence:
        yield persistence


def session_on(persistence: Any, skills: FakeSkills | None = None) -> SearchSession:
    graph = SearchSession.graph(persistence, (skills or FakeSkills()).skills)
    return SearchSession(graph, persistence, "t")


async def test_the_same_decision_again_changes_nothing_and_says_how_the_thread_stands(persistence):
    """HUM-08: a replay, which is a success."""
    skills = FakeSkills()
    flow = workflow(skills, persistence=persistence)
    await flow.start("q", thread_id="t")
    review = await flow.answer("t", APPROVE)
    assert await flow.answer("t", APPROVE) == review
    assert await flow.answer("t", json.dumps(APPROVE)) == review
    assert skills.calls == STEPS
    done = await flow.answer("t", {"action": "approve", "checkpoint": SECOND})
    assert await flow.answer("t", {"action": "approve", "checkpoint": SECOND}) == done
    assert await flow.answer("t", APPROVE) == done
    assert await flow.resume("t", APPROVE) == done
    assert skills.calls == STEPS


async def test_another_decision_on_a_decided_question_is_told_who_decided_when(persistence):
    """HUM-09 HUM-19: one wins, and the loser is in the audit."""
    flow = workflow(persistence=persistence)
    await flow.start("q", thread_id="t")
    review = await flow.answer("t", APPROVE, by="ada")
    (entry,) = await persistence.ledger.entries("t")
    assert (entry.decided_by, entry.status) == ("ada", LedgerStatus.APPLIED)
    with pytest.raises(AlreadyDecidedError, match=re.escape(f"by ada at {entry.decided_at}")):
        await flow.answer("t", {"action": "reject", "note": "no", "checkpoint": FIRST}, by="bob")
    assert await flow.pending("t") == review
    (loser,) = await persistence.ledger.audit("t")
    assert (loser.event, loser.by, loser.interrupt_id) == ("refused", "bob", entry.interrupt_id)
    assert json.loads(loser.detail["decision"])["note"] == "no"
    assert loser.detail["reason"] == "already decided"


async def test_a_refused_answer_is_not_in_the_ledger(persistence):
    """HUM-02 HUM-07: nothing is stored of what cannot be used, and the question stays open."""
    flow = workflow(persistence=persistence)
    asked = await flow.start("q", thread_id="t")
    with pytest.raises(InvalidDecisionError, match="revised_data"):
        await flow.answer("t", {"action": "edit", "revised_data": {"queries": 3}})
    with pytest.raises(StaleDecisionError):
        await flow.answer("t", {"action": "approve", "checkpoint": SECOND})
    assert await persistence.ledger.entries("t") == []
    assert await flow.pending("t") == asked


async def stored_and_not_applied(persistence: Any, by: str = "ada") -> FakeSkills:
    """Leave a thread as a process leaves it that dies right after storing a decision."""
    skills = FakeSkills()
    await workflow(skills, persistence=persistence).start("q", thread_id="t")
    session = session_on(persistence)
    question = await session.require_question()
    await session.decide(question, "approve", by)
    return skills


async def test_a_decision_whose_process_died_is_applied_by_the_next_resume(persistence):
    """PER-04: stored, never given to the graph."""
    skills = await stored_and_not_applied(persistence)
    flow = workflow(skills, ScriptedHandler(["approve"]), persistence=persistence)
    assert await flow.pending("t") is None
    info = await ThreadCatalog(persistence).info("t")
    assert info.status is ThreadStatus.FAILED
    assert "decided by ada" in info.error
    result = await flow.resume("t")
    assert result == await workflow().run("q")
    assert skills.calls == STEPS
    assert [e.status for e in await persistence.ledger.entries("t")] == [LedgerStatus.APPLIED] * 2


async def test_a_decision_that_was_applied_is_called_so_where_its_process_died_before_the_mark(
    persistence,
):
    """PER-04: between the last checkpoint and the mark."""

    async def statuses() -> list[str]:
        decisions = await ThreadCatalog(persistence).decisions("t")
        return [decision.detail["status"] for decision in decisions]

    await stored_and_not_applied(persistence)
    assert await statuses() == ["stored"]
    await session_on(persistence).proceed()
    (entry,) = await persistence.ledger.entries("t")
    await persistence.ledger.mark(entry, LedgerStatus.STORED)
    assert await statuses() == ["applied"]


@pytest.mark.slow
async def test_fifty_people_decide_on_fifty_threads_at_once(persistence):
    """LOAD-04: each thread is decided once."""
    skills = FakeSkills()
    flow = workflow(skills, persistence=persistence)
    names = [f"t{i}" for i in range(50)]
    for name in names:
        await flow.start("q", thread_id=name)
    stood = await asyncio.gather(*(flow.answer(name, "approve") for name in names))
    assert {criterion.kind for criterion in stood} == {CheckpointKind.RESULT_REVIEW}
    assert skills.calls.count("search") == 50
    for name in names:
        assert len(await persistence.ledger.entries(name)) == 1


# --- across processes -----------------------------------------------------------------------------


def work(url: str, log: str, who: str, action: str) -> None:
    """Decide, in one process of several (`forking`), and leave a word on what came of it."""
    flow = SearchWorkflow(*[LoggingSkills(log)] * 6, persistence=url)
    answer = flow.answer("t", {"action": action, "checkpoint": FIRST}, by=who)
    try:
        asked = asyncio.run(answer)
        message = f"stands {asked.kind.value} {asked.iteration}"
    except AlreadyDecidedError as error:
        message = f"decided {error}"
    except ThreadBusyError as error:
        message = f"busy {error}"
    Path(f"{log} {who}").write_text(message, "utf-8")


@pytest.mark.slow
def test_of_six_processes_that_decide_at_the_same_moment_one_resumes(durable_url, tmp_path):
    """HUM-08 HUM-09: one effect; the others hear of it, or that somebody is at it."""
    asyncio.run(workflow(persistence=durable_url).start("q", thread_id="t"))
    log, actions = tmp_path / "calls", ["approve", "reject"] * 3
    names = [f"person {number}" for number in range(len(actions))]
    jobs = zip(names, actions, strict=True)
    run_at_once(__name__, *([durable_url, str(log), *job] for job in jobs))
    said = [Path(f"{log} {name}").read_text("utf-8") for name in names]
    ledger = asyncio.run(entries(durable_url))
    assert len(ledger) == 1
    won = ledger[0].decision["action"]
    calls = log.read_text().split()
    expected = STEPS[2:] if won == "approve" else ["build"]
    assert calls == expected
    assert any(message.startswith("stands") for message in said)
    for action, words in zip(actions, said, strict=True):
        assert words.split()[0] in ({"stands", "busy"} if action == won else {"decided", "busy"})
        if words.startswith("decided"):
            assert f"by {ledger[0].decided_by} at {ledger[0].decided_at}" in words


async def entries(url: str) -> list[Any]:
    async with open_persistence(url) as persistence:
        return await persistence.ledger.entries("t")


DIES = """
import asyncio, os, signal, sys
from paper_search.persistence import open_persistence
from paper_search.testing.skills import FakeSkills
from paper_search.workflow.session import SearchSession

async def main():
    async with open_persistence(sys.argv[1]) as persistence:
        session = SearchSession.on(persistence, "t", FakeSkills().skills)
        async with session.lease():
            await session.decide(await session.require_question(), "approve", "ada")
            os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_process_killed_between_storing_and_resuming_is_taken_over(durable_url):
    """PER-04: its lease is no obstacle, and its decision is applied once."""
    skills = FakeSkills()
    asyncio.run(workflow(skills, persistence=durable_url).start("q", thread_id="t"))
    ended = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", DIES, durable_url], cwd=ROOT, check=False, timeout=240
    )
    assert ended.returncode == -signal.SIGKILL
    flow = workflow(skills, ScriptedHandler(["approve"]), persistence=durable_url)
    result = asyncio.run(flow.resume("t"))
    assert isinstance(result, PaperCollection)
    assert skills.calls == STEPS


SUSPENDED = """
import asyncio, os, signal, sys
from paper_search.errors import ThreadTakenOverError
from paper_search.persistence import leases
leases.LEASE_S, leases.RENEWAL_S = 1.0, 0.3
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow

class Suspended(FakeSkills):
    async def search(self, strategy):
        print("suspended", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        return await super().search(strategy)

    async def score(self, papers, intent):
        print("went on", flush=True)
        return await super().score(papers, intent)

try:
    asyncio.run(SearchWorkflow(*[Suspended()] * 6, persistence=sys.argv[1]).answer("t", "approve"))
    print("was not stopped")
except ThreadTakenOverError as error:
    print("taken over:", error)
"""


@pytest.mark.slow
def test_a_process_that_was_suspended_writes_nothing_once_it_was_taken_over(durable_url, rows):
    """PER-13: the lease ran out while its holder slept; the fence stops it when it wakes."""
    asyncio.run(workflow(persistence=durable_url).start("q", thread_id="t"))
    sleeper = subprocess.Popen(  # noqa: S603  # our own program
        [sys.executable, "-c", SUSPENDED, durable_url], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert sleeper.stdout.readline() == "suspended\n"
    os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED)
    patient = workflow(handler=ScriptedHandler(["approve"]), persistence=durable_url)
    result = asyncio.run(resumed_when_free(patient))
    before = rows("SELECT thread_id, checkpoint_id FROM checkpoints ORDER BY checkpoint_id")
    records = rows("SELECT prefix, key, updated_at FROM store ORDER BY prefix, key")
    sleeper.send_signal(signal.SIGCONT)
    said = sleeper.communicate(timeout=240)[0]
    assert said.startswith("taken over: thread 't' was taken over by another process"), said
    assert rows("SELECT thread_id, checkpoint_id FROM checkpoints ORDER BY checkpoint_id") == before
    assert rows("SELECT prefix, key, updated_at FROM store ORDER BY prefix, key") == records
    assert asyncio.run(shown(durable_url)).collection == result


async def resumed_when_free(flow: SearchWorkflow) -> PaperCollection:
    while True:
        try:
            return await flow.resume("t")
        except ThreadBusyError:
            await asyncio.sleep(0.2)


async def shown(url: str) -> Any:
    async with open_persistence(url) as persistence:
        return await ThreadCatalog(persistence).show("t")


async def test_the_history_says_who_ended_a_round_and_when():
    async with open_persistence("memory:") as persistence:
        flow = workflow(persistence=persistence)
        await flow.start("How do proteins fold?", thread_id="t")
        await reply_to(flow, "t", "approve")
        await reply_to(flow, "t", "reject", by="ada")
        [ended] = (await ThreadCatalog(persistence).show("t")).history
    assert ended.decided_by == "ada"
    assert datetime.fromisoformat(ended.decided_at).tzinfo is not None
