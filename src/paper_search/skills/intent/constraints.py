"""Years of publication, and the type of a question."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from paper_search.models import IntentType
from paper_search.skills.intent.clauses import NUMBERS
from paper_search.skills.intent.forms import forms, is_quoted, without_span


def parse_type(text: str) -> tuple[str, IntentType]:
    for kind, cue in forms("type"):
        if (match := cue.search(text)) and not is_quoted(text, match.start()):
            return without_span(text, match.start(), match.end()), IntentType(kind)
    return text, IntentType.METHOD


Interval: TypeAlias = tuple[int | None, int | None]
"""First and last year, inclusive; None for no limit."""

_TENS = ("twen", "thir", "for", "fif", "six", "seven", "eigh", "nine")
_DECADES = {f"{name}ties": 1920 + 10 * place for place, name in enumerate(_TENS)}
_PARTS = {"early": (0, 4), "mid": (3, 6), "late": (5, 9)}
"""First and last year of a part of a decade: wide, because a limit hides papers."""
_PERIOD_STUDIED = 1950
"""Records of work published before are so few that such a year is a period to be studied."""
_BEFORE = 60
"""Characters before a form that are looked at."""


@dataclass(frozen=True)
class Years:
    """The text without its limits, these, and what the person should know about them."""

    rest: str
    first: int | None = None
    last: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Mention:
    """Years that a form finds."""

    match: re.Match[str]
    start: int
    years: Interval

    @property
    def wording(self) -> str:
        return self.match[0].strip(" ,")

    def has(self, *around: str) -> bool:
        """Return whether one of these things stands directly before or behind the years."""
        text, start = self.match.string, self.match.start()
        before, after = text[max(0, start - _BEFORE) : start], text[self.match.end() :]
        return any(
            pattern.match(after) if name in {"counted", "of event"} else pattern.search(before)
            for name, pattern in forms("around")
            if name in around
        )

    def is_other(self, today: date) -> bool:
        is_count = self.match[0].rstrip()[-1:].isdigit() and self.has("counted")
        return self._latest > today.year + 1 or is_count or self.has("event", "of event")

    def is_subject(self) -> bool:
        if self.has("data"):
            return True
        groups = self.match.groupdict()
        is_printed = re.search(r"\b(?:published|written|appear|dated|printed)", self.wording)
        if is_printed or groups.get("led") or self.has("papers"):
            return False
        is_last = re.match(
            r"\s*(?:$|[,;:.?!()\]\ue000–—]|-\s)", self.match.string[self.match.end() :]
        )
        is_decade = re.search(r"(?:\ds|ies)$", self.wording) and (
            self.wording.startswith("of") or not is_last
        )
        return bool(is_decade and "led" in groups) or self._latest < _PERIOD_STUDIED

    @property
    def _latest(self) -> int:
        return max(year for year in (*self.years, 0) if year is not None)


def read_years(text: str, today: date) -> Years:
    """Return the limits of a text on the year of publication.

    Left in the text, with a note where it may have been meant: years that lie ahead, years of
    events and of data, periods before 1950, decades of a subject ("music of the 1960s").
    """
    notes: list[str] = []
    limits: list[tuple[int, int, Interval]] = []
    for mention in _mentions(text, today):
        if mention.is_other(today):
            continue
        if mention.is_subject():
            if not mention.match[0].startswith(","):
                notes.append(
                    f"{mention.wording!r} is read as part of the subject; for the year of"
                    f" publication, write 'published {mention.wording}'"
                )
            continue
        start, interval = mention.start, mention.years
        if mention.has("unsure") or re.search(r"\b(?:around|circa|about)\b", mention.wording):
            notes.append(f"not acted on: {mention.wording!r} is no exact limit")
            interval = None, None
        elif mention.has("negated"):
            first, last = interval
            if (first is None) == (last is None):
                notes.append(f"not acted on: years that are not wanted ({mention.wording!r})")
                interval = None, None
            else:
                interval = last and last + 1, first and first - 1
            start = _start_of_negation(mention.match)
        limits.append((start, mention.match.end(), interval))
    first, last = _join([interval for *_, interval in limits])
    if first is not None and last is not None and first > last:
        wordings = ", ".join(repr(text[start:end].strip(" ,")) for start, end, _ in sorted(limits))
        notes.append(f"contradictory years ({wordings}): the search has no limit on years")
        first = last = None
    for start, end, _ in sorted(limits, reverse=True):
        text = without_span(text, start, end)
    return Years(text, first, last, tuple(dict.fromkeys(notes)))


def _start_of_negation(match: re.Match[str]) -> int:
    before = match.string[: match.start()]
    negated = dict(forms("around"))["negated"].search(before, max(0, len(before) - _BEFORE))
    return negated.start() if negated else match.start()


def _mentions(text: str, today: date) -> Iterator[_Mention]:
    spans: list[tuple[int, int]] = []
    for kind, pattern in forms("year"):
        for match in pattern.finditer(text):
            overlaps = any(match.start() < end and start < match.end() for start, end in spans)
            if not overlaps and not is_quoted(text, match.start()):
                spans.append(match.span())
                start = match.end("led") if match.groupdict().get("led") else match.start()
                yield _Mention(match, start, _interval(kind, match, today))


def _interval(kind: str, match: re.Match[str], today: date) -> Interval:
    groups = match.groupdict()
    if kind == "back":
        return _years_back(groups["unit"].lower(), (groups["n"] or "").lower(), today), None
    if kind in {"this", "last"}:
        year = today.year - (kind == "last")
        return year, year
    if kind == "part":
        first = today.year // 100 * 100 + 10 * ("first", "second", "third").index(groups["place"])
        return first, first + 9
    if kind == "century":
        return today.year - today.year % (10 if "decade" in match[0].lower() else 100), None
    first, last = _years(groups.get("a") or groups["b"])
    if kind == "short":
        last = first - first % 100 + int(groups["b"])
    elif groups.get("a") and groups.get("b"):
        other = _years(groups["b"])
        first, last = min(first, other[0]), max(last, other[1])
    limits: dict[str, Interval] = {
        "since": (first, None), "until": (None, last), "after": (last + 1, None),
        "before": (None, first - 1),
    }  # fmt: skip
    return limits.get(kind, (first, last))


def _years_back(unit: str, count: str, today: date) -> int:
    number = int(count) if count.isdigit() else NUMBERS.get(" ".join(count.split()), 1)
    if unit.startswith("month"):
        return (today.year * 12 + today.month - 1 - number) // 12
    return today.year - number * (10 if unit.startswith("decade") else 1)


def _years(span: str) -> tuple[int, int]:
    text = span.lower()
    name = next((decade for decade in _DECADES if decade in text), None)
    digits = re.search(r"(\d{2,4})(['’]?s\b)?\s*$", text)
    is_decade = name is not None or (digits is not None and digits[2] is not None)
    year = _DECADES[name] if name else int(digits[1]) if digits else 0
    if year < 100:  # noqa: PLR2004  # two digits
        year += 2000 if year < 30 and not is_decade else 1900  # noqa: PLR2004  # '29 is 2029
    if not is_decade:
        return year, year
    part = next((part for part in _PARTS if part in text), None)
    lead, tail = _PARTS[part] if part else (0, 9)
    return year + lead, year + tail


def _join(intervals: list[Interval]) -> Interval:
    firsts = [first for first, _ in intervals if first is not None]
    lasts = [last for _, last in intervals if last is not None]
    return max(firsts, default=None), min(lasts, default=None)
