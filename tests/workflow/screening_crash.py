"""A screening that is killed, in a process of its own (`preforked`)."""

import asyncio
import os
import random
import threading
from typing import Any

from tests.workflow.crashing import kill

from paper_search.models import Paper
from paper_search.persistence import open_persistence
from paper_search.workflow.marks import MarkStore
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.screening import Screening

PAPERS = [
    Paper(id=f"p{n}", title=f"{'Fish' if n % 3 else 'Stars'} {n}", authors=[], source="s")
    for n in range(300)
]


def acknowledge(log: str, words: str) -> None:
    """Tell the world, past any crash, what the person was told is saved."""
    with open(log, "a", encoding="utf-8") as file:  # noqa: PTH123  # as short as can be
        file.write(f"{words}\n")
        file.flush()
        os.fsync(file.fileno())


def arm(store: MarkStore, point: int) -> None:
    """Let this process end before, after or somewhere around the writing of some mark."""
    if point % 2:
        delay = random.Random(point).uniform(0.0, 0.04)  # noqa: S311  # a crash
        threading.Timer(delay, kill).start()
        return
    inner, count = store.put, 0

    async def put(*args: Any) -> None:
        nonlocal count
        is_last, count = count == point // 4, count + 1
        if is_last and point % 4:
            kill()
        await inner(*args)
        if is_last:
            kill()

    store.put = put


async def screen(url: str, log: str, point: int) -> None:
    """Go on with the screening, one mark taken back first, until the process ends."""
    async with open_persistence(url) as persistence:
        store = MarkStore(SearchRecords(persistence.store, "t"))
        screening = Screening(PAPERS, store, await store.marks(), 0, {})
        if (undone := await screening.undo()) is not None:
            acknowledge(log, f"undo {undone.id}")
        arm(store, point)
        while queue := screening.queue():
            await screening.say(queue[0], is_relevant=queue[0].title.startswith("Fish"))
            acknowledge(log, f"say {queue[0].id}")


def work(url: str, log: str, point: int) -> None:
    """Screen as `screen` does."""
    asyncio.run(screen(url, log, point))
