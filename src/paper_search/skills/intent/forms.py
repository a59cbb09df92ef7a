"""The table of forms, and a question out of which they are cut.

`forms.txt` has one form a line. Each reader (years, names, clauses, exclusions) finds its forms in
`ParsedQuestion.question`, keeps what they limit, cuts them out and notes what it does not act on.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from paper_search.errors import QuestionError
from paper_search.models import ParsedIntent, SearchConstraints
from paper_search.resources import PackageFiles
from paper_search.skills.words import COMMANDS

CUT = "\ue000"
"""Stands where something was cut: a private character, which is taken out of questions first."""
Span = tuple[int, int]

_VAGUE = {"": 1, "couple": 2, "couple of": 2, "few": 3}
"""Forms that count years, not papers."""
_TO_TWENTY = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_ONES = {word: value for value, word in enumerate(_TO_TWENTY.split(), start=1)}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
NUMBERS = {
    **_VAGUE, "half a dozen": 6, "dozen": 12, "a dozen": 12, "two dozen": 24,
    "hundred": 100, "a hundred": 100, "fünf": 5, "cinco": 5, "cinq": 5, "cinque": 5, "zehn": 10,
    **_ONES, **_TENS, "diez": 10, "dix": 10, "dez": 10, "dieci": 10, "zwanzig": 20,
    "quinze": 15, "quindici": 15, "veinte": 20, "vinte": 20, "vingt": 20, "venti": 20,
    **{f"{a}-{b}": _TENS[a] + _ONES[b] for a in _TENS for b in _ONES if _ONES[b] < _ONES["ten"]},
}  # fmt: skip
"""Numbers in words."""


def number_of(text: str) -> int:
    """Return a number in digits or words; 0: it is none."""
    name = " ".join(text.lower().split())
    return int(name) if name.isdecimal() else NUMBERS.get(name, 0)


QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')
STOP = re.compile(r"[,;:.?!()\ue000–—]")
"""Ends a clause."""
_JOINING = "and|but|or"
_LEFT_OVER = (
    f"{_JOINING}|published|written|only|in|of|from|by|with|that|which|the|please|for|on|about"
)
_BRACKETS = re.compile(r"[(\[][\s,;\ue000]*[)\]]")
_AT_END = re.compile(
    rf"(?<![\s,;:–—-])(?:\s|[,;:–—-](?!\w)|(?<!\S)(?:{_LEFT_OVER})\b)+([.?!]*)$", re.IGNORECASE
)
_CUT_AT_END = re.compile(r"\ue000[\s,;:.?!]*(?:please)?[\s.?!]*$", re.IGNORECASE)
_AT_START = re.compile(
    rf"^(?:\s|[,;:.!?–—]|-(?!\w)|\b(?:{_JOINING})\b(?=[\s,;:.]))+", re.IGNORECASE
)
_AROUND = re.compile(r"(?<!\s)\s*+([,;:]?)\s*+\ue000(?:[\s,;:]*\ue000)*\s*([,;:]?)\s*")
_STOPS = re.compile(r"([.?!])[\s.]*\.")
LONGEST_TOPIC, LONGEST_SHOWN = 300, 60
"""Characters of a topic, and of a question in a message."""
_WINDOW = 60
"""Characters around a part of a text that tell what it is."""
_LAST = 60
"""Characters at the end that are looked at: the rest cannot be left over from a cut."""


@dataclass
class ParsedQuestion:
    """A question while it is read, and after.

    Attributes:
        question: the rest, to rank by; empty: it says nothing else.
        constraints: years, language, count and kinds.
        subject: what concepts are read from: the rest without negations that may belong to the
            subject, which are ranked by but never required.
        excluded: words and phrases that no paper may have.
        authors: of whom every paper must have one.
        venues: in one of which every paper must have been published.
        identifiers: works that the question names.
        notes: what the person should know about how it was read.
    """

    question: str
    constraints: SearchConstraints = field(default_factory=SearchConstraints)
    subject: str = ""
    excluded: list[str] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)
    venues: list[str] = field(default_factory=list)
    identifiers: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    clauses: list[tuple[str, str]] = field(default_factory=list)
    """Those of the subject that look like a limit, each behind its kind."""
    left: dict[str, str] = field(default_factory=dict)
    """The notes on what is not acted on, each with the part of an intent that would, if any."""

    @property
    def names(self) -> list[str]:
        return [*self.authors, *self.venues, *self.identifiers]

    @property
    def is_limited(self) -> bool:
        return bool(self.names or self.constraints.year_from or self.constraints.year_to)

    @property
    def own_limits(self) -> dict[str, Any]:
        """The constraints that it states, by their names."""
        stated = self.constraints.model_dump(exclude_defaults=True, exclude={"max_results"})
        return {name: getattr(self.constraints, name) for name in stated}

    @property
    def has_limits(self) -> bool:
        """Whether a boolean query can be limited by it: names and identifiers are its words."""
        return not self.names and bool(self.excluded or self.own_limits)

    def cut(self, *spans: Span) -> None:
        self.question = without_spans(self.question, *spans)

    def leave(self, wording: str, advice: str = "", part: str = "") -> None:
        """Note that something is not acted on, and what to write instead."""
        self.note_left(f"not acted on: {wording}{advice and f'; {advice}'}", part)

    def note_left(self, note: str, part: str) -> None:
        self.notes.append(note)
        self.left[note] = part


@cache
def _rows() -> list[tuple[str, str, str]]:
    """Return table, kind and pattern of every form; parts are filled in."""
    commands = sorted(COMMANDS, key=len, reverse=True)
    numbers = sorted(NUMBERS.keys() - _VAGUE, key=len, reverse=True)
    parts = {"COMMANDS": "|".join(map(re.escape, commands)), "NUMBER": "|".join(numbers)}
    rows: list[tuple[str, str, str]] = []
    for line in PackageFiles(__package__).read("forms.txt").decode("utf-8").splitlines():
        if line and not line.startswith("#"):
            table, kind, pattern = line.split(" ", 2)
            filled = re.sub(r"<<(\w+)>>", lambda match: parts[match[1]], pattern)
            if table == "part":
                parts[kind] = filled
            else:
                rows.append((table, kind.replace("_", " "), filled))
    return rows


@cache
def forms(table: str) -> list[tuple[str, re.Pattern[str]]]:
    """Return the kind and the pattern of every form of a table of `forms.txt`, in its order."""
    flags = re.NOFLAG if table in words_of_table("with_capitals") else re.IGNORECASE
    whole = r"(?:{})(?![\w’']|-\w)" if table in words_of_table("of_words") else "{}"
    return [
        (kind, re.compile(whole.replace("{}", pattern.replace(" ", r"\s+")), flags))
        for name, kind, pattern in _rows()
        if name == table
    ]


@cache
def form(table: str, kind: str = "-") -> re.Pattern[str]:
    """Return the one form of a kind."""
    [pattern] = (pattern for name, pattern in forms(table) if name == kind)
    return pattern


@cache
def words_of_table(*tables: str) -> frozenset[str]:
    return frozenset(word for name, _, row in _rows() if name in tables for word in row.split())


def with_notes(intent: ParsedIntent, *notes: str) -> ParsedIntent:
    return intent.model_copy(update={"notes": [*intent.notes, *notes]})


def no_subject(question: str) -> QuestionError:
    return QuestionError(
        f"the question only says what to exclude: {question[:LONGEST_SHOWN]!r};"
        " say what you are looking for"
    )


def matches(table: str, text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield what the forms of a table match outside of quotation marks, in the table's order."""
    for kind, pattern in forms(table):
        for match in pattern.finditer(text):
            if not is_quoted(text, match.start()):
                yield kind, match


def around(table: str, text: str, start: int, end: int, *, head: str = "") -> str | None:
    """Return what a part of a text is by what stands around it: the first form that matches.

    In these forms \ue001 stands before the part, and \ue002 behind it; `head` before all.
    """
    first = max(0, start - _WINDOW)
    before = f"{head}{'…' * bool(first)}{text[first:start]}"
    window = f"{before}\ue001{text[start:end]}\ue002{text[end : end + _WINDOW]}"
    return next((kind for kind, pattern in forms(table) if pattern.search(window)), None)


def without_spans(text: str, *spans: Span) -> str:
    """Return the text with a mark in place of each span."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {CUT} {text[end:]}"
    return text


def is_quoted(text: str, place: int) -> bool:
    return any(match.start() < place < match.end() for match in QUOTED.finditer(text))


def without_cuts(text: str) -> str:
    """Return the text without marks, and without the small words that a cut left at its ends."""
    if CUT not in text:
        return text.strip()
    text = _BRACKETS.sub(CUT, text)
    is_cut_at_start = text.lstrip(" ,;:.").startswith(CUT)
    is_cut_at_end = _CUT_AT_END.search(text, max(0, len(text) - _LAST)) is not None
    result = _AROUND.sub(_joint, text).strip()
    if is_cut_at_start:
        result = _AT_START.sub("", result)
    if is_cut_at_end:
        result = result[:-_LAST] + _AT_END.sub(r"\1", result[-_LAST:])
    result = _STOPS.sub(r"\1", result).strip(" ,;:，；：")
    return result if any(map(str.isalnum, result)) else ""


def _joint(match: re.Match[str]) -> str:
    """Return what is left between the two sides: a comma on both was around what is gone."""
    return " " if match[1] == match[2] == "," else f"{match[1] or match[2]} "
