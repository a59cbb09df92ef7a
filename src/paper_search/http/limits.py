"""How often a host may be asked, by all of this process together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache


class HostLimiter:
    """Gives out turns: two requests to one host are at least an interval apart.

    It waits for nobody: whoever asks is told how long to wait. So it serves all event loops and
    threads of a process.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._free_at: dict[str, float] = {}
        self._lock = threading.Lock()

    def reserve(self, host: str, interval_s: float) -> float:
        """Take the next turn for a host and return the seconds until it comes."""
        with self._lock:
            now = self._clock()
            turn = max(now, self._free_at.get(host, now))
            self._free_at[host] = turn + max(interval_s, 0.0)
            return turn - now


@cache
def process_limiter() -> HostLimiter:
    """Return the limiter that all clients of this process share."""
    return HostLimiter()


class CallBudget:
    """Counts requests up to a limit; None: no limit."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self.used = 0

    @property
    def is_spent(self) -> bool:
        """Whether no further request is allowed."""
        return self._limit is not None and self.used >= self._limit

    def spend(self) -> None:
        """Count one request."""
        self.used += 1
