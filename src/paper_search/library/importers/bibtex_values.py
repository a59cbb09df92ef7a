"""Values of BibTeX fields: strings in braces or quotes, macros, and `#` between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

MONTHS = {
    name: name.capitalize()
    for name in "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905  # twelve short words
}
"""The macros that every style defines (btxdoc, 1988)."""


def resolved(raw: str, macros: Mapping[str, str]) -> str:
    """Return what a raw value stands for; an unknown macro stands for its own name.

    Args:
        raw: the value as it is written: `{a}`, `"a"`, `ml`, `ml # " 2020"`.
        macros: what `@string` has defined, by name in lower case.
    """
    text = raw.strip()
    if "#" not in text:
        return _part(text, macros)
    return "".join(_part(part, macros) for part in _parts(text))


def split_outside(text: str, separator: re.Pattern[str]) -> list[str]:
    """Return what stands between separators that are not in braces."""
    parts, start, depth, seen = list[str](), 0, 0, 0
    for found in separator.finditer(text):
        between = text[seen : found.start()]
        depth += between.count("{") - between.count("}")
        seen = found.start()
        if depth <= 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
    return [part for part in (*parts, text[start:].strip()) if part]


def closes_at(text: str) -> int:
    """Return where the brace closes that the text begins with; -1: nowhere."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return place
    return -1


def _part(text: str, macros: Mapping[str, str]) -> str:
    part = text.strip()
    if len(part) > 1 and (part[0], part[-1]) in {("{", "}"), ('"', '"')}:
        return part[1:-1]
    return macros.get(part.lower()) or MONTHS.get(part.lower(), part)


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between `#` outside of braces and quotes."""
    depth, start, is_quoted, before = 0, 0, False, ""
    for place, letter in enumerate(text):
        if before == "\\":
            before = ""
            continue
        depth += (letter == "{") - (letter == "}")
        if letter == '"' and depth == 0:
            is_quoted = not is_quoted
        elif letter == "#" and depth == 0 and not is_quoted:
            yield text[start:place]
            start = place + 1
        before = letter
    yield text[start:]
