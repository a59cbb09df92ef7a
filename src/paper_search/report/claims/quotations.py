"""Quotations in a text, and where the sources have these words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from paper_search.report.evidence import Evidence, sentences
from paper_search.report.models import Quote, SearchResult
from paper_search.skills.words import STOP_WORDS, tokens

_QUOTED = re.compile(
    r"“([^“”]{1,2000})”|„([^“”„]{1,2000})[“”]|«([^«»]{1,2000})»|»([^«»]{1,2000})«"
    r"|‹([^‹›]{1,2000})›|[「『]([^「」『』]{1,2000})[」』]|``((?:(?!'').){1,2000})''"
    r"|\"([^\"]{1,2000})\"|‚([^‚‘]{1,2000})‘"
    r"|(?<!\w)‘([^‘’]*(?:’(?=\w)[^‘’]*)*)’(?!\w)"
    r"|(?<![\w'`])'(?=\w)([^'\n]{1,2000}?(?:(?<=\w)'(?=\w)[^'\n]*)*)'(?![\w'])"
    r"|`([^`\n]{1,2000})`|(?m:^[ \t]*>[ \t]?([^\n\[]{1,2000}))"
)
"""Words between any pair of marks, and lines of a block quotation."""
_LEFT_OUT = re.compile(r"\[[^\[\]]{0,200}\]|…|\.\s?\.\s?\.")
"""An ellipsis, or words of the one who quotes."""
_NEW_CASE = re.compile(r"\[(\w)\](?=\w)")
_AROUND = " .,;:!?'[]()"
_SAME = str.maketrans(
    {**dict.fromkeys('’‘“”„«»"`‹›', "'"), **dict.fromkeys("–—−‐‑", "-"), "\u00a0": " "}
)


@dataclass(frozen=True)
class Quotation:
    text: str
    start: int
    """Of the mark before it, in the text."""
    end: int


def quotations(text: str) -> list[Quotation]:
    results = []
    for match in _QUOTED.finditer(text):
        inner = next((group for group in match.groups() if group), "")
        if any(character.isalnum() for character in inner):
            results.append(Quotation(inner, match.start(), match.end()))
    return results


def located(words: str, result: SearchResult) -> Quote | None:
    """Return where a source says these words; None: it does not.

    Case, blanks and typographic variants of marks and dashes do not count; an ellipsis or words in
    brackets stand for words left out, in order.
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


def whole(words: str, result: SearchResult) -> Quote | None:
    """Return where a source says these words if they are whole sentences of it, or its title."""
    quote = located(words, result)
    if quote is None or _LEFT_OUT.search(words):
        return None
    if quote.part == "title":
        return quote if _bare(words) == _bare(result.title) else None
    own = [
        sentence.text
        for sentence in sentences(result.text)
        if sentence.start < quote.end and quote.start < sentence.end
    ]
    is_whole = _bare(" ".join(own)) == _bare(words)
    return quote if is_whole else None


def _bare(text: str) -> str:
    return _folded(text)[0].strip(_AROUND)


def closest(text: str, cited: Sequence[SearchResult], evidence: Evidence) -> Quote | None:
    """Return the words of a source that are closest to a text: what it quotes, or a sentence."""
    for quotation in quotations(text):
        for result in cited:
            if (quote := located(quotation.text, result)) is not None:
                return quote
    stems = _stems(without_quotations(text))
    best: tuple[int, Quote] | None = None
    for result in cited:
        own = evidence.sentences.get(result.result_id, [])
        parts = [("text", sentence.text, sentence.start, sentence.end) for sentence in own]
        for part, words, start, end in [*parts, ("title", result.title, 0, len(result.title))]:
            shared = len(stems & _stems(words))
            if shared and (best is None or shared > best[0]):
                fields = {"result_id": result.result_id, "text": words, "part": part}
                best = (shared, Quote.model_validate({**fields, "start": start, "end": end}))
    return best[1] if best else None


@lru_cache(maxsize=32768)
def _stems(text: str) -> frozenset[str]:
    return frozenset(
        stem for word in text.split() if word.casefold() not in STOP_WORDS for stem in tokens(word)
    )


def sources_saying(words: str, evidence: Evidence) -> list[str]:
    return [source.result_id for source in evidence.results if located(words, source) is not None]


def without_quotations(text: str) -> str:
    """Return the text with blanks for what is quoted: those are not the writer's words."""
    letters = list(text)
    for quotation in quotations(text):
        letters[quotation.start : quotation.end] = " " * (quotation.end - quotation.start)
    return "".join(letters)


def _pieces(words: str, text: str) -> list[tuple[int, int]]:
    """Return where the parts of a quotation between its ellipses stand; none: not all do."""
    parts = [part.strip(_AROUND) for part in _LEFT_OUT.split(_NEW_CASE.sub(r"\1", words))]
    plain, places = _folded(text)
    places_of_parts: list[tuple[int, int]] = []
    position = 0
    for part in filter(None, parts):
        folded_part = _folded(part)[0]
        if folded_part not in plain:  # as in nearly every source, and seen without a pattern
            return []
        match = re.compile(rf"(?<!\w){re.escape(folded_part)}(?!\w)").search(plain, position)
        if match is None:
            return []
        places_of_parts.append((places[match.start()], places[match.end() - 1] + 1))
        position = match.end()
    return places_of_parts


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
