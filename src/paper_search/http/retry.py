"""When to ask a server again."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TypeGuard

from paper_search.http.errors import (
    HttpBodyError,
    HttpError,
    HttpRefusedError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
)

RETRYABLE_STATUSES = frozenset({429, 500, 502, 503, 504})


def utc_now() -> datetime:
    return datetime.now(UTC)


def parse_retry_after(value: str | None, *, now: Callable[[], datetime] = utc_now) -> float | None:
    """Return the seconds that a Retry-After header asks to wait (RFC 9110, 10.2.3).

    Seconds and HTTP dates are understood; a date in the past is 0. None: the header is absent,
    negative or garbage, so that the client's own back-off decides.
    """
    text = (value or "").strip()
    if not text or len(text) > 100:  # noqa: PLR2004  # no date is longer
        return None
    try:
        seconds = float(text)
    except ValueError:
        return _until(text, now)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(text: str, now: Callable[[], datetime]) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - now()).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently to ask again.

    Attributes:
        max_retries: attempts after the first one.
        first_wait_s: about how long to wait before the first of them; doubles each time.
        longest_wait_s: the most that our own back-off waits; a server may ask for more.
        jitter: gives a number in [0, 1).
    """

    max_retries: int = 3
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    jitter: Callable[[], float] = field(default=random.random, repr=False)

    def wait_before(self, attempt: int, error: HttpError) -> float | None:
        """Return the seconds to wait after a failed attempt (from 1); None: do not ask again."""
        if attempt > self.max_retries or not is_retryable(error):
            return None
        if attempt > 1 and is_refusal(error) and error.retry_after is None:
            return None  # whoever refuses without saying for how long refuses the third time, too
        retry_after = error.retry_after if isinstance(error, HttpStatusError) else None
        backoff = min(self.first_wait_s * 2 ** min(attempt - 1, 30), self.longest_wait_s)
        return backoff * (0.5 + self.jitter() / 2) if retry_after is None else retry_after


def is_refusal(error: HttpError) -> TypeGuard[HttpStatusError]:
    if not isinstance(error, HttpStatusError):
        return False
    return error.status == HTTPStatus.TOO_MANY_REQUESTS or error.is_challenge


def refusal_of(error: HttpStatusError) -> str | None:
    """Return why the server does not want to be asked for a while; None: it said no such thing."""
    return f"HTTP {error.status}" if is_refusal(error) else None


def is_retryable(error: HttpError) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, HttpRefusedError):
        return False
    if isinstance(error, HttpStatusError):
        return error.status in RETRYABLE_STATUSES or error.is_challenge
    if isinstance(error, HttpBodyError):
        return error.is_cut_off
    return isinstance(error, HttpTimeoutError | HttpUnreachableError)
