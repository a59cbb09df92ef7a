"""A decision counts once, whoever gives it how often, and whatever happens in between."""

import asyncio
import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.preforked import workers
from tests.workflow.crashing import LoggingSkills
from tests.workflow.doubles import STEPS, workflow

from paper_search import errors
from paper_search.models import PaperCollection
from paper_search.persistence import LedgerStatus, leases, open_persistence
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.workflow import CheckpointKind, SearchWorkflow, ThreadCatalog, ThreadStatus
from paper_search.workflow.session import SearchSession

FIRST = {"run_id": "t", "kind": "strategy_confirmation", "iteration": 0}
SECOND = {"run_id": "t", "kind": "result_review", "iteration": 0}
APPROVE = {"action": "approve", "checkpoint": FIRST}


@pytest.fixture
def persistence(any_persistence):
    return any_persistence


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


async def test_an_edit_of_text_boxes_that_is_given_twice_is_one_edit(persistence):
    """HUM-08: they hold what the question showed, and its changes are told by that."""
    flow = workflow(persistence=persistence)
    asked = await flow.start("q", thread_id="t")
    boxes = asked.action_requests[0].args | {"queries": ["bees", "wasps"]}
    edit = {"type": "edit", "args": {"action": asked.action_requests[0].name, "args": boxes}}
    review = await flow.answer("t", edit, token=asked.token)
    assert await flow.answer("t", edit, token=asked.token) == review
    boxes["queries"] = ["ants"]
    with pytest.raises(errors.AlreadyDecidedError):
        await flow.answer("t", edit, token=asked.token)


async def test_another_decision_on_a_decided_question_is_told_who_decided_when(persistence):
    """HUM-09 HUM-19: one wins, and the loser is in the audit."""
    flow = workflow(persistence=persistence)
    await flow.start("q", thread_id="t")
    review = await flow.answer("t", APPROVE, by="ada")
    (entry,) = await persistence.ledger.entries("t")
    assert (entry.decided_by, entry.status) == ("ada", LedgerStatus.APPLIED)
    with pytest.raises(
        errors.AlreadyDecidedError, match=re.escape(f"by ada at {entry.decided_at}")
    ):
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
    with pytest.raises(errors.InvalidDecisionError, match="revised_data"):
        await flow.answer("t", {"action": "edit", "revised_data": {"queries": 3}})
    with pytest.raises(errors.StaleDecisionError):
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


async def test_an_applied_decision_is_called_so_where_its_process_died_before_the_mark(persistence):
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
@pytest.mark.parametrize(
    ("any_persistence", "count"),
    [("memory", 10), ("sqlite", 50), ("postgres", 15)],
    indirect=["any_persistence"],
)
async def test_fifty_people_decide_on_fifty_threads_at_once(persistence, count):
    """LOAD-04: each thread is decided once; fewer where a thread costs more, or shares nothing."""
    skills = FakeSkills()
    flow = workflow(skills, persistence=persistence)
    names = [f"t{i}" for i in range(count)]
    for name in names:
        await flow.start("q", thread_id=name)
    stood = await asyncio.gather(*(flow.answer(name, "approve") for name in names))
    assert {criterion.kind for criterion in stood} == {CheckpointKind.RESULT_REVIEW}
    assert skills.calls.count("search") == count
    for name in names:
        assert len(await persistence.ledger.entries(name)) == 1


# --- across processes -----------------------------------------------------------------------------


def work(name: str, *words: str) -> None:
    """Do what a test wants of another process (`preforked`)."""
    asyncio.run({"decide": decide, "die": die, "sleep": sleep}[name](*words))


async def decide(url: str, log: str, who: str, action: str) -> None:
    """Decide, at the same moment as others, and leave a word on what came of it."""
    flow = SearchWorkflow(*[LoggingSkills(log)] * 6, persistence=url)
    try:
        asked = await flow.answer("t", {"action": action, "checkpoint": FIRST}, by=who)
        message = f"stands {asked.kind.value} {asked.iteration}"
    except errors.AlreadyDecidedError as error:
        message = f"decided {error}"
    except errors.ThreadBusyError as error:
        message = f"busy {error}"
    Path(f"{log} {who}").write_text(message, "utf-8")  # noqa: ASYNC240  # nothing runs beside


@pytest.mark.slow
def test_of_six_processes_that_decide_at_the_same_moment_one_resumes(durable_url, tmp_path):
    """HUM-08 HUM-09: one effect; the others hear of it, or that somebody is at it."""
    asyncio.run(workflow(persistence=durable_url).start("q", thread_id="t"))
    log, actions = tmp_path / "calls", ["approve", "reject"] * 3
    names = [f"person {number}" for number in range(len(actions))]
    jobs = zip(names, actions, strict=True)
    workers().work_at_once(__name__, *(["decide", durable_url, str(log), *job] for job in jobs))
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


async def die(url: str) -> None:
    """End between storing a decision and giving it to the graph."""
    async with open_persistence(url) as persistence:
        session = session_on(persistence)
        async with session.lease():
            await session.decide(await session.require_question(), "approve", "ada")
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_process_killed_between_storing_and_resuming_is_taken_over(durable_url):
    """PER-04: its lease is no obstacle, and its decision is applied once."""
    skills = FakeSkills()
    asyncio.run(workflow(skills, persistence=durable_url).start("q", thread_id="t"))
    assert workers().work(__name__, "die", durable_url) == -signal.SIGKILL
    flow = workflow(skills, ScriptedHandler(["approve"]), persistence=durable_url)
    result = asyncio.run(flow.resume("t"))
    assert isinstance(result, PaperCollection)
    assert skills.calls == STEPS


class SuspendedSkills(FakeSkills):
    """Skills that sleep before they search, as their whole process does.

    `log`: what is written once they are awake again.
    """

    def __init__(self, log: Path) -> None:
        super().__init__()
        self._log = log

    async def search(self, strategy: Any) -> Any:
        os.kill(os.getpid(), signal.SIGSTOP)
        return await super().search(strategy)

    async def score(self, papers: Any, intent: Any) -> Any:
        self._log.write_text("went on", "utf-8")
        return await super().score(papers, intent)


async def sleep(url: str, log: str) -> None:
    """Be suspended for longer than the lease, and leave a word on what came of it."""
    leases.LEASE_S, leases.RENEWAL_S = 1.0, 0.3
    skills = SuspendedSkills(Path(log))
    try:
        await SearchWorkflow(*[skills] * 6, persistence=url).answer("t", "approve")
    except errors.ThreadTakenOverError as error:
        Path(log).write_text(f"taken over: {error}", "utf-8")  # noqa: ASYNC240  # as above


@pytest.mark.slow
def test_a_process_that_was_suspended_writes_nothing_once_taken_over(durable_url, rows, tmp_path):
    """PER-13: the lease ran out while its holder slept; the fence stops it when it wakes."""
    asyncio.run(workflow(persistence=durable_url).start("q", thread_id="t"))
    log = tmp_path / "log"
    sleeper = psutil.Process(workers().begin_work(__name__, "sleep", durable_url, str(log)))
    while sleeper.status() != psutil.STATUS_STOPPED:
        assert sleeper.status() != psutil.STATUS_ZOMBIE
        time.sleep(0.02)
    patient = workflow(handler=ScriptedHandler(["approve"]), persistence=durable_url)
    result = asyncio.run(resumed_when_free(patient))
    before = rows("SELECT thread_id, checkpoint_id FROM checkpoints ORDER BY checkpoint_id")
    records = rows("SELECT prefix, key, updated_at FROM store ORDER BY prefix, key")
    sleeper.resume()
    assert workers().wait(sleeper.pid) == 0
    said = log.read_text("utf-8")
    assert said.startswith("taken over: thread 't' was taken over by another process"), said
    assert rows("SELECT thread_id, checkpoint_id FROM checkpoints ORDER BY checkpoint_id") == before
    assert rows("SELECT prefix, key, updated_at FROM store ORDER BY prefix, key") == records
    assert asyncio.run(shown(durable_url)).collection == result


async def resumed_when_free(flow: SearchWorkflow) -> PaperCollection:
    while True:
        try:
            return await flow.resume("t")
        except errors.ThreadBusyError:
            await asyncio.sleep(0.2)


async def shown(url: str) -> Any:
    async with open_persistence(url) as persistence:
        return await ThreadCatalog(persistence).show("t")
