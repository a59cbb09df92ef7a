"""Years that a question sets as limits, in English, Chinese and a few other languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

_YEAR = r"((?:1[5-9]|20|21)\d\d)"
_DECADE = r"((?:1[89]|20)\d0)'?s"
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "fifteen": 15, "twenty": 20, "couple of": 2, "few": 3,
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "几": 5, "zwei": 2, "drei": 3, "fünf": 5, "zehn": 10, "cinco": 5, "diez": 10,
    "cinq": 5, "dix": 10,
}  # fmt: skip
_NUMBER = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_RECENT_YEARS = 5
"""What "in recent years" means; the word "recent" alone limits nothing."""

Limits = tuple[int | None, int | None]
_Cue = tuple[re.Pattern[str], Callable[[re.Match[str], int], Limits]]


def _number(said: str) -> int:
    said = said.casefold()
    return _NUMBERS[said] if said in _NUMBERS else int(said)


def _cue(pattern: str, limits: Callable[[re.Match[str], int], Limits]) -> _Cue:
    return re.compile(pattern, re.IGNORECASE), limits


_CUES: tuple[_Cue, ...] = (
    _cue(
        rf"\b(?:published\s+)?(?:between|zwischen|entre|tra)\s+(?:the\s+years\s+)?{_YEAR}\s*"
        rf"(?:and|to|-|–|und|y|et|e)\s*{_YEAR}\b",
        lambda m, _: (int(m[1]), int(m[2])),
    ),
    _cue(
        rf"\b(?:published\s+)?(?:from|in|von|de|desde|over|during)?\s*(?:the\s+years\s+)?{_YEAR}\s*"
        rf"(?:to|until|till|through|thru|-|–|—|bis|hasta|à|a)\s*{_YEAR}\b",
        lambda m, _: (int(m[1]), int(m[2])),
    ),
    _cue(
        rf"(?:从|自|在)?{_YEAR}年?(?:到|至|—|–|-|~|～)\s*{_YEAR}年?(?:之间|间|期间)?",
        lambda m, _: (int(m[1]), int(m[2])),
    ),
    _cue(rf"{_YEAR}年(?:以来|以后|之后|后|起|至今|から|以降)", lambda m, _: (int(m[1]), None)),
    _cue(rf"(?:自|从)\s*{_YEAR}年?(?:以来|开始|起)?", lambda m, _: (int(m[1]), None)),
    _cue(rf"{_YEAR}年(?:以前|之前|前)", lambda m, _: (None, int(m[1]) - 1)),
    _cue(
        rf"(?:最近|近|过去)\s*(?:的)?\s*{_NUMBER}\s*年(?:来|间|内|里)?",
        lambda m, now: (now - _number(m[1]), None),
    ),
    _cue(r"近年来?|最近几年|近些年", lambda _, now: (now - _RECENT_YEARS, None)),
    _cue(rf"{_YEAR}年(?:发表)?", lambda m, _: (int(m[1]), int(m[1]))),
    _cue(
        rf"\b(?:published\s+)?(?:since|seit|desde|depuis|dal|as\s+of|starting\s+(?:in|from))\s+"
        rf"(?:the\s+)?(?:year\s+|early\s+|mid\s+|late\s+)?{_DECADE}",
        lambda m, _: (int(m[1]), None),
    ),
    _cue(rf"\b(?:in|during|from|of)\s+the\s+{_DECADE}", lambda m, _: (int(m[1]), int(m[1]) + 9)),
    _cue(
        rf"\b(?:published\s+)?(?:since|seit|desde|depuis|dal|as\s+of|starting\s+(?:in|from)"
        rf"|no\s+earlier\s+than|not\s+before)\s+(?:the\s+year\s+)?{_YEAR}\b",
        lambda m, _: (int(m[1]), None),
    ),
    _cue(
        rf"\b(?:from\s+|in\s+)?{_YEAR}\s+(?:on(?:wards?)?|or\s+(?:later|newer|after)|and\s+"
        r"(?:later|newer|after))\b",
        lambda m, _: (int(m[1]), None),
    ),
    _cue(
        rf"\b(?:published\s+)?(?:after|later\s+than|newer\s+than|nach|después\s+de|après)\s+"
        rf"(?:the\s+year\s+)?{_YEAR}\b",
        lambda m, _: (int(m[1]) + 1, None),
    ),
    _cue(
        rf"\b(?:published\s+)?(?:before|prior\s+to|earlier\s+than|older\s+than|vor|antes\s+de"
        rf"|avant)\s+(?:the\s+year\s+)?{_YEAR}\b",
        lambda m, _: (None, int(m[1]) - 1),
    ),
    _cue(
        rf"\b(?:published\s+)?(?:until|till|up\s+to|through|no\s+later\s+than|by|bis|hasta"
        rf"|jusqu'en)\s+(?:the\s+(?:year|end\s+of)\s+)?{_YEAR}\b",
        lambda m, _: (None, int(m[1])),
    ),
    _cue(
        rf"\b(?:(?:in|within|from|over|during|of)\s+)?(?:the\s+)?(?:last|past|previous|letzten"
        rf"|últimos|dernières)\s+{_NUMBER}\s+(?:years|jahren?|años|années)\b",
        lambda m, now: (now - _number(m[1]), None),
    ),
    _cue(
        r"\b(?:(?:in|within|from|over|during)\s+)?(?:the\s+)?(?:last|past)\s+decade\b",
        lambda _, now: (now - 10, None),
    ),
    _cue(
        r"\b(?:(?:in|within|from|over|during|of)\s+)?(?:the\s+)?(?:recent|last|past)\s+years\b",
        lambda _, now: (now - _RECENT_YEARS, None),
    ),
    _cue(
        r"\b(?:(?:in|from|of|during)\s+)?(?:the\s+)?(?:last|past)\s+year\b",
        lambda _, now: (now - 1, None),
    ),
    _cue(r"\b(?:(?:in|from|of|during)\s+)?this\s+year('s)?\b", lambda _, now: (now, now)),
    _cue(rf"(?:>=|≥)\s*{_YEAR}\b", lambda m, _: (int(m[1]), None)),
    _cue(
        rf"\b(?:published\s+)?(?:in|during|im\s+jahr|from|en)\s+(?:the\s+year\s+)?{_YEAR}\b",
        lambda m, _: (int(m[1]), int(m[1])),
    ),
    _cue(
        rf"\b{_YEAR}\s+(?=(?:papers?|articles?|publications?|studies)\b)",
        lambda m, _: (int(m[1]), int(m[1])),
    ),
)


def read_years(text: str, today: date) -> tuple[str, int | None, int | None]:
    """Return the text without its year limits, the first year and the last (both inclusive).

    "last five years" reaches back to the year five years ago; reversed limits are swapped. A year
    that lies ahead ("projections for 2050") is part of the subject, not a limit.
    """
    year_from = year_to = None
    for pattern, limits in _CUES:
        for match in pattern.finditer(text):
            first, last = limits(match, today.year)
            if _lies_ahead(first, today) or (
                first is not None and first == last and _lies_ahead(last, today)
            ):
                continue
            if (first is not None and year_from is not None) or (
                last is not None and year_to is not None
            ):
                continue
            year_from, year_to = first or year_from, last or year_to
            text = f"{text[: match.start()]} , {text[match.end() :]}"
            break
    if year_from is not None and year_to is not None and year_from > year_to:
        year_from, year_to = year_to, year_from
    return text, year_from, year_to


def _lies_ahead(year: int | None, today: date) -> bool:
    return year is not None and year > today.year + 1
