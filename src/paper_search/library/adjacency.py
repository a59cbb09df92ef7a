"""Adjacency: a bonus for records in which words of the query are adjacent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

READ = 10
"""First results that are looked at; more gain next to nothing."""
STRENGTH = 0.4
"""Weight of a pair of neighbours beside 1.0 for a word: see decision 0017."""
_REVERSED = 0.5
"""A pair in the other order, beside one in the order of the query."""
_K1, _B = 1.2, 0.75
"""The usual constants of BM25 (Robertson and Zaragoza 2009)."""

Pair = tuple[str, str]
Rarity = Callable[[str], float]
"""Returns how much a word tells: the logarithm of BM25."""


@dataclass(frozen=True, slots=True)
class Text:
    """The words of a record's title and of the rest, in order, without stop words."""

    title: Sequence[str]
    rest: Sequence[str]


def pairs_of(words: Sequence[str]) -> Counter[Pair]:
    """Return the adjacent pairs of a query; a repeated word is not a pair."""
    return Counter((first, second) for first, second in pairwise(words) if first != second)


def bonuses(
    pairs: Mapping[Pair, int], texts: Sequence[Text], rarity: Rarity, title_weight: int
) -> list[float]:
    """Return for every text what its neighbours add to a BM25 score.

    A pair is scored as BM25 scores a word, as rare as its words are in the mean: the sequential
    dependence of Metzler and Croft (2005) on BM25 (Büttcher, Clarke and Lushman 2006), without
    the windows, which gain nothing here.

    Args:
        pairs: what the query has side by side, and how often.
        texts: the records.
        rarity: how much a word tells.
        title_weight: how often a pair in the title counts beside one in the rest.
    """
    lengths = [title_weight * len(text.title) + len(text.rest) for text in texts]
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    weights = {
        pair: count * (rarity(pair[0]) + rarity(pair[1])) / 2 for pair, count in pairs.items()
    }
    made = []
    for text, length in zip(texts, lengths, strict=True):
        norm = _K1 * (1 - _B + _B * length / mean)
        counts = _counts(weights, text, title_weight)
        made.append(
            STRENGTH * sum(weights[p] * n * (_K1 + 1) / (n + norm) for p, n in counts.items())
        )
    return made


def _counts(wanted: Mapping[Pair, float], text: Text, title_weight: int) -> dict[Pair, float]:
    counts: dict[Pair, float] = {}
    for words, weight in ((text.title, title_weight), (text.rest, 1)):
        for first, second in pairwise(words):
            if (first, second) in wanted:
                pair, share = (first, second), 1.0
            elif (second, first) in wanted:
                pair, share = (second, first), _REVERSED
            else:
                continue
            counts[pair] = counts.get(pair, 0.0) + weight * share
    return counts
