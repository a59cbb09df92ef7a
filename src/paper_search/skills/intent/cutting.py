"""The forms of limits, and text with gaps where one was cut out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from paper_search.resources import PackageFiles

CUT = "\ue000"
"""Stands where something was cut: a private character, which is taken out of questions first."""

PAPERS = (
    r"(?:papers?|articles?|publications?|stud(?:y|ies)|works?|research|literature|references?"
    r"|records?|preprints?|reviews?|surveys?|theses|thesis|dissertations?|books?|writings)"
)
"""What a search finds, in a pattern."""
STOP = r"(?=\s*(?:$|[,;:.?!()\]\ue000–—]|-\s))"
"""The end of a clause, in a pattern."""


@cache
def _table() -> list[list[str]]:
    text = PackageFiles(__package__).read("forms.txt").decode("utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [line.split(" ", 2) for line in lines]


def forms(
    table: str, parts: dict[str, str], flags: re.RegexFlag = re.IGNORECASE
) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the kind and the pattern of every form of a table of `forms.txt`.

    Args:
        table: such as `year`.
        parts: patterns by the name that stands for them.
        flags: of the patterns.
    """
    for name, kind, pattern in _table():
        if name == table:
            spaced = pattern.replace(" ", r"\s+")
            filled = re.sub(r"<<(\w+)>>", lambda match: parts[match[1]], spaced)
            yield kind, re.compile(filled, flags)


_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')
_JOINING = "and|but|or"
_LEFT_OVER = (
    f"{_JOINING}|published|written|only|in|of|from|by|with|that|which|the|please|for|on|about"
)
_BRACKETS = re.compile(r"[(\[][\s,;\ue000]*[)\]]")
_AT_END = re.compile(
    rf"(?<![\s,;:–—-])(?:\s|[,;:–—-](?!\w)|(?<!\S)(?:{_LEFT_OVER})\b)+([.?!]*)$", re.IGNORECASE
)
_AT_START = re.compile(rf"^(?:\s|[,;:.–—]|-(?!\w)|\b(?:{_JOINING})\b(?=[\s,;:.]))+", re.IGNORECASE)
_AROUND = re.compile(r"(?<!\s)\s*+([,;:]?)\s*+\ue000(?:[\s,;:]*\ue000)*\s*([,;:]?)\s*")
_STOPS = re.compile(r"([.?!])[\s.]*\.")
_LAST = 60
"""Characters at the end that are looked at: the rest cannot be left over from a cut."""


def cut(text: str, start: int, end: int) -> str:
    """Return the text with a mark in place of what stands between two offsets."""
    return f"{text[:start]} {CUT} {text[end:]}"


def is_quoted(text: str, place: int) -> bool:
    """Return whether an offset is between quotation marks, where nothing is cut."""
    return any(match.start() < place < match.end() for match in _QUOTED.finditer(text))


def without_cuts(text: str) -> str:
    """Return the text without marks, and without the small words that a cut left at its ends.

    A text that nothing was cut out of comes back as it is.
    """
    if CUT not in text:
        return text.strip()
    text = _BRACKETS.sub(CUT, text)
    is_cut_at_start = text.lstrip(" ,;:.").startswith(CUT)
    is_cut_at_end = text.rstrip(" ,;:.?!").endswith(CUT)
    joined = _AROUND.sub(_joint, text).strip()
    if is_cut_at_start:
        joined = _AT_START.sub("", joined)
    if is_cut_at_end:
        joined = joined[:-_LAST] + _AT_END.sub(r"\1", joined[-_LAST:])
    joined = _STOPS.sub(r"\1", joined).strip(" ,;:")
    return joined if joined.strip(".?!–—- ") else ""


def _joint(match: re.Match[str]) -> str:
    """Return what is left between the two sides: a comma on both was around what is gone."""
    is_inserted = match[1] == match[2] == ","
    return " " if is_inserted else f"{match[1] or match[2]} "
