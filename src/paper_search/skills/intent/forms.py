"""The table of forms, and a question from which they are cut.

`forms.txt` has one form per line. Each reader (years, names, clauses, exclusions) finds its forms
in `ParsedQuestion.question`, records the limits, cuts them out and notes what it does not act on.
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
"""Replaces what was cut out: a private-use character, which is removed from questions first."""
Span = tuple[int, int]

_VAGUE = {"": 1, "couple": 2, "couple of": 2, "few": 3}
"""Words that count years, not papers."""
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


def number_of(text: str) -> int:
    """Return a number in digits or words; 0 for any other text."""
    name = " ".join(text.lower().split())
    return int(name) if name.isdecimal() else NUMBERS.get(name, 0)


QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')
STOP = re.compile(r"[,;:.?!()\ue000–—]")
"""The end of a clause."""
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
"""Characters of context on either side of a match."""
_LAST = 60
"""Characters at the end that may be left over from a cut."""


@dataclass
class ParsedQuestion:
    """A question, of which parts have been read and cut out.

    Attributes:
        question: the text left for ranking.
        subject: the text for concepts: `question` without negations that may belong to the topic.
        excluded: terms that no paper may have.
        authors, venues: every paper must have one of them.
        notes: messages for the person.
        clauses: clauses of `subject` that look like limits, after their kinds.
        left: notes on what is not acted on, with the part of the intent that would resolve each.
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
    left: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [*self.authors, *self.venues, *self.identifiers]

    @property
    def is_limited(self) -> bool:
        return bool(self.names or self.constraints.year_from or self.constraints.year_to)

    @property
    def own_limits(self) -> dict[str, Any]:
        """The constraints that the question states."""
        stated = self.constraints.model_dump(exclude_defaults=True, exclude={"max_results"})
        return {name: getattr(self.constraints, name) for name in stated}

    @property
    def has_limits(self) -> bool:
        """Whether it can limit a boolean query, in which names and identifiers are words."""
        return not self.names and bool(self.excluded or self.own_limits)

    def cut(self, *spans: Span) -> None:
        self.question = without_spans(self.question, *spans)

    def leave(self, wording: str, advice: str = "", part: str = "") -> None:
        """Add a note on something that is not acted on, with advice."""
        self.note_left(f"not acted on: {wording}{advice and f'; {advice}'}", part)

    def note_left(self, note: str, part: str) -> None:
        self.notes.append(note)
        self.left[note] = part


@cache
def _rows() -> list[tuple[str, str, str]]:
    """Return the table, kind and expanded pattern of every form."""
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
    """Return the kinds and patterns of a table of `forms.txt`, in its order."""
    flags = re.NOFLAG if table in words_of_table("with_capitals") else re.IGNORECASE
    whole = r"(?:{})(?![\w’']|-\w)" if table in words_of_table("of_words") else "{}"
    return [
        (kind, re.compile(whole.replace("{}", pattern.replace(" ", r"\s+")), flags))
        for name, kind, pattern in _rows()
        if name == table
    ]


@cache
def form(table: str, kind: str = "-") -> re.Pattern[str]:
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
    """Yield matches of a table's forms outside quotation marks, in the table's order."""
    for kind, pattern in forms(table):
        for match in pattern.finditer(text):
            if not is_quoted(text, match.start()):
                yield kind, match


def around(table: str, text: str, start: int, end: int, *, head: str = "") -> str | None:
    """Classify a part of a text by the first form that matches it in context.

    Forms match `head`, the text before, \ue001, the part, \ue002 and the text after.
    """
    first = max(0, start - _WINDOW)
    before = f"{head}{'…' * bool(first)}{text[first:start]}"
    window = f"{before}\ue001{text[start:end]}\ue002{text[end : end + _WINDOW]}"
    return next((kind for kind, pattern in forms(table) if pattern.search(window)), None)


def without_spans(text: str, *spans: Span) -> str:
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {CUT} {text[end:]}"
    return text


def is_quoted(text: str, place: int) -> bool:
    return any(match.start() < place < match.end() for match in QUOTED.finditer(text))


def without_cuts(text: str) -> str:
    """Remove `CUT`, and function words that a cut left at either end."""
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
    """Drop a pair of commas around a cut; otherwise keep one punctuation mark."""
    return " " if match[1] == match[2] == "," else f"{match[1] or match[2]} "
