"""Text that databases print after a query (filters, time spans, columns), and Ovid's commands."""

import re
from dataclasses import dataclass

from paper_search.query.ast import Node, Refusal, leaf_of
from paper_search.query.limits import Conditions, condition_of, conditions_of
from paper_search.query.systems import COCHRANE, OVID, System, blank_quotes

_LEFT_OUT = (
    r"Indexes|Databases?|Editions?|Search language|Sort(?:ed)? by|Expanders?|Search modes?"
    r"|Interface|Last run via|Search Screen|Date Run|Data last updated|Source|Results"
    r"|Total references|Items found|Auto-suggest"
)
_LIMITS = (
    r"(?:Limiter|Filter)s?(?: applied)?|Time ?span|Refined by|Additional limits|Limits applied"
    r"|Limits?|Limited by|Narrowed by|Narrow by [A-Za-z]+\d?"
)
_ALONE = r"Additional limits|(?:Limits|Limiters|Filters) applied|(?:Limited|Refined|Narrowed) by"
_FOOTER = re.compile(
    rf"(?P<alone>^(?=(?:{_ALONE})[ \t]*$))?(?:(?<=^)|(?<=[\s.;,)]))"
    rf"(?P<key>(?:{_LEFT_OUT}|{_LIMITS})|(?<=\n)Date)"
    r"(?(alone)[ \t]*|\s*(?:[:=]|\s[-–]|[-–](?=\s))\s*(?:-\s)?)",
    re.IGNORECASE | re.MULTILINE,
)
NAMED = re.compile(r"^(?P<key>)(?=[A-Z][a-z]+(?: [a-z]+){0,2}: *\S)", re.MULTILINE)
"""A limit by its name, in a row below a footer."""
_DATED = frozenset({"timespan", "time span", "date"})
_COCHRANE = re.compile(
    r"(?P<key>\(word variations have been searched\)"
    r"|,?\s{1,3}(?=(?:from|between)\s\d{4}\b)"
    r"|,?\s{0,3}\bwith (?:(?:cochrane library )?publication (?:date|year)s?)"
    r"|,?\s{0,3}\bin (?=(?:cochrane|trials|other reviews|all text|clinical answers|editorials"
    r"|methods|technology|economic|special)\b))\s*",
    re.IGNORECASE,
)
_USE = re.compile(r"\s(?P<key>use)\s+(?=[a-z]{3,7}\d?(?:\s*,\s*[a-z]{3,7}\d?)*\s*$)", re.IGNORECASE)
SUM = re.compile(
    r"(?:^|\n|\s(?=[(\[])|(?<=[)\]\"'*}/.])\s)[ \t(\[]{0,9}(?:total:? )?\d{1,3}(?:[,. ]?\d{3})*"
    r" (?:document )?(?:results?|hits|records|references|articles|documents)\W{0,9}$",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\s*(?:limit\s+|\.\.l(?:imit)?\s*/\s*)(?P<line>#?\d+[a-z]?)\s+(?:to\s+)?(?P<what>.+?)[\s.]*",
    re.IGNORECASE | re.DOTALL,
)
_NOT_VALID = re.compile(r"\[Limit not valid [^\]]*\]?$", re.IGNORECASE)
_SAME = re.compile(
    r"\s*(?:remove\s+duplicates\s+from\s+|\.\.dedup\s+)(?P<line>\d+)\s*", re.IGNORECASE
)
_KEPT = re.compile(r"\s*(?:from\s+(?P<line>\d+)\s+keep\b|\.\.)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Footer:
    """Text after a query that limits it or describes how it was run."""

    key: str
    value: str
    start: int


def split_footers(text: str, system: System) -> tuple[str, list[Footer]]:
    bare = blank_quotes(text)
    marks = list(_FOOTER.finditer(bare))
    if system is COCHRANE:
        marks += _COCHRANE.finditer(bare)
    if system is OVID:
        marks += _USE.finditer(bare)
    if not marks:
        return text.rstrip(), []
    marks.sort(key=lambda mark: mark.start())
    rows = NAMED.finditer(bare, marks[0].end())
    marks = sorted(
        [*marks, *(row for row in rows if not _FOOTER.match(bare, row.start()))],
        key=lambda mark: mark.start(),
    )
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    footers = [
        Footer(" ".join(mark["key"].split()).strip(", "), text[mark.end() : end].strip(" \t\n,;."),
               mark.end())
        for mark, end in zip(marks, ends, strict=True)
    ]  # fmt: skip
    return text[: marks[0].start()].rstrip(), footers


def is_footer(row: str) -> bool:
    return _FOOTER.match(f"\n{row.strip()}", 1) is not None


def meaning_of(footer: Footer, system: System, refuse: Refusal) -> Conditions:
    key = footer.key.lower()
    if system is COCHRANE and (not key or "publication" in key):
        note = "the date in the library is read as years of publication"
        years = condition_of(f"date: {footer.value}", footer.start, refuse)
        return [years], [(footer.start, note)] if "library" in key else []
    if key.startswith("narrow by"):
        return [_narrowing(key, footer, refuse)], []
    if not key or key in _DATED or re.fullmatch(_LIMITS, key, re.IGNORECASE):
        value = footer.value if key not in _DATED else f"timespan: {footer.value}"
        return conditions_of(value, footer.start, refuse) if value.strip() else ([], [])
    if not footer.value and key in {"expanders", "search modes", "sort by", "results"}:
        return [], []
    label = f"{footer.key} {footer.value}".strip()
    return [], [(footer.start, f"{label!r} is left out")]


def _narrowing(key: str, footer: Footer, refuse: Refusal) -> Node:
    value = footer.value.lstrip("- ").strip()
    if re.fullmatch(r"narrow by subject(?:major|thesaurus)?\d?", key):
        return leaf_of(tuple(value.split()))
    return condition_of(f"{key.removeprefix('narrow by ')}: {value}", footer.start, refuse)


@dataclass(frozen=True, slots=True)
class Command:
    """An Ovid command that changes the line `line`, which it names at the offset `start`."""

    line: str
    start: int
    conditions: tuple[Node, ...] = ()
    notes: tuple[tuple[int, str], ...] = ()


def command_of(text: str, refuse: Refusal) -> Command | None:
    """Parse `limit 5 to ...` or `remove duplicates from 5`; None if the text is neither."""
    if same := _SAME.fullmatch(text):
        note = (same.start("line"), "duplicates are left to this program")
        return Command(same["line"], same.start("line"), notes=(note,))
    if limit := _LIMIT.fullmatch(text):
        what, start = limit["what"], limit.start("what")
        notes = []
        if remark := _NOT_VALID.search(what):
            notes = [(start + remark.start(), f"{remark[0].strip()!r} is left out")]
            what = what[: remark.start()]
        nodes, others = conditions_of(what, start, refuse)
        notes += others
        return Command(limit["line"], limit.start("line"), tuple(nodes), tuple(notes))
    if selection := _KEPT.match(text):
        refuse(selection.start(), f"{text.strip()!r} has no counterpart here: leave it out")
    return None
