"""The score of a paper, computed from its grades."""

from __future__ import annotations

from collections.abc import Sequence

from paper_search.models import CriterionKind, Grade
from paper_search.models.criteria import HIGHEST_GRADE

_PENALTY = {1: 0.5, 2: 0.75, 3: 1.0}
"""Share of the score that a criterion for exclusion takes away where it is fully met, by weight."""


def score_of(grades: Sequence[Grade]) -> float:
    """Return the score in [0, 1]: the weighted mean of the inclusions, less what is excluded.

    Of no inclusions the mean is 1.
    """
    met, whole, kept = 0.0, 0.0, 1.0
    for given in grades:
        share, weight = given.grade / HIGHEST_GRADE, given.criterion.weight
        if given.criterion.kind is CriterionKind.EXCLUSION:
            kept *= 1 - _PENALTY[weight] * share
        else:
            met += weight * share
            whole += weight
    return round(kept * (met / whole if whole else 1.0), 4)
