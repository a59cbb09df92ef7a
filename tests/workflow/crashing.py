"""What drives a thread in a process of its own, which kills itself where it is told to."""

import asyncio
import os
import signal
import tempfile
from typing import Any

from tests.workflow.doubles import mark_last

from paper_search.persistence import open_persistence
from paper_search.testing.skills import FakeSkills, ScriptedHandler
from paper_search.workflow import SearchWorkflow

SKILLS = ("parse", "build", "search", "deduplicate", "score", "organize")
SCRIPT = ["approve", mark_last, "approve", "approve"]
"""Two rounds, with a paper of the first kept."""


class LoggingSkills(FakeSkills):
    """Skills whose every call is on disk before it goes on.

    One kills after some of its calls, at the start of its work, or when all is done.
    """

    def __init__(self, log: str, killer: str = "-", after: int = 0, moment: str = "start") -> None:
        super().__init__()
        for name in SKILLS:
            fatal = after if killer == name else None
            setattr(self, name, self._logged(name, log, fatal, moment))

    def _logged(self, name: str, log: str, fatal: int | None, moment: str) -> Any:
        inner, count = getattr(self, name), 0

        async def call(*args: Any) -> Any:
            nonlocal count
            with open(log, "a", encoding="utf-8") as file:  # noqa: ASYNC230, PTH123  # on purpose
                file.write(f"{name}\n")
                file.flush()
                os.fsync(file.fileno())
            is_last = count == fatal
            count += 1
            if is_last and moment == "start":
                kill()
            result = await inner(*args)
            if is_last:
                kill()
            return result

        return call


def kill() -> None:
    """End this process as an outage would."""
    os.kill(os.getpid(), signal.SIGKILL)


def count_writes(saver: Any, fatal: int) -> None:
    """Let a process end after that many writes of checkpoints."""
    inner, count = saver.aput, 0

    async def put(*args: Any) -> Any:
        nonlocal count
        stored = await inner(*args)
        count += 1
        if count > fatal:
            kill()
        return stored

    saver.aput = put


async def drive(url: str, log: str, killer: str, after: int, moment: str) -> None:
    """Take a thread of two rounds to its end, or to that of this process.

    `killer`: a skill, `write` for the checkpointer, `-` for none.
    """
    async with open_persistence(url) as persistence:
        if killer == "write":
            count_writes(persistence.checkpointer, after)
        skills = LoggingSkills(log, killer, after, moment)
        flow = SearchWorkflow(*[skills] * 6, ScriptedHandler(SCRIPT), persistence=persistence)
        await flow.run("q", thread_id="t")


def work(url: str, log: str, killer: str, after: int, moment: str) -> None:
    """Drive a thread as `drive` does."""
    asyncio.run(drive(url, log, killer, after, moment))


def warm() -> None:
    """Drive a thread that nobody kills, in a file: one in memory may leave something running."""
    with tempfile.TemporaryDirectory() as folder:
        work(f"sqlite:///{folder}/threads.db", f"{folder}/log", "-", 0, "start")
