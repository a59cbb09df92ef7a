"""Errors of HTTP requests, and when to retry."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TypeGuard

from paper_search.errors import PaperSearchError


class HttpError(PaperSearchError):
    """A request that failed after `attempts` attempts; the text holds no secret."""

    attempts: int = 0


class HttpStatusError(HttpError):
    """The server answered with a status that is not a success.

    Attributes:
        retry_after: seconds that the server asks to wait; None if it does not say.
        body: the first characters of the answer, without secrets.
        location: target of a redirect that was not followed.
        is_challenge: the answer is a bot-check page.
        until: end of a refusal, in seconds since 1970; None if it did not refuse.
    """

    until: float | None = None

    def __init__(  # noqa: PLR0913  # what an answer without success holds
        self,
        message: str,
        *,
        status: int,
        retry_after: float | None = None,
        body: str = "",
        location: str | None = None,
        is_challenge: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        self.body = body
        self.location = location
        self.is_challenge = is_challenge


class HttpRefusedError(HttpStatusError):
    """The server refused requests until later, for `reason`; nothing was sent."""

    def __init__(self, message: str, *, until: float, reason: str) -> None:
        super().__init__(message, status=HTTPStatus.TOO_MANY_REQUESTS)
        self.until = until
        self.reason = reason


class HttpTimeoutError(HttpError):
    """No complete answer in time."""


class HttpNoTimeError(HttpTimeoutError):
    """The turn of the request would come after the deadline; nothing was sent."""


class HttpUnreachableError(HttpError):
    """No connection to the server, or it broke before the answer."""


class HttpProxyError(HttpUnreachableError):
    """The proxy cannot be reached, or refuses the connection."""


class HttpBodyError(HttpError):
    """An unusable answer: cut off, too large, not JSON, a web page.

    `is_cut_off`: the connection broke during the answer, so that a retry may help.
    """

    def __init__(self, message: str, *, is_cut_off: bool = False) -> None:
        super().__init__(message)
        self.is_cut_off = is_cut_off


class HttpCallLimitError(HttpError):
    """The allowed calls are used up; nothing was sent.

    `setting`: the variable that limits them; empty if unknown.
    """

    def __init__(self, setting: str) -> None:
        by = f" ({setting})" if setting else ""
        super().__init__(f"the calls allowed for this run are used up{by}")
        self.setting = setting


RETRYABLE_STATUSES = frozenset({429, 500, 502, 503, 504})


def utc_now() -> datetime:
    return datetime.now(UTC)


def parse_retry_after(value: str | None, *, now: Callable[[], datetime] = utc_now) -> float | None:
    """Return the seconds that a Retry-After header asks to wait (RFC 9110, 10.2.3).

    It holds seconds or an HTTP date; a date in the past is 0. Absent or invalid headers are None.
    """
    text = (value or "").strip()
    if not text or len(text) > 100:  # noqa: PLR2004  # no date is longer
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, OverflowError):
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max((moment - now()).total_seconds(), 0.0)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential back-off with jitter.

    Attributes:
        max_retries: attempts after the first one.
        first_wait_s: before the first retry; doubles each time.
        longest_wait_s: limit of the back-off; a server may ask for more.
        jitter: returns a number in [0, 1).
    """

    max_retries: int = 3
    first_wait_s: float = 0.5
    longest_wait_s: float = 20.0
    jitter: Callable[[], float] = field(default=random.random, repr=False)

    def wait_before(self, attempt: int, error: HttpError) -> float | None:
        """Return the seconds to wait after failed attempt number `attempt`, or None to give up."""
        if attempt > self.max_retries or not is_retryable(error):
            return None
        if attempt > 1 and is_refusal(error) and error.retry_after is None:
            return None  # a server that refused twice without a time will refuse again
        retry_after = error.retry_after if isinstance(error, HttpStatusError) else None
        backoff = min(self.first_wait_s * 2 ** min(attempt - 1, 30), self.longest_wait_s)
        return backoff * (0.5 + self.jitter() / 2) if retry_after is None else retry_after


def is_refusal(error: HttpError) -> TypeGuard[HttpStatusError]:
    if not isinstance(error, HttpStatusError):
        return False
    return error.status == HTTPStatus.TOO_MANY_REQUESTS or error.is_challenge


def refusal_of(error: HttpStatusError) -> str | None:
    return f"HTTP {error.status}" if is_refusal(error) else None


def is_retryable(error: HttpError) -> bool:
    if isinstance(error, HttpRefusedError):
        return False
    if isinstance(error, HttpStatusError):
        return error.status in RETRYABLE_STATUSES or error.is_challenge
    if isinstance(error, HttpBodyError):
        return error.is_cut_off
    return isinstance(error, HttpTimeoutError | HttpUnreachableError)
