"""Detects a blocked event loop, and names the task that blocks it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger(__name__)


class Watchdog:
    """Looks from a thread whether a loop still turns.

    Args:
        patience_s: how long the loop may stand still before it is said.
    """

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._beat = 0.0
        self._done = threading.Event()
        self.held_s: dict[str, float] = {}
        """Names of the tasks that held the loop, with the seconds seen."""

    @contextmanager
    def watching(self) -> Iterator[Watchdog]:
        """Watch the running loop."""
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
        self.held_s[name] = max(seconds, self.held_s.get(name, 0.0))
