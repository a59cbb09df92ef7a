"""Authors, journals, conferences and years that a question names."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

from paper_search.bibliography.words import rarity
from paper_search.skills.intent.forms import (
    NUMBERS,
    ParsedQuestion,
    forms,
    is_quoted,
    words_of_table,
)
from paper_search.skills.variants import is_known_term
from paper_search.skills.words import STOP_WORDS, stem

Kind: TypeAlias = Literal["author", "venue"]
Lookup: TypeAlias = Callable[[Kind, str], bool | None]
"""Whether the records at hand have a name; None if there are none to look it up in."""

_RARE = 3.0
"""Rarity from which a word in lower case may be a name."""
_FEW = 3
"""Long words that are no title."""
_LIST = re.compile(r"(?<!\s)(?:\s+or\s+|\s*[,&]\s*(?=[A-Z]+\b)|\s+and\s+(?=The\b|[A-Z]+\b$))")
_LIST_OF_OR = re.compile(
    r"(?<!\s)(?:(?:\s*,)?\s+or\s+|\s*[,&]\s*(?=[A-Z])|\s+and\s+(?=The\b|[A-Z]+\b$))"
)
_LIST_OF_SEVERAL = re.compile(r"(?<!\s)(?:\s*[,&]\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)")
_SEVERAL = re.compile(r"(?:journals|magazines|conferences)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^[Tt]he\s+|(?<!\s)\s+(?:magazine|only)$")
_LONGEST_VENUE = 12
_MADE_BY = re.compile(r"\b(?!written|authored|published)\w+(?:ed|wn|ne|ade)\s*$", re.IGNORECASE)
"""What somebody proposed, others write about."""


def read_names(reading: ParsedQuestion, lookup: Lookup) -> None:
    """Read the authors and venues of a text, and the year of "Hinton et al. 2012".

    A name in a form that says so ("papers by", "author:", "published in") is a limit unless the
    records at hand lack it; in another form only where they have it. Other names stay words.
    """
    limits = reading.constraints
    if len(reading.question.split()) >= LONG:
        return  # most names in a long text are no limit
    for names, claims in ((reading.venues, _venue_claims), (reading.authors, _author_claims)):
        for claim in claims(reading.question):
            is_accepted = claim.is_accepted(reading, lookup)
            if is_accepted:
                names.extend(claim.names)
                limits.year_from = limits.year_from or claim.year
                limits.year_to = limits.year_to or claim.year
            if is_accepted or claim.match.string != reading.question:
                break


@dataclass(frozen=True)
class _Claim:
    """Names that a form finds, and how sure the form is."""

    kind: Kind
    names: list[str]
    certainty: str
    match: re.Match[str]

    @property
    def year(self) -> int | None:
        groups = self.match.groupdict()
        year = groups.get("year") or groups.get("of")
        return int(year) if year else None

    def is_accepted(self, reading: ParsedQuestion, lookup: Lookup) -> bool:
        """Cut the names out of the text if they limit the search; else say how they are read."""
        text, groups, wording = reading.question, self.match.groupdict(), ", ".join(self.names)
        start, end = self.match.span()
        negation = dict(forms("before_name"))["negated"]
        if negated := negation.search(text[:start] + (groups.get("papers") or "")):
            reading.notes.append(
                f"not acted on: {self.kind}s that are not wanted ({wording}); in a boolean query,"
                f" write NOT {self.kind}:{self.names[0]}"
            )
            reading.cut(min(negated.start(), start), end)
            return False
        answers = [lookup(self.kind, name) for name in self.names]
        is_certain = self.certainty == "certain"
        if True in answers or (is_certain and False not in answers):
            lead = next((name for name in ("papers", "works") if groups.get(name)), None)
            reading.cut(self.match.end(lead) if lead else start, end)
            return True
        kinds = ("author", "venue") if self.certainty == "likely" else (self.kind,)
        write = f"write {' or '.join(f'{kind}:{self.names[0]}' for kind in kinds)}"
        if is_certain:
            reading.notes.append(
                f"no paper of the library has the {self.kind} {wording}, so it is read as words; to"
                f" look for it all the same, {write}"
            )
        elif self.kind == "author" or (self.certainty == "likely" and " " in self.names[0]):
            reading.notes.append(
                f"not acted on: {wording} as {' or '.join(kinds)}; to limit the search, {write}"
            )
        return False


def _venue_claims(text: str) -> Iterator[_Claim]:
    for certainty, pattern in forms("venue"):
        for match in pattern.finditer(text):
            joints = _LIST_OF_OR if " or " in match["venue"] else _LIST
            if _SEVERAL.search(text, match.start(), match.start("venue")):
                joints = _LIST_OF_SEVERAL
            listed = joints.split(match["venue"])
            venues = [_ARTICLE.sub("", name.strip(" .'’-")) for name in listed]
            words = {word for venue in venues for word in venue.casefold().split()}
            places = words_of_table("place", *(["noperson"] if len(words) == 1 else []))
            if words <= places or is_quoted(text, match.start()) or len(words) > _LONGEST_VENUE:
                continue
            around = f"{text[: match.start()]} {text[match.end() :]}"
            is_beside = around.strip() and not _is_title(around)
            is_said = re.search("published|:", match[0]) or is_beside
            yield _Claim("venue", venues, certainty if is_said else "known", match)


def _author_claims(text: str) -> Iterator[_Claim]:
    others = dict(forms("author_after"))["others"]
    is_title = _is_title(text)
    for certainty, pattern in forms("author"):
        for match in pattern.finditer(text):
            is_bare = match.groupdict().get("bare") is not None
            is_made = _MADE_BY.search(text[: match.start()]) or (is_title and "." not in match[0])
            is_skipped = is_quoted(text, match.start()) or others.match(text, match.end())
            people = _persons(match)
            if people and not is_skipped and not (is_bare and is_made):
                yield _Claim("author", people, certainty, match)


def _persons(match: re.Match[str]) -> list[str]:
    groups = match.groupdict()
    if lower := groups.get("lower"):
        return [lower] if ":" in match[0] or all(map(_may_be_name, lower.split())) else []
    wording = groups.get("names") or groups.get("single") or ""
    one = dict(forms("person"))["name"]
    people = [" ".join(name[0].split()) for name in one.finditer(wording)]
    return [] if any(map(_is_no_person, people)) else list(dict.fromkeys(people))


def _is_no_person(name: str) -> bool:
    words = {word.strip(".").casefold() for word in re.split(r"[\s-]+", name)}
    is_other = is_known_term(name) or bool(words & words_of_table("place", "noperson", "journal"))
    return is_other or words <= STOP_WORDS - {"may", "will"}


def _may_be_name(word: str) -> bool:
    return rarity(stem(word)) >= _RARE and not _is_no_person(word)


def _is_title(text: str) -> bool:
    """Return whether most long words are capitalised, as in a title: capitals then tell nothing."""
    words = re.findall(r"[^\W\d_]{4,}", text)
    return len(words) > _FEW and sum(word[0].isupper() for word in words) * 3 > len(words) * 2


def lookups_of(question: str) -> list[tuple[Kind, str]]:
    """Return the names that a reading of a question would look up."""
    lookups: list[tuple[Kind, str]] = []

    def note(kind: Kind, name: str) -> None:
        lookups.append((kind, name))

    read_names(ParsedQuestion(question), note)
    return list(dict.fromkeys(lookups))


Interval: TypeAlias = tuple[int | None, int | None]
"""First and last year, inclusive; None for no limit."""

_TENS = ("twen", "thir", "for", "fif", "six", "seven", "eigh", "nine")
_DECADES = {
    "noughties": 2000,
    **{f"{name}ties": 1920 + 10 * place for place, name in enumerate(_TENS)},
}
_PARTS = {"early": (0, 4), "first": (0, 4), "mid": (3, 6), "late": (5, 9), "second": (5, 9)}
"""First and last year of a part of a decade: wide, because a limit hides papers."""
_PERIOD_STUDIED = 1950
"""Records of work published before are so few that such a year is a period to be studied."""
LONG = 60
"""Words of a text that is more than a question: it has sentences about other things."""
_CLAUSE_END = re.compile(r"[,;:.?!()\ue000–—]")
_SHORT_CLAUSE = 6
_BEFORE = 60
"""Characters before a form that are looked at."""


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

    @property
    def is_background(self) -> bool:
        """Whether it stands in a sentence of a long text: most years there are no limit."""
        text, (start, end) = self.match.string, self.match.span()
        if len(text.split()) < LONG or self.has("papers"):
            return False
        before, after = _CLAUSE_END.split(text[:start])[-1], _CLAUSE_END.split(text[end:])[0]
        return len(f"{before} {self.match[0]} {after}".split()) > _SHORT_CLAUSE

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


def read_years(reading: ParsedQuestion, today: date) -> None:
    """Read the limits of a text on the year of publication.

    Left in the text, with a note where it may have been meant: years that lie ahead, years of
    events and of data, periods before 1950, decades of a subject ("music of the 1960s").
    """
    text, notes = reading.question, reading.notes
    limits: list[tuple[int, int, Interval]] = []
    for mention in _mentions(text, today):
        if mention.is_background or mention.is_other(today):
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
        reading.cut(start, end)
    reading.constraints.year_from, reading.constraints.year_to = first, last


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
    number = int(count) if count.isdecimal() else NUMBERS.get(" ".join(count.split()), 1)
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
