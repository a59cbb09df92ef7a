"""What servers announce about their limits, in the headers of their answers."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from paper_search.http.host_file import Quota

_DAY_S = 86_400
_SHORT_S = 120
_SECONDS_SINCE_1970 = 1e9
"""A reset that is larger is a moment; a smaller one is a number of seconds."""
_DURATION = re.compile(r"(\d{1,6})\s*(ms|s|m|h)?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


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


def read_announcement(
    headers: Mapping[str, str], clock: Callable[[], float] = time.time
) -> Announcement:
    """Return what the headers of an answer announce; garbage is passed over.

    Crossref gives a rate in `x-rate-limit-limit` and `-interval`, and `x-concurrency-limit`.
    OpenAlex and others give what is left in `x-ratelimit-remaining`, and in `-reset` the seconds
    until it is renewed, or the moment of that.

    Args:
        headers: with names in any case.
        clock: seconds since 1970.
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
    remaining = _number(headers.get("x-ratelimit-remaining"))
    reset = _number(headers.get("x-ratelimit-reset"))
    if remaining is None or reset is None:
        return None
    until = reset if reset > _SECONDS_SINCE_1970 else now + reset
    if not now < until <= now + 32 * _DAY_S:
        return None
    most = _number(headers.get("x-ratelimit-limit"))
    return Quota(int(remaining), int(most) if most is not None else None, until)


def _number(text: str | None) -> float | None:
    try:
        value = float((text or "").strip())
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _duration(text: str | None) -> float:
    found = _DURATION.fullmatch((text or "").strip())
    return int(found[1]) * _UNITS[found[2]] if found else 0.0
