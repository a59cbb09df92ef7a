"""Ranking beyond BM25 by the first results: further query words, and a bonus for adjacent words."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

READ = 10
"""First results that are read; with WORDS, chosen by leaving out a collection."""
WORDS = 30
"""Words that are taken from them at most."""
STRENGTH = 0.5
"""Weight of the best of them beside 1.0 for a word of the query: see decision 0017."""
ADJACENT_STRENGTH = 0.4
"""Weight of a pair of adjacent words beside 1.0 for a word: see decision 0017."""
_REVERSED = 0.5
"""A pair in the other order, beside one in the order of the query."""
_K1, _B = 1.2, 0.75
"""The usual constants of BM25 (Robertson and Zaragoza 2009)."""
_LEAST_DOCUMENTS = 2
_MOST_CANDIDATES = 80

Frequency = Callable[[str], int]
"""Returns in how many records a word occurs."""


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """One of the first results: its score, and its words."""

    score: float
    words: Sequence[str]


def expanded(
    weights: Mapping[str, float],
    results: Sequence[ScoredDocument],
    frequency: Frequency,
    records: int,
) -> dict[str, float]:
    """Return the query's words and those that set the first results apart, with their weights.

    Rocchio's method on BM25 weights: a word's strength is the mean of its saturated frequency in
    the results, each counted by its score. Words of a single result are chance, and left out.
    """
    strengths = _strengths(results)
    values = {
        word: strength * rarity(frequency(word), records) for word, strength in strengths.items()
    }
    best = sorted(values, key=lambda word: (-values[word], word))[:WORDS]
    strongest = max((strengths[word] for word in best), default=0.0)
    result = dict(weights)
    for word in best:
        result[word] = result.get(word, 0.0) + STRENGTH * strengths[word] / strongest
    return result


def _strengths(results: Sequence[ScoredDocument]) -> dict[str, float]:
    total = sum(result.score for result in results) or 1.0
    mean = sum(len(result.words) for result in results) / max(1, len(results)) or 1.0
    sums: dict[str, float] = {}
    documents: Counter[str] = Counter()
    for result in results:
        norm = _K1 * (1 - _B + _B * len(result.words) / mean)
        share = result.score / total
        for word, count in Counter(result.words).items():
            sums[word] = sums.get(word, 0.0) + share * count * (_K1 + 1) / (count + norm)
            documents[word] += 1
    least = min(_LEAST_DOCUMENTS, len(results))
    common = [word for word, count in documents.items() if count >= least and sums[word] > 0]
    telling = [word for word in common if len(word) > 1 and not word.isdigit()]
    telling.sort(key=lambda word: (-sums[word], word))
    return {word: sums[word] for word in telling[:_MOST_CANDIDATES]}


def rarity(frequency: int, records: int) -> float:
    """Return the weight of a word that so many records have: BM25's logarithm."""
    return math.log(1 + (records - frequency + 0.5) / (frequency + 0.5))


Pair = tuple[str, str]
Rarity = Callable[[str], float]
"""Returns how much a word tells: the logarithm of BM25."""


@dataclass(frozen=True, slots=True)
class Text:
    """The words of a record's title and of the rest, in order, without stop words."""

    title: Sequence[str]
    rest: Sequence[str]


def pairs_of(words: Sequence[str]) -> Counter[Pair]:
    return Counter((first, second) for first, second in pairwise(words) if first != second)


def bonuses(
    pairs: Mapping[Pair, int], texts: Sequence[Text], rarity: Rarity, title_weight: int
) -> list[float]:
    """Return for every text what its neighbours add to a BM25 score.

    A pair is scored as BM25 scores a word, as rare as its words are in the mean: the sequential
    dependence of Metzler and Croft (2005) on BM25 (Büttcher, Clarke and Lushman 2006), without
    the windows, which gain nothing here.
    """
    lengths = [title_weight * len(text.title) + len(text.rest) for text in texts]
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    weights = {
        pair: count * (rarity(pair[0]) + rarity(pair[1])) / 2 for pair, count in pairs.items()
    }
    result = []
    for text, length in zip(texts, lengths, strict=True):
        norm = _K1 * (1 - _B + _B * length / mean)
        counts = _counts(weights, text, title_weight)
        earned = sum(weights[p] * n * (_K1 + 1) / (n + norm) for p, n in counts.items())
        result.append(ADJACENT_STRENGTH * earned)
    return result


def _counts(pairs: Mapping[Pair, float], text: Text, title_weight: int) -> dict[Pair, float]:
    counts: dict[Pair, float] = {}
    for words, weight in ((text.title, title_weight), (text.rest, 1)):
        for first, second in pairwise(words):
            if (first, second) in pairs:
                pair, share = (first, second), 1.0
            elif (second, first) in pairs:
                pair, share = (second, first), _REVERSED
            else:
                continue
            counts[pair] = counts.get(pair, 0.0) + weight * share
    return counts
