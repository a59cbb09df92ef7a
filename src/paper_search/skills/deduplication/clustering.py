"""Average linkage clustering over the pairs that were compared."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

Pair = tuple[int, int]

_CLIP = 8.0
"""Log-odds are clipped so that one pair does not outweigh all others."""


class Linkage:
    """Disjoint sets of record numbers, with the mean score of the pairs between any two sets."""

    def __init__(self, size: int, scores: Mapping[Pair, float], apart: Iterable[Pair]) -> None:
        self._parent = list(range(size))
        self._between: dict[int, dict[int, tuple[float, int]]] = defaultdict(dict)
        for (one, other), score in scores.items():
            clipped = max(-_CLIP, min(_CLIP, score))
            self._between[one][other] = self._between[other][one] = (clipped, 1)
        self._apart: dict[int, set[int]] = defaultdict(set)
        for one, other in apart:
            self._apart[one].add(other)
            self._apart[other].add(one)

    def root(self, number: int) -> int:
        while self._parent[number] != number:
            self._parent[number] = self._parent[self._parent[number]]
            number = self._parent[number]
        return number

    def is_apart(self, one: int, other: int) -> bool:
        root = self.root(other)
        return any(self.root(cluster) == root for cluster in self._apart.get(self.root(one), ()))

    def apart(self) -> list[Pair]:
        return sorted((one, other) for one, others in self._apart.items() for other in others)

    def mean_between(self, one: int, other: int) -> float:
        """Return the mean score of compared pairs between the sets of two records, or 0."""
        total, count = self._between[self.root(one)].get(self.root(other), (0.0, 0))
        return total / count if count else 0.0

    def join(self, one: int, other: int) -> bool:
        """Join the sets of two records unless they are apart; return whether they are one set."""
        one, other = self.root(one), self.root(other)
        if one == other:
            return True
        if self.is_apart(one, other):
            return False
        if len(self._between[one]) < len(self._between[other]):
            one, other = other, one
        self._parent[other] = one
        if other in self._apart:  # rare; do not create sets that would dominate memory
            self._apart[one] |= self._apart.pop(other)
        self._unite_means(one, other)
        return True

    def drop_means(self) -> None:
        """Free the memory of the means, which later joins do not need."""
        self._between.clear()

    def sets(self) -> list[list[int]]:
        members: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self._parent)):
            members[self.root(number)].append(number)
        return list(members.values())

    def _unite_means(self, one: int, other: int) -> None:
        mine = self._between[one]
        mine.pop(other, None)
        for neighbour, (total, count) in self._between.pop(other).items():
            if neighbour == one:
                continue
            here, number = mine.get(neighbour, (0.0, 0))
            mine[neighbour] = (total + here, count + number)
            theirs = self._between[neighbour]
            theirs.pop(other, None)
            theirs[one] = mine[neighbour]


def join_best(
    linkage: Linkage, scores: Mapping[Pair, float], *, least: float, least_mean: float
) -> list[Pair]:
    """Join sets, best pair first, and return the pairs that joined two sets.

    A pair needs at least `least` log-odds, and a mean of at least `least_mean` over all compared
    pairs between the two sets, so that one good pair does not outweigh many bad ones. Ties are
    broken by number, so records must be numbered by content.
    """
    return [
        pair
        for pair in best_first(scores, least)
        if linkage.root(pair[0]) != linkage.root(pair[1])
        and linkage.mean_between(*pair) >= least_mean
        and linkage.join(*pair)
    ]


def best_first(scores: Mapping[Pair, float], least: float) -> Iterator[Pair]:
    """Return the pairs with a score of at least `least`, best first, ties by number."""
    ranked = [(-score, pair) for pair, score in scores.items() if score >= least]
    return (pair for _, pair in sorted(ranked))


def ambiguous(scores: Mapping[Pair, float], least: float) -> set[Pair]:
    """Return the pairs that would join one record to two different works.

    A sparse record (no year, no venue) may match two different works equally well. It is then
    joined to neither, since any choice would be wrong half of the time. If it surely matches one of
    them, it is only kept from the other.
    """
    near: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for (one, other), score in scores.items():
        if least <= score < _CLIP:
            near[one].append((score, other))
            near[other].append((score, one))
    pairs: set[Pair] = set()
    for number, others in near.items():
        if len(others) < 2 or len(others) > _MOST_RIVALS:  # noqa: PLR2004  # there is no rival
            continue
        others.sort(reverse=True)
        for (better, one), (worse, other) in combinations(others, 2):
            is_close = worse >= others[0][0] - _CLOSE
            is_apart = scores.get((min(one, other), max(one, other)), least) < _RIVALS_APART
            if is_apart and (is_close or better == SURE):
                pairs.add((min(number, other), max(number, other)))
            if is_apart and is_close:
                pairs.add((min(number, one), max(number, one)))
    return pairs


_MOST_RIVALS = 12
_RIVALS_APART = 0.4
"""Log-odds below which two records that match a third are different works."""
SURE = 4.0
"""Log-odds of a pair with the same long abstract, word for word."""
_CLOSE = 0.7
"""Difference in log-odds within which two pairs are equally good."""
