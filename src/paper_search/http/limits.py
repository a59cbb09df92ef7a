"""Rate and concurrency limits per host, shared by all threads and processes."""

import asyncio
import logging
import math
import re
import sqlite3
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from paper_search.errors import ConfigError
from paper_search.private_files import private_file
from paper_search.processes import is_dead, new_owner

_log = logging.getLogger(__name__)
T = TypeVar("T")

QUOTA_USED_UP = "its quota is used up"
"""Reason of a refusal that lasts longer than minutes."""
_LONGEST_S = 900.0
"""Times further ahead are ignored: they were written before the clock was set back."""
_ONLINE_S = 10.0
"""How long a connection proves that there is a network."""
_SLOT_POLL_S = 0.02
_BUSY_S = 2.0
_DAY_S = 86_400
_SHORT_S = 120
_SECONDS_SINCE_1970 = 1e9
"""A larger reset is a time; a smaller one is a number of seconds."""
_DURATION = re.compile(r"(\d{1,6})\s*(ms|s|m|h)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}
_TABLES = """
CREATE TABLE IF NOT EXISTS turns (host TEXT PRIMARY KEY, free_at REAL);
CREATE TABLE IF NOT EXISTS slots (host TEXT, holder TEXT PRIMARY KEY, until REAL);
CREATE TABLE IF NOT EXISTS refusals (host TEXT PRIMARY KEY, until REAL, reason TEXT);
"""
_LEAVE = "DELETE FROM slots WHERE holder = ?"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A host's refusal of requests until a time, in seconds since 1970."""

    until: float
    reason: str


@dataclass(frozen=True, slots=True)
class Quota:
    """What a host still allows.

    Attributes:
        remaining: in the host's unit: requests or credits.
        most: total of the period; None if the host does not say.
        until: end of the period, in seconds since 1970.
    """

    remaining: int
    most: int | None
    until: float


@dataclass(frozen=True, slots=True)
class Announcement:
    """Limits that an answer's headers announce.

    Attributes:
        interval_s: minimum time between two requests; 0 if none is announced.
        quota: of a period longer than two minutes; None if none is announced.
        pause_s: time to wait where the quota of a shorter period is used up.
    """

    interval_s: float = 0.0
    quota: Quota | None = None
    pause_s: float = 0.0


class HostLimiter:
    """Spaces requests by an interval, and limits how many run at once.

    All event loops and threads of a process share it, and through a SQLite file all processes. An
    unusable file is logged once; then limits are not shared with other processes.

    Args:
        clock: seconds since 1970.
        path: of the file; None to share nothing and remember no refusals.
    """

    def __init__(self, clock: Callable[[], float] = time.time, path: Path | None = None) -> None:
        self._clock = clock
        self._path = path
        self._announced: dict[str, Announcement] = {}
        self._contact_at = -math.inf
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="limits")

    def aside(self, method: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        """Run a method in a thread, because another process may hold the file.

        Methods run in the order of the calls, even if the caller is cancelled.
        """
        return asyncio.get_running_loop().run_in_executor(self._thread, method, *arguments)

    def reserve_within(self, host: str, interval_s: float, patience_s: float) -> float | None:
        """Reserve the next turn and return the seconds until then; None if it is too late."""
        interval_s = max(interval_s, self._announcement(host).interval_s, 0.0)

        def take(db: sqlite3.Connection, now: float) -> float | None:
            turn = _free_at(db, host, now)
            if turn - now >= patience_s:
                return None
            _insert(db, "turns", host, turn + interval_s)
            return turn - now

        return self._do(take)

    def note_sent(self, host: str, interval_s: float) -> None:
        """Start the interval anew: a request is sent later than its turn."""
        interval_s = max(interval_s, self._announcement(host).interval_s)

        def delay(db: sqlite3.Connection, now: float) -> None:
            _insert(db, "turns", host, max(now + interval_s, _free_at(db, host, now)))

        self._do(delay)

    def note(self, host: str, announced: Announcement) -> None:
        """Apply what a host announces; an exhausted quota is a refusal."""
        self._announced[host] = announced
        if announced.pause_s:
            self.note_sent(host, announced.pause_s)
        if announced.quota is not None and announced.quota.remaining == 0:
            self.refuse(host, Refusal(announced.quota.until, QUOTA_USED_UP))

    def note_contact(self) -> None:
        self._contact_at = self._clock()

    @property
    def is_online(self) -> bool:
        """Whether any host was reached recently, so that a failure is not the network's."""
        return self._clock() - self._contact_at < _ONLINE_S

    def refuse(self, host: str, refusal: Refusal) -> None:
        if self._path is not None:
            self._do(lambda db, _: _insert(db, "refusals", host, refusal.until, refusal.reason))

    def refusal(self, host: str) -> Refusal | None:
        select = "SELECT until, reason FROM refusals WHERE host = ? AND until > ?"
        row = self._do(lambda db, now: db.execute(select, (host, now)).fetchone())
        return Refusal(*row) if row else None

    @asynccontextmanager
    async def slot(self, host: str, most: int, holds_s: float = 60.0) -> AsyncIterator[None]:
        """Hold one of at most `most` slots for requests to a host.

        The slot of a dead process is freed at once where its death is known, else after `holds_s`.
        """
        holder = new_owner()

        def enter(db: sqlite3.Connection, now: float) -> bool:
            db.execute("DELETE FROM slots WHERE until <= ? OR until > ?", (now, now + _LONGEST_S))
            rows = db.execute("SELECT holder FROM slots WHERE host = ?", (host,)).fetchall()
            dead = [row for row in rows if is_dead(row[0])]
            db.executemany(_LEAVE, dead)
            is_free = len(rows) - len(dead) < most
            if is_free:
                _insert(db, "slots", host, holder, now + holds_s)
            return is_free

        def leave(db: sqlite3.Connection, _now: float) -> None:
            db.execute(_LEAVE, (holder,))

        try:
            while not await self.aside(self._do, enter):  # noqa: ASYNC110  # no event crosses processes
                await asyncio.sleep(_SLOT_POLL_S)
            yield
        finally:
            await asyncio.shield(self.aside(self._do, leave))

    def _announcement(self, host: str) -> Announcement:
        return self._announced.get(host, Announcement())

    def _do(self, action: Callable[[sqlite3.Connection, float], T]) -> T:
        with self._lock:
            try:
                return self._transact(action)
            except (OSError, sqlite3.Error) as error:
                _log.warning("rate limits are not shared with other processes: %s", error)
                self._db = self._path = None
                return self._transact(action)

    def _transact(self, action: Callable[[sqlite3.Connection, float], T]) -> T:
        if self._db is None:
            file = ":memory:" if self._path is None else private_file(self._path)
            self._db = sqlite3.connect(
                file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            weakref.finalize(self, self._db.close)
            self._db.executescript(_TABLES)
        with self._db as db:
            db.execute("BEGIN IMMEDIATE")
            return action(db, self._clock())


def _free_at(db: sqlite3.Connection, host: str, now: float) -> float:
    row = db.execute("SELECT free_at FROM turns WHERE host = ?", (host,)).fetchone()
    return max(row[0], now) if row and row[0] <= now + _LONGEST_S else now


def _insert(db: sqlite3.Connection, table: str, *values: float | str | None) -> None:
    signs = ", ".join("?" * len(values))
    db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({signs})", values)  # noqa: S608  # a constant name


@cache
def process_limiter(path: Path | None) -> HostLimiter:
    return HostLimiter(path=path)


class CallBudget:
    """Counts requests up to `limit` (None for no limit), which the variable `setting` sets."""

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


def parse_announcement(
    headers: Mapping[str, str], clock: Callable[[], float] = time.time
) -> Announcement:
    """Return the limits that headers announce; invalid values are ignored.

    Crossref gives a rate in `x-rate-limit-limit` and `-interval`; others give what remains and its
    reset: in seconds, as a time since 1970, or as a date (CORE). Zotero's `backoff` is a pause in
    seconds.
    """
    rate, span = _number(headers.get("x-rate-limit-limit")), headers.get("x-rate-limit-interval")
    match = _DURATION.fullmatch((span or "").strip())
    seconds = int(match[1]) * _UNITS[match[2]] if match else 0.0
    now = clock()
    quota, pause_s = _quota(headers, now), 0.0
    if quota is not None and quota.until - now <= _SHORT_S:  # a rate limit, not a quota
        pause_s = 0.0 if quota.remaining else quota.until - now
        quota = None
    return Announcement(
        interval_s=seconds / rate if rate and seconds else 0.0,
        quota=quota,
        pause_s=max(pause_s, _number(headers.get("backoff")) or 0.0),
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
