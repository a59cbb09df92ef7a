"""Authors, venues and years in a question."""

import re
from collections.abc import Callable
from datetime import date
from itertools import pairwise
from typing import Literal, TypeAlias

from paper_search.skills.intent.forms import (
    STOP,
    ParsedQuestion,
    Span,
    around,
    form,
    matches,
    number_of,
    words_of_table,
)
from paper_search.skills.variants import is_known_term
from paper_search.skills.words import STOP_WORDS

Kind: TypeAlias = Literal["author", "venue"]
Lookup: TypeAlias = Callable[[Kind, str], bool | None]
"""Whether the library has a name; None if there is no library."""

_FEW = 3
"""At most so many long words are not a title."""
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_IN_QUOTES = re.compile(r'["“]([^"“”]+)["”]')
_LIST = re.compile(r"(?<!\s)(?:\s*,)?\s+or\s+")
_LIST_OF_SEVERAL = re.compile(
    r"(?<!\s)(?:\s*[,&/]\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)(?:[Tt]he\s+)?"
)
_ARTICLE = re.compile(r"^[Tt]he\s+|(?<!\s)\s+(?:magazine|only)$")
LONG = 60
"""In words; most names and years in a longer text are not limits."""


def read_names(reading: ParsedQuestion, lookup: Lookup) -> None:
    """Read authors and venues, and the year of "Hinton et al. 2012".

    A name in an explicit form ("papers by", "author:", "published in") is a limit unless the
    library lacks it; in quotation marks (`author:"Asa Berta"`) it always is. In another form it is
    a limit only if the library has it. Other names are ordinary words.
    """
    if len(reading.question.split()) >= LONG:
        return
    kinds: tuple[Kind, ...] = "venue", "author"
    for kind in kinds:
        text = reading.question
        for certainty, match in matches(kind, text):
            _read_name(kind, certainty, match, reading, lookup)
            if reading.question != text:
                break


def lookups_of(question: str) -> list[tuple[Kind, str]]:
    """Return the names in a question that have to be looked up."""
    lookups: dict[tuple[Kind, str], None] = {}
    read_names(ParsedQuestion(question), lambda kind, name: lookups.setdefault((kind, name)))
    return list(lookups)


def _read_name(
    kind: Kind, certainty: str, match: re.Match[str], reading: ParsedQuestion, lookup: Lookup
) -> None:
    names = [name.strip() for name in _IN_QUOTES.findall(match[0])]
    if certainty != "stated":
        names = _venues(match) if kind == "venue" else _persons(match)
    if not names or (":" not in match[0] and _is_part_of_title(kind, match)):
        return
    first, wording, groups = names[0], ", ".join(names), match.groupdict()
    is_certain = certainty == "certain"
    start = match.end("papers") if groups.get("papers") else match.start()
    if negated := _negation_span(match.string, start, match.end()):
        advice = f'in a boolean query, write NOT {kind}:"{first}"'
        reading.leave(f"unwanted {kind}s ({wording})", advice)
        reading.cut((min(negated[0], match.start()), negated[1]))
        return
    answers = [lookup(kind, name) for name in names]
    if certainty == "stated" or True in answers or (is_certain and False not in answers):
        reading.cut((start, match.end()))
        (reading.authors if kind == "author" else reading.venues).extend(names)
        if year := groups.get("year") or groups.get("of"):
            limits = reading.constraints
            limits.year_from = limits.year_from or int(year)
            limits.year_to = limits.year_to or int(year)
    elif is_certain:
        reading.notes.append(
            f"no paper in the library has the {kind} {wording}, so the name is read as words; to"
            f' search for it anyway, write {kind}:"{first}"'
        )
    elif kind == "author":
        advice = f'to limit the search, write author:"{first}"'
        reading.leave(f"{wording} as author", advice, "authors")


def _venues(match: re.Match[str]) -> list[str]:
    wording = _ARTICLE.sub("", match["venue"])
    listed = _LIST_OF_SEVERAL.split(wording)
    if not all(map(form("one_venue").fullmatch, listed)):
        listed = _LIST.split(wording)
    venues = [_ARTICLE.sub("", name.strip(" .'’-")) for name in listed]
    words = {word for venue in venues for word in venue.casefold().split()}
    places = words_of_table("place", *(["noperson"] if len(words) == 1 else []))
    return [] if words <= places else venues


def _is_part_of_title(kind: Kind, match: re.Match[str]) -> bool:
    """Whether most words around a name are capitalized, or the text is only a venue."""
    others = _LONG_WORD.findall(f"{match.string[: match.start()]} {match.string[match.end() :]}")
    is_venue = kind == "venue"
    if is_venue or match[0].startswith("by "):
        capitals = sum(word[0].isupper() for word in others)
        is_long = len(others if is_venue else _LONG_WORD.findall(match.string)) > _FEW
        if (is_long and capitals * 3 > len(others) * 2) or (is_venue and not others):
            return True
    return around("name_around", match.string, *match.span()) is not None


def _persons(match: re.Match[str]) -> list[str]:
    groups = match.groupdict()
    wording = groups.get("names") or groups.get("single") or ""
    people = [" ".join(name[0].split()) for name in form("person", "name").finditer(wording)]
    return [] if any(map(_is_not_person, people)) else list(dict.fromkeys(people))


def _is_not_person(name: str) -> bool:
    words = {word.strip(".").casefold() for word in re.split(r"[\s-]+", name)}
    is_other = is_known_term(name) or bool(words & words_of_table("place", "noperson", "journal"))
    return is_other or words <= STOP_WORDS - {"may", "will"}


Interval: TypeAlias = tuple[int | None, int | None]
"""First and last year, inclusive; None is open."""

_DECADES = (
    *("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties"),
    *("nineties", "noughties"),
)
"""From the 1920s on."""
_PARTS = {"early": (0, 4), "first": (0, 4), "mid": (3, 6), "late": (5, 9), "second": (5, 9)}
"""First and last year of a part of a decade; wide, because a limit hides papers."""
_PERIOD_STUDIED = 1950
"""An earlier year is a period under study, since few records are that old."""
_SHORT_CLAUSE = 6
_OR = re.compile(r"[\s,]*or\s+(?:else\s+)?(?:published\s+)?")
_BEFORE = 60
"""Characters before a form that are searched for a negation."""


def read_years(reading: ParsedQuestion, today: date) -> None:
    """Read limits on the year of publication.

    Future years, years of events and data, periods before 1950, decades of a topic ("music of the
    1960s") and mere preferences stay in the text.
    """
    text = reading.question
    places: list[Span] = []
    intervals: dict[Span, Interval] = {}
    for kind, match in matches("year", text):
        start, end = match.span()
        if any(start < last and first < end for first, last in places):
            continue
        places.append((start, end))
        first, last = _interval(kind, match, today)
        what = around("year_around", text, start, end)
        latest = max(first or 0, last or 0)
        is_old = latest < _PERIOD_STUDIED or _is_background(match)
        if what != "subject" and latest <= today.year + 1 and (what == "printed" or not is_old):
            span, years = _limit(reading, match, (first, last))
            intervals[span] = years
    limit = _common(text, intervals)
    if limit is None:
        wordings = ", ".join(repr(text[slice(*span)].strip(" ,")) for span in sorted(intervals))
        note = f"these years are not a single span ({wordings}): the search has no limit on years"
        reading.note_left(note, "years")
    reading.cut(*intervals)
    reading.constraints.year_from, reading.constraints.year_to = limit or (None, None)


def _limit(reading: ParsedQuestion, match: re.Match[str], years: Interval) -> tuple[Span, Interval]:
    """Return the span of a limit on years, and the years, inverted if it is negated."""
    start = match.end("led") if match.groupdict().get("led") else match.start()
    negated, (first, last) = _negation_span(match.string, start, match.end()), years
    if negated is None:
        return (start, match.end()), years
    if (first is None) != (last is None):
        return negated, (last and last + 1, first and first - 1)
    what = f"unwanted years ({match.string[slice(*negated)].strip(' ,')!r})"
    reading.leave(what, part="years")
    return negated, (None, None)


def _negation_span(text: str, start: int, end: int) -> Span | None:
    """Return the span of a negated limit including the negation; None if it is not negated."""
    before = form("negated_limit", "before").search(text, max(0, start - _BEFORE), start)
    behind = form("negated_limit", "behind").match(text, end)
    if not before and not behind:
        return None
    begin = max(before.start(), before.end("other")) if before else start
    return begin, behind.end() if behind else end


def _is_background(match: re.Match[str]) -> bool:
    """Whether years are in a sentence of a long text, where most are not limits."""
    text = match.string
    before, after = STOP.split(text[: match.start()])[-1], STOP.split(text[match.end() :])[0]
    is_long = len(text.split()) >= LONG
    return is_long and len(f"{before} {match[0]} {after}".split()) > _SHORT_CLAUSE


def _common(text: str, intervals: dict[Span, Interval]) -> Interval | None:
    """Return the intersection of all intervals; None if it is empty or they are alternatives."""
    pairs = pairwise(sorted(intervals))
    is_choice = any(_OR.fullmatch(text, one[1], other[0]) for one, other in pairs)
    first = max((first for first, _ in intervals.values() if first is not None), default=None)
    last = min((last for _, last in intervals.values() if last is not None), default=None)
    is_empty = first is not None and last is not None and first > last
    return None if is_choice or is_empty else (first, last)


def _interval(kind: str, match: re.Match[str], today: date) -> Interval:
    groups, this = match.groupdict(), today.year
    if kind in {"back", "older"}:
        months = {"m": 1, "d": 120}.get(groups["unit"][0].lower(), 12)
        first = (this * 12 + today.month - 1 - (number_of(groups["n"] or "") or 1) * months) // 12
        return (first, None) if kind == "back" else (None, first - 1)
    first, last = _years(groups.get("a") or groups["b"], this)
    if groups.get("a") and groups.get("b"):
        other = _years(groups["b"], this)
        first, last = min(first, other[0]), max(last, other[1])
    limits: dict[str, Interval] = {
        "since": (first, None), "until": (None, last), "after": (last + 1, None),
        "before": (None, first - 1),
    }  # fmt: skip
    return limits.get(kind, (first, last))


def _years(span: str, this: int) -> tuple[int, int]:
    """Return the first and last year of a year, a decade or part of a decade."""
    text = span.lower()
    if text.endswith(("year", "last")):  # this year or the last
        return (this - ("last" in text),) * 2
    tens = next((tens for tens, name in enumerate(_DECADES) if name in text), None)
    digits = re.search(r"(\d{2,4})(['’]?s\b)?\s*$", text)
    is_decade = tens is not None or (digits is not None and digits[2] is not None)
    year = 1920 + 10 * tens if tens is not None else int(digits[1]) if digits else 0
    if year < 100:  # noqa: PLR2004  # two digits
        year += 2000 if year < 30 and not is_decade else 1900  # noqa: PLR2004  # '29 is 2029
    if not is_decade:
        return year, year
    lead, tail = next((years for part, years in _PARTS.items() if part in text), (0, 9))
    return year + lead, year + tail
