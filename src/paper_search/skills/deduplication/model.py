"""The log-odds that two records are one work, from their levels of agreement.

The weights are those of a logistic regression over the levels of `comparison`; how they were
fitted and checked is told in docs/decisions/0014-deduplication.md.
"""

from __future__ import annotations

from math import exp

from paper_search.skills.deduplication.comparison import FIELDS, Comparison
from paper_search.skills.deduplication.weights import INTERCEPT, WEIGHTS

_TABLES = tuple(dict(WEIGHTS.get(field, {})) for field in FIELDS)


def log_odds(levels: Comparison) -> float:
    """Return the log-odds that two records are one work, before any conflict is looked at."""
    total = INTERCEPT
    for table, level in zip(_TABLES, levels, strict=False):  # the measures behind have no weight
        total += table.get(str(level), 0.0)
    return total


def probability(odds: float) -> float:
    """Return the probability of natural log-odds, 0 to 1."""
    return 1 / (1 + exp(-odds)) if odds > -500 else 0.0  # noqa: PLR2004  # exp overflows beyond 709
