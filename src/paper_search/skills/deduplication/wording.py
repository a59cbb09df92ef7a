"""How the words of two titles differ: by spelling, by words added, by other or opposed words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import product

from rapidfuzz.distance import OSA, Indel, Postfix, Prefix

from paper_search.bibliography.rarities import is_known, rarity
from paper_search.bibliography.stemming import stem
from paper_search.skills.deduplication.text import word_set

LITTLE_WORDS = word_set(
    "a an the of in on for and or to with by from at as is are its via using into über der die das"
    " le la les de des du et un une el los las y e i s"
)
_NEGATIONS = word_set("no non not nor never without anti un")
_NEGATING = ("non", "anti", "un", "an", "a")
_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in word_set(
        "above/below after/before acute/chronic adult/child adults/children anterior/posterior"
        " ascending/descending bottom/top boys/girls dorsal/ventral early/late east/west even/odd"
        " father/mother fathers/mothers female/male females/males first/second fast/slow"
        " high/low higher/lower inner/outer large/small left/right long/short lower/upper"
        " man/woman maximal/minimal maximum/minimum men/women negative/positive new/old north/south"
        " post/pre hyper/hypo inter/intra extra/intra rural/urban strong/weak vitro/vivo"
    )
)
"""Words that swap one subject for its counterpart; those spelt alike need no list."""
_ENDINGS = word_set(
    "e y s es ed er ers or ing ings al ally ly ity ities ies ic ical ically ion ions ional ation"
    " ations ational ive ively ment ments able ability"
    " t ce cy hood"
) | {""}
_BRITISH = (
    ("ae", "e"),
    ("oe", "e"),
    ("ue", "u"),
    ("our", "or"),
    ("ph", "f"),
    ("z", "s"),
    ("dgement", "dgment"),
)
_MISREAD = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s"})
_MISREAD_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
"""Letters that scanners take for one another."""
_ALIKE = 0.72
_SHORTEST = 4
_FAR_RARER = 1.5
"""In powers of ten."""
_SHORTEST_ROOT = 5
_SHORTEST_TAIL = 5
"""Letters of a word behind its prefix: "tension" of "hypertension"."""
_LONGEST_RUN = 4
"""Words that may be written as one: "alpha v beta 3"."""
_SUBSTANCE = re.compile(r"[aeiouy](?=(?:te|ne|se)s?$)")
"""The letter that tells nitrate from nitrite, and ethane from ethene."""
_DOUBLED = re.compile(r"([a-z])\1")
_REMEMBERED = 8_192


def difference(one: Sequence[str], other: Sequence[str]) -> str:
    """Return how the words of two titles differ, in any order.

    - "spelling": every word has a counterpart that is the same word (`is_same_word`), or the same
      words joined or cut ("data base").
    - "added": only one title has words of its own, and none of them negates.
    - "opposed": words spelt alike that are not the same word ("hypotension", "hypertension";
      "prednisone", "prednisolone"), a negation that only one has, or a pair of opposites.
    - "replaced": both titles have words of their own that have nothing in common.
    """
    left, right = own_words(one, other)
    if not left and not right:
        return "spelling"
    if any(_are_opposed(w, v) for w, v in product(left, right)):
        return "opposed"
    if not _NEGATIONS.isdisjoint(left) or not _NEGATIONS.isdisjoint(right):
        return "opposed"
    if left and right:
        return "replaced"
    return "opposed" if any(map(_is_negated, left or right)) else "added"


def own_words(one: Sequence[str], other: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of each title that the other has in no spelling, little words left out."""
    first = [w for w in one if w not in other and w not in LITTLE_WORDS]
    second = [w for w in other if w not in one and w not in LITTLE_WORDS]
    if first or second:
        runs, other_runs = _runs(tuple(one)), _runs(tuple(other))
        first = _without_joined(first, runs, {*other, *other_runs}, other_runs)
        second = _without_joined(second, other_runs, {*one, *runs}, runs)
    return (
        [w for w in first if not any(is_same_word(w, word) for word in second)],
        [w for w in second if not any(is_same_word(w, word) for word in first)],
    )


def _without_joined(
    own: list[str],
    runs: Mapping[str, tuple[str, ...]],
    others: Collection[str],
    other_runs: Collection[str],
) -> list[str]:
    """Return the words that are no part of what the other title writes as one word, or as two."""
    cut = {word for run, parts in runs.items() if run in others for word in parts}
    return [word for word in own if word not in cut and word not in other_runs]


@lru_cache(maxsize=_REMEMBERED)
def _runs(words: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return what two to four neighbouring words make when they are written as one."""
    return {
        "".join(words[place : place + length]): words[place : place + length]
        for length in range(2, _LONGEST_RUN + 1)
        for place in range(len(words) - length + 1)
    }


@lru_cache(maxsize=_REMEMBERED)
def is_same_word(one: str, other: str) -> bool:
    """Whether two words are one, spelt or inflected in two ways, or misspelt once.

    A typing error makes a non-word of a word; a change from one word to another is no slip. Of two
    words that the table of words does not have, one may lack a letter or have two swapped; another
    letter in its place is another substance ("nitrate", "nitrite").
    """
    if one == other:
        return True
    if min(len(one), len(other)) < _SHORTEST:
        return stem(one) == stem(other)
    if _spelt_plainly(one) == _spelt_plainly(other) or _are_forms_of_one(one, other):
        return True
    is_one_known = is_known(stem(one)) != is_known(stem(other)) or _is_far_rarer(one, other)
    if is_known(stem(one)) and not is_one_known:
        return False
    if _as_scanned(one) == _as_scanned(other):
        return True
    return _digits(one) == _digits(other) and _is_slip(one, other, is_one_known=is_one_known)


def _is_far_rarer(one: str, other: str) -> bool:
    """Whether one of two words is so much rarer that it is the other one, often misspelt."""
    return abs(rarity(stem(one)) - rarity(stem(other))) >= _FAR_RARER


def _is_slip(one: str, other: str, *, is_one_known: bool) -> bool:
    if OSA.distance(one, other, score_cutoff=1) > 1:
        return False
    if len(one) != len(other):
        return one[0] == other[0]  # a letter in front makes the opposite: "typical", "atypical"
    if _SUBSTANCE.sub("", one) == _SUBSTANCE.sub("", other):
        return False
    return is_one_known or sorted(one) == sorted(other)


def _are_forms_of_one(one: str, other: str) -> bool:
    """Whether two words are of one root: English forms words of one meaning at their ends."""
    one, other = one.replace("z", "s"), other.replace("z", "s")
    root = Prefix.similarity(one, other)
    return root >= _SHORTEST_ROOT and any(
        one[end:] in _ENDINGS and other[end:] in _ENDINGS for end in range(_SHORTEST_ROOT, root + 1)
    )


@lru_cache(maxsize=_REMEMBERED)
def _spelt_plainly(word: str) -> str:
    """Return what British, American and undotted German spellings of a word share."""
    word = stem(word)
    for british, american in _BRITISH:
        word = word.replace(british, american)
    if word.endswith("tr"):  # "centre", "center"
        word = f"{word[:-1]}er"
    return _DOUBLED.sub(r"\1", word).rstrip("e")


def _as_scanned(word: str) -> str:
    word = word.translate(_MISREAD)
    for two, one in _MISREAD_PAIRS:
        word = word.replace(two, one)
    return word


def _digits(word: str) -> list[str]:
    return [letter for letter in word if letter.isdigit()]


@lru_cache(maxsize=_REMEMBERED)
def _are_opposed(one: str, other: str) -> bool:
    """Whether two words are opposites, or spelt alike without being the same."""
    return (
        frozenset((one, other)) in _OPPOSITES
        or Postfix.similarity(one, other) >= _SHORTEST_TAIL
        or Indel.normalized_similarity(one, other, score_cutoff=_ALIKE) > 0
    )


def _is_negated(word: str) -> bool:
    return any(
        word.startswith(prefix)
        and len(word) - len(prefix) > _SHORTEST_ROOT
        and is_known(stem(word[len(prefix) :]))
        for prefix in _NEGATING
    )


def are_told_apart(
    one: Collection[str], other: Collection[str], left: Collection[str], right: Collection[str]
) -> bool:
    """Whether two abstracts differ in the very words in which their titles do."""
    return any(w in one and w not in other for w in left) and any(
        w in other and w not in one for w in right
    )
