"""What all processes know of the hosts that they ask: turns, slots and refusals."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from paper_search.private_files import private_file

_log = logging.getLogger(__name__)

T = TypeVar("T")

_LONGEST_S = 3600.0
"""What is further away was written before the clock of the machine was set back."""
QUOTA_USED_UP = "its quota is used up"
"""The reason of a refusal that no waiting of minutes ends."""
_BUSY_S = 2.0
_TABLES = """
CREATE TABLE IF NOT EXISTS turns (host TEXT PRIMARY KEY, free_at REAL);
CREATE TABLE IF NOT EXISTS slots (host TEXT, holder TEXT PRIMARY KEY, until REAL);
CREATE TABLE IF NOT EXISTS refusals (host TEXT PRIMARY KEY, until REAL, reason TEXT);
"""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A host that does not want to be asked until then, in seconds since 1970, and what it said."""

    until: float
    reason: str


@dataclass(frozen=True, slots=True)
class Quota:
    """What a host still allows.

    Attributes:
        remaining: in the units of the host: requests or credits.
        most: of a whole period; None: it does not say.
        until: when the period ends, in seconds since 1970.
    """

    remaining: int
    most: int | None
    until: float


class HostFile:
    """A SQLite file that processes share; one of no use is reported once and left alone."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._is_broken = False

    def reserve(self, host: str, interval_s: float, patience_s: float) -> float | None:
        """Take the next turn if it comes within that time; None: it does not, and is not taken."""

        def take(db: sqlite3.Connection, now: float) -> float | None:
            turn = _free_at(db, host, now)
            if turn - now >= patience_s:
                return None
            _put(db, "turns", host, turn + max(interval_s, 0.0))
            return turn - now

        unlimited: float | None = 0.0
        return self._do(take, unlimited)

    def note_sent(self, host: str, interval_s: float) -> None:
        """Let the next turn be an interval after now, where it would come sooner."""

        def delay(db: sqlite3.Connection, now: float) -> None:
            _put(db, "turns", host, max(now + interval_s, _free_at(db, host, now)))

        self._do(delay, None)

    def enter(self, host: str, most: int, holds_s: float) -> str | None:
        """Take a slot for so long at most, and return its holder; None: all are taken."""
        holder: str | None = uuid.uuid4().hex

        def take(db: sqlite3.Connection, now: float) -> str | None:
            db.execute("DELETE FROM slots WHERE until <= ? OR until > ?", (now, now + _LONGEST_S))
            (holders,) = db.execute("SELECT count(*) FROM slots WHERE host = ?", (host,)).fetchone()
            if holders >= most:
                return None
            _put(db, "slots", host, holder, now + holds_s)
            return holder

        return self._do(take, holder)

    def leave(self, holder: str) -> None:
        self._do(lambda db, _: db.execute("DELETE FROM slots WHERE holder = ?", (holder,)), None)

    def refuse(self, host: str, refusal: Refusal) -> None:
        self._do(lambda db, _: _put(db, "refusals", host, refusal.until, refusal.reason), None)

    def refusals(self) -> dict[str, Refusal]:
        select = "SELECT host, until, reason FROM refusals WHERE until > ?"
        rows = self._do(lambda db, now: db.execute(select, (now,)).fetchall(), list[Any]())
        return {host: Refusal(until, reason) for host, until, reason in rows}

    def _do(self, action: Callable[[sqlite3.Connection, float], T], otherwise: T) -> T:
        """Return what an action in one transaction gives, or `otherwise` without a usable file."""
        with self._lock:
            if self._is_broken:
                return otherwise
            try:
                db = self._opened()
                with db:
                    db.execute("BEGIN IMMEDIATE")
                    return action(db, self._clock())
            except (OSError, sqlite3.Error) as error:
                _log.warning("limits of services are not shared with other processes: %s", error)
                self._is_broken = True
                return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = sqlite3.connect(
                private_file(self._path), _BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._db.executescript(_TABLES)
        return self._db


def _free_at(db: sqlite3.Connection, host: str, now: float) -> float:
    row = db.execute("SELECT free_at FROM turns WHERE host = ?", (host,)).fetchone()
    return max(row[0], now) if row and row[0] <= now + _LONGEST_S else now


def _put(db: sqlite3.Connection, table: str, *values: float | str | None) -> None:
    signs = ", ".join("?" * len(values))
    db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({signs})", values)  # noqa: S608  # a name of ours
