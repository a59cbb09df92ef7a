"""When judging more papers is not worth its price."""

from __future__ import annotations

from collections.abc import Sequence

ALWAYS_JUDGED = 100
"""Papers that are judged whatever comes of it: those that a result shows first."""
BARREN = 30
"""Papers in a row without a relevant one after which no more are judged."""
RELEVANT = 0.5
"""The score from which on a paper counts as relevant here."""


def is_enough(scores: Sequence[float]) -> bool:
    """Return whether the next papers, which rank lower, can be expected to hold nothing."""
    return len(scores) >= ALWAYS_JUDGED and max(scores[-BARREN:]) < RELEVANT
