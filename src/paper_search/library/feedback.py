"""Pseudo-relevance feedback: further query words from the first results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

READ = 10
"""First results that are read; with the next figure, chosen by leaving out a collection."""
WORDS = 30
"""Words that are taken from them at most."""
STRENGTH = 0.5
"""Weight of the best of them beside 1.0 for a word of the query: see decision 0017."""
_K1, _B = 1.2, 0.75
"""The usual constants of BM25 (Robertson and Zaragoza 2009)."""
_LEAST_DOCUMENTS = 2
_MOST_CANDIDATES = 80

Frequency = Callable[[str], int]
"""Returns in how many records a word occurs."""


@dataclass(frozen=True, slots=True)
class Read:
    """One of the first results: its score, and its words."""

    score: float
    words: Sequence[str]


def expanded(
    weights: Mapping[str, float], results: Sequence[Read], frequency: Frequency, records: int
) -> dict[str, float]:
    """Return the query's words and those that set the first results apart, with their weights.

    Rocchio's method on BM25 weights: a word's strength is the mean of its saturated frequency in
    the results, each counted by its score. Words of a single result are chance, and left out.

    Args:
        weights: the words of the query.
        results: the first results, best first.
        frequency: in how many records a word occurs.
        records: the number of all records.
    """
    strengths = _strengths(results)
    values = {
        word: strength * rarity(frequency(word), records) for word, strength in strengths.items()
    }
    chosen = sorted(values, key=lambda word: (-values[word], word))[:WORDS]
    strongest = max((strengths[word] for word in chosen), default=0.0)
    made = dict(weights)
    for word in chosen:
        made[word] = made.get(word, 0.0) + STRENGTH * strengths[word] / strongest
    return made


def _strengths(results: Sequence[Read]) -> dict[str, float]:
    total = sum(result.score for result in results) or 1.0
    mean = sum(len(result.words) for result in results) / max(1, len(results)) or 1.0
    found: dict[str, float] = {}
    seen: Counter[str] = Counter()
    for result in results:
        norm = _K1 * (1 - _B + _B * len(result.words) / mean)
        share = result.score / total
        for word, count in Counter(result.words).items():
            found[word] = found.get(word, 0.0) + share * count * (_K1 + 1) / (count + norm)
            seen[word] += 1
    least = min(_LEAST_DOCUMENTS, len(results))
    common = [word for word, count in seen.items() if count >= least and found[word] > 0]
    telling = [word for word in common if len(word) > 1 and not word.isdigit()]
    telling.sort(key=lambda word: (-found[word], word))
    return {word: found[word] for word in telling[:_MOST_CANDIDATES]}


def rarity(frequency: int, records: int) -> float:
    """Return the weight of a word that so many records have: BM25's logarithm."""
    return math.log(1 + (records - frequency + 0.5) / (frequency + 0.5))
