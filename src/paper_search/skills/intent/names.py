"""Authors, journals and conferences that a question names."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from paper_search.bibliography.words import rarity
from paper_search.skills.intent.forms import forms, is_quoted, without_span, words_of_table
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
_ARTICLE = re.compile(r"^[Tt]he\s+|(?<!\s)\s+(?:magazine|only)$")
_LONGEST_VENUE = 12
_JOURNALS = {"nature", "science"}
_MADE_BY = re.compile(r"\b(?!written|authored|published)\w+(?:ed|wn|ne|ade)\s*$", re.IGNORECASE)
"""What somebody proposed, others write about."""


@dataclass
class Names:
    """Names in a question.

    Attributes:
        rest: the text without those that are limits.
        authors: any of whom a paper must have.
        venues: in any of which a paper must have been published.
        year: of a reference such as "Hinton et al. 2012".
        notes: what the person should know about how they were read.
    """

    rest: str
    authors: list[str] = field(default_factory=list)
    venues: list[str] = field(default_factory=list)
    year: int | None = None
    notes: list[str] = field(default_factory=list)


def parse_names(text: str, lookup: Lookup) -> Names:
    """Return the authors and venues of a text.

    A name in a form that says so ("papers by", "author:", "published in") is a limit unless the
    records at hand lack it; in another form only where they have it. Other names stay words.
    """
    names = Names(text)
    for kind, claims in (("venue", _venue_claims), ("author", _author_claims)):
        for claim in claims(names.rest):
            is_accepted = claim.is_accepted(names, lookup)
            if is_accepted:
                (names.venues if kind == "venue" else names.authors).extend(claim.names)
                names.year = claim.year or names.year
            if is_accepted or claim.match.string != names.rest:
                break
    names.notes = list(dict.fromkeys(names.notes))
    return names


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

    def is_accepted(self, names: Names, lookup: Lookup) -> bool:
        """Cut the names out of the text if they limit the search; else say how they are read."""
        text, groups, wording = names.rest, self.match.groupdict(), ", ".join(self.names)
        start, end = self.match.span()
        negation = dict(forms("before_name"))["negated"]
        if negated := negation.search(text[:start] + (groups.get("papers") or "")):
            names.notes.append(
                f"not acted on: {self.kind}s that are not wanted ({wording}); in a boolean query,"
                f" write NOT {self.kind}:{self.names[0]}"
            )
            names.rest = without_span(text, min(negated.start(), start), end)
            return False
        answers = [lookup(self.kind, name) for name in self.names]
        is_certain = self.certainty == "certain"
        if True in answers or (is_certain and False not in answers):
            lead = next((name for name in ("papers", "works") if groups.get(name)), None)
            names.rest = without_span(text, self.match.end(lead) if lead else start, end)
            return True
        kinds = ("author", "venue") if self.certainty == "likely" else (self.kind,)
        write = f"write {' or '.join(f'{kind}:{self.names[0]}' for kind in kinds)}"
        if is_certain:
            names.notes.append(
                f"no paper of the library has the {self.kind} {wording}, so it is read as words; to"
                f" look for it all the same, {write}"
            )
        elif self.kind == "author" or (self.certainty == "likely" and " " in self.names[0]):
            names.notes.append(
                f"not acted on: {wording} as {' or '.join(kinds)}; to limit the search, {write}"
            )
        return False


def _venue_claims(text: str) -> Iterator[_Claim]:
    for certainty, pattern in forms("venue"):
        for match in pattern.finditer(text):
            joints = _LIST_OF_OR if " or " in match["venue"] else _LIST
            listed = joints.split(match["venue"])
            venues = [_ARTICLE.sub("", name.strip(" .'’-")) for name in listed]
            words = {word for venue in venues for word in venue.casefold().split()}
            places = words_of_table("place", *(["noperson"] if len(words) == 1 else []))
            is_place = words <= places - _JOURNALS
            if is_place or is_quoted(text, match.start()) or len(words) > _LONGEST_VENUE:
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
    is_other = is_known_term(name) or bool(words & words_of_table("place", "noperson"))
    return is_other or words <= STOP_WORDS - {"may", "will"}


def _may_be_name(word: str) -> bool:
    is_common = word in STOP_WORDS or rarity(stem(word)) < _RARE
    return not is_common and not _is_no_person(word)


def _is_title(text: str) -> bool:
    """Return whether most long words are capitalised, as in a title: capitals then tell nothing."""
    words = re.findall(r"[^\W\d_]{4,}", text)
    return len(words) > _FEW and sum(word[0].isupper() for word in words) * 3 > len(words) * 2


def lookups_of(parse: Callable[[Lookup], object]) -> list[tuple[Kind, str]]:
    """Return the names that a reading would look up."""
    lookups: list[tuple[Kind, str]] = []

    def note(kind: Kind, name: str) -> None:
        lookups.append((kind, name))

    parse(note)
    return list(dict.fromkeys(lookups))
