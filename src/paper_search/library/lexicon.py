"""The words that rank a record: folded, one spelling, stemmed, without stop words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from paper_search.query.prose import SMALL_WORDS

if TYPE_CHECKING:
    import tantivy

STEMMED = "stemmed"
"""Lower case, ASCII where there is one, English stems."""
EXACT = "exact"
"""As STEMMED, without stems."""
READY = "ready"
"""Words that were made by `lexicon` already, with spaces in between."""

_LONGEST_BYTES = 80
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
    return _NO_SPACES.sub(r" \1 ", normalize("NFKC", text))


def words(text: str, analyser: str) -> list[str]:
    return list(analysers()[analyser].analyze(prepared(text)))


def is_of_letters_apart(text: str) -> bool:
    return _NO_SPACES.search(text) is not None


@cache
def analysers() -> dict[str, tantivy.TextAnalyzer]:
    import tantivy  # noqa: PLC0415  # heavy: only when something is indexed or searched

    def base() -> tantivy.TextAnalyzerBuilder:
        kinds = tantivy.Filter
        return (
            tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
            .filter(kinds.remove_long(_LONGEST_BYTES))
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


TITLE_WEIGHT = 3
"""How often a word of the title counts beside one of the abstract: BM25F with whole weights.

2 to 4 differ little on the collections of `benchmarks/library.py`.
"""
_APART = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "-"}
"""Everything in ASCII that is no part of a word or compound; the rest has been folded by then."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_HYPHENS = "‐‑"
_MOST_PARTS = 3
_LONGEST_WORD = 40
_MOST_FORMS = 400_000

_REQUEST_WORDS = """
please find list show give provide name recommend suggest tell looking want need interested
receive like grateful paper papers article articles work works study studies research
publication publications literature exist exists deal deals dealing concerning concerned
regarding related pertaining especially also discuss describe discussing describing discussed
described mention mentioned
"""
REQUEST_WORDS = frozenset(_REQUEST_WORDS.split())
"""Words of the request rather than of its subject: left out of a query that has others."""


class _Forms(dict[str, str]):
    """The stem of every word met, "" for a stop word; emptied before it grows too large."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_FORMS:
            self.clear()
        form = ""
        if word not in SMALL_WORDS:  # not in the ranked text; inside a phrase they count
            stems: list[str] = analysers()[STEMMED].analyze(one_spelling(word))
            form = stems[0] if len(stems) == 1 else word[:_LONGEST_WORD]
        self[word] = form
        return form


_FORMS = _Forms()


def ranked_words(text: str) -> list[str]:
    """Return the words of the text that count for its rank, in order, a compound's joint last."""
    folded = _folded(text).translate(_APART)
    # A look-up in C for each word: this is where an import spends its time.
    form = _FORMS.__getitem__
    has_hyphens = "-" in folded
    words = (folded.replace("-", " ") if has_hyphens else folded).split()
    terms = list(filter(None, map(form, words)))
    if has_hyphens:
        terms.extend(_joints(folded))
    if not folded.isascii() and is_of_letters_apart(folded):
        terms.extend(_pairs(folded))
    return terms


def ranked_text(fields: Mapping[str, Any]) -> str:
    """Return what a record is ranked by, as words with spaces in between."""
    title = ranked_words(fields.get("title") or "")
    names = " ".join(author["name"] for author in fields.get("authors", ()))
    venue = fields.get("venue") or ""
    rest = ranked_words(f"{text_of(fields)}\n{names}\n{venue}")
    return " ".join(title * TITLE_WEIGHT + rest)


def text_of(fields: Mapping[str, Any]) -> str:
    abstract = fields.get("abstract") or fields.get("snippet") or ""
    return f"{abstract}\n{'; '.join(fields.get('keywords', ()))}"


def query_weights(text: str) -> Counter[str]:
    """Return how often each word that tells something occurs in what a person asks.

    Words of the request ("papers", "find") are left out unless there are no others.
    """
    counts = Counter(query_words(text))
    # Initials and numbers come in crowds where references are pasted.
    return Counter({word: 1 if len(word) == 1 else count for word, count in counts.items()})


def query_words(text: str) -> list[str]:
    """Return the words that count for the rank of what a person asks, in order."""
    words = _folded(text).split()
    telling = " ".join(word for word in words if word.strip(",;.?!:()\"'") not in REQUEST_WORDS)
    return ranked_words(telling) or ranked_words(text)


def _folded(text: str) -> str:
    """Return the text in lower case, its letters without marks where that has been done."""
    if text.isascii():
        return text.lower()
    # The analyser folds as the positional fields do, letter by letter; ASCII needs no look-up.
    return _NOT_ASCII.sub(lambda letter: _LETTERS[letter[0]], normalize("NFKC", text)).lower()


class _Letters(dict[str, str]):
    """What the analyser makes of every letter outside of ASCII; a blank for what is no letter."""

    def __missing__(self, letter: str) -> str:
        folded = " ".join(analysers()[EXACT].analyze(prepared(letter))) or " "
        if is_of_letters_apart(letter):
            folded = f" {folded} "
        self[letter] = form = "-" if letter in _HYPHENS else folded
        return form


_LETTERS = _Letters()


def _joints(folded: str) -> Iterator[str]:
    """Yield compounds in one word: "data-base" is also looked for as "database"."""
    first, *others = folded.split("-")
    parts = [first.rpartition(" ")[2]]
    for piece in others:
        head, blank, rest = piece.partition(" ")
        parts.append(head)
        if blank:
            yield from _joint(parts)
            parts = [rest.rpartition(" ")[2]]
    yield from _joint(parts)


def _joint(parts: list[str]) -> Iterator[str]:
    parts = [part for part in parts if part]
    if 1 < len(parts) <= _MOST_PARTS and (stem := _FORMS["".join(parts)]):
        yield stem


def _pairs(folded: str) -> Iterator[str]:
    """Yield neighbouring letters of scripts that are written without spaces."""
    for first, second in pairwise(folded.split()):
        if len(first) == len(second) == 1 and is_of_letters_apart(first + second):
            yield first + second
