"""Limits of Ovid and Embase.com in words: languages, years, types, groups of people."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from paper_search.query.ast import Node, Not, Or, Phrase, Term, YearRange
from paper_search.query.leaves import leaf_of, words_of

_LIMIT = re.compile(r"\s*limit\s+(?P<line>#?\d+[a-z]?)\s+to\s+(?P<what>.+?)[\s.]*$", re.IGNORECASE)
_SAME = re.compile(
    r"\s*(?:remove\s+duplicates\s+from\s+(?P<from>\d+)|(?P<line>\d+)\s+use\s+[\w,\s]+)\s*$",
    re.IGNORECASE,
)
_AND = re.compile(r"(?<=\s)and(?=\s)|;|,(?=\s?[a-z\"(])", re.IGNORECASE)
_OR = re.compile(r"(?<=\s)or(?=\s)", re.IGNORECASE)
_YEARS = re.compile(
    r"(?:yr|dp|py)? ?[=.]? ?\"?(?P<first>\d{4})? ?(?P<dash>-)? ?(?P<last>\d{4}|current)?"
    r"\"?(?:\.yr\.?)?"
)
_DATED = re.compile(
    r"(?:published date:|publication (?:date|year):|date|year)\s*(?:between|from|:)?\s*"
    r"(?:[a-z]+ )?\d{4}\d*\s*(?:-|and|to)\s*(?:[a-z]+ )?\d{4}\d*"
)
_FOUR_DIGITS = re.compile(r"(?<!\d)\d{4}")
_LANGUAGE = re.compile(r"\"?\(?(?P<name>[a-z]+)(?:\s+language|\.lg\.)?\)?\"?", re.IGNORECASE)
_LANGUAGES = frozenset({
    "english", "french", "german", "spanish", "italian", "portuguese", "dutch", "chinese",
    "japanese", "russian", "polish", "turkish", "korean", "arabic", "danish", "norwegian",
    "swedish", "finnish", "greek", "hebrew", "hungarian", "czech", "persian",
})  # fmt: skip
_NOTHING = re.compile(
    r"abstracts?|full text|journals?|medline|embase|no dups?|ovid full text available"
    r"|\(?peer reviewed journal\)?|yr=.all.",
    re.IGNORECASE,
)
_CLINICAL_REVIEWS = re.compile(r"reviews \((?:maximizes|best) [\w ]+\)?")
_AGES = re.compile(r"all (adult|child|infant)\b")
_FILTERS = {
    "human": "humans", "humans": "humans", "animal": "animals", "animals": "animals",
    "male": "male", "female": "female", "adult": "alladult", "child": "allchild",
    "infant": "allinfant", "aged": "aged", "adolescent": "adolescent",
    "core clinical journals": "jsubsetaim", "systematic reviews": "systematic",
    "medline": "medline",
}  # fmt: skip
TYPES = {
    "article": "journal article", "ar": "journal article", "re": "review",
    "review articles": "review", "reviews": "review", "proceedings paper": "congress",
    "conference abstract": "congress", "conference paper": "congress", "cp": "congress",
    "all clinical trials": "clinical trial",
    "randomised controlled trial": "randomized controlled trial", "case report": "case reports",
    "controlled clinical trials": "controlled clinical trial",
}  # fmt: skip
"""Names of publication types elsewhere, by PubMed's."""
_KNOWN_TYPES = frozenset({
    *TYPES.values(), "review", "systematic review", "meta analysis", "meta-analysis", "letter",
    "editorial", "comment", "practice guideline", "guideline", "case reports", "clinical study",
    "observational study", "comparative study", "multicenter study", "validation study", "news",
    "clinical trial", "pragmatic clinical trial", "preprint", "journal article", "dissertation",
    "clinical trial protocol", "twin study", "consensus statement", "book", "evaluation study",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limit:
    """A line that limits another one.

    Attributes:
        line: the label of that line.
        start: where it is named.
        conditions: what holds beside.
        notes: offset, and what is left out.
    """

    line: str
    start: int
    conditions: tuple[Node, ...] = ()
    notes: tuple[tuple[int, str], ...] = ()


def limit_of(text: str, refuse: Callable[[int, str], NoReturn]) -> Limit | None:
    """Return what `limit 5 to ...` and `remove duplicates from 5` say; None: it is neither."""
    if same := _SAME.fullmatch(text):
        name = "from" if same["from"] else "line"
        note = (same.start(name), "duplicates and databases are left to this program")
        return Limit(same[name], same.start(name), notes=(note,))
    found = _LIMIT.match(text)
    if found is None:
        return None
    conditions: list[Node] = []
    notes: list[tuple[int, str]] = []
    start = found.start("what")
    for piece in _AND.split(_without_parentheses(found["what"])):
        where = max(text.find(piece.strip(' "()'), start), start)
        if _NOTHING.fullmatch(piece.strip(' "()')):
            notes.append((where, f"the limit {piece.strip()!r} is left out: the search is wider"))
        elif piece.strip(' "()'):
            conditions.append(condition_of(piece, where, refuse))
    return Limit(found["line"], found.start("line"), tuple(conditions), tuple(notes))


def condition_of(said: str, start: int, refuse: Callable[[int, str], NoReturn]) -> Node:
    """Return what a limit in words means; one that has no counterpart is refused."""
    alternatives = [_one(part.strip(' "()')) for part in _OR.split(said)]
    found = [node for node in alternatives if node is not None]
    if len(found) < len(alternatives):
        refuse(start, f"the limit {said.strip()!r} has no counterpart here: leave it out")
    return found[0] if len(found) == 1 else Or(tuple(found))


def _one(said: str) -> Node | None:  # noqa: PLR0911  # one for each kind of limit
    plain = " ".join(said.lower().split())
    if plain.startswith("not "):
        inner = _one(plain.removeprefix("not "))
        return None if inner is None else Not(inner)
    if dated := _DATED.match(plain):
        first_year, last_year = _FOUR_DIGITS.findall(dated[0])
        return YearRange(int(first_year), int(last_year))
    if (years := _YEARS.fullmatch(plain)) and (years["first"] or years["last"]):
        last = years["last"] if years["last"] != "current" else None
        first = int(years["first"]) if years["first"] else None
        end = int(last) if last else (None if years["dash"] else first)
        return YearRange(first, end) if first or end else None
    language = _LANGUAGE.fullmatch(plain)
    if language and (language["name"] in _LANGUAGES or plain.endswith("language")):
        return Term(language["name"], "language")
    if _CLINICAL_REVIEWS.fullmatch(plain):
        return Term("systematic", "subset")
    if age := _AGES.match(plain):
        return Term(f"all{age[1]}", "subset")
    if plain in _FILTERS:
        return Term(_FILTERS[plain], "subset")
    name = TYPES.get(plain, plain)
    if name in _KNOWN_TYPES:
        return leaf_of(tuple(name.split()), "type")
    return None


def type_of(leaf: Term | Phrase) -> Term | Phrase:
    """Return a publication type by the name that PubMed has for it."""
    name = " ".join(words_of(leaf)).lower()
    return leaf_of(tuple(TYPES.get(name, name).split()), "type")


def _without_parentheses(text: str) -> str:
    inner = text.strip()
    return inner[1:-1] if inner.startswith("(") and inner.endswith(")") else inner
