"""A graph whose runs hold the lease on their thread, so that no other process drives it too."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from paper_search.persistence import Persistence

Opener = Callable[[], AbstractAsyncContextManager[Persistence]]


class LeasedGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph that takes the lease on a thread for the length of a run.

    Args:
        place: opens where threads live.
        parts: the attributes of the graph that it is made from.
    """

    def __init__(self, *, place: Opener, **parts: Any) -> None:
        super().__init__(**parts)
        self.place = place

    async def astream(
        self,
        input: Any,  # noqa: A002  # named by LangGraph
        config: Any = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        """Run the graph under the lease; arguments and parts as LangGraph has them.

        Raises:
            ThreadBusyError: another process drives the thread.
        """
        thread_id = _thread(config)
        stream = super().astream(input, config, **options)
        if thread_id is None:
            async for part in stream:
                yield part
            return
        # A task of its own: the lease belongs to the task that works under it, and the server
        # takes each part of a stream in another one.
        parts: asyncio.Queue[tuple[bool, Any]] = asyncio.Queue(maxsize=1)
        work = asyncio.create_task(self._work(thread_id, stream, parts))
        try:
            while (given := await _next(parts, work)) is not None:
                yield given[1]
            await work
        finally:
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):  # told already, above
                await work

    async def _work(
        self, thread_id: str, stream: AsyncIterator[Any], parts: asyncio.Queue[tuple[bool, Any]]
    ) -> None:
        async with self.place() as persistence, persistence.leases.hold(thread_id):
            async for part in stream:
                await parts.put((True, part))


async def _next(
    parts: asyncio.Queue[tuple[bool, Any]], work: asyncio.Task[None]
) -> tuple[bool, Any] | None:
    """Return the next part; None: the work is over, and all of its parts are taken."""
    getting = asyncio.create_task(parts.get())
    try:
        await asyncio.wait({getting, work}, return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            return getting.result()
        return None if parts.empty() else parts.get_nowait()
    finally:
        getting.cancel()


def leased(graph: Any, place: Opener) -> LeasedGraph:
    """Return a compiled graph that takes leases in a place for threads."""
    return LeasedGraph(place=place, **vars(graph))


def _thread(config: Any) -> str | None:
    settings: Mapping[str, Any] = (config or {}).get("configurable") or {}
    thread_id = settings.get("thread_id")
    return None if thread_id is None else str(thread_id)
