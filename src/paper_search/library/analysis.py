"""Text analysis: from text to index words, the same for records and queries."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tantivy

STEMMED = "stemmed"
"""Lower case, ASCII where there is one, English stems."""
EXACT = "exact"
"""As STEMMED, without stems."""
READY = "ready"
"""Words that were made by `lexicon` already, with spaces in between."""

_LONGEST_WORD = 80
"""Bytes; longer runs are data, not words."""
_NO_SPACES = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af])"
)
"""Letters of scripts written without spaces (Han, Kana, Thai ...) and Hangul: each is a word."""


def prepared(text: str) -> str:
    """Return the text as the analysers want it: composed, with every CJK letter apart."""
    if text.isascii():
        return text
    return _NO_SPACES.sub(r" \1 ", unicodedata.normalize("NFKC", text))


def words(text: str, analyser: str) -> list[str]:
    """Return the words of the text in order, as the analyser of that name makes them."""
    return list(analysers()[analyser].analyze(prepared(text)))


def is_of_letters_apart(text: str) -> bool:
    """Return whether the text has letters of a script that is written without spaces."""
    return _NO_SPACES.search(text) is not None


@cache
def analysers() -> dict[str, tantivy.TextAnalyzer]:
    """Return the analysers by name."""
    import tantivy  # noqa: PLC0415  # heavy: only when something is indexed or searched

    def base() -> tantivy.TextAnalyzerBuilder:
        kinds = tantivy.Filter
        return (
            tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
            .filter(kinds.remove_long(_LONGEST_WORD))
            .filter(kinds.lowercase())
            .filter(kinds.ascii_fold())
        )

    stem = tantivy.Filter.stemmer("english")
    return {
        STEMMED: base().filter(stem).build(),
        EXACT: base().build(),
        READY: tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build(),
    }
