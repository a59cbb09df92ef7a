"""The log-odds that two records are one work, from their levels of agreement.

The weights are those of a logistic regression over the levels of `comparison`; how they were
fitted and checked is told in docs/decisions/0014-deduplication.md.
"""

from __future__ import annotations

from math import exp

from paper_search.skills.deduplication.comparison import FIELDS, Comparison

INTERCEPT = -5.05

WEIGHTS = {
    "title": {"identical": 1.16, "near": 0.94, "close": 0.32, "similar": -0.19, "missing": -0.29,
        "weak": -0.7, "different": -1.24},
    "difference": {"none": 0.88, "added": 0.79, "spelling": 0.79, "opposed": -1.22,
        "replaced": -1.22},
    "title_length": {"short": 1.48, "middle": 0.78, "long": 0.64, "tiny": 0.15, "word": -0.22,
        "generic": -2.82},
    "numerals": {"same": 0.51, "one": 0.15, "different": -0.67},
    "role": {"same": 0.31, "different": -0.31},
    "authors": {"one name": 1.33, "all": 0.87, "missing": 0.41, "most": 0.07, "some": 0.07,
        "two names": 0.07, "few": -0.36, "both missing": -0.84, "none": -1.61},
    "first_author": {"same": 0.51, "missing": -0.17, "different": -0.34},
    "year": {"same": 1.75, "missing": 1.05, "both missing": 0.52, "off in one volume": 0.4,
        "far": -1.24, "near": -1.24, "next": -1.24},
    "venue": {"same": 0.94, "missing": 0.21, "partly": -0.26, "different": -0.9},
    "kind": {"conference": 1.38, "journal-report": 0.09, "report": -0.12, "journal": -0.14,
        "unknown": -0.32, "conference-report": -0.33, "conference-journal": -0.56},
    "volume": {"missing": 0.86, "same": 0.75, "different": -1.61},
    "pages": {"same": 1.31, "first": -0.15, "last": -0.15, "missing": -0.23, "different": -0.79},
    "place": {"same issue": 0.74, "same page": 0.74, "unknown": 0.41, "same volume": 0.17,
        "other volume": -0.25, "other page": -0.54, "other issue": -1.26},
    "doi": {"same": 0.65, "missing": 0.53, "elsewhere": -0.43, "different": -0.75},
    "abstract": {"identical": 1.43, "same": 1.43, "missing": 0.62, "near": -0.35, "related": -0.35,
        "similar": -0.35, "different": -1.01},
}  # fmt: skip

_TABLES = tuple(WEIGHTS.get(field, {}) for field in FIELDS)


def log_odds(levels: Comparison) -> float:
    """Return the log-odds that two records are one work, before any conflict is looked at."""
    total = INTERCEPT
    for table, level in zip(_TABLES, levels, strict=False):  # the measures behind have no weight
        total += table.get(str(level), 0.0)
    return total


def probability(odds: float) -> float:
    """Return the probability of natural log-odds, 0 to 1."""
    return 1 / (1 + exp(-odds)) if odds > -500 else 0.0  # noqa: PLR2004  # exp overflows beyond 709
