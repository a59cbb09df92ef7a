"""How many examples a property is tried on: fewer where the slow tests are left out.

In CI the examples are always the same, and half as many: there, a new one that fails would stop a
change that has nothing to do with it, and the same ones find nothing new. Everywhere else they are
drawn anew, and what fails is kept and tried first.
"""

import os
from typing import Any

from hypothesis import HealthCheck, settings

THOROUGH, FAST = "thorough", "fast"
MOST = 100
"""Where a property does not say how many."""
IS_CI = bool(os.environ.get("CI"))
for name, most in ((THOROUGH, MOST // 2 if IS_CI else MOST), (FAST, 15)):
    settings.register_profile(
        name,
        max_examples=most,
        deadline=None,
        derandomize=IS_CI,
        suppress_health_check=[HealthCheck.too_slow],  # on a busy machine everything is
    )


def times(most: int) -> int:
    """Return how many examples to try where a thorough run tries so many; five at least."""
    return max(round(most * settings.default.max_examples / MOST), 5)


def examples(most: int, **others: Any) -> settings:
    """Return settings for at most so many examples; CI takes 50 of 100, the fast profile 15.

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
