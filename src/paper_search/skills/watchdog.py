"""When to stop waiting for slow sources, and which sources block the event loop."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

_FEWEST = 4
"""With fewer sources, each is waited for until its deadline."""

_log = logging.getLogger(__name__)


class Watchdog:
    """Checks from a thread whether the event loop is blocked."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._beat = 0.0
        self._done = threading.Event()
        self.held_s: dict[str, float] = {}
        """Seconds for which tasks blocked the loop, by task name."""

    @contextmanager
    def watching(self) -> Iterator[Watchdog]:
        loop = asyncio.get_running_loop()
        self._beat = time.monotonic()
        thread = threading.Thread(target=self._watch, args=(loop,), daemon=True, name="watchdog")
        thread.start()
        try:
            yield self
        finally:
            self._done.set()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._done.wait(self._patience_s / 2):
            stood_still_s = time.monotonic() - self._beat
            task = asyncio.current_task(loop) if stood_still_s > self._patience_s else None
            if task is not None:
                self._say(task.get_name(), stood_still_s)
            try:
                loop.call_soon_threadsafe(self._turn)
            except RuntimeError:  # the loop was closed
                return

    def _turn(self) -> None:
        self._beat = time.monotonic()

    def _say(self, name: str, seconds: float) -> None:
        if name not in self.held_s:
            _log.warning("%s blocks the program: nothing else can run", name)
        self.held_s[name] = max(seconds, self.held_s.get(name, seconds))


class Race:
    """Ends the wait for sources that are much slower than the others.

    Once two thirds of four or more sources have answered, the rest get as long again, and at least
    `straggler_s` from the start. Without `is_run`, every source is waited for.
    """

    def __init__(self, count: int, straggler_s: float, *, is_run: bool) -> None:
        loop = asyncio.get_running_loop()
        self.is_over: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._started = loop.time()
        self._straggler_s = straggler_s
        is_race = is_run and count >= _FEWEST
        self._left = math.ceil(count * 2 / 3) if is_race else count + 1
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.is_over.cancel()

    @property
    def seconds(self) -> float:
        return self._loop.time() - self._started

    def finish(self) -> None:
        self._left -= 1
        if self._left == 0:
            lasts = max(self._straggler_s, 2 * self.seconds)
            self._timer = self._loop.call_at(self._started + lasts, self._end)

    def _end(self) -> None:
        if not self.is_over.done():
            self.is_over.set_result(None)
