"""Authors as a bag of names, however a source formats them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from paper_search.models import Author
from paper_search.skills.deduplication.text import folded, without_line_breaks, word_set, words

_MOST_AUTHORS = 60
"""Authors compared: the beginning of a list of 5,000 is enough."""
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
    """Who wrote a work.

    Attributes:
        names: all family and given names of two letters or more, each once, in order.
        first: the first two names of the first author, in any order.
    """

    names: tuple[str, ...] = ()
    first: tuple[str, ...] = ()


NOBODY = People()


def people(authors: Sequence[Author]) -> People:
    """Return the names in a list of authors.

    Many files hold all authors in one string, or "Smith J.Jones K." without a separator: families
    and given names are not told apart, so "Smith, John", "John Smith" and "Smith J" share a name.
    """
    if not authors:
        return NOBODY
    # One text, folded at once: a call for each author would be most of the work.
    text = without_line_breaks(
        folded(_BETWEEN.join(author.name for author in authors[:_MOST_AUTHORS]))
    )
    every = words(text)
    bag = dict.fromkeys(word for word in every if _is_name(word))
    if not bag:  # "C C", or one Chinese letter: better than nothing
        bag = dict.fromkeys(word for word in every if word not in _NOT_NAMES)
    first = [word for word in words(_FIRST_END.split(text, maxsplit=1)[0]) if word in bag][:2]
    return People(tuple(bag), tuple(first))


def _is_name(word: str) -> bool:
    if word in _NOT_NAMES or word.isdigit():
        return False
    return len(word) > 2 or not word.isascii() or (len(word) == 2 and not _VOWELS.isdisjoint(word))  # noqa: PLR2004  # "Li" is a name, "jb" are initials


def shared(one: People, other: People) -> float:
    """Return the part of the shorter bag of names that the other has too, 0 to 1.

    Names that differ by a letter or two or are cut short count nearly whole.
    """
    if one.names == other.names:
        return 1.0 if one.names else 0.0
    few, many = sorted((one.names, other.names), key=len)
    if not few:
        return 0.0
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
        return 0.0  # a slip at both ends is rare, and this spares nearly all of the work
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if len(short) >= 4 and long.startswith(short):  # noqa: PLR2004  # "imielin" of "imielinski"
        return 0.9
    return Indel.normalized_similarity(one, other, score_cutoff=_ALIKE)
