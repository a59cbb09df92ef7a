"""Refine a BM25 ranking by pseudo-relevance feedback and a bonus for adjacent words."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

READ = 10
"""Feedback results; like WORDS, chosen by cross-validation over collections."""
WORDS = 30
"""Maximum number of expansion words."""
STRENGTH = 0.5
"""Weight of the best expansion word relative to a query word: see decision 0017."""
ADJACENT_STRENGTH = 0.4
"""Weight of a pair of adjacent words relative to a word: see decision 0017."""
_REVERSED = 0.5
"""Weight of a pair in reverse order relative to one in query order."""
_K1, _B = 1.2, 0.75
"""The usual constants of BM25 (Robertson and Zaragoza 2009)."""
_LEAST_DOCUMENTS = 2
_MOST_CANDIDATES = 80

Frequency = Callable[[str], int]
"""Returns the document frequency of a word."""


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    score: float
    words: Sequence[str]


def expand_query(
    weights: Mapping[str, float],
    results: Sequence[ScoredDocument],
    frequency: Frequency,
    records: int,
) -> dict[str, float]:
    """Add the most distinctive words of the first results to the weighted query words.

    Rocchio's method on BM25 weights: a word's strength is the mean of its saturated frequency in
    the results, weighted by their scores. Words of a single result are ignored as chance.
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
    """Return BM25's inverse document frequency."""
    return math.log(1 + (records - frequency + 0.5) / (frequency + 0.5))


Pair = tuple[str, str]
Rarity = Callable[[str], float]
"""Returns BM25's inverse document frequency of a word."""


@dataclass(frozen=True, slots=True)
class RecordWords:
    """The words of a record's title and of its other fields, in order, without stop words."""

    title: Sequence[str]
    rest: Sequence[str]


def pairs_of(words: Sequence[str]) -> Counter[Pair]:
    return Counter((first, second) for first, second in pairwise(words) if first != second)


def bonuses(
    pairs: Mapping[Pair, int], texts: Sequence[RecordWords], rarity: Rarity, title_weight: int
) -> list[float]:
    """Return the bonus of each text for adjacent query words.

    A pair is scored like a word in BM25, with the mean rarity of its words: the sequential
    dependence of Metzler and Croft (2005) on BM25 (Büttcher, Clarke and Lushman 2006), without
    windows, which gain nothing here.
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


def _counts(pairs: Mapping[Pair, float], text: RecordWords, title_weight: int) -> dict[Pair, float]:
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
