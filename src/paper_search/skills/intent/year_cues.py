"""The wordings of a year limit, each with the interval that it means."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from paper_search.skills.intent import year_words as say

Interval: TypeAlias = tuple[int | None, int | None]
"""First and last year, both inclusive; None: open."""
_Limits: TypeAlias = Callable[[re.Match[str], int], Interval]

_RECENT_YEARS = 5
"""What "in recent years" means; the word "recent" alone limits nothing."""
_THIS_CENTURY = 30
"""Years of two digits up to this are of the century 2000."""
_CJK_YEAR = r"((?:1[5-9]|20|21)\d\d)"
_WHOLE = re.compile(
    r"(?<!\s)\s*+\(?\s*+((?:1[5-9]|20)\d\d)(?:\s*[-–—]\s*((?:1[5-9]|20)\d\d))?\s*\)?[.?!]?\s*"
)
_START = rf"(?<![\w-])(?:{say.PUBLISHED}\s+)?"
_END = r"(?=\s*(?:$|[,;:.)?!\ue000]))"


@dataclass(frozen=True)
class Cue:
    """One wording.

    Attributes:
        pattern: finds it.
        limits: from the match and the current year to the interval.
        may_be_event: whether the year may belong to the name of an event.
        may_be_count: whether the number may be one of things.
    """

    pattern: re.Pattern[str]
    limits: _Limits
    may_be_event: bool = False
    may_be_count: bool = False


def whole_years(text: str) -> Interval | None:
    """Return the interval of a text that is nothing but a year or a range; None: it is not."""
    match = _WHOLE.fullmatch(text)
    if match is None:
        return None
    first, last = int(match[1]), int(match[2] or match[1])
    return min(first, last), max(first, last)


@cache
def cues() -> tuple[Cue, ...]:
    """Return the wordings; of two that fit the same place the earlier one counts."""
    return (*_ranges(), *_east_asian(), *_relative(), *_open_ended(), *_single())


def _cue(pattern: str, limits: _Limits, *, event: bool = False, count: bool = False) -> Cue:
    return Cue(re.compile(pattern, re.IGNORECASE), limits, event, count)


def _point(match: re.Match[str], number: int) -> tuple[int, int]:
    """Return first and last year of what `year_words.year` found."""
    if plain := match[f"year{number}"]:
        bare = plain.lstrip("'’")
        year = int(bare) if len(bare) > 2 else _with_century(int(bare))  # noqa: PLR2004  # written as '98
        return year, year
    if named := match[f"named{number}"]:
        start = 1900 + say.DECADES[named.casefold()]
    else:
        digits = re.sub(r"\D", "", match[f"decade{number}"])
        start = int(digits) if len(digits) > 2 else _with_century(int(digits))  # noqa: PLR2004  # written as 90s
    low, high = say.PARTS.get((match[f"part{number}"] or "").casefold(), (0, 9))
    return start + low, start + high


def _with_century(year: int) -> int:
    return year + (2000 if year <= _THIS_CENTURY else 1900)


def _ends(match: re.Match[str], _: int) -> Interval:
    """Return the interval between two points; the second may have two digits: 2010-15."""
    first = _point(match, 1)
    if short := match.groupdict().get("short"):
        return first[0], first[0] // 100 * 100 + int(short)
    last = _point(match, 2)
    return (first[0], last[1]) if first[0] <= last[1] else (first[1], last[0])


def _ranges() -> tuple[Cue, ...]:
    one, two = say.year(1), say.year(2)
    return (
        _cue(rf"{_START}(?:{say.BETWEEN})\s+{one}\s*(?:{say.TO}|[-–—])\s*{two}", _ends),
        _cue(
            rf"{_START}(?:(?:{say.FROM})\s+)?{one}\s*(?:\b(?!and\b|und\b|y\b|et\b|e\b"
            rf"|en\b)(?:{say.TO})\b"
            rf"|[-–—]+)\s*{two}",
            _ends,
        ),
        _cue(
            rf"{_START}(?:{say.WITHIN}|from|of)\s+{one}\s+(?:and|or|und|oder|y|o|et|ou|e)\s+{two}",
            _ends,
        ),
        _cue(
            rf"{_START}(?:(?:{say.FROM})\s+)?(?P<part1>(?!))?(?P<decade1>(?!))?(?P<named1>(?!))?"
            r"(?<![\w.,/-])(?P<year1>(?:19|20)\d\d)[-–—](?P<short>\d\d)(?![\w-])",
            _ends,
        ),
    )


def _east_asian() -> tuple[Cue, ...]:
    y, n = _CJK_YEAR, say.NUMBER
    return (
        _cue(
            rf"(?:从|自|在)?{y}年?(?:到|至|—|–|-|~|～|から)\s*{y}年?(?:之间|间|期间|まで)?",
            lambda m, _: (int(m[1]), int(m[2])),
        ),
        _cue(
            rf"(?:自|从)?{y}年(?:以来|以后|之后|后|起|至今|から|以降|이후)",
            lambda m, _: (int(m[1]), None),
        ),
        _cue(rf"(?:自|从)\s*{y}年?(?:以来|开始|起)?", lambda m, _: (int(m[1]), None)),
        _cue(rf"{y}年(?:以前|之前|前|より前)", lambda m, _: (None, int(m[1]) - 1)),
        _cue(rf"(?:截至|到|截止到?)\s*{y}年?(?:为止)?", lambda m, _: (None, int(m[1]))),
        _cue(
            rf"(?:最近|近|过去)\s*(?:的)?\s*{n}\s*年(?:来|间|内|里)?",
            lambda m, now: (now - _number(m[1]), None),
        ),
        _cue(r"近年来?|最近几年|近些年", lambda _, now: (now - _RECENT_YEARS, None)),
        _cue(rf"{y}年(?:发表|出版|の)?", lambda m, _: (int(m[1]), int(m[1]))),
    )


def _relative() -> tuple[Cue, ...]:
    lead = (
        r"\b(?:(?:published|in|within|from|over|during|of|for|since|in den|en los|ces)\s+){0,3}"
        r"(?:the\s+)?"
    )
    past = (
        r"(?:last|past|previous|most recent|letzten|vergangenen|últimos|dernières|cinq dernières"
        r"|ultimi|laatste"
        r"|afgelopen)"
    )
    years = r"(?:years?|yrs|jahren?|años|années|ans|anni|anos|jaar)\b"
    return (
        _cue(rf"{lead}{past}\s+{say.NUMBER}\s+{years}", _years_ago),
        _cue(
            rf"\b(?:les|le|nos|nei|in den)?\s*{say.NUMBER}\s+(?:dernières|últimos"
            rf"|letzten)\s+{years}",
            _years_ago,
        ),
        _cue(
            rf"{lead}{past}\s+(?:few|couple of|several)\s+decades\b",
            lambda _, now: (now - 30, None),
        ),
        _cue(
            rf"{lead}{past}\s+(?:(?P<tens>two|three|2|3)\s+)decades\b",
            lambda m, now: (now - 10 * _number(m["tens"]), None),
        ),
        _cue(rf"{lead}(?:last|past)\s+decade\b", lambda _, now: (now - 10, None)),
        _cue(
            rf"{lead}(?:recent|last|past|den letzten|letzten|últimos|dernières|ultimi)\s+{years}",
            lambda m, now: (now - (1 if _is_one_year(m[0]) else _RECENT_YEARS), None),
        ),
        _cue(r"\b(?:(?:in|from|of|during)\s+)?this\s+year(?:'s)?\b", lambda _, now: (now, now)),
    )


def _open_ended() -> tuple[Cue, ...]:
    one = say.year(1)
    return (
        _cue(
            rf"{_START}(?:(?:{say.SINCE}|in)\s+)?{one}"
            rf"(?:\s+(?:onwards?|(?:and|or) (?:later|newer|after|onwards?)(?!\s+['’\d])"
            rf"|(?:to|till|until|through) (?:the )?(?:present|now|today|date))\b|\s+on{_END}"
            rf"|\s*[-–—]\s*(?:present|today|now)\b|\+(?!\w)|\s*-{_END})",
            lambda m, _: (_point(m, 1)[0], None),
        ),
        _cue(
            rf"{_START}(?:(?:in|from)\s+)?{one}\s+(?:or|and)\s+(?:earlier|older"
            rf"|before)\b(?!\s+['’\d])",
            lambda m, _: (None, _point(m, 1)[1]),
        ),
        _cue(rf"{_START}(?:{say.UNTIL})\s+{one}", lambda m, _: (None, _point(m, 1)[1]), count=True),
        _cue(
            rf"{_START}(?:>=|≥|(?!from\b)(?:{say.SINCE}))\s*{one}",
            lambda m, _: (_point(m, 1)[0], None),
            event=True,
        ),
        _cue(
            rf"{_START}(?:(?:{say.AFTER})\s+|post[-\s]|>\s*){one}",
            lambda m, _: (_point(m, 1)[1] + 1, None),
            event=True,
            count=True,
        ),
        _cue(
            rf"{_START}(?:(?:{say.BEFORE})\s+|pre[-\s]|<\s*){one}",
            lambda m, _: (None, _point(m, 1)[0] - 1),
            event=True,
            count=True,
        ),
        _cue(rf"(?:<=|≤)\s*{one}", lambda m, _: (None, _point(m, 1)[1])),
    )


def _single() -> tuple[Cue, ...]:
    one = say.year(1)
    return (
        _cue(
            rf"\b(?:{say.PUBLISHED}\s+|(?<=papers )|(?<=articles )|(?<=studies )|(?<=works )"
            rf"|(?<=literature )|(?<=publications ))(?:from|of|in)\s+{one}",
            lambda m, _: _point(m, 1),
        ),
        _cue(
            rf"{_START}(?:{say.WITHIN})\s+{one}", lambda m, _: _point(m, 1), event=True, count=True
        ),
        _cue(rf"\bfrom\s+{one}", _from, event=True, count=True),
        _cue(rf"\b{one}(?=\s+{say.PAPERS}\b)", lambda m, _: _point(m, 1)),
    )


def _from(match: re.Match[str], _: int) -> Interval:
    """Return the years from one on; a decade is that decade."""
    first, last = _point(match, 1)
    return first, None if first == last else last


def _years_ago(match: re.Match[str], now: int) -> Interval:
    return now - _number(match[1]), None


def _is_one_year(said: str) -> bool:
    return said.casefold().endswith(("last year", "past year"))


def _number(said: str) -> int:
    said = said.casefold()
    return say.NUMBERS[said] if said in say.NUMBERS else int(said)
