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


_NOT_FROM_GREEK = (
    "adv|adverti|circumc|compr|comprom|conc|dev|disgu|enterpr|exc|exerc|expert|fran|fraud|improv"
    "|merchand|parad|prec|prem|prom|rev|superv|surm|surpr|telev|treat"
)
"""Stems before `-ise` in words that are spelled so everywhere (exercise, promise)."""
_ONE_L = "cancel|channel|fuel|label|level|marvel|model|panel|signal|tot|travel|tunnel"
_ISE = rf"^(?!(?:{_NOT_FROM_GREEK})is)([a-z]{{3,}})is(e|ed|es|ing|ers?|ations?|ational)$"
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (_ISE, r"\1iz\2"),
        (r"lys(e|ed|es|ing|ers?)$", r"lyz\1"),
        (r"^(behavi|col|fav|flav|harb|hon|hum|lab|neighb|od|rum|tum|vap)our", r"\1or"),
        (r"^(calib|cent|fib|lit|met|theat)re(s?)$", r"\1er\2"),
        (r"^(anal|catal|dial|epil|monol|prol)ogue(s?)$", r"\1og\2"),
        (rf"^({_ONE_L})l(ing|ings|ed|ers?)$", r"\1\2"),
        (r"^(an|gyn|h|leuk|orthop|p)ae", r"\1e"),
        (r"^oe(?=[dst])", "e"),
        (r"^programme(s?)$", r"program\1"),
        (r"^(defen|licen|offen)ce", r"\1se"),
    )
)  # fmt: skip
_MAYBE = re.compile(r"is[aei]|lys|our|re|logue|l[ei]|ae|oe|programme|ence")


def one_spelling(word: str) -> str:
    """Return the American spelling of a lower-case word that has one, else the word."""
    if _MAYBE.search(word):
        for pattern, replacement in _RULES:
            word = pattern.sub(replacement, word)
    return word
