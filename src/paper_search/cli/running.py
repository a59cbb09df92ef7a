"""Runs the coroutines of commands."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T], runner: asyncio.Runner | None = None) -> T:
    """Run a coroutine to its end and return its result; default: in an event loop of its own.

    The task itself has no result: Python 3.11 formats the task when it restores the handler of
    Ctrl-C, which takes long for a collection of some hundred papers.
    """
    found: list[T] = []

    async def kept() -> None:
        found.append(await work)

    if runner is None:
        asyncio.run(kept())
    else:
        runner.run(kept())
    return found[0]
