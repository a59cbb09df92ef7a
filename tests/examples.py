"""How many examples a property is tried on: fewer where the slow tests are left out.

In CI the examples are always the same: there, a new one that fails would stop a change that has
nothing to do with it. Everywhere else they are drawn anew, and what fails is kept and tried first.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

THOROUGH, FAST = "thorough", "fast"
for name, most in ((THOROUGH, 100), (FAST, 15)):
    settings.register_profile(
        name,
        max_examples=most,
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        suppress_health_check=[HealthCheck.too_slow],  # on a busy machine everything is
    )


def times(most: int) -> int:
    """Return how many examples to try where a thorough run tries so many; five at least."""
    share = settings.default.max_examples / settings.get_profile(THOROUGH).max_examples
    return max(round(most * share), 5)


def examples(most: int, **others: Any) -> settings:
    """Return settings for at most so many examples; the fast profile takes 15 of 100.

    Args:
        most: examples in a thorough run.
        others: further settings of hypothesis.
    """
    more = others.pop("suppress_health_check", [])
    return settings(
        max_examples=times(most),
        suppress_health_check=[*settings.default.suppress_health_check, *more],
        **others,
    )
