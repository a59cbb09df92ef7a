"""Text with gaps where something was cut out, so that its neighbours are not joined."""

from __future__ import annotations

import re
from functools import lru_cache

CUT = "\ue000"
"""Stands where something was cut: a private character, which is taken out of questions first."""
GLUE = "\ua78f"
"""Stands for the spaces inside of a term while a text is cut: a letter that nobody writes."""

_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」')
_JOINING = r"and|but|or|und|aber|et|mais|y|pero|e|ma|mas|en|maar"
_LEFT_OVER = (
    rf"{_JOINING}|published|only|in|of|from|by|with|that|which|the|please|for|on|about|von|aus|de"
    "|sur"
)
_BRACKETS = re.compile(r"[(\[]\s*\ue000?\s*[)\]]")
_AT_END = re.compile(
    rf"(?<![\s,;:，、])(?:\s|,|;|:|，|、|\b(?:{_LEFT_OVER})\b)+([.?!。？]*)$", re.IGNORECASE
)
_AT_START = re.compile(rf"^(?:\s|[,;:.，。；]|\b(?:{_JOINING})\b(?=[\s,;:.]))+", re.IGNORECASE)
_AROUND = re.compile(r"(?<!\s)\s*+([,;:]?)\s*+\ue000(?:[\s,;:]*\ue000)*\s*([,;:]?)\s*")
_STOPS = re.compile(r"([.?!])[\s.]*\.")
_LAST = 60
"""Characters at the end that are looked at: the rest cannot be left over from a cut."""


def cut(text: str, start: int, end: int) -> str:
    """Return the text with a mark in place of what stands between two offsets."""
    return f"{text[:start]} {CUT} {text[end:]}"


def is_quoted(text: str, place: int) -> bool:
    """Return whether an offset is between quotation marks, where nothing is cut."""
    return any(start < place < end for start, end in _quoted(text))


@lru_cache(maxsize=16)
def _quoted(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in _QUOTED.finditer(text))


def without_cuts(text: str) -> str:
    """Return the text without marks, and without the small words that a cut left at its ends.

    A text that nothing was cut out of comes back as it is.
    """
    if CUT not in text:
        return text.strip()
    text = _BRACKETS.sub(CUT, text)
    is_cut_at_start = text.lstrip(" ,;:.").startswith(CUT)
    is_cut_at_end = text.rstrip(" ,;:.?!。").endswith(CUT)
    joined = _AROUND.sub(_joint, text).strip()
    if is_cut_at_start:
        joined = _AT_START.sub("", joined)
    if is_cut_at_end:
        joined = joined[:-_LAST] + _AT_END.sub(r"\1", joined[-_LAST:])
    joined = _STOPS.sub(r"\1", joined).strip(" ,;:")
    return joined if joined.strip(".?!。？") else ""


def _joint(match: re.Match[str]) -> str:
    """Return what is left between the two sides: a comma on both was around what is gone."""
    is_inserted = match[1] == match[2] == ","
    return " " if is_inserted else f"{match[1] or match[2]} "
