"""Two small linear classifiers over sparse rows, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import mul

from paper_search.skills.screening.terms import Row, TermMatrix

_COST = 0.11
"""Of an error, per example: that of ASReview's ELAS u4, tuned on the SYNERGY reviews."""
_ENOUGH = 0.01
"""Training ends when no example's share changes by more, relative to the largest."""
_MOST_UPDATES = 10_000
"""Of single examples: bounds the time of a training."""
_SMOOTHING = 1.0


def values(rows: Iterable[Row], plane: list[float]) -> list[float]:
    """Return how far each row is above a plane."""
    return [_dot(plane, row) for row in rows]


def widest_plane(
    matrix: TermMatrix, examples: Sequence[int], wanted: Sequence[bool], weights: Sequence[float]
) -> list[float]:
    """Return the plane with the widest margin between wanted and unwanted.

    A linear support vector machine with squared hinge loss, by dual coordinate descent (Hsieh et
    al. 2008, doi:10.1145/1390156.1390208). The same input gives the same output, always.

    Args:
        matrix: all rows.
        examples: numbers of the rows to learn from.
        wanted: of each example.
        weights: of each example; their mean should be 1.
    """
    plane = [0.0] * (matrix.width + 1)
    shares = [0.0] * len(examples)
    rows = [matrix.rows[number] for number in examples]
    signs = [1.0 if is_relevant else -1.0 for is_relevant in wanted]
    slack = [1.0 / (2.0 * _COST * max(weight, 1e-9)) for weight in weights]
    private = [row.norm - sum(map(mul, row.values, row.values)) for row in rows]
    left, active, largest_share = _MOST_UPDATES, list(range(len(rows))), 0.0
    while left > 0:
        left -= len(active)
        steps = []
        for i in active:
            row = rows[i]
            # What is private to an example is along its own axis, where the plane is its share.
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
        active = (moving or list(range(len(rows))))[: max(0, left)]
    return plane


def likeliest_plane(
    matrix: TermMatrix, examples: Sequence[int], wanted: Sequence[bool], weights: Sequence[float]
) -> list[float]:
    """Return the log odds of every term by multinomial naive Bayes on tf-idf (Rennie et al. 2003).

    Up to what is the same for all rows, and without the terms' share of all text: a text is not
    the more wanted for being short.

    Args:
        matrix: all rows.
        examples: numbers of the rows to learn from.
        wanted: of each example.
        weights: of each example; their mean should be 1.
    """
    sums = {True: [0.0] * (matrix.width + 1), False: [0.0] * (matrix.width + 1)}
    for number, is_wanted, weight in zip(examples, wanted, weights, strict=True):
        _add(sums[is_wanted], matrix.rows[number], weight)
    plane = [
        math.log((yes + _SMOOTHING) / (no + _SMOOTHING)) if yes or no else 0.0
        for yes, no in zip(sums[True], sums[False], strict=True)
    ]
    plane[-1] = 0.0
    return plane


def _dot(plane: list[float], row: Row) -> float:
    """Return the product with a row, whose last, constant term is 1."""
    product: float = sum(map(mul, map(plane.__getitem__, row.terms), row.values))
    return product + plane[-1]


def _add(plane: list[float], row: Row, factor: float) -> None:
    for term, value in zip(row.terms, row.values, strict=True):
        plane[term] += factor * value
    plane[-1] += factor
