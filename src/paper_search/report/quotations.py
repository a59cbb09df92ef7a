"""Quotations in a text, and where in the sources they stand."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from paper_search.report.evidence import Evidence
from paper_search.report.models import Quote, SearchResult

_QUOTED = re.compile(
    r"“([^“”]{1,2000})”|„([^“”„]{1,2000})[“”]|«([^«»]{1,2000})»|»([^«»]{1,2000})«"
    r"|‹([^‹›]{1,2000})›|[「『]([^「」『』]{1,2000})[」』]|``((?:(?!'').){1,2000})''"
    r"|\"([^\"]{1,2000})\"|‚([^‚‘]{1,2000})‘"
    r"|(?<!\w)‘([^‘’]*(?:’(?=\w)[^‘’]*)*)’(?!\w)"
    r"|(?<![\w'`])'(?=\w)([^'\n]{1,2000}?(?:(?<=\w)'(?=\w)[^'\n]*)*)'(?![\w'])"
    r"|`([^`\n]{1,2000})`|(?m:^[ \t]*>[ \t]?([^\n\[]{1,2000}))"
)
"""Words between any pair of marks, and lines of a block quotation."""
_LEFT_OUT = re.compile(r"\[?(?:…|\.\s?\.\s?\.)\]?")
_SAME = str.maketrans(
    {**dict.fromkeys('’‘“”„«»"`‹›', "'"), **dict.fromkeys("–—−‐‑", "-"), "\u00a0": " "}
)


@dataclass(frozen=True)
class Quotation:
    """Words between quotation marks."""

    text: str
    start: int
    """Of the mark before it, in the text."""
    end: int


def quotations(text: str) -> list[Quotation]:
    """Return what a text gives as the words of others, in whatever marks."""
    found = []
    for match in _QUOTED.finditer(text):
        inner = next((group for group in match.groups() if group), "")
        if any(character.isalnum() for character in inner):
            found.append(Quotation(inner, match.start(), match.end()))
    return found


def located(words: str, result: SearchResult) -> Quote | None:
    """Return where a source says these words; None: it does not.

    Case, blanks and typographic variants of marks and dashes do not count; an ellipsis stands for
    words left out, in order.
    """
    for part, text in (("text", result.text), ("title", result.title)):
        pieces = _pieces(words, text)
        if pieces:
            start, end = pieces[0][0], pieces[-1][1]
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


def left_out(words: str, result: SearchResult) -> list[str]:
    """Return what the ellipses of a quotation stand for in its source."""
    for text in (result.text, result.title):
        pieces = _pieces(words, text)
        if pieces:
            return [text[one[1] : other[0]] for one, other in pairwise(pieces)]
    return []


def sources_saying(words: str, evidence: Evidence) -> list[str]:
    """Return the ids of the sources in which the words stand."""
    return [source.result_id for source in evidence.results if located(words, source) is not None]


def without_quotations(text: str) -> str:
    """Return the text with blanks for what is quoted: those are not the writer's words."""
    letters = list(text)
    for quotation in quotations(text):
        letters[quotation.start : quotation.end] = " " * (quotation.end - quotation.start)
    return "".join(letters)


def _pieces(words: str, text: str) -> list[tuple[int, int]]:
    """Return where the parts of a quotation between its ellipses stand; none: not all do."""
    parts = [part.strip(" .,;:[]()") for part in _LEFT_OUT.split(words)]
    plain, places = _folded(text)
    found: list[tuple[int, int]] = []
    position = 0
    for part in filter(None, parts):
        wanted = _folded(part)[0]
        if wanted not in plain:  # as in nearly every source, and seen without a pattern
            return []
        match = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)").search(plain, position)
        if match is None:
            return []
        found.append((places[match.start()], places[match.end() - 1] + 1))
        position = match.end()
    return found


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
