"""Quotations in a text, and where in the sources they stand."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from paper_search.report.evidence import Evidence
from paper_search.report.models import Quote, SearchResult

_QUOTED = re.compile(r"[“«„]([^“”«»„]{1,2000})[”»“]|\"([^\"]{1,2000})\"")
MIN_QUOTED_WORDS = 4
"""Fewer words between marks are a term, not a quotation."""
_SAME = str.maketrans(
    {**dict.fromkeys('’‘“”„«»"', "'"), **dict.fromkeys("–—−‐‑", "-"), "\u00a0": " "}
)


@dataclass(frozen=True)
class Quotation:
    """Words between quotation marks."""

    text: str
    start: int
    """Of the mark before it, in the text."""
    end: int


def quotations(text: str) -> list[Quotation]:
    """Return what a text gives as the words of others: at least four words between marks."""
    found = []
    for match in _QUOTED.finditer(text):
        inner = match.group(1) or match.group(2) or ""
        if len(inner.split()) >= MIN_QUOTED_WORDS:
            found.append(Quotation(inner, match.start(), match.end()))
    return found


def located(words: str, result: SearchResult) -> Quote | None:
    """Return where a source says these words; None: it does not.

    Case, blanks and typographic variants of marks and dashes do not count; an ellipsis stands for
    words left out, in order.
    """
    for part, text in (("text", result.text), ("title", result.title)):
        place = _place(words, text)
        if place is not None:
            start, end = place
            return Quote.model_validate(
                {
                    "result_id": result.result_id,
                    "text": text[start:end],
                    "part": part,
                    "start": start,
                    "end": end,
                }
            )
    return None


def sources_saying(words: str, evidence: Evidence) -> list[str]:
    """Return the ids of the sources in which the words stand."""
    return [source.result_id for source in evidence.results if located(words, source) is not None]


def without_quotations(text: str) -> str:
    """Return the text with blanks for what is quoted: those are not the writer's words."""
    letters = list(text)
    for quotation in quotations(text):
        letters[quotation.start : quotation.end] = " " * (quotation.end - quotation.start)
    return "".join(letters)


def _place(words: str, text: str) -> tuple[int, int] | None:
    pieces = [piece.strip(" .,;:[]()") for piece in re.split(r"\[?(?:…|\.\.\.)\]?", words)]
    plain, places = _folded(text)
    first: int | None = None
    position = 0
    for piece in filter(None, pieces):
        wanted, _ = _folded(piece)
        at = plain.find(wanted, position)
        if at < 0 or not wanted:
            return None
        first = at if first is None else first
        position = at + len(wanted)
    if first is None:
        return None
    return places[first], places[position - 1] + 1


@lru_cache(maxsize=128)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the text as it is compared, and where each of its characters came from."""
    letters: list[str] = []
    places: list[int] = []
    for index, character in enumerate(text):
        if character.isspace():
            if letters and letters[-1] != " ":
                letters.append(" ")
                places.append(index)
            continue
        for folded in unicodedata.normalize("NFKC", character.translate(_SAME)).casefold():
            letters.append(folded)
            places.append(index)
    return "".join(letters), tuple(places)
