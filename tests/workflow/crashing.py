"""A process that drives a thread and kills itself where it is told to.

Arguments: database URL, file of calls, the skill that kills (or `-`), how many calls of it go well
before, and what to do: `run`, `resume`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from tests.workflow.doubles import mark_last

from paper_search.testing.handlers import ScriptedHandler
from paper_search.testing.skills import FakeSkills
from paper_search.workflow import SearchWorkflow

SKILLS = ("parse", "build", "search", "deduplicate", "score", "organize")
SCRIPT = ["approve", mark_last, "approve", "approve"]
"""Two rounds, with a paper of the first kept."""


class LoggingSkills(FakeSkills):
    """Skills whose every call is on disk before it goes on.

    Args:
        log: the file.
        killer: the skill that does not return.
        after: how many of its calls do.
    """

    def __init__(self, log: str, killer: str = "-", after: int = 0) -> None:
        super().__init__()
        for name in SKILLS:
            setattr(self, name, self._logged(name, log, killer == name, after))

    def _logged(self, name: str, log: str, kills: bool, after: int) -> Any:  # noqa: FBT001  # private
        inner, count = getattr(self, name), 0

        async def call(*args: Any) -> Any:
            nonlocal count
            with open(log, "a", encoding="utf-8") as file:  # noqa: ASYNC230, PTH123  # on purpose
                file.write(f"{name}\n")
                file.flush()
                os.fsync(file.fileno())
            if kills and count == after:
                os.kill(os.getpid(), signal.SIGKILL)
            count += 1
            return await inner(*args)

        return call


def main(url: str, log: str, killer: str, after: str) -> None:
    flow = SearchWorkflow(
        *[LoggingSkills(log, killer, int(after))] * 6, ScriptedHandler(SCRIPT), persistence=url
    )
    asyncio.run(flow.run("q", thread_id="t"))


if __name__ == "__main__":
    main(*sys.argv[1:])
