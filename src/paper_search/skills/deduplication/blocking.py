"""Blocking: the pairs of records to compare, because they share a key."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations

from rapidfuzz.fuzz import ratio

from paper_search.skills.deduplication.profiles import Profile

_WHOLE_BLOCK = 40
"""Largest block in which all records are compared with each other."""
_WINDOW = 12
"""In a larger block, each record is compared with so many that follow it."""
_RARE_WORDS = 4
_RARE_NAMES = 2
_ALIKE = 66.0
_SOMEWHAT_ALIKE = 55.0
"""Least similarity of two titles, 0 to 100; unrelated English titles have 40 to 50."""
_ABSTRACT_ENDS = 60

Keys = Iterable[Iterable[Hashable]]


def candidate_pairs(profiles: Sequence[Profile]) -> list[tuple[int, int]]:
    """Return all pairs that share a key, sorted, the smaller number first.

    Keys are identifiers, the title with and without its subtitle, two of its rare words, rare names
    with the year or with a rare word, volume and first page, and either end of the abstract. Pairs
    that share only words or names must have similar titles.

    Profiles must be sorted by content, which determines the pairs from large blocks. Time and
    number of pairs grow linearly with the number of records.
    """
    words = _Rarity(set(profile.words) for profile in profiles)
    names = _Rarity(profile.people.names for profile in profiles)
    rare_words = [words.rarest(profile.words, _RARE_WORDS) for profile in profiles]
    rare_names = [names.rarest(profile.people.names, _RARE_NAMES) for profile in profiles]
    families: tuple[tuple[Keys, float], ...] = (
        (map(_identifiers, profiles), 0.0),
        ((filter(None, (profile.key, profile.main)) for profile in profiles), 0.0),
        (map(_place_in_volume, profiles), 0.0),
        (map(_abstract_ends, profiles), 0.0),
        (map(words.pairs, rare_words), _ALIKE),
        (map(_names_and_year, profiles, rare_names), _SOMEWHAT_ALIKE),
        (map(partial(_name_and_word, words.size), rare_names, rare_words), _ALIKE),
    )
    size = len(profiles)
    titles = [profile.title for profile in profiles]
    pairs: set[int] = set()
    for keys, least_ratio in families:
        for one, other in _pairs_of(keys):
            number = one * size + other
            if number not in pairs and (
                not least_ratio or ratio(titles[one], titles[other], score_cutoff=least_ratio)
            ):
                pairs.add(number)
    numbers = list(range(size))  # sharing the integers halves the memory
    return [(numbers[pair // size], numbers[pair % size]) for pair in sorted(pairs)]


class _Rarity:
    def __init__(self, texts: Iterable[Collection[str]]) -> None:
        counts = Counter(chain.from_iterable(texts))
        by_count = sorted((count, word) for word, count in counts.items() if count > 1)
        self._ranks = {word: rank for rank, (_, word) in enumerate(by_count, start=1)}
        self.size = len(by_count)

    def rarest(self, text: Iterable[str], most: int) -> list[int]:
        return sorted(filter(None, set(map(self._ranks.get, text))))[:most]

    def pairs(self, ranks: Iterable[int]) -> list[int]:
        return [one * self.size + other for one, other in combinations(ranks, 2)]


def _pairs_of(keys: Keys) -> Iterator[tuple[int, int]]:
    blocks: dict[Hashable, list[int]] = {}
    first: dict[Hashable, int] = {}
    for number, own in enumerate(keys):
        for key in own:  # no blocks for keys that occur once, which most do
            if (one := first.setdefault(key, number)) != number:
                block = blocks.setdefault(key, [one])
                if block[-1] != number:
                    block.append(number)
    for block in blocks.values():
        if len(block) <= _WHOLE_BLOCK:
            yield from combinations(block, 2)
            continue
        for place, one in enumerate(block):
            for other in block[place + 1 : place + 1 + _WINDOW]:
                yield one, other


def _identifiers(profile: Profile) -> Iterator[Hashable]:
    if profile.doi:
        yield profile.doi
    if profile.arxiv:
        yield "arxiv", profile.arxiv
    yield from profile.ids


def _names_and_year(profile: Profile, names: Sequence[int]) -> tuple[Hashable, ...]:
    return ((*names, profile.year),) if names and profile.year is not None else ()


def _name_and_word(size: int, names: Sequence[int], words: Sequence[int]) -> list[int]:
    return [name * size + word for name in names for word in words[:_RARE_NAMES]]


def _place_in_volume(profile: Profile) -> tuple[Hashable, ...]:
    return ((profile.volume, profile.first_page),) if profile.first_page and profile.volume else ()


def _abstract_ends(profile: Profile) -> tuple[int, ...]:
    text = profile.abstract
    if len(text) < 2 * _ABSTRACT_ENDS:
        return ()
    return hash(text[:_ABSTRACT_ENDS]), hash(text.rstrip()[-_ABSTRACT_ENDS:])
