"""Many objects made at once, none of which is garbage: the collector waits until they are made."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator


class _Pause:
    """Counts who makes many objects; the collector goes on when the last one is done."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._makers = 0
        self._was_enabled = False

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        with self._lock:
            if self._makers == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._makers += 1
        try:
            yield
        finally:
            with self._lock:
                self._makers -= 1
                if self._makers == 0 and self._was_enabled:
                    gc.enable()


making_many = _Pause().holding
"""Holds the garbage collector up for the length of a `with` block without an `await` in it.

Reading a thousand records would start it hundreds of times, each time to look at everything that
the process has and to find nothing: more than half of what a step on 2,000 papers costs.
"""
