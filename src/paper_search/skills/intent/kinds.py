"""Kinds of publication, the number and the language of papers, and wishes without effect."""

from __future__ import annotations

import re

from paper_search.bibliography.languages import language_code
from paper_search.models import IntentType
from paper_search.skills.intent.forms import CUT, cut, forms, is_quoted

_NUMBERS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "a dozen": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "a hundred": 100, "hundred": 100,
}  # fmt: skip
_MOST_RESULTS = 1900
_WANTED = re.compile(
    r"^\W*(?:(?:find|show|give|me|list|get|please|need|want|only|some|the|all|recent)\s+)*",
    re.IGNORECASE,
)
_NO_WANTED_KIND = {"review", "dataset", "case report", "editorial"}
"""Surveys and data sets are types of an intent, the others no types of CSL."""


def kind_at(text: str, start: int) -> tuple[str, int] | None:
    """Return the kind of publication named at an offset, and where its name ends; None: none."""
    for kind, pattern in forms("kind"):
        if match := pattern.match(text, start):
            return kind, match.end()
    return None


def read_kinds(text: str) -> tuple[str, list[str]]:
    """Return the text without the kind of publication it begins with, and that kind."""
    start = _WANTED.match(text).end()  # type: ignore[union-attr]  # matches anything
    kind = kind_at(text, start)
    goes_on = kind and re.match(r"\s+(?:on|about)\s", text[kind[1] :], re.IGNORECASE)
    if kind is None or not goes_on or kind[0] in _NO_WANTED_KIND:
        return text, []
    return cut(text, start, kind[1]), [kind[0]]


def read_type(text: str) -> tuple[str, IntentType]:
    """Return the text that concepts are read from, without the words that tell the type."""
    for kind, cue in forms("type"):
        if (match := cue.search(text)) and not is_quoted(text, match.start()):
            return cut(text, match.start(), match.end()), IntentType(kind)
    return text, IntentType.METHOD


def read_count(text: str) -> tuple[str, int | None]:
    """Return the text without the number of papers that is asked for, and that number."""
    for _, pattern in forms("count"):
        for match in pattern.finditer(text):
            number = match["n"].lower()
            count = int(number) if number.isdigit() else _NUMBERS[number]
            if 0 < count <= _MOST_RESULTS and not is_quoted(text, match.start()):
                wishes = [wish[0] for _, form in forms("wish") for wish in form.finditer(match[0])]
                kept = "".join(f" {wish} papers" for wish in wishes)
                return f"{text[: match.start()]}{CUT}{kept} {text[match.end() :]}", count
    return text, None


def read_language(text: str) -> tuple[str, str | None, tuple[str, ...]]:
    """Return the text without the language of the papers, that language, and notes."""
    for kind, pattern in forms("language"):
        match = pattern.search(text)
        if match is None or is_quoted(text, match.start()):
            continue
        wording = match[0].strip(" ,;-–—()")
        name = next(name for name in match.groupdict().values() if name)
        rest = cut(text, match.start(), match.end())
        if kind == "limit":
            return rest, language_code(name), ()
        note = f"not acted on: {wording!r}; for the language of papers, write 'papers in {name}'"
        return (text if kind == "subject" else rest), None, (note,)
    return text, None, ()


def read_wishes(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without wishes that no search can meet, such as "most cited", and notes."""
    notes: list[str] = []
    for _, pattern in forms("wish"):
        for match in reversed(list(pattern.finditer(text))):
            if not is_quoted(text, match.start()):
                notes.append(f"not acted on: {match[0].strip()}")
                text = cut(text, match.start(), match.end())
    return text, tuple(notes)
