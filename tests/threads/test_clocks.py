"""A clock that is set back or forward loses nothing: what counts is what was done last."""

import asyncio
import shutil
import subprocess
import sys

import pytest
from tests.architecture.tree import ROOT
from tests.workflow.doubles import workflow

from paper_search.persistence import open_persistence
from paper_search.workflow import ThreadCatalog

SHIFTS = ["-1h", "+3d"]
"""First back or first forward; the other way comes next."""
OTHER_WAY = {"-": "+", "+": "-"}
ANSWER = """
import asyncio, sys
from tests.workflow.doubles import workflow

async def main(url, action):
    flow = workflow(persistence=url)
    question = await flow.pending("t")
    outcome = await flow.answer("t", {"action": action, "token": question.token})
    print(outcome.kind.value if hasattr(outcome, "kind") else "the end")

asyncio.run(main(*sys.argv[1:]))
"""
"""Answers the open question by its token, and prints what is asked next."""


def answer_at(shift: str, url: str, action: str) -> str:
    """Answer in a process whose clock is wrong by so much; return the question that follows."""
    program = shutil.which("faketime")
    assert program is not None, "apt-get install faketime"
    command = [program, "-f", shift, sys.executable, "-c", ANSWER, url, action]
    done = subprocess.run(  # noqa: S603  # ours
        command, capture_output=True, text=True, check=False, timeout=240, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.parametrize("shift", SHIFTS)
async def test_each_question_is_asked_once_however_the_clock_is_set(url, shift):
    await workflow(persistence=url).start("q", thread_id="t")
    back = OTHER_WAY[shift[0]] + shift[1:]
    assert await asyncio.to_thread(answer_at, shift, url, "approve") == "result_review"
    assert await asyncio.to_thread(answer_at, back, url, "reject") == "strategy_confirmation"
    flow = workflow(persistence=url)  # by the right clock again
    for kind in ("strategy_confirmation", "result_review"):
        question = await flow.pending("t")
        assert question.kind.value == kind
        await flow.answer("t", {"action": "approve", "token": question.token})
    assert await flow.pending("t") is None
    async with open_persistence(url) as persistence:
        actions = [d.detail["action"] for d in await ThreadCatalog(persistence).decisions("t")]
    assert actions == ["approve", "reject", "approve", "approve"]


@pytest.mark.parametrize("shift", ["-3d", "+3d"])
async def test_a_thread_that_is_driven_is_not_taken_by_who_has_another_clock(url, shift):
    await workflow(persistence=url).start("q", thread_id="t")
    async with open_persistence(url) as persistence:
        async with persistence.leases.hold("t"):
            with pytest.raises(AssertionError, match="ThreadBusyError"):
                await asyncio.to_thread(answer_at, shift, url, "approve")
        question = await workflow(persistence=persistence).pending("t")
    assert question.kind.value == "strategy_confirmation"
