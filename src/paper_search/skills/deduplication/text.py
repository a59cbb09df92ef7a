"""Normalisation of text for comparison, common runs of words, and names of authors."""

import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Indel

from paper_search.bibliography.text import WORD, clean
from paper_search.models import Author

_ACCENT_COMMAND = re.compile(r"\\[\"'`^~=.](?=[{\\]*[A-Za-z])|\\[uvHcdbtk](?=\{)")
_FONT_COMMAND = re.compile(
    r"\\(?:text\w*|math\w+|rm|bf|it|em|emph|sc|sl|tt|cal|left|right|mbox|operatorname|ensuremath"
    r"|pm|mp|to|(?:long)?(?:left|right|leftright)arrow|times|cdot|sim|simeq|approx|sqrt|frac"
    r"|[lr]angle|q?quad)(?![A-Za-z])"
)
"""Commands for fonts, and for symbols that no other source spells out."""
_LATEX_NOISE = str.maketrans({"\\": " ", "{": "", "}": "", "$": " ", "~": " ", "^": "", "_": ""})
_MOJIBAKE = re.compile("[ÃÂâÐÑÎÏ][\x80-\xbf\u0152-\u0192\u2013-\u2122\u20ac]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_HYPHEN_AT_LINE_END = re.compile(r"(?<=[a-z])- (?=[a-z])")
_LONGEST = 2_000
"""Characters of a field that are compared."""
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


def fold(text: str) -> str:
    r"""Return the text in lower case without markup, accents and LaTeX; spell out Greek letters.

    Only the first 2,000 characters count. LaTeX is stripped, not decoded, since decoding takes
    milliseconds and `G\"odel` and `Gödel` only need to compare equal.
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
    text = _repair_mojibake(text) if _MOJIBAKE.search(text) else text
    text = unicodedata.normalize("NFKD", text).casefold().translate(_SPECIAL)
    return "".join(c for c in text if not unicodedata.combining(c) or c in "\u3099\u309a")


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def words(text: str) -> tuple[str, ...]:
    """Return the words of a folded text, interned; of Chinese and Japanese, pairs of characters."""
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
    """Rejoin words of a folded text that were hyphenated at a line break (`meth- ods`)."""
    return _HYPHEN_AT_LINE_END.sub("", text) if "- " in text else text


@lru_cache(maxsize=4096)
def _repair_mojibake(text: str) -> str:
    """Decode UTF-8 that was read as Latin-1 (`GÃ¶del`)."""
    for codec in ("cp1252", "latin-1"):
        try:
            return text.encode(codec).decode("utf-8")
        except UnicodeError:
            continue
    return text


_RUN = 4
"""Consecutive words that two texts are unlikely to share by chance."""


def begins_with(long: Sequence[str], short: Sequence[str]) -> bool:
    """Whether one text begins with another, whose last word may be cut."""
    return short[:-1] == long[: len(short) - 1]


def in_runs(text: Sequence[str], other: Sequence[str]) -> bytes:
    """Return 1 for each word of a text in a run of `_RUN` words that the other text has, else 0."""
    runs = set(_runs(other))
    found = bytearray(len(text))
    for place, run in enumerate(_runs(text)):
        if run in runs:
            found[place : place + _RUN] = bytes([1]) * _RUN
    return bytes(found)


def _runs(text: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(text[start:] for start in range(_RUN)), strict=False)


def thirds(text: bytes) -> list[bytes]:
    third = (len(text) + 2) // 3 or 1
    return [text[place : place + third] for place in range(0, len(text), third)]


_MOST_AUTHORS = 60
"""Authors that are compared; lists may have thousands."""
_FIRST_END = re.compile(r";| and | & |\bet al\b")
_BETWEEN = " ; "
_NOT_NAMES = word_set(
    "et al and jr sr ii iii the von van der den de la le du da di dos del eds ed editor editors in"
    " phd md dr prof others anonymous anon unknown group author authors no listed"
)
_VOWELS = frozenset("aeiouy")
_ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class People:
    """Distinct names of at least two letters, in order; `first` has two of the first author."""

    names: tuple[str, ...] = ()
    first: tuple[str, ...] = ()


NOBODY = People()


def people(authors: Sequence[Author]) -> People:
    """Return the names in a list of authors.

    Many files have all authors in one string, or "Smith J.Jones K." without a separator. So family
    and given names are not distinguished; "Smith, John", "John Smith" and "Smith J" share a name.
    """
    if not authors:
        return NOBODY
    # Folding all names in one call is much faster.
    text = without_line_breaks(
        fold(_BETWEEN.join([author.name for author in authors[:_MOST_AUTHORS]]))
    )
    parts = [words(part) for part in _FIRST_END.split(text, maxsplit=1)]
    every = sum(parts, ())
    bag = {word: None for word in every if word not in _NOT_NAMES and _is_name(word)}
    if not bag:  # only initials or single characters, such as "C C"
        bag = dict.fromkeys(word for word in every if word not in _NOT_NAMES)
    first = [word for word in parts[0] if word in bag][:2]
    return People(tuple(bag), tuple(first))


def _is_name(word: str) -> bool:
    """Whether a word is a name ("Li") rather than initials ("jb")."""
    if len(word) <= 2 and word.isascii() and (len(word) < 2 or _VOWELS.isdisjoint(word)):  # noqa: PLR2004  # two letters
        return False
    return not word.isdigit()


def share_of_names(one: People, other: People) -> float:
    """Return the share of the shorter list's names that the other has, at least in similar form."""
    few, many = sorted((one.names, other.names), key=len)
    rest = set(many)
    unmatched = [name for name in few if name not in rest]
    score = float(len(few) - len(unmatched))
    if unmatched:
        rest.difference_update(few)
        for name in unmatched:
            best = max((_alike(name, other_name) for other_name in rest), default=0.0)
            score += best if best >= _ALIKE else 0.0
    return score / len(few)


def is_first_shared(one: People, other: People) -> bool:
    return any(_alike(name, second) >= _ALIKE for name in one.first for second in other.first)


def _alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if one[0] != other[0] and one[-1] != other[-1]:
        return 0.0  # errors at both ends are rare; this skips most comparisons
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if len(short) >= 4 and long.startswith(short):  # noqa: PLR2004  # "imielin" of "imielinski"
        return 0.9
    return Indel.normalized_similarity(one, other, score_cutoff=_ALIKE)
