"""How good an order of labelled papers is."""

from __future__ import annotations

import math
from collections.abc import Sequence

DEPTH = 10
"""Papers that nDCG looks at."""


def ndcg(is_relevant: Sequence[bool], relevant: int, depth: int = DEPTH) -> float:
    """Return the normalised discounted cumulative gain of an order, from 0 to 1.

    Järvelin and Kekäläinen 2002, with gains of 0 and 1.

    Args:
        is_relevant: the labels, in the order of the papers.
        relevant: how many relevant papers there are, also outside of the order.
        depth: papers that are looked at.
    """
    gain = sum(_discounted(place) for place, hit in enumerate(is_relevant[:depth]) if hit)
    best = sum(_discounted(place) for place in range(min(relevant, depth)))
    return gain / best if best else 0.0


def share(part: int, whole: int) -> float | None:
    """Return a share; None: there is nothing to have a share of."""
    return part / whole if whole else None


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of those that are known; None: none is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _discounted(place: int) -> float:
    return 1 / math.log2(place + 2)
