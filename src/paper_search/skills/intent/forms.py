"""The table of forms, and text with gaps where one was cut out."""

import re
from dataclasses import dataclass, field
from functools import cache

from paper_search.models import SearchConstraints
from paper_search.resources import PackageFiles
from paper_search.skills.words import COMMANDS

CUT = "\ue000"
"""Stands where something was cut: a private character, which is taken out of questions first."""

_FEW = {
    "": 1, "couple": 2, "couple of": 2, "few": 3, "half a dozen": 6, "dozen": 12, "a dozen": 12,
    "two dozen": 24, "a hundred": 100, "hundred": 100,
}  # fmt: skip
_UNITS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBERS = {
    **_FEW,
    **{unit: value for value, unit in enumerate(_UNITS, start=1)},
    **{ten: 20 + 10 * place for place, ten in enumerate(_TENS)},
    **{
        f"{ten}{joint}{unit}": 20 + 10 * place + value
        for place, ten in enumerate(_TENS)
        for value, unit in enumerate(_UNITS[:9], start=1)
        for joint in "- "
    },
}
"""Numbers in words; a form that is vague ("couple") counts years, not papers."""
_VAGUE = {"", "couple", "couple of", "few"}
_WITH_CAPITALS = {"author", "author_after", "before_name", "person", "venue", "talk", "line"}
"""Tables that tell capitals from small letters."""
_OF_WORDS = {"clause", "kind"}
"""Tables whose forms end where a word does."""
QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')
_JOINING = "and|but|or"
_LEFT_OVER = (
    f"{_JOINING}|published|written|only|in|of|from|by|with|that|which|the|please|for|on|about"
)
_BRACKETS = re.compile(r"[(\[][\s,;\ue000]*[)\]]")
_AT_END = re.compile(
    rf"(?<![\s,;:–—-])(?:\s|[,;:–—-](?!\w)|(?<!\S)(?:{_LEFT_OVER})\b)+([.?!]*)$", re.IGNORECASE
)
_AT_START = re.compile(
    rf"^(?:\s|[,;:.!?–—]|-(?!\w)|\b(?:{_JOINING})\b(?=[\s,;:.]))+", re.IGNORECASE
)
_AROUND = re.compile(r"(?<!\s)\s*+([,;:]?)\s*+\ue000(?:[\s,;:]*\ue000)*\s*([,;:]?)\s*")
_STOPS = re.compile(r"([.?!])[\s.]*\.")
_LAST = 60
"""Characters at the end that are looked at: the rest cannot be left over from a cut."""


@dataclass
class ParsedQuestion:
    """A question while it is read, and after: each reader cuts what it understands out of it.

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

    @property
    def is_limited(self) -> bool:
        years = self.constraints.year_from or self.constraints.year_to
        return bool(self.authors or self.venues or self.identifiers or years)

    @property
    def has_limits(self) -> bool:
        """Whether a boolean query can be limited by it: names and identifiers are its words."""
        unlimited = SearchConstraints(max_results=self.constraints.max_results)
        is_named = self.authors or self.venues or self.identifiers
        return not is_named and bool(self.excluded or self.constraints != unlimited)

    def cut(self, start: int, end: int) -> None:
        self.question = without_span(self.question, start, end)


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
    flags = re.NOFLAG if table in _WITH_CAPITALS else re.IGNORECASE
    whole = r"(?:{})(?![\w’']|-\w)" if table in _OF_WORDS else "{}"
    return [
        (kind, re.compile(whole.replace("{}", pattern.replace(" ", r"\s+")), flags))
        for name, kind, pattern in _rows()
        if name == table
    ]


@cache
def words_of_table(*tables: str) -> frozenset[str]:
    return frozenset(word for name, _, row in _rows() if name in tables for word in row.split())


def without_span(text: str, start: int, end: int) -> str:
    return f"{text[:start]} {CUT} {text[end:]}"


def is_quoted(text: str, place: int) -> bool:
    return any(match.start() < place < match.end() for match in QUOTED.finditer(text))


def without_cuts(text: str) -> str:
    """Return the text without marks, and without the small words that a cut left at its ends.

    A text that nothing was cut out of comes back as it is.
    """
    if CUT not in text:
        return text.strip()
    text = _BRACKETS.sub(CUT, text)
    is_cut_at_start = text.lstrip(" ,;:.").startswith(CUT)
    is_cut_at_end = text.rstrip(" ,;:.?!").endswith(CUT)
    result = _AROUND.sub(_joint, text).strip()
    if is_cut_at_start:
        result = _AT_START.sub("", result)
    if is_cut_at_end:
        result = result[:-_LAST] + _AT_END.sub(r"\1", result[-_LAST:])
    result = _STOPS.sub(r"\1", result).strip(" ,;:，；：")
    return result if any(map(str.isalnum, result)) else ""


def _joint(match: re.Match[str]) -> str:
    """Return what is left between the two sides: a comma on both was around what is gone."""
    is_inserted = match[1] == match[2] == ","
    return " " if is_inserted else f"{match[1] or match[2]} "
