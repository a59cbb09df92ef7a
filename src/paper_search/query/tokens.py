"""Tokens of another system's search string."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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
    WOS_NAMES,
    System,
)

_DAY = r"(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}(?!\d)|\d{4})(?!\d)"
_DATES = (
    r"(?<![\w-])(?P<dated>PY|PUBYEAR|DOP|YR|PD|DT|EM|LD|LUPD|(?:ORIG-)?LOAD-DATE)(?P<call>\()?\s*"
    r"(?P<sign>=|>=|<=|>|<|\bAFT\b|\bBEF\b|\bIS\b)?\s*+(?P<open>\()?\s*+"
    rf"(?P<first>{_DAY})(?P<dash>\s*[-/–]\s*(?P<last>{_DAY})?)?"
    r"(?P<others>(?:\s+OR\s+\d{4}(?:-\d{4})?)*)\s*(?(open)\))(?(call)\))(?!\w)"
)
_SCOPUS_LIMIT = (
    r"(?P<to>LIMIT-TO|EXCLUDE)\s*\(\s*(?P<limit>[A-Z]+)\s*,\s*(?P<limits>\"[^\"]*\"|[\w ]+?)\s*\)"
)
_PUBLISHED = r"(?:dp|pdat|ppdat|epdat|date\s*-\s*publication|publication date)"
_ENTRY = (
    r"(?:edat|crdt|mhda|entrez date|date\s*-\s*(?:entry|entrez|create|mesh|completion)|entry date"
    r"|create date)"
)
_DATE_TAG = rf"\[\s*(?:{_PUBLISHED}|(?P<entry%s>{_ENTRY}))\s*\]"
_DATE = r'"?(?P<%s>\d{4}(?:/\d{1,2}){0,2})/?"?\s*+'
_PUBMED_DATES = (
    rf"{_DATE % 'since'}(?:{_DATE_TAG % 1})?\s*:\s*{_DATE % 'until'}{_DATE_TAG % 2}"
    rf"|{_DATE % 'day'}{_DATE_TAG % 3}"
)
_JOINING = r"(?:or|and|not|adj\d*)"
_OVID_HEADING = (
    r"(?:(?P<exp>exp(?:lode)?)\s+)?(?P<star>\*)?"
    rf'(?P<heading>"[^"\n]+"|(?!\s|{_JOINING}\b)(?:(?!\s{_JOINING}\s)[^()"/\n\[\]]){{1,150}}?)\s*/'
    rf"(?:(?P<subs>{SUBHEADING}(?:\s*,\s*{SUBHEADING})*)\b)?(?=\s|\)|$|\.|,)"
)
_COCHRANE_HEADING = (
    r"mesh\s+descriptor\s*:?\s*"
    r"(?:\[(?P<name>[^\]]+)\]|(?P<old>[^\[\]()]{1,150}?(?=\s+(?:explode|this\s+term)\b|$)))"
    r"(?P<how>(?:\s*explode(?:\s+all)?\s*(?:trees?)?(?:\s*[\d,\s]+)?)|\s*this\s+term\s+only)?"
    r"(?:\s*(?:and\s+)?with\s+qualifiers?(?:\(s\))?\s*:\s*\[(?P<qualifiers>[^\]]*)\])?"
    r'|\[mh\s+(?P<only>\^)?\s*(?P<mh>"[^"]*"|[^\]\[/"]*?)\s*(?P<main>\[mj\])?\s*'
    r"(?:/\s*(?P<qualifier>[\w, ]+))?\s*\]"
)
_EMBASE_LIMIT = r"(?P<limits>\[[^\]]+\](?:\s*:\s*\[[^\]]+\])?)/(?P<limit>lim|py|dt|sd|dd)\b"
_WOS_NAMES = "|".join(map(re.escape, WOS_NAMES)).replace(r"\ ", r"\s+")
_OPERATOR = r"\b(?:AND\s+NOT|AND|OR|NOT|SAME|XOR)\b(?=[\s()\"'{*\[#]|$)"
# PubMed reads lower-case operators as words, except beside a tag or a parenthesis.
_PUBMED_OPERATOR = (
    r"\b(?-i:AND|OR|NOT)\b(?=[\s()\"\[#]|$)"
    r"|(?:(?<=[\])]\s)|(?<=[\])]\s\s))(?:and|or|not)\b(?=\s)|(?:and|or|not)\b(?=\s+\()"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a search string; `start` is its offset.

    `kind` is `(`, `)`, `OR`, `AND`, `NOT`, `near`, `dates`, `heading`, `limit`, `prefix`, `suffix`,
    `named`, `set`, `sets`, `span`, `quoted`, `word` or `unknown`.
    """

    kind: str
    text: str
    start: int
    match: re.Match[str]

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@cache
def _pattern(system: System) -> re.Pattern[str]:
    parts = []
    if system is PUBMED:
        parts.append(rf"(?P<pubmed_dates>{_PUBMED_DATES})")
    if system is OVID:
        parts += [
            r'(?P<comment>(?<![\w*"])\[[^\]]*\])',
            rf"(?P<span>\d{{4,8}}\s*:\s*\d{{4,8}}(?={system.suffix.replace('?P<tag>', '?:')}))",
            r"(?P<sets>(?<![\w/])(?P<how_many>or|and)\s*/\s*(?P<lines>\d+[a-z]?(?:\s*[-,]\s*\d+[a-z]?)*))",
            rf"(?P<is_heading>(?<![\w$*?.-]){_OVID_HEADING})",
        ]
    if system is COCHRANE:
        parts += [
            rf"(?P<is_heading>{_COCHRANE_HEADING})",
            r"(?P<sets>\{\s*(?P<how_many>or|and)\s+(?P<lines>\#?\d+(?:\s*[-,]\s*\#?\d+)*)\s*\})",
        ]
    if system in {EBSCO, PROQUEST, SCOPUS, WEB_OF_SCIENCE}:
        parts.append(rf"(?P<dates>{_DATES})")
    if system is EMBASE:
        parts.append(rf"(?P<is_limit>{_EMBASE_LIMIT})")
    if system is SCOPUS:
        parts.append(rf"(?P<is_limit>{_SCOPUS_LIMIT})")
    if system is WEB_OF_SCIENCE:
        parts.append(
            r"(?P<named>\(\s*(?P<exclude>Exclude\s*[–-]\s*)?"
            rf"(?P<name>{_WOS_NAMES})\s*\))"
        )
    parts += [
        rf"(?P<prefix>{system.prefix.replace('?P<tag>', '?P<before>')})",
        rf"(?P<suffix>{system.suffix.replace('?P<tag>', '?P<behind>')})",
        rf'(?P<quoted>"[^"]*"{system.quoted})',
        rf"(?P<near>\b(?:{system.proximity})(?=[\s()\"'{{]|$))",
        rf"(?P<operator>{_PUBMED_OPERATOR if system is PUBMED else _OPERATOR})",
        r"(?P<set>\[?(?:\#\s*|(?<![\w-])[SL](?=\d+\b(?![\w-])))\d+[a-z]?(?:\s*-\s*[\#SL]\d+)?(?!\w)\]?)",
        r"(?P<paren>[()])|(?P<space>\s+)|(?P<noise>(?<!\S)[&,;.–-]+(?=[\s)]|$)|(?<=\))[,;.](?=\s|$))",
        rf"(?P<word>{_word(system)})|(?P<unknown>.)",
    ]
    return re.compile("|".join(parts), re.IGNORECASE | re.DOTALL)


def _word(system: System) -> str:
    signs = re.escape("".join(system.wildcards).replace(":", "") + system.letters.replace("/", ""))
    parts = [rf"[\w{signs}]"]
    if "/" in system.letters:
        parts.append(r"/(?=\w)")
    if ":" in system.wildcards:
        parts.append(r"(?<=[^\W\d]):(?=[\s).]|$)")
    if system is PROQUEST:
        parts.append(r"\[\*\d\]")
    suffix = system.suffix.replace("?P<tag>", "?:")
    return rf"[\w*](?:(?!{suffix})(?:{'|'.join(parts)}))*[,;!?]*"


def tokens_of(text: str, system: System) -> list[Token]:
    tokens = []
    for match in _pattern(system).finditer(text):
        kind = next(name for name in _KINDS if match.groupdict().get(name) is not None)
        if kind in {"space", "comment"}:
            continue
        if kind == "paren":
            kind = match[0]
        elif kind == "operator":
            kind = match[0].upper().split()[-1]
        tokens.append(Token(_NAMES.get(kind, kind), match[0], match.start(), match))
    return list(_without_punctuation(tokens))


def _without_punctuation(tokens: list[Token]) -> Iterator[Token]:
    """Drop punctuation between two words or at the end; other punctuation becomes unknown."""
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        if token.kind != "noise":
            yield token
        elif not (
            (before and after and {before.kind, after.kind} <= {"word", "quoted"})
            or (after is None and "&" not in token.text)
        ):
            yield replace(token, kind="unknown")


_KINDS = (
    *("pubmed_dates", "comment", "span", "sets", "is_heading", "is_limit", "dates", "named"),
    *("prefix", "suffix", "quoted", "near", "operator", "set", "paren", "space", "noise"),
    *("word", "unknown"),
)
_NAMES = {"is_heading": "heading", "is_limit": "limit"}


def with_names_in_front(tokens: list[Token], system: System) -> list[Token]:
    """Move the field names that Web of Science prints after the words to the front of them."""
    result: list[Token] = []
    for token in tokens:
        if token.kind != "named":
            result.append(token)
            continue
        start, depth = len(result), 0
        while start and not (depth == 0 and result[start - 1].kind in {"AND", "NOT", "("}):
            start -= 1
            depth += {")": 1, "(": -1}.get(result[start].kind, 0)
        tag = WOS_NAMES[" ".join(token.match["name"].lower().split())]
        prefix, opening = tokens_of(f"{tag}=(x)", system)[:2]
        closing = tokens_of(")", system)[0]
        if token.match["exclude"]:
            result.insert(start, replace(tokens_of("NOT x", system)[0], start=token.start))
            start += 1
        result.insert(start, replace(prefix, start=token.start))
        result.insert(start + 1, replace(opening, start=token.start))
        result.append(replace(closing, start=token.start))
    return result


def labels_of(token: Token, refuse: Callable[[int, str], NoReturn]) -> Iterator[str]:
    """Yield the line labels in a token such as `#3`, `#1-#4` or `or/1-3,5`."""
    text = token.text.strip("[]") if token.kind == "set" else token.match["lines"]
    for piece in text.split(","):
        first, dash, last = (part.strip() for part in piece.partition("-"))
        if not dash:
            yield first
            continue
        begin, end = (int("".join(filter(str.isdecimal, label))[:9]) for label in (first, last))
        if end < begin:
            refuse(token.start, f"the lines run backwards: {piece.strip()}")
        yield from map(str, range(begin, end + 1))
