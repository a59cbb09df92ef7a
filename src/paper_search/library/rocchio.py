"""Moves a question's vector towards relevant and away from irrelevant papers (Rocchio 1971)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RELEVANT = 0.75
"""Weight of the middle of the relevant records beside 1.0 for the question itself."""
IRRELEVANT = 0.15
"""Weight of the middle of the irrelevant; both are those of Manning et al. 2008, section 9.1.1."""


def moved(
    question: NDArray[np.float32], relevant: NDArray[np.float32], irrelevant: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the question of length 1 after it was moved; where it was if nothing is left of it.

    Args:
        question: a vector of length 1.
        relevant: a row for every record to move towards; none: there is none.
        irrelevant: the same for those to move away from.
    """
    import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

    made = question.astype(np.float32)
    for vectors, weight in ((relevant, RELEVANT), (irrelevant, -IRRELEVANT)):
        if len(vectors):
            made = made + np.float32(weight) * vectors.mean(axis=0)
    length = np.linalg.norm(made)
    return np.asarray(made / length, dtype=np.float32) if length else question
