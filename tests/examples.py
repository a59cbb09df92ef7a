"""How many examples a property is tried on: fewer where the slow tests are left out."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

THOROUGH, FAST = "thorough", "fast"
settings.register_profile(THOROUGH, max_examples=100, deadline=None)
settings.register_profile(FAST, max_examples=15, deadline=None)


def examples(most: int, **others: Any) -> settings:
    """Return settings for at most so many examples; the fast profile takes 15 of 100.

    Args:
        most: examples in a thorough run.
        others: further settings of hypothesis.
    """
    share = settings.default.max_examples / settings.get_profile(THOROUGH).max_examples
    return settings(max_examples=max(round(most * share), 5), deadline=None, **others)
