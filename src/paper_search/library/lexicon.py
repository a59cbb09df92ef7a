"""The words for ranking: folded, in one spelling, stemmed, without stop words."""

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
"""Lower case, ASCII if possible, English stems."""
EXACT = "exact"
"""As STEMMED, without stemming."""
READY = "ready"
"""Words of `lexicon`, separated by spaces."""

_LONGEST_BYTES = 80
"""Longer runs are data, not words."""
_NO_SPACES = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af])"
)
"""Letters of scripts without spaces (Han, Kana, Thai ...) and Hangul, each of which is a word."""


def prepare(text: str) -> str:
    """Normalise a text for the analysers, and put spaces around every CJK letter."""
    if text.isascii():
        return text
    return _NO_SPACES.sub(r" \1 ", normalize("NFKC", text))


def words(text: str, analyser: str) -> list[str]:
    return list(analysers()[analyser].analyze(prepare(text)))


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
"""Stems of words that are spelled with -ise everywhere (exercise, promise)."""
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
    """Return the American spelling of a lower-case word."""
    if _MAYBE.search(word):
        for pattern, replacement in _RULES:
            word = pattern.sub(replacement, word)
    return word


TITLE_WEIGHT = 3
"""Repetitions of title words, as in BM25F; 2 to 4 differ little in `benchmarks/library.py`."""
_APART = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "-"}
"""ASCII characters that separate words; other characters have been folded before."""
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
"""Words of a request, left out of a query that has other words."""


class _Forms(dict[str, str]):
    """Cache of stems, "" for stop words; emptied before it grows too large."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_FORMS:
            self.clear()
        form = ""
        if word not in SMALL_WORDS:
            stems: list[str] = analysers()[STEMMED].analyze(one_spelling(word))
            form = stems[0] if len(stems) == 1 else word[:_LONGEST_WORD]
        self[word] = form
        return form


_FORMS = _Forms()


def ranked_words(text: str) -> list[str]:
    """Return the words of a text for ranking, in order, with joined compounds at the end."""
    folded = _folded(text).translate(_APART)
    # A look-up in C for each word: an import spends most of its time here.
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
    title = ranked_words(fields.get("title") or "")
    names = " ".join(author["name"] for author in fields.get("authors", ()))
    venue = fields.get("venue") or ""
    rest = ranked_words(f"{text_of(fields)}\n{names}\n{venue}")
    return " ".join(title * TITLE_WEIGHT + rest)


def text_of(fields: Mapping[str, Any]) -> str:
    abstract = fields.get("abstract") or fields.get("snippet") or ""
    return f"{abstract}\n{'; '.join(fields.get('keywords', ()))}"


def query_weights(text: str) -> Counter[str]:
    counts = Counter(query_words(text))
    # Pasted references repeat initials and numbers.
    return Counter({word: 1 if len(word) == 1 else count for word, count in counts.items()})


def query_words(text: str) -> list[str]:
    """Return the ranking words of a question, without words of the request if it has others."""
    words = _folded(text).split()
    telling = " ".join(word for word in words if word.strip(",;.?!:()\"'") not in REQUEST_WORDS)
    return ranked_words(telling) or ranked_words(text)


def _folded(text: str) -> str:
    """Return the text in lower case, with letters folded to ASCII if possible."""
    if text.isascii():
        return text.lower()
    # Letters are folded one by one, as in the positional fields; ASCII needs no look-up.
    return _NOT_ASCII.sub(lambda letter: _LETTERS[letter[0]], normalize("NFKC", text)).lower()


class _Letters(dict[str, str]):
    """Cache of the analyser's result for each non-ASCII letter; a blank for other characters."""

    def __missing__(self, letter: str) -> str:
        folded = " ".join(analysers()[EXACT].analyze(prepare(letter))) or " "
        if is_of_letters_apart(letter):
            folded = f" {folded} "
        self[letter] = form = "-" if letter in _HYPHENS else folded
        return form


_LETTERS = _Letters()


def _joints(folded: str) -> Iterator[str]:
    """Yield compounds as one word: "data-base" also matches "database"."""
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
    """Yield pairs of adjacent letters of scripts without spaces."""
    for first, second in pairwise(folded.split()):
        if len(first) == len(second) == 1 and is_of_letters_apart(first + second):
            yield first + second
