"""The year limits in a question."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from paper_search.skills.intent import year_words as say
from paper_search.skills.intent.cutting import CUT, cut, is_quoted
from paper_search.skills.intent.year_cues import Cue, Interval, cues, whole_years

_PERIOD_STUDIED = 1950
"""Records of work published before are so few that such a year is a period to be studied."""
_AROUND = 60
"""Characters before and after a cue that are looked at."""
_PREFERRED = re.compile(
    r"\b(?:particularly|especially|preferably|ideally|mainly|mostly|primarily|chiefly|above all)"
    rf"[\s,]*(?:{say.PUBLISHED}\s*)?$",
    re.IGNORECASE,
)
_EXPLICIT = re.compile(
    rf"\b(?:{say.PUBLISHED}(?:\s+by(?:\s+[^\W\d_][\w.'-]*){{1,4}})?|papers?|articles?|publications?|studies|literature|reviews?)[\s,(]*$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:exclud(?:e|es|ing)|except|not|no|without|nothing|omit)(?:\s+(?:any|all|the|those|for))*"
    r"(?:\s+(?:papers?|articles?|publications?|studies|works?|literature|reviews?|anything))?"
    r"(?:\s+(?:that|which)\s+(?:are|were))?(?:\s+(?:published|written|from|dated))*\s*$",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(say.PUBLISHED, re.IGNORECASE)
_AFTER_EVENT = re.compile(rf"\b{say.EVENTS}\s*$", re.IGNORECASE)
_OF_EVENT = re.compile(rf"^(?:\s+[\w-]+){{0,2}}?\s+{say.EVENTS}\b", re.IGNORECASE)
_COUNTED = re.compile(
    rf"^\s*(?:(?!{say.PAPERS}\b)[a-z]{{2,}}(?<![sui])s|[kmcµn]?m|[km]?g|[kMG]?Hz|°C|K|people|men"
    r"|women|children|%|euros?|times|rpm)\b(?!\s+(?:papers?|articles?|studies)\b)"
)
_ONE_OF_TWO = re.compile(r"^[\s\ue000]*(?:or|oder|ou|o)[\s\ue000]*$", re.IGNORECASE)


@dataclass(frozen=True)
class Years:
    """The limits of a text.

    Attributes:
        rest: the text without them.
        first: the first year wanted; None: no limit.
        last: the last year wanted; None: no limit.
        notes: what the person should know about how they were read.
    """

    rest: str
    first: int | None = None
    last: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Found:
    start: int
    end: int
    interval: Interval
    is_limit: bool = True


def years_in(text: str, today: date) -> Years:
    """Return the year limits of a text, both inclusive.

    "last five years" reaches back to the year five years ago. Left in the text, because they are
    no limits: years that lie ahead ("projections for 2050"), years of events ("the election of
    2016"), counts ("in 2000 patients"), and periods before 1950 that nothing says is when papers
    were published. Limits that contradict each other limit nothing, with a note.
    """
    if whole := whole_years(text):
        return Years("", *whole)
    reader = _Reader(text, today)
    found = _without_overlaps(match for cue in cues() for match in reader.matches(cue))
    limits = [mention for mention in found if mention.is_limit]
    joined = _joined(text, limits)
    notes = reader.notes
    if _is_empty(joined) or any(_is_empty(_both(joined, mention.interval)) for mention in found):
        said = ", ".join(repr(text[mention.start : mention.end].strip(" ,")) for mention in found)
        notes.append(f"contradictory years ({said}): the search has no limit on years")
        joined = (None, None)
    rest = text
    for limit in reversed(limits):
        rest = cut(rest, limit.start, limit.end)
    return Years(rest, *joined, notes=tuple(dict.fromkeys(notes)))


class _Reader:
    """Finds the limits of one text, and notes what it leaves in it."""

    def __init__(self, text: str, today: date) -> None:
        self._text = text
        self._next_year = today.year + 1
        self.notes: list[str] = []

    def matches(self, cue: Cue) -> list[_Found]:
        """Return what a wording finds, without years that belong to the subject."""
        found = []
        for match in cue.pattern.finditer(self._text):
            first, last = cue.limits(match, self._next_year - 1)
            if first is not None and last is not None and first > last:
                first, last = last, first
                self.notes.append(f"{match[0].strip()!r} is read as {first} to {last}")
            before = self._text[max(0, match.start() - _AROUND) : match.start()]
            if is_quoted(self._text, match.start()):
                continue
            if not self._is_subject(cue, match, before, (first, last)):
                found.append(self._limit(match, before, (first, last)))
        return found

    def _limit(self, match: re.Match[str], before: str, interval: Interval) -> _Found:
        """Return the limit; "excluding papers before 2005" wants those from then on."""
        first, last = interval
        negated = _NEGATED.search(before)
        start = match.start()
        if negated and (first is None) != (last is None):
            start -= len(before) - negated.start()
            interval = (None if last is None else last + 1, None if first is None else first - 1)
        elif negated:
            said = match[0].strip(" ,")
            self.notes.append(f"excluding a range of years is not supported: {said!r} is ignored")
            interval = (None, None)
        return _Found(start, match.end(), interval, _PREFERRED.search(before) is None)

    def _is_subject(self, cue: Cue, match: re.Match[str], before: str, interval: Interval) -> bool:
        """Return whether the years belong to what papers are about."""
        latest = max(year for year in (*interval, 0) if year is not None)
        after = self._text[match.end() : match.end() + _AROUND]
        if latest > self._next_year:
            return True
        if cue.may_be_event and (_AFTER_EVENT.search(before) or _OF_EVENT.match(after)):
            return True
        if cue.may_be_count and _COUNTED.match(after):
            return True
        said = match[0].strip(" ,")
        if latest >= _PERIOD_STUDIED or _EXPLICIT.search(before) or _SAYS_SO.match(said):
            return False
        self.notes.append(
            f"{said!r} is read as the period studied; for the year of publication, write"
            f" 'published {said}'"
        )
        return True


def _without_overlaps(found: Iterable[_Found]) -> list[_Found]:
    """Return what was found, in order, the earlier cue first where two overlap."""
    kept: list[_Found] = []
    for mention in found:
        if all(mention.end <= other.start or mention.start >= other.end for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda one: one.start)


def _joined(text: str, found: list[_Found]) -> Interval:
    """Return what all limits allow; of two joined by "or", what either allows."""
    joined: Interval = (None, None)
    end = None
    for mention in found:
        if end is not None and _ONE_OF_TWO.match(text[end : mention.start]):
            joined = _either(joined, mention.interval)
        else:
            joined = _both(joined, mention.interval)
        end = mention.end
    return joined


def _both(one: Interval, other: Interval) -> Interval:
    firsts = [year for year in (one[0], other[0]) if year is not None]
    lasts = [year for year in (one[1], other[1]) if year is not None]
    return max(firsts, default=None), min(lasts, default=None)


def _either(one: Interval, other: Interval) -> Interval:
    first = None if one[0] is None or other[0] is None else min(one[0], other[0])
    last = None if one[1] is None or other[1] is None else max(one[1], other[1])
    return first, last


def _is_empty(interval: Interval) -> bool:
    first, last = interval
    return first is not None and last is not None and first > last


def read_years(text: str, today: date) -> tuple[str, int | None, int | None]:
    """Return the text without its year limits, the first year and the last (both inclusive).

    What is no limit, and what contradicts itself, stays in the text (`intent.years`).
    """
    years = years_in(text, today)
    return years.rest.replace(CUT, ","), years.first, years.last
