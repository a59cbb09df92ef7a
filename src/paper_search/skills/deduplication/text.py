"""Folds text so that spellings compare equal: markup, accents, case and mojibake removed."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

from paper_search.bibliography.text import WORD, clean

_ACCENT_COMMAND = re.compile(r"\\[\"'`^~=.](?=[{\\]*[A-Za-z])|\\[uvHcdbtk](?=\{)")
_FONT_COMMAND = re.compile(
    r"\\(?:text\w*|math\w+|rm|bf|it|em|emph|sc|sl|tt|cal|left|right|mbox|operatorname|ensuremath)"
    r"(?![a-z])"
)
_LATEX_NOISE = str.maketrans({"\\": " ", "{": "", "}": "", "$": " ", "~": " ", "^": "", "_": ""})
_MOJIBAKE = re.compile("[ÃÂâÐÑÎÏ][\x80-\xbf\u0152-\u0192\u2013-\u2122\u20ac]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_HYPHEN_AT_LINE_END = re.compile(r"(?<=[a-z])- (?=[a-z])")
_LONGEST = 2_000
"""Characters of a field that are compared; a longer one says nothing new about identity."""
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma"
    " tau upsilon phi chi psi omega"
)
_GREEK = {
    letter: f" {name} "
    for letter, name in zip("αβγδεζηθικλμνξοπρστυφχψω", _GREEK_NAMES.split(), strict=True)
}
_SPECIAL = str.maketrans(
    _GREEK | {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "’": "'"}
)


def folded(text: str) -> str:
    r"""Return the text in lower case without markup, accents and LaTeX; Greek letters spelt out.

    Only the first 2,000 characters count. LaTeX is stripped, not decoded: decoding takes
    milliseconds, and for comparison `G\"odel` and `Gödel` have only to become the same.
    """
    text = text[:_LONGEST]
    if "<" in text or "&" in text:
        text = clean(text)
    if "\\" in text:
        text = _FONT_COMMAND.sub(" ", _ACCENT_COMMAND.sub("", text))
    if "{" in text or "$" in text or "\\" in text:
        text = text.translate(_LATEX_NOISE)
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKD", _repaired(text)).casefold().translate(_SPECIAL)
    return "".join(c for c in text if not unicodedata.combining(c) or c in "\u3099\u309a")


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def words(text: str) -> tuple[str, ...]:
    """Return the words of a folded text, interned; a long run without spaces in pairs of letters.

    Chinese and Japanese are written without spaces: every two letters that stand together count
    as a word.
    """
    if text.isascii():
        return tuple(map(sys.intern, _ASCII_WORD.findall(text)))
    pieces: list[str] = []
    for word in WORD.findall(text):
        if len(word) > 1 and not word.isascii() and "\u3040" <= word[0] <= "\u9fff":
            pieces.extend(word[place : place + 2] for place in range(len(word) - 1))
        else:
            pieces.append(word)
    return tuple(map(sys.intern, pieces))


def without_line_breaks(text: str) -> str:
    """Return folded text with words joined again that a line's end had cut (`meth- ods`)."""
    return _HYPHEN_AT_LINE_END.sub("", text) if "- " in text else text


@lru_cache(maxsize=4096)
def _decoded(text: str) -> str:
    for codec in ("cp1252", "latin-1"):
        try:
            return text.encode(codec).decode("utf-8")
        except UnicodeError:
            continue
    return text


def _repaired(text: str) -> str:
    """Return UTF-8 that was read as Latin-1 (`GÃ¶del`) as it was meant."""
    return _decoded(text) if _MOJIBAKE.search(text) else text
