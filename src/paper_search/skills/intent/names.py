"""Authors, journals, conferences and years that a question names."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Literal, TypeAlias

from paper_search.bibliography.words import rarity
from paper_search.skills.intent.forms import (
    NUMBERS,
    STOP,
    ParsedQuestion,
    Span,
    form,
    forms,
    is_ended,
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
_IN_QUOTES = re.compile(r'["“]([^"“”]+)["”]')
_LIST = re.compile(r"(?<!\s)(?:(?:\s*,)?\s+or\s+|\s*[,&]\s*(?=[A-Z])|\s+and\s+(?=The\b|[A-Z]+\b$))")
_LIST_OF_SEVERAL = re.compile(r"(?<!\s)(?:\s*[,&]\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+)")
_SEVERAL = re.compile(r"(?:journals|magazines|conferences)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^[Tt]he\s+|(?<!\s)\s+(?:magazine|only)$")
_MADE_BY = re.compile(r"\b(?!written|authored|published)\w+(?:ed|wn|ne|ade)\s*$", re.IGNORECASE)
"""What somebody proposed, others write about."""
LONG = 60
"""Words of a text that is more than a question: most of its names and years are no limit."""


Claim: TypeAlias = tuple[str, list[str], re.Match[str]]
"""How sure a form is, and the names that it finds."""


def read_names(reading: ParsedQuestion, lookup: Lookup) -> None:
    """Read the authors and venues of a text, and the year of "Hinton et al. 2012".

    A name in a form that says so ("papers by", "author:", "published in") is a limit unless the
    records at hand lack it, in quotation marks (`author:"Asa Berta"`) even then; in another form
    only where they have it. Other names stay words.
    """
    if len(reading.question.split()) >= LONG:
        return
    kinds: tuple[tuple[Kind, Callable[[str], Iterator[Claim]]], ...]
    kinds = ("venue", _venue_claims), ("author", _author_claims)
    for kind, claims in kinds:
        text = reading.question
        for claim in (*_stated_claims(kind, text), *claims(text)):
            _read_claim(kind, claim, reading, lookup)
            if reading.question != text:
                break


def lookups_of(question: str) -> list[tuple[Kind, str]]:
    """Return the names that a reading of a question would look up."""
    lookups: dict[tuple[Kind, str], None] = {}
    read_names(ParsedQuestion(question), lambda kind, name: lookups.setdefault((kind, name)))
    return list(lookups)


def _read_claim(kind: Kind, claim: Claim, reading: ParsedQuestion, lookup: Lookup) -> None:
    """Cut names out of the text if they limit the search; else note how they are read."""
    certainty, names, match = claim
    first, wording, groups = names[0], ", ".join(names), match.groupdict()
    is_certain = certainty == "certain"
    before = match.string[: match.start()] + (groups.get("papers") or "")
    if negated := form("before_name", "negated").search(before):
        advice = f'in a boolean query, write NOT {kind}:"{first}"'
        reading.leave(f"{kind}s that are not wanted ({wording})", advice)
        reading.cut((min(negated.start(), match.start()), match.end()))
        return
    answers = [lookup(kind, name) for name in names]
    kinds = ("author", "venue") if certainty == "likely" else (kind,)
    stated = (f'{name}:"{first}"' for name in kinds)
    write = f"write {' or '.join(stated)}"
    if certainty == "stated" or True in answers or (is_certain and False not in answers):
        lead = next((name for name in ("papers", "works") if groups.get(name)), None)
        reading.cut((match.end(lead) if lead else match.start(), match.end()))
        (reading.authors if kind == "author" else reading.venues).extend(names)
        if year := groups.get("year") or groups.get("of"):
            limits = reading.constraints
            limits.year_from = limits.year_from or int(year)
            limits.year_to = limits.year_to or int(year)
    elif is_certain:
        reading.notes.append(
            f"no paper of the library has the {kind} {wording}, so it is read as words; to"
            f" look for it all the same, {write}"
        )
    elif kind == "author" or (certainty == "likely" and " " in first):
        reading.leave(f"{wording} as {' or '.join(kinds)}", f"to limit the search, {write}")


def _stated_claims(kind: Kind, text: str) -> Iterator[Claim]:
    for match in form("stated", kind).finditer(text):
        yield "stated", [name.strip() for name in _IN_QUOTES.findall(match[0])], match


def _venue_claims(text: str) -> Iterator[Claim]:
    for certainty, pattern in forms("venue"):
        for match in pattern.finditer(text):
            is_list = _SEVERAL.search(text, match.start(), match.start("venue"))
            listed = (_LIST_OF_SEVERAL if is_list else _LIST).split(match["venue"])
            venues = [_ARTICLE.sub("", name.strip(" .'’-")) for name in listed]
            words = {word for venue in venues for word in venue.casefold().split()}
            places = words_of_table("place", *(["noperson"] if len(words) == 1 else []))
            if words <= places or is_quoted(text, match.start()):
                continue
            around = f"{text[: match.start()]} {text[match.end() :]}"
            is_beside = around.strip() and not _is_title(around)
            is_said = re.search("published|:", match[0]) or is_beside
            yield certainty if is_said else "known", venues, match


def _author_claims(text: str) -> Iterator[Claim]:
    is_title = _is_title(text)
    for certainty, pattern in forms("author"):
        for match in pattern.finditer(text):
            is_bare = match.groupdict().get("bare") is not None
            is_made = _MADE_BY.search(text[: match.start()]) or (is_title and "." not in match[0])
            others = form("author_after", "others").match(text, match.end())
            people = _persons(match)
            if people and not (is_quoted(text, match.start()) or others or (is_bare and is_made)):
                yield certainty, people, match


def _persons(match: re.Match[str]) -> list[str]:
    groups = match.groupdict()
    if lower := groups.get("lower"):
        return [lower] if ":" in match[0] or all(map(_may_be_name, lower.split())) else []
    wording = groups.get("names") or groups.get("single") or ""
    people = [" ".join(name[0].split()) for name in form("person", "name").finditer(wording)]
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


Interval: TypeAlias = tuple[int | None, int | None]
"""First and last year, inclusive; None for no limit."""

_DECADES = (
    *("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties"),
    *("nineties", "noughties"),
)
"""From the 1920s on."""
_PARTS = {"early": (0, 4), "first": (0, 4), "mid": (3, 6), "late": (5, 9), "second": (5, 9)}
"""First and last year of a part of a decade: wide, because a limit hides papers."""
_PERIOD_STUDIED = 1950
"""Records of work published before are so few that such a year is a period to be studied."""
_SHORT_CLAUSE = 6
_OR = re.compile(r"[\s,]*or\s+(?:else\s+)?(?:published\s+)?")
_OF_KIND = re.compile(r"\b(?:preprint|review|survey|thes[ei]s|dissertation|book)", re.IGNORECASE)
"""In "no reviews since 2015" the years may be those of what is wanted."""
_BEFORE = 60
"""Characters before a form that are looked at."""


@dataclass(frozen=True)
class _Mention:
    """Years that a form finds."""

    match: re.Match[str]
    years: Interval

    @property
    def wording(self) -> str:
        return self.match[0].strip(" ,")

    def start_of(self, name: str) -> int | None:
        """Return where a thing begins that stands directly before or behind the years, if any."""
        text, (start, end) = self.match.string, self.match.span()
        is_behind = name in {"counted", "of event"}
        place = end if is_behind else max(0, start - _BEFORE)
        part = text[end:] if is_behind else text[place:start]
        patterns = (pattern for kind, pattern in forms("around") if kind == name)
        matches = (one.match(part) if is_behind else one.search(part) for one in patterns)
        return next((place + match.start() for match in matches if match), None)

    def has(self, name: str) -> bool:
        return self.start_of(name) is not None

    def is_other(self, today: date) -> bool:
        """Whether it is no year of papers: ahead, a count, the year of an event."""
        is_count = self.match[0].rstrip()[-1:].isdigit() and self.has("counted")
        is_event = self.has("event") or self.has("of event")
        return self._latest > today.year + 1 or is_count or is_event

    @property
    def is_background(self) -> bool:
        """Whether it stands in a sentence of a long text: most years there are no limit."""
        text, (start, end) = self.match.string, self.match.span()
        if len(text.split()) < LONG or self.has("papers"):
            return False
        before, after = STOP.split(text[:start])[-1], STOP.split(text[end:])[0]
        return len(f"{before} {self.match[0]} {after}".split()) > _SHORT_CLAUSE

    @property
    def is_subject(self) -> bool:
        if self.has("data"):
            return True
        groups = self.match.groupdict()
        is_printed = re.search(r"\b(?:published|written|appear|dated|printed)", self.wording)
        if is_printed or groups.get("led") or self.has("papers"):
            return False
        is_last = is_ended(self.match.string, self.match.end())
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
    text = reading.question
    intervals: dict[Span, Interval] = {}
    negated: set[Span] = set()
    for mention in _mentions(text, today):
        wording, (start, end) = mention.wording, mention.match.span()
        if mention.is_background or mention.is_other(today):
            continue
        if mention.is_subject:
            if not text.startswith(",", start):
                reading.notes.append(
                    f"{wording!r} is read as part of the subject; for the year of"
                    f" publication, write 'published {wording}'"
                )
            continue
        first, last = mention.years
        if mention.match.groupdict().get("led"):
            start = mention.match.end("led")
        if mention.has("unsure") or re.search(r"\b(?:around|circa|about)\b", wording):
            reading.leave(f"{wording!r} is no exact limit")
            first = last = None
        elif (negation := mention.start_of("negated")) is not None:
            start = negation
            if (first is None) == (last is None) or _OF_KIND.search(
                text, start, mention.match.start()
            ):
                reading.leave(f"years that are not wanted ({text[start:end].strip()!r})")
                first = last = None
            else:
                first, last = _outside(first, last)
                negated.add((start, end))
        intervals[start, end] = first, last
    limit = _common(text, intervals, negated)
    if limit is None:
        wordings = ", ".join(repr(text[slice(*span)].strip(" ,")) for span in sorted(intervals))
        reading.notes.append(
            f"these years make no single span ({wordings}): the search has no limit on years"
        )
    reading.cut(*intervals)
    reading.constraints.year_from, reading.constraints.year_to = limit or (None, None)


def _common(text: str, intervals: dict[Span, Interval], negated: set[Span]) -> Interval | None:
    """Return the years that all intervals share; None: there are none, or one of two is wanted."""
    is_choice = False
    for one, other in pairwise(sorted(intervals)):
        if _OR.fullmatch(text, one[1], other[0]):
            if one in negated:  # "nothing before 2000 or after 2015"
                intervals[other] = _outside(*intervals[other])
            is_choice = is_choice or one not in negated
    first = max((first for first, _ in intervals.values() if first is not None), default=None)
    last = min((last for _, last in intervals.values() if last is not None), default=None)
    is_empty = first is not None and last is not None and first > last
    return None if is_choice or is_empty else (first, last)


def _outside(first: int | None, last: int | None) -> Interval:
    """Return the years that an interval with one end leaves."""
    return last and last + 1, first and first - 1


def _mentions(text: str, today: date) -> Iterator[_Mention]:
    spans: list[Span] = []
    for kind, pattern in forms("year"):
        for match in pattern.finditer(text):
            overlaps = any(match.start() < end and start < match.end() for start, end in spans)
            if not overlaps and not is_quoted(text, match.start()):
                spans.append(match.span())
                yield _Mention(match, _interval(kind, match, today))


def _interval(kind: str, match: re.Match[str], today: date) -> Interval:
    groups, this = match.groupdict(), today.year
    match kind:
        case "back":
            return _years_back(groups["unit"].lower(), (groups["n"] or "").lower(), today), None
        case "this":
            return this, this
        case "last":
            return this - 1, this - 1
        case "part":
            first = this - this % 100 + 10 * ("first", "second", "third").index(groups["place"])
            return first, first + 9
        case "century":
            return this - this % (10 if "decade" in match[0].lower() else 100), None
    first, last = _years(groups.get("a") or groups["b"], this)
    if kind == "short":
        last = first - first % 100 + int(groups["b"])
    elif groups.get("a") and groups.get("b"):
        other = _years(groups["b"], this)
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


def _years(span: str, this: int) -> tuple[int, int]:
    """Return the first and the last year of a year, a decade or a part of one."""
    text = span.lower()
    if text.endswith("year"):  # this year or the last
        return (this - text.endswith("last year"),) * 2
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
