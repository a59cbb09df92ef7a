"""How often, and how many times at once, a host may be asked, by all of this process together."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import cache


class HostLimiter:
    """Gives out turns and slots: turns are an interval apart, slots are few.

    It serves all event loops and threads of a process: `reserve` waits for nobody, whoever asks
    is told how long to wait; `slot` waits in the loop of whoever asks.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._free_at: dict[str, float] = {}
        self._inside: Counter[str] = Counter()
        self._waiting: defaultdict[str, deque[Future[None]]] = defaultdict(deque)
        self._lock = threading.Lock()

    def reserve(self, host: str, interval_s: float) -> float:
        """Take the next turn for a host and return the seconds until it comes."""
        wait = self.reserve_within(host, interval_s, math.inf)
        return wait if wait is not None else 0.0

    def reserve_within(self, host: str, interval_s: float, patience_s: float) -> float | None:
        """Take the next turn if it comes within that time; None: it does not, and is not taken."""
        with self._lock:
            now = self._clock()
            turn = max(now, self._free_at.get(host, now))
            if turn - now >= patience_s:
                return None
            self._free_at[host] = turn + max(interval_s, 0.0)
            return turn - now

    @asynccontextmanager
    async def slot(self, host: str, most: int) -> AsyncIterator[None]:
        """Hold one of the slots for requests to a host, in the order of asking."""
        await self._enter(host, most)
        try:
            yield
        finally:
            self._leave(host)

    async def _enter(self, host: str, most: int) -> None:
        with self._lock:
            if self._inside[host] < max(most, 1) and not self._waiting[host]:
                self._inside[host] += 1
                return
            waiter: Future[None] = Future()
            self._waiting[host].append(waiter)
        try:
            await asyncio.wrap_future(waiter)
        except asyncio.CancelledError:
            if not waiter.cancel() and not waiter.cancelled():
                self._leave(host)  # the slot was given at the same moment
            raise

    def _leave(self, host: str) -> None:
        """Give the slot to who waits for the longest, else free it."""
        with self._lock:
            waiting = self._waiting[host]
            while waiting:
                waiter = waiting.popleft()
                if waiter.set_running_or_notify_cancel():
                    waiter.set_result(None)
                    return
            self._inside[host] -= 1


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
