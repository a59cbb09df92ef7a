"""The years of publication that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from paper_search.skills.intent.cutting import CUT, PAPERS, STOP, cut, forms, is_quoted
from paper_search.skills.words import words_in

Interval: TypeAlias = tuple[int | None, int | None]
"""First and last year, inclusive; None: no limit."""

_NUMBERS = {
    "": 1, "couple": 2, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "fifteen": 15, "twenty": 20, "couple of": 2,
    "few": 3,
}  # fmt: skip
_NAMES = words_in("twenties thirties forties fifties sixties seventies eighties nineties")
_DECADES = {name: 1920 + 10 * place for place, name in enumerate(_NAMES)}
_PARTS = {"early": (0, 4), "mid": (3, 6), "late": (5, 9)}
"""First and last year of a part of a decade: wide, because a limit hides papers."""
_PERIOD_STUDIED = 1950
"""Records of work published before are so few that such a year is a period to be studied."""

_MONTH = r"(?:(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?,?\s+)?"
_YEAR = r"(?:(?:1[5-9]|20|21)\d\d(?![\w])(?![.,/]\d)|['’]\d\d(?!\w))"
_SPAN = (
    rf"(?:the\s+)?(?:years?\s+|end\s+of\s+)?(?:(?:early|mid|late)[\s-]+)?(?:the\s+)?"
    rf"(?:(?:(?:1[5-9]|20)\d0|['’]?[2-9]0)['’]?s\b|(?:{'|'.join(_DECADES)})\b|{_MONTH}{_YEAR})"
)
_A, _B = rf"(?P<a>{_SPAN})", rf"(?P<b>{_SPAN})"
_TO = r"(?:to|until|till|through|thru|and|up\s+to)"
_PRINTED = r"(?:published|written|appear(?:ed|ing)|dated|printed|released)"
_DECADE = (
    r"(?P<a>(?:the\s+)?(?:(?:early|mid|late)[\s-]+)?(?:(?:1[5-9]|20)\d0['’]?s\b"
    r"|['’]?[2-9]0['’]?s\b|nineties\b|eighties\b|seventies\b))"
)
_START = rf"(?:^|[,;:(.\ue000]|[–—-](?=\s)|\b{PAPERS}|\b{_PRINTED}|\b(?:and|but|only)\b)\s*"
"""What may stand before a bare year that is one of publication."""
_LED = rf"(?P<led>\b{PAPERS}\s+(?:\w+\s+){{0,2}}?)?(?P<printed>\b{_PRINTED}\s+)?"
_FORMS = tuple(
    forms(
        "year",
        {
            "A": _A, "B": _B, "DECADE": _DECADE, "LED": _LED, "NUMBERS": "|".join(_NUMBERS),
            "PAPERS": PAPERS, "PRINTED": _PRINTED, "STOP": STOP, "YEAR": _YEAR,
        },
    )
)  # fmt: skip
"""Wordings and what their years mean, the surer first: where two overlap, the first counts."""
_NEGATED = re.compile(
    rf"\b(?:exclud(?:e|ing)|except|not|no|without|nothing|ignore|omit)(?:\s+(?:any|all|the|for))*"
    rf"(?:\s+{PAPERS}|\s+anything)?(?:\s+(?:that|which)\s+(?:are|were))?"
    rf"(?:\s+(?:{_PRINTED}|from))*\s*$",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:preferably|ideally|particularly|especially|mainly|mostly)[\s,]*$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:around|circa|about)\b", re.IGNORECASE)
_OF_PAPERS = re.compile(
    r"\b(?:papers?|articles?|publications?|literature|studies)[\s,(]*$", re.IGNORECASE
)
_OF_DATA = re.compile(
    r"\b(?:data|census|observations?|samples?|cohorts?|period|collected|seasons?|prices|closed|born"
    r"|cases)(?:\s+(?:of|by|in|from|for|during))*\s*$",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:elections?|wars?|crisis|pandemic|outbreaks?|epidemic|earthquake|referendum|reforms?"
    r"|census|olympics)(?:\s+(?:of|in|from))*\s*$",
    re.IGNORECASE,
)
_OF_EVENT = re.compile(
    r"\s+(?:[\w-]+\s+){0,2}?(?:cris[ie]s|outbreaks?|epidemics?|pandemics?|earthquakes?|elections?"
    r"|wars?|referendum|eruptions?|tsunami|accidents?|reforms?|olympics|census|floods?|hurricanes?"
    r"|fires?|attacks?|famine|revolution|recession|coup|treaty|act|lockdowns?|world\s+cup)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"\s*(?:(?!{PAPERS}\b)[a-z]{{2,}}(?<![sui])s\b|[kmcµn]?m\b|[km]?g\b|[kMG]?Hz\b|°C|K\b|people\b"
    r"|men\b|women\b|children\b|%|euros?\b|times\b)"
)
_BEFORE = 60
"""Characters before a wording that are looked at."""


@dataclass(frozen=True)
class Years:
    """The text without its limits, these, and what the person should know about them."""

    rest: str
    first: int | None = None
    last: int | None = None
    notes: tuple[str, ...] = ()


def read_years(text: str, today: date) -> Years:
    """Return the limits of a text on the year of publication.

    Left in the text, with a note where it may have been meant: years that lie ahead, years of
    events and of data, periods before 1950, decades of a subject ("music of the 1960s").
    """
    if whole := re.fullmatch(rf"\s*({_YEAR})\s*(?:[-–]\s*({_YEAR}))?\s*", text):
        years = sorted(_years(whole[1]) + _years(whole[2] or whole[1]))
        return Years("", years[0], years[-1])
    notes: list[str] = []
    limits: list[tuple[int, int, Interval]] = []
    for start, end, interval in _mentions(text, today, notes):
        if all(end <= other[0] or start >= other[1] for other in limits):
            limits.append((start, end, interval))
    first, last = _joined([interval for *_, interval in limits])
    if first is not None and last is not None and first > last:
        listed = ", ".join(repr(text[start:end].strip(" ,")) for start, end, _ in sorted(limits))
        notes.append(f"contradictory years ({listed}): the search has no limit on years")
        first = last = None
    for start, end, _ in sorted(limits, reverse=True):
        text = cut(text, start, end)
    return Years(text, first, last, tuple(dict.fromkeys(notes)))


def _mentions(text: str, today: date, notes: list[str]) -> Iterator[tuple[int, int, Interval]]:
    """Yield start, end and years of every limit."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in _FORMS:
        for match in pattern.finditer(text):
            start = match.end("led") if match.groupdict().get("led") else match.start()
            overlaps = any(match.start() < end and start_ < match.end() for start_, end in taken)
            if overlaps or is_quoted(text, match.start()):
                continue
            taken.append(match.span())
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            wording = match[0].strip(" ,")
            interval = _interval(kind, match, today)
            if _is_other(match, before, interval, today):
                continue
            if _is_subject(match, before, interval):
                if not match[0].startswith(","):
                    notes.append(
                        f"{wording!r} is read as part of the subject; for the year of"
                        f" publication, write 'published {wording}'"
                    )
            elif _UNSURE.search(before) or _ABOUT.search(wording):
                notes.append(f"not acted on: {wording!r} is no exact limit")
                yield start, match.end(), (None, None)
            elif negated := _NEGATED.search(before):
                first, last = interval
                if (first is None) == (last is None):
                    notes.append(f"not acted on: years that are not wanted ({wording!r})")
                    interval = None, None
                else:
                    interval = last and last + 1, first and first - 1
                yield match.start() - len(before) + negated.start(), match.end(), interval
            else:
                yield start, match.end(), interval


def _interval(kind: str, match: re.Match[str], today: date) -> Interval:
    """Return the years of a match of a form of the kind."""
    parts = match.groupdict()
    if kind == "back":
        return _years_back(parts["unit"].lower(), (parts["n"] or "").lower(), today), None
    if kind == "this":
        return today.year, today.year
    if kind == "century":
        return today.year - today.year % (10 if "decade" in match[0].lower() else 100), None
    first, last = _years(parts.get("a") or parts["b"])
    if kind == "short":
        last = first - first % 100 + int(parts["b"])
    elif parts.get("a") and parts.get("b"):
        other = _years(parts["b"])
        first, last = min(first, other[0]), max(last, other[1])
    limits: dict[str, Interval] = {
        "since": (first, None), "until": (None, last), "after": (last + 1, None),
        "before": (None, first - 1),
    }  # fmt: skip
    return limits.get(kind, (first, last))


def _years_back(unit: str, count: str, today: date) -> int:
    number = int(count) if count.isdigit() else _NUMBERS.get(" ".join(count.split()), 1)
    if unit.startswith("month"):
        return (today.year * 12 + today.month - 1 - number) // 12
    return today.year - number * (10 if unit.startswith("decade") else 1)


def _years(span: str) -> tuple[int, int]:
    """Return the first and last year of a year or a decade."""
    text = span.lower()
    name = next((decade for decade in _DECADES if decade in text), None)
    digits = re.search(r"(\d{2,4})(['’]?s\b)?\s*$", text)
    year = _DECADES[name] if name else int(digits[1]) if digits else 0
    if year < 100:  # noqa: PLR2004  # two digits
        year += 2000 if year < 30 and not (digits and digits[2]) else 1900  # noqa: PLR2004  # '29 is 2029
    if not name and not (digits and digits[2]):
        return year, year
    part = next((part for part in _PARTS if part in text), None)
    lead, tail = _PARTS[part] if part else (0, 9)
    return year + lead, year + tail


def _is_other(match: re.Match[str], before: str, interval: Interval, today: date) -> bool:
    """Return whether the years lie ahead, or name an event, or are a count of something."""
    after = match.string[match.end() :]
    latest = max(year for year in (*interval, 0) if year is not None)
    is_count = re.search(r"\d\s*$", match[0]) and _COUNTED.match(after)
    is_event = _OF_EVENT.match(after) or _EVENT.search(before)
    return latest > today.year + 1 or bool(is_count or is_event)


def _is_subject(match: re.Match[str], before: str, interval: Interval) -> bool:
    """Return whether the years may belong to what papers are about."""
    if _OF_DATA.search(before):
        return True
    is_printed = re.search(rf"\b{_PRINTED}\b", match[0], re.IGNORECASE)
    if is_printed or match.groupdict().get("led") or _OF_PAPERS.search(before):
        return False
    is_decade = re.search(r"(?:\ds|ies)\s*$", match[0], re.IGNORECASE) and (
        match[0].lower().startswith("of") or not re.match(STOP, match.string[match.end() :])
    )
    latest = max(year for year in (*interval, 0) if year is not None)
    is_span = match.re.groupindex.keys() >= {"led"}
    return bool(is_decade and is_span) or latest < _PERIOD_STUDIED


def _joined(intervals: list[Interval]) -> Interval:
    """Return what all limits allow."""
    firsts = [first for first, _ in intervals if first is not None]
    lasts = [last for _, last in intervals if last is not None]
    return max(firsts, default=None), min(lasts, default=None)


def read_note(text: str, today: date) -> tuple[str, int | None, int | None]:
    """Return a person's note without its year limits, the first year and the last."""
    years = read_years(text, today)
    return years.rest.replace(CUT, ","), years.first, years.last
