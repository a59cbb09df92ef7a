"""Which pairs of records are worth a comparison: all that share one of several keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations

from rapidfuzz.fuzz import ratio

from paper_search.skills.deduplication.profiles import Profile

_WHOLE_BLOCK = 40
"""Records of a block that are all compared with each other."""
_WINDOW = 12
"""In a larger block each record is compared with this many that follow it by content."""
_RARE_WORDS = 4
_RARE_NAMES = 2
_ALIKE = 66.0
_SOMEWHAT_ALIKE = 55.0
"""Least likeness of two titles, of 100; unrelated ones of English reach 40 to 50."""
_ABSTRACT_ENDS = 60
"""Letters at either end of an abstract."""

Keys = Callable[[Profile], Iterable[Hashable]]


def candidate_pairs(profiles: Sequence[Profile]) -> list[tuple[int, int]]:
    """Return all pairs that share a key, the smaller number first, sorted.

    Keys are identifiers, the whole title, two rare words of it, rare names with the year or with a
    rare word, volume and first page, and either end of the abstract. Pairs that share only words
    or names must have titles that are somewhat alike.

    Give the profiles in an order of their content: which pairs of a block too large to be compared
    whole are returned depends on it. Time and number of pairs grow with the number of records,
    not with its square.
    """
    words = _Rarity(each.words for each in profiles)
    names = _Rarity(each.people.names for each in profiles)
    families: tuple[tuple[Keys, float], ...] = (
        (_identifiers, 0.0),
        (lambda each: (each.key,) if each.key else (), 0.0),
        (_place_in_volume, 0.0),
        (_abstract_ends, 0.0),
        (lambda each: words.pairs(each.words, _RARE_WORDS), _ALIKE),
        (lambda each: _names_and_year(each, names), _SOMEWHAT_ALIKE),
        (lambda each: _name_and_word(each, names, words), _ALIKE),
    )
    size = len(profiles)
    found: set[int] = set()
    for keys, least_ratio in families:
        for one, other in _pairs_of(profiles, keys):
            number = one * size + other
            if number not in found and (
                not least_ratio
                or ratio(profiles[one].title, profiles[other].title, score_cutoff=least_ratio)
            ):
                found.add(number)
    return [divmod(number, size) for number in sorted(found)]


class _Rarity:
    """Ranks of the words that more than one record has, the rarest first; as numbers."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(set(text))
        known = sorted((count, word) for word, count in counts.items() if count > 1)
        self._ranks = {word: rank for rank, (_, word) in enumerate(known)}
        self.size = len(known)

    def rarest(self, text: Iterable[str], most: int) -> list[int]:
        """Return the ranks of the rarest words of a text, ascending."""
        ranks = self._ranks
        return sorted({ranks[word] for word in text if word in ranks})[:most]

    def pairs(self, text: Iterable[str], most: int) -> list[int]:
        """Return a number for each pair of the rarest words of a text."""
        return [one * self.size + other for one, other in combinations(self.rarest(text, most), 2)]


def _pairs_of(profiles: Sequence[Profile], keys: Keys) -> Iterator[tuple[int, int]]:
    blocks: dict[Hashable, int | list[int]] = {}
    for number, each in enumerate(profiles):
        for key in keys(each):
            block = blocks.get(key)
            if block is None:
                blocks[key] = number  # most keys are met once: a list for each would be the memory
            elif isinstance(block, int):
                if block != number:
                    blocks[key] = [block, number]
            elif block[-1] != number:
                block.append(number)
    for block in blocks.values():
        if isinstance(block, list):
            yield from _pairs_in(block)


def _pairs_in(block: list[int]) -> Iterator[tuple[int, int]]:
    if len(block) <= _WHOLE_BLOCK:
        yield from combinations(block, 2)
        return
    for place, one in enumerate(block):
        for other in block[place + 1 : place + 1 + _WINDOW]:
            yield one, other


def _identifiers(each: Profile) -> Iterator[Hashable]:
    if each.doi:
        yield each.doi
    if each.arxiv:
        yield "arxiv", each.arxiv
    yield from each.ids


def _names_and_year(each: Profile, names: _Rarity) -> tuple[Hashable, ...]:
    if each.year is None:
        return ()
    rare = names.rarest(each.people.names, _RARE_NAMES)
    return ((*rare, each.year),) if rare else ()


def _name_and_word(each: Profile, names: _Rarity, words: _Rarity) -> list[int]:
    rare = words.rarest(each.words, _RARE_NAMES)
    return [
        name * words.size + word
        for name in names.rarest(each.people.names, _RARE_NAMES)
        for word in rare
    ]


def _place_in_volume(each: Profile) -> tuple[Hashable, ...]:
    return ((each.volume, each.first_page),) if each.first_page and each.volume else ()


def _abstract_ends(each: Profile) -> tuple[int, ...]:
    text = each.abstract
    if len(text) < 2 * _ABSTRACT_ENDS:
        return ()
    return hash(text[:_ABSTRACT_ENDS]), hash(text.rstrip()[-_ABSTRACT_ENDS:])
