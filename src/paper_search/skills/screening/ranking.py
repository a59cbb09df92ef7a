"""Orders papers by learning from labels, with sparse rows of tf-idf."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import add, mul

from paper_search.skills.words import is_unspaced, tokens

_WORD = re.compile(r"[^\W_]{2,}")
_LONGEST = 20_000
"""Characters read of a text; a longer one is a whole paper, whose words are less specific."""
_TOO_COMMON = 0.95
"""A term in more than this share of the texts is ignored."""
_PAIR = 1 << 32
"""The key of a pair of words is the number of one times this, plus the number of the other."""


@dataclass(frozen=True)
class Row:
    terms: array[int]
    values: array[float]
    norm: float
    """Squared length, unshared terms included: 1, or 0 for a text without words."""


@dataclass(frozen=True)
class TermMatrix:
    rows: list[Row]
    width: int

    @classmethod
    def of(cls, texts: Sequence[tuple[str, str | None]]) -> TermMatrix:
        """Return the rows of titles and abstracts.

        Values are 1 + log tf times smoothed idf, scaled to length 1 (the tf-idf of screening tools:
        Ferdinands et al. 2023, doi:10.1186/s13643-023-02257-7). The title counts twice. Stop words
        are kept, since "versus", "randomised" and "among" distinguish trials from case reports. A
        term of only one text just adds to that text's length.
        """
        terms: defaultdict[str | int, int] = defaultdict(count().__next__)
        counts = [_count_terms(title, abstract, terms.__getitem__) for title, abstract in texts]
        scale = _Scale.of(counts, len(terms))
        return cls([scale.row(term_counts) for term_counts in counts], scale.width)


# A few thousand texts have millions of terms, so the loops over terms use `map`.
def _count_terms(
    title: str, abstract: str | None, number_of: Callable[[str | int], int]
) -> Counter[int]:
    heading = list(map(number_of, _words(title[:_LONGEST])))
    body = list(map(number_of, _words((abstract or "")[:_LONGEST])))
    term_counts = Counter(heading * 2)
    term_counts.update(list(map(number_of, _pairs(heading))) * 2)
    term_counts.update(body)
    term_counts.update(map(number_of, _pairs(body)))
    return term_counts


def _pairs(words: Sequence[int]) -> Iterator[int]:
    return map(add, map(_PAIR.__mul__, words), words[1:])


def _words(text: str) -> list[str]:
    if not text.isascii() and is_unspaced(text):
        return tokens(text)
    return _WORD.findall(text.casefold())


@dataclass(frozen=True)
class _Scale:
    """Weights of terms.

    Attributes:
        places: by term, its index in `weights`; 0 if only one text has it.
        weights: the weight of terms of one text, then those of shared terms.
        heights: 1 + log(count) by count.
    """

    places: list[int]
    weights: list[float]
    heights: dict[int, float]

    @property
    def width(self) -> int:
        return len(self.weights) - 1

    @classmethod
    def of(cls, counts: Sequence[Counter[int]], terms: int) -> _Scale:
        frequency: Counter[int] = Counter()
        heights: set[int] = set()
        for term_counts in counts:
            frequency.update(term_counts.keys())
            heights.update(term_counts.values())
        total = len(counts)
        most = max(2.0, _TOO_COMMON * total)
        rarity = {
            n: math.log((1 + total) / (1 + n)) + 1 if n <= most else 0.0
            for n in {1, *frequency.values()}
        }
        places, weights = [0] * terms, [rarity[1]]
        for term, n in frequency.items():
            if n > 1:
                places[term] = len(weights)
                weights.append(rarity[n])
        return cls(places, weights, {height: 1.0 + math.log(height) for height in heights})

    def row(self, counts: Counter[int]) -> Row:
        places = list(map(self.places.__getitem__, counts))
        heights = map(self.heights.__getitem__, counts.values())
        values = list(map(mul, heights, map(self.weights.__getitem__, places)))
        squared = sum(map(mul, values, values))
        scale = 1.0 / math.sqrt(squared) if squared else 1.0
        return Row(
            array("i", map((-1).__add__, filter(None, places))),
            array("d", map(scale.__mul__, compress(values, places))),
            1.0 if squared else 0.0,
        )


_COST = 0.11
"""Cost of an error (C), as in ASReview's ELAS u4, which was tuned on the SYNERGY reviews."""
_ENOUGH = 0.01
"""Training ends when no example's share changes by more, relative to the largest."""
_MOST_UPDATES = 10_000
"""Updates of single examples, which bound the training time."""
_SMOOTHING = 1.0
_RATIO = 9.8
"""Total weight of relevant relative to irrelevant marks, as in ASReview's ELAS u4: missing a
relevant paper is worse than reading an irrelevant one."""
_MARGIN = 2 / 3
"""Weight of the support vector machine; the rest is naive Bayes."""
_PRIOR = 0.25
"""Weight of the papers' scores relative to what is learned, both in standard deviations."""
_HALF_LIFE = 50
"""Number of marks that halves the extra initial weight of the scores."""
_NEGATIVE_ONLY_WEIGHT = 0.1
"""Weight of what is learned while nothing is marked relevant; it then decides near ties only."""
_SAMPLE = 1_000
"""Least number of rows, if available, from which a standard deviation is estimated."""
_REST = 50
"""Unmarked papers that replace a class without marks."""


@dataclass(frozen=True)
class Mixture:
    """Weights of the parts of an order, chosen by leaving reviews out (decision 0016).

    Attributes:
        margin: from 0, naive Bayes only, to 1, support vector machine only.
        prior: weight of the scores after very many marks; it starts at twice that.
    """

    margin: float = _MARGIN
    prior: float = _PRIOR


class Ranker:
    """Orders texts by learning from marks on some of them."""

    def __init__(
        self, texts: Sequence[tuple[str, str | None]], mixture: Mixture | None = None
    ) -> None:
        self._matrix = TermMatrix.of(texts)
        self._mixture = mixture or Mixture()

    def order(self, marks: Mapping[int, bool], scores: Sequence[float]) -> list[int]:
        """Return the numbers of the scored texts, the most probably relevant first.

        `marks` tells whether texts are relevant. Until one is, the scores decide, and similarity to
        irrelevant texts only breaks near ties. The scores are those of the first texts, in units of
        their standard deviation; for a ranked list, pass reciprocal ranks, 1 / (20 + rank).
        """
        predictions = self._predictions(marks)
        if predictions is None:
            return sorted(range(len(scores)), key=lambda number: -scores[number])
        mean, spread = _moments(scores)
        weight = 1.0 if any(marks.values()) else _NEGATIVE_ONLY_WEIGHT
        share = self._mixture.prior * (1.0 + _HALF_LIFE / (_HALF_LIFE + len(marks))) / spread
        sums = [
            weight * value + share * (score - mean)
            for value, score in zip(predictions, scores, strict=False)
        ]
        return sorted(range(len(sums)), key=lambda number: -sums[number])

    def _predictions(self, marks: Mapping[int, bool]) -> list[float] | None:
        """Return the relevance of every text, the weighted mean of both scaled classifiers.

        Unmarked texts replace a class without marks. None if there is nothing to learn.
        """
        if not marks or not self._matrix.width:
            return None
        rest = self._spread(marks)
        relevant = [number for number, mark in marks.items() if mark] or rest
        irrelevant = [number for number, mark in marks.items() if not mark] or rest
        if not relevant or not irrelevant:
            return None
        examples = [*relevant, *irrelevant]
        labels = [True] * len(relevant) + [False] * len(irrelevant)
        weights = _balance(labels)
        widest = widest_plane(self._matrix, examples, labels, weights)
        likeliest = likeliest_plane(self._matrix, examples, labels, weights)
        margin = self._mixture.margin / self._unit(widest)
        odds = (1.0 - self._mixture.margin) / self._unit(likeliest)
        plane = [margin * a + odds * b for a, b in zip(widest, likeliest, strict=True)]
        return values(self._matrix.rows, plane)

    def _unit(self, plane: list[float]) -> float:
        """Estimate the standard deviation of a plane's values from a sample of rows."""
        rows = self._matrix.rows
        return _moments(values(rows[:: max(1, len(rows) // _SAMPLE)], plane))[1]

    def _spread(self, marks: Mapping[int, bool]) -> list[int]:
        rest = [number for number in range(len(self._matrix.rows)) if number not in marks]
        step = max(1, len(rest) // _REST)
        return rest[::step][:_REST]


def _balance(labels: Sequence[bool]) -> list[float]:
    """Return weights of mean 1; relevant ones weigh `_RATIO` times as much in total."""
    yes = sum(labels)
    light = yes / (_RATIO * (len(labels) - yes))
    weights = [1.0 if is_relevant else light for is_relevant in labels]
    mean = sum(weights) / len(weights)
    return [weight / mean for weight in weights]


def _moments(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return mean, spread or 1.0


def values(rows: Iterable[Row], plane: list[float]) -> list[float]:
    return [_dot(plane, row) for row in rows]


def widest_plane(
    matrix: TermMatrix, examples: Sequence[int], labels: Sequence[bool], weights: Sequence[float]
) -> list[float]:
    """Train a linear support vector machine with squared hinge loss by dual coordinate descent.

    The algorithm (Hsieh et al. 2008, doi:10.1145/1390156.1390208) is deterministic here.
    """
    plane = [0.0] * (matrix.width + 1)
    shares = [0.0] * len(examples)
    rows = [matrix.rows[number] for number in examples]
    signs = [1.0 if is_relevant else -1.0 for is_relevant in labels]
    slack = [1.0 / (2.0 * _COST * max(weight, 1e-9)) for weight in weights]
    private = [row.norm - sum(map(mul, row.values, row.values)) for row in rows]
    updates, active, largest_share = _MOST_UPDATES, list(range(len(rows))), 0.0
    while updates > 0:
        updates -= len(active)
        steps = []
        for i in active:
            row = rows[i]
            # Terms of only this example are on an axis of their own, where the plane is its share.
            gradient = signs[i] * _dot(plane, row) - 1.0 + (slack[i] + private[i]) * shares[i]
            new = max(0.0, shares[i] - gradient / (row.norm + 1.0 + slack[i]))
            steps.append(abs(new - shares[i]))
            if new != shares[i]:
                _add(plane, row, signs[i] * (new - shares[i]))
                shares[i] = new
        largest_share = max(largest_share, *(shares[i] for i in active))
        moving = [
            i for i, step in zip(active, steps, strict=True) if step > _ENOUGH * largest_share
        ]
        if not moving and len(active) == len(rows):
            break
        active = (moving or list(range(len(rows))))[: max(0, updates)]
    return plane


def likeliest_plane(
    matrix: TermMatrix, examples: Sequence[int], labels: Sequence[bool], weights: Sequence[float]
) -> list[float]:
    """Return the log odds of every term by multinomial naive Bayes on tf-idf (Rennie et al. 2003).

    Constants are omitted, and so is the normalisation of each class by its total, which would
    favour short texts.
    """
    sums = {True: [0.0] * (matrix.width + 1), False: [0.0] * (matrix.width + 1)}
    for number, is_wanted, weight in zip(examples, labels, weights, strict=True):
        _add(sums[is_wanted], matrix.rows[number], weight)
    plane = [
        math.log((yes + _SMOOTHING) / (no + _SMOOTHING)) if yes or no else 0.0
        for yes, no in zip(sums[True], sums[False], strict=True)
    ]
    plane[-1] = 0.0
    return plane


def _dot(plane: list[float], row: Row) -> float:
    product: float = sum(map(mul, map(plane.__getitem__, row.terms), row.values))
    return product + plane[-1]


def _add(plane: list[float], row: Row, factor: float) -> None:
    for term, value in zip(row.terms, row.values, strict=True):
        plane[term] += factor * value
    plane[-1] += factor
