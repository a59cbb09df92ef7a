"""Sources that fail: the status of an exception, and how long slow ones are waited for."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from paper_search.errors import SearchSourceError
from paper_search.models import SourceStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECRET = re.compile(
    r"(?i)\b((?:api[_-]?key|access[_-]?token|token|key|secret|password|authorization)"
    r"[\"']?\s*[=:]\s*[\"']?(?:bearer\s+)?)[^\s&\"',;)]+"
)
_LONGEST = 300
_STATUS_OF_CODE = {
    401: SourceStatus.UNAUTHORISED,
    403: SourceStatus.UNAUTHORISED,
    408: SourceStatus.TIMEOUT,
    429: SourceStatus.RATE_LIMITED,
    504: SourceStatus.TIMEOUT,
}
_SERVER_ERROR = 500


def status_of(error: BaseException) -> SourceStatus:
    """Return the status for a source's exception, looking at its causes too.

    By what the error carries (`status`, an HTTP status code), then by its class; an error that is
    neither a source's own nor the world's is a bug in the source.
    """
    chain = list(_causes(error))
    for link in chain:
        status = getattr(link, "status", None)
        if isinstance(status, SourceStatus):
            return status
        code = _code(link)
        if code is not None:
            fallback = SourceStatus.BAD_RESPONSE
            if code >= _SERVER_ERROR:
                fallback = SourceStatus.UNREACHABLE
            return _STATUS_OF_CODE.get(code, fallback)
    for link in chain:
        name = type(link).__name__.lower()
        if isinstance(link, TimeoutError) or "timeout" in name:
            return SourceStatus.TIMEOUT
        if isinstance(link, OSError) or name in {"connecterror", "networkerror", "transporterror"}:
            return SourceStatus.UNREACHABLE
    if isinstance(error, SearchSourceError):
        return SourceStatus.BAD_RESPONSE
    return SourceStatus.BUG


def described(error: BaseException) -> str:
    """Return the error for people, without anything that looks like a secret."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _SECRET.sub(r"\1***", text)[:_LONGEST]


def _code(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        code = getattr(holder, "status_code", None)
        if isinstance(code, int):
            return code
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    ids: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in ids:
        ids.add(id(cause))
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


_FEWEST = 4
"""Sources; of fewer, each is waited for until its deadline."""

_log = logging.getLogger(__name__)


class Watchdog:
    """Looks from a thread whether a loop still turns."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._beat = 0.0
        self._done = threading.Event()
        self.held_s: dict[str, float] = {}
        """Names of the tasks that held the loop, with the seconds seen."""

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
        self.held_s[name] = max(seconds, self.held_s.get(name, 0.0))


class Race:
    """The sources that are asked at once; those far behind the others are not waited for.

    Once two thirds of four or more sources have answered, the others get as long again as these
    took, and at least `straggler_s` from the start.

    Args:
        count: of sources.
        straggler_s: see above.
        is_run: whether there is a race at all; else every source is waited for.
    """

    def __init__(self, count: int, straggler_s: float, *, is_run: bool = True) -> None:
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
