"""Dates of entry: the day on which a database took a record in.

In a tree they are words of the field `entered`: `2019`, `2019-07`, `2019-07-01`, or a span of
these with a slash, open where nothing stands: `2019-01-01/2019-06-30`, `2019-01-01/`.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

from paper_search.query.ast import Term

_WRITTEN = re.compile(r"(\d{4})(?:[-/.]?(\d{1,2})(?:[-/.]?(\d{1,2}))?)?[*$]?")
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_SPAN = re.compile(r"(\d{4}(?:-\d\d){0,2})?/(\d{4}(?:-\d\d){0,2})?|\d{4}(?:-\d\d){0,2}")
FIRST_YEAR = 1000
"""Up to this year, the beginning of a span means "ever"."""
FAR_FUTURE = 2099
"""From this year on, the end of a span means "to the present"."""


def iso_date(text: str) -> str | None:
    """Return a day, month or year as `2019-07-01`, `2019-07` or `2019`; None: it is none."""
    plain = text.strip(' "')
    if match_of_date := _DAY_FIRST.fullmatch(plain):
        parts = match_of_date.groups()[::-1]
    elif match_of_date := _WRITTEN.fullmatch(plain):
        parts = match_of_date.groups()
    else:
        return None
    numbers = [int(part) for part in parts if part]
    try:
        date(*[*numbers, 1, 1][:3])
    except ValueError:
        return None
    return "-".join([f"{numbers[0]:04}", *(f"{number:02}" for number in numbers[1:])])


def entry_span(first: str | None, last: str | None) -> Term:
    """Return the leaf for records that came in from one date to another, both inclusive."""
    if last is not None and int(last[:4]) >= FAR_FUTURE:
        last = None
    if first is not None and int(first[:4]) <= FIRST_YEAR and first != last:
        first = None
    if first is None and last is None:
        first = str(FIRST_YEAR)
        return Term(f"{first}/", "entered")
    begin = day_after(first, 0) if first else ""
    end = last_day(last) if last else ""
    return Term(begin if begin == end else f"{begin}/{end}", "entered")


def day_after(day: str, days: int = 1) -> str:
    """Return the date that lies some days after a day, or after the first day of a month."""
    start = date(*[*(int(part) for part in day.split("-")), 1, 1][:3])
    return (start + timedelta(days=days)).isoformat()


def last_day(day: str) -> str:
    """Return the last day of a year, a month or a day."""
    parts = [int(part) for part in day.split("-")]
    year, month = parts[0], parts[1] if len(parts) > 1 else 12
    last = parts[2] if len(parts) > 2 else calendar.monthrange(year, month)[1]  # noqa: PLR2004  # a day
    return f"{year:04}-{month:02}-{last:02}"


def is_span(text: str) -> bool:
    """Whether the text of an `entered` leaf is a date or a span of dates."""
    return text != "/" and _SPAN.fullmatch(text) is not None


def bounds(text: str) -> tuple[str | None, str | None]:
    first, slash, last = text.partition("/")
    return (first or None, last or None) if slash else (first, first)


def is_entered(day: str, span: str) -> bool:
    first, last = bounds(span)
    return bool(day) and (not first or day >= first) and (not last or day[: len(last)] <= last)
