"""How often, and how many times at once, a host may be asked, by all who ask it together."""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from paper_search.errors import ConfigError
from paper_search.http.host_file import QUOTA_USED_UP, HostFile, Quota, Refusal

_LOOK_AGAIN_S = 0.05
"""Between two looks for a slot that other processes hold."""
_DAY_S = 86_400
_SHORT_S = 120
_SECONDS_SINCE_1970 = 1e9
"""A reset that is larger is a moment; a smaller one is a number of seconds."""
_DURATION = re.compile(r"(\d{1,6})\s*(ms|s|m|h)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


class HostLimiter:
    """Gives out turns and slots: turns are an interval apart, slots are few.

    It serves all event loops and threads of a process: `reserve_within` waits for nobody, whoever
    asks is told how long to wait; `slot` waits in the loop of whoever asks. `file`: None: nobody
    else asks, and no refusal is remembered.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, file: HostFile | None = None
    ) -> None:
        self._clock = clock
        self._file = file
        self._announced: dict[str, Announcement] = {}
        self._free_at: dict[str, float] = {}
        self._inside: Counter[str] = Counter()
        self._waiting: defaultdict[str, deque[Future[None]]] = defaultdict(deque)
        self._lock = threading.Lock()

    def reserve_within(self, host: str, interval_s: float, patience_s: float) -> float | None:
        """Take the next turn if it comes within that time; None: it does not, and is not taken."""
        interval_s = max(interval_s, self._announcement(host).interval_s, 0.0)
        with self._lock:
            now = self._clock()
            turn = max(now, self._free_at.get(host, now))
            if turn - now >= patience_s:
                return None
            shared = self._file.reserve(host, interval_s, patience_s) if self._file else 0.0
            if shared is None:
                return None
            turn = max(turn, now + shared)
            self._free_at[host] = turn + interval_s
            return turn - now

    def note_sent(self, host: str, interval_s: float) -> None:
        """Count the interval from now: a request is sent later than its turn came."""
        interval_s = max(interval_s, self._announcement(host).interval_s)
        with self._lock:
            now = self._clock()
            self._free_at[host] = max(self._free_at.get(host, now), now + interval_s)
        if self._file is not None:
            self._file.note_sent(host, interval_s)

    def note(self, host: str, announced: Announcement) -> None:
        """Keep to what a host announces; a quota that is used up is a refusal."""
        self._announced[host] = announced
        if announced.pause_s:
            self.note_sent(host, announced.pause_s)
        if announced.quota is not None and announced.quota.remaining == 0:
            self.refuse(host, Refusal(announced.quota.until, QUOTA_USED_UP))

    def refuse(self, host: str, refusal: Refusal) -> None:
        if self._file is not None:
            self._file.refuse(host, refusal)

    def refusal(self, host: str) -> Refusal | None:
        """Return the refusal that still holds; None: the host may be asked."""
        return self._file.refusals().get(host) if self._file is not None else None

    @asynccontextmanager
    async def slot(self, host: str, most: int, holds_s: float = 60.0) -> AsyncIterator[None]:
        """Hold one of the slots for requests to a host, in the order of asking.

        There are at most `most` slots, fewer if the host announces fewer. After `holds_s` another
        process may take the slot of one that died.
        """
        most = min(most, self._announcement(host).concurrency or most)
        await self._enter(host, most)
        try:
            holder = await self._enter_shared(host, most, holds_s)
            try:
                yield
            finally:
                if self._file is not None and holder is not None:
                    self._file.leave(holder)
        finally:
            self._leave(host)

    def _announcement(self, host: str) -> Announcement:
        return self._announced.get(host, Announcement())

    async def _enter_shared(self, host: str, most: int, holds_s: float) -> str | None:
        if self._file is None:
            return None
        while (holder := self._file.enter(host, max(most, 1), holds_s)) is None:  # noqa: ASYNC110  # no event crosses processes
            await asyncio.sleep(_LOOK_AGAIN_S)
        return holder

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
        with self._lock:
            waiting = self._waiting[host]
            while waiting:
                waiter = waiting.popleft()
                if waiter.set_running_or_notify_cancel():
                    waiter.set_result(None)
                    return
            self._inside[host] -= 1


@cache
def process_limiter(path: Path | None = None) -> HostLimiter:
    return HostLimiter(file=HostFile(path) if path is not None else None)


class CallBudget:
    """Counts requests up to a limit; None: no limit, 0: none at all; `setting` is what sets it.

    Raises:
        ConfigError: the limit is negative.
    """

    def __init__(self, limit: int | None = None, *, setting: str = "") -> None:
        if limit is not None and limit < 0:
            raise ConfigError(f"max_calls is {limit}; give 0 for no requests, None for no limit")
        self._limit = limit
        self.setting = setting
        self.used = 0

    @property
    def is_closed(self) -> bool:
        return self._limit == 0

    @property
    def is_spent(self) -> bool:
        return self._limit is not None and self.used >= self._limit

    def spend(self) -> None:
        self.used += 1


@dataclass(frozen=True, slots=True)
class Announcement:
    """Limits that an answer announces.

    Attributes:
        interval_s: the least time between two requests; 0: it says none.
        concurrency: the most requests at one time; None: it says none.
        quota: what is left of a period of more than two minutes; None: it does not say.
        pause_s: until a shorter period begins, where nothing is left of this one.
    """

    interval_s: float = 0.0
    concurrency: int | None = None
    quota: Quota | None = None
    pause_s: float = 0.0


def parse_announcement(
    headers: Mapping[str, str], clock: Callable[[], float] = time.time
) -> Announcement:
    """Return what the headers of an answer announce; garbage is passed over.

    Crossref gives a rate in `x-rate-limit-limit` and `-interval`, and `x-concurrency-limit`; others
    what is left, and when there is more: in seconds, as a moment, or as CORE does, as a date.
    """
    rate, span = _number(headers.get("x-rate-limit-limit")), headers.get("x-rate-limit-interval")
    seconds = _duration(span)
    most = _number(headers.get("x-concurrency-limit"))
    now = clock()
    quota, pause_s = _quota(headers, now), 0.0
    if quota is not None and quota.until - now <= _SHORT_S:  # a pace, not a budget
        pause_s = 0.0 if quota.remaining else quota.until - now
        quota = None
    return Announcement(
        interval_s=seconds / rate if rate and seconds else 0.0,
        concurrency=max(int(most), 1) if most is not None else None,
        quota=quota,
        pause_s=pause_s,
    )


def _quota(headers: Mapping[str, str], now: float) -> Quota | None:
    remaining = _number(headers.get("x-ratelimit-remaining", headers.get("x-ratelimitremaining")))
    reset = _number(headers.get("x-ratelimit-reset")) or _moment(headers)
    if remaining is None or reset is None:
        return None
    until = reset if reset > _SECONDS_SINCE_1970 else now + reset
    if not now < until <= now + 32 * _DAY_S:
        return None
    most = _number(headers.get("x-ratelimit-limit"))
    return Quota(int(remaining), int(most) if most is not None else None, until)


def _moment(headers: Mapping[str, str]) -> float | None:
    try:
        return datetime.fromisoformat(headers.get("x-ratelimit-retry-after", "")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _number(text: str | None) -> float | None:
    try:
        value = float((text or "").strip())
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _duration(text: str | None) -> float:
    match = _DURATION.fullmatch((text or "").strip())
    return int(match[1]) * _UNITS[match[2]] if match else 0.0
