"""Cuts a search string of another system into tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

from paper_search.query.systems import (
    COCHRANE,
    EBSCO,
    EMBASE,
    OVID,
    PROQUEST,
    PUBMED,
    SCOPUS,
    SUBHEADING,
    WEB_OF_SCIENCE,
    System,
)

_YEARS = (
    r"(?<![\w-])(?:PY|PUBYEAR|DOP|YR|PD|DT)(?P<call>\()?\s*(?P<sign>=|>=|<=|>|<|\bAFT\b|\bBEF\b|\bIS\b)?"
    r"\s*+(?P<open>\()?\s*+(?P<first>\d{4})(?:\d{4})?(?:\s*-\s*(?:(?P<last>\d{4})(?:\d{4})?)?)?"
    r"(?P<others>(?:\s+OR\s+\d{4})*)"
    r"\s*(?(open)\))(?(call)\))(?!\w)"
)
_LIMIT_TO = r"(?:LIMIT-TO|EXCLUDE)\s*\(\s*PUBYEAR\s*,\s*(?P<limited>\d{4})\s*\)"
_SCOPUS_LIMIT = (
    r"(?P<to>LIMIT-TO|EXCLUDE)\s*\(\s*(?:DOCTYPE|LANGUAGE)\s*,\s*\"?(?P<limits>[\w ]+?)\"?\s*\)"
    r"(?P<limit>)"
)
_DATE_TAG = r"\[\s*(?:dp|pdat|ppdat|epdat|date\s*-\s*publication|publication date)\s*\]"
_DATE = r'"?(\d{4})(?:/[\d/]*+)?"?\s*+'
_PUBMED_YEARS = rf"{_DATE}(?:{_DATE_TAG})?\s*:\s*{_DATE}{_DATE_TAG}|{_DATE}{_DATE_TAG}"
_JOINING = r"(?:or|and|not|adj\d*)"
_OVID_HEADING = (
    r"(?:(?P<exp>exp(?:lode)?)\s+)?(?P<star>\*)?"
    rf'(?P<heading>"[^"\n]+"|(?!{_JOINING}\b)(?:(?!\s{_JOINING}\s)[^()"/\n\[\]]){{1,150}}?)\s?/'
    rf"(?:(?P<subs>{SUBHEADING}(?:\s?,\s?{SUBHEADING})*)\b)?(?=\s|\)|$|\.|,)"
)
_COCHRANE_HEADING = (
    r"mesh descriptor\s*:?\s*"
    r"(?:\[(?P<name>[^\]]+)\]|(?P<old>[^\[\]()]{1,150}?(?=\s+(?:explode|this term)\b|$)))"
    r"(?P<how>(?:\s*explode(?:\s+all)?\s*(?:trees?)?(?:\s*[\d,\s]+)?)|\s*this term only)?"
    r"(?:\s*(?:and\s+)?with\s+qualifiers?(?:\(s\))?\s*:\s*\[[^\]]*\])?"
    r'|\[mh\s+(?P<only>\^)?\s*(?P<mh>"[^"]*"|[^\]\[]+?)\s*(?:/\w+)?\s*\]'
)
_EMBASE_LIMIT = r"(?P<limits>\[[^\]]+\](?:\s*:\s*\[[^\]]+\])?)/(?P<limit>lim|py|dt|sd)\b"
_OPERATOR = r"\b(?:AND\s+NOT|AND|OR|NOT|SAME|XOR)\b(?=[\s()\"'{*\[#]|$)"
# In lower case, PubMed's operators are words, but for those beside a tag or a parenthesis.
_PUBMED_OPERATOR = (
    r"\b(?-i:AND|OR|NOT)\b(?=[\s()\"\[#]|$)"
    r"|(?<=[\])]\s)(?:and|or|not)\b(?=\s)|(?:and|or|not)\b(?=\s\()"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a search string.

    Attributes:
        kind: `(`, `)`, `OR`, `AND`, `NOT`, `near`, `years`, `heading`, `limit`, `prefix`, `suffix`,
            `set`, `sets`, `quoted`, `word`, or `foreign`: what we have no counterpart of.
        text: as it was written.
        start: its offset.
        found: its parts.
    """

    kind: str
    text: str
    start: int
    found: re.Match[str]

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.start + len(self.text)


@cache
def _pattern(system: System) -> re.Pattern[str]:
    parts = []
    if system is PUBMED:
        parts.append(rf"(?P<pubmed_years>{_PUBMED_YEARS})")
    if system is OVID:
        parts += [
            r"(?P<comment>\[[^\]]*\])",
            r"(?P<foreign>/\s?freq\S*)",
            r"(?P<sets>(?<![\w/])(?P<how_many>or|and)\s?/\s?(?P<lines>\d+[a-z]?(?:\s?[-,]\s?\d+[a-z]?)*))",
            rf"(?P<is_heading>(?<![\w$*?.-]){_OVID_HEADING})",
        ]
    if system is COCHRANE:
        parts += [
            rf"(?P<is_heading>{_COCHRANE_HEADING})",
            r"(?P<sets>\{\s*(?P<how_many>or|and)\s+(?P<lines>\#?\d+(?:\s?[-,]\s?\#?\d+)*)\s*\})",
            (
                r"(?P<comment>\(word variations have been searched\)"
                r"|(?:,\s*)?\bin (?:trials|cochrane reviews|other reviews|all text)\b[^()]*$)"
            ),
        ]
    if system in {EBSCO, PROQUEST, SCOPUS, WEB_OF_SCIENCE}:
        parts.append(rf"(?P<years>{_LIMIT_TO}|{_YEARS})")
    if system is EMBASE:
        parts.append(rf"(?P<is_limit>{_EMBASE_LIMIT})")
    if system is SCOPUS:
        parts.append(rf"(?P<is_limit>{_SCOPUS_LIMIT})")
    parts += [
        rf"(?P<prefix>{system.prefix.replace('?P<tag>', '?P<before>')})",
        rf"(?P<suffix>{system.suffix.replace('?P<tag>', '?P<behind>')})",
        r'(?P<quoted>"[^"]*"' + "".join(_between(*system.quotes)) + r")",
        rf"(?P<near>\b(?:{system.proximity})(?=[\s()\"'{{]|$))",
        rf"(?P<operator>{_PUBMED_OPERATOR if system is PUBMED else _OPERATOR})",
        r"(?P<set>(?:\#|(?<![\w-])[SL](?=\d+\b(?![\w-])))\d+[a-z]?(?:\s?-\s?[\#SL]\d+)?(?!\w))",
        r"(?P<paren>[()])|(?P<space>\s+)|(?P<word>(?:" + _word(system) + r")+|.)",
    ]
    return re.compile("|".join(parts), re.IGNORECASE | re.DOTALL)


def _between(opening: str = "", closing: str = "") -> Iterator[str]:
    if opening == closing == "'":
        yield r"|(?<![\w])'[^'\n]+'(?!\w)"
    elif opening:
        yield rf"|{re.escape(opening)}[^{re.escape(opening + closing)}]*{re.escape(closing)}"


def _word(system: System) -> str:
    """Return the pattern of a character of a word, which a suffix ends."""
    opening = re.escape("".join(system.quotes)).replace("'", "")
    bracket = r"\[\]" if system is PUBMED else ""
    return rf"(?!{system.suffix.replace('?P<tag>', '?:')})[^\s()\"{opening}{bracket}]"


def tokens_of(text: str, system: System) -> list[Token]:
    """Return the tokens of a search string, without white space and comments."""
    found = []
    for match in _pattern(system).finditer(text):
        kind = next(name for name in _KINDS if match.groupdict().get(name) is not None)
        if kind in {"space", "comment"}:
            continue
        if kind == "paren":
            kind = match[0]
        elif kind == "operator":
            kind = match[0].upper().split()[-1]
        found.append(Token(_NAMES.get(kind, kind), match[0], match.start(), match))
    return found


_KINDS = (
    *(
        "pubmed_years",
        "comment",
        "foreign",
        "sets",
        "is_heading",
        "is_limit",
        "years",
        "prefix",
        "suffix",
    ),
    *("quoted", "near", "operator", "set", "paren", "space", "word"),
)
_NAMES = {"is_heading": "heading", "is_limit": "limit"}


def labels_of(token: Token, refuse: Callable[[int, str], NoReturn]) -> list[str]:
    """Return the labels of the lines that a token names: `#3`, `#1-#4`, `or/1-3,5`."""
    named = token.text if token.kind == "set" else token.found["lines"]
    found: list[str] = []
    for piece in named.split(","):
        first, dash, last = (part.strip() for part in piece.partition("-"))
        if not dash:
            found.append(first)
            continue
        begin, end = (int("".join(filter(str.isdigit, label))) for label in (first, last))
        if end < begin:
            refuse(token.start, f"the lines run backwards: {piece.strip()}")
        found += [str(number) for number in range(begin, end + 1)]
    return found
