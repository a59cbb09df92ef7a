"""Words that a model says it copied, looked up in the text that it was shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_FEWEST_CHARS = 8
_FEWEST_UNSPACED = 2
"""Characters of a snippet in a script that needs fewer of them."""
_ALIKE = str.maketrans("‘’‚‛“”„‟«»`´‐‑‒–—―−", "'''''''''''''------")
_AROUND = " '\".,;:…-"


def found_snippet(snippet: str, texts: Iterable[str | None]) -> str | None:
    """Return the snippet as the first of the texts that has it spells it; None: none has it.

    Case, blanks and the kinds of quotation marks and dashes do not matter, and what is around
    the snippet is cut off. One that is too short to show anything counts only if it is the text.
    """
    wanted = _plain(snippet)[0].strip(_AROUND)
    if not wanted:
        return None
    for text in filter(None, texts):
        plain, places = _plain(text)
        if not _is_enough(wanted) and wanted != plain.strip(_AROUND):
            continue
        start = plain.find(wanted)
        if start >= 0:
            return text[places[start] : places[start + len(wanted) - 1] + 1]
    return None


def begins_alike(given: str, title: str) -> bool:
    """Return whether the given words are those that the title begins with."""
    said, known = _letters(given), _letters(title)
    if not known:
        return True
    shorter = min(len(said), len(known))
    return shorter >= min(_FEWEST_CHARS, len(known)) and said[:shorter] == known[:shorter]


def _is_enough(wanted: str) -> bool:
    return len(wanted) >= (_FEWEST_CHARS if wanted.isascii() else _FEWEST_UNSPACED)


def _plain(text: str) -> tuple[str, list[int]]:
    """Return the text for comparison, and where in `text` each of its characters comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFKC", character).casefold().translate(_ALIKE):
            shown = " " if letter.isspace() else letter
            if shown == " " and characters[-1:] == [" "]:
                continue
            characters.append(shown)
            places.append(place)
    return "".join(characters), places


def _letters(text: str) -> str:
    return "".join(letter for letter in _plain(text)[0] if letter.isalnum())
