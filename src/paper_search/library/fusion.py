"""Two rankings of the same records made into one: by words, and by nearness."""

from __future__ import annotations

from collections.abc import Mapping

NEARNESS = 0.5
"""What nearness counts, of 1.0; words count the rest: see decision 0074."""


def fused(
    words: Mapping[int, float], cosines: Mapping[int, float], *, nearness: float = NEARNESS
) -> dict[int, float]:
    """Return the records of both rankings with one score, best first, equal ones by row.

    Either score is divided by the best of its kind, so that the best record by words gets
    1 - `nearness` from them, and the nearest one gets `nearness`. A record that has no words of
    the question, or no vector, gets nothing from that side and keeps what it has from the other.

    Args:
        words: scores by words, not negative.
        cosines: cosines; those below zero count as zero.
        nearness: between 0, words alone, and 1, nearness alone.
    """
    of_words = (1 - nearness) / (max(words.values(), default=0.0) or 1.0)
    nearest = max(cosines.values(), default=0.0)
    of_cosines = nearness / nearest if nearest > 0 else 0.0
    made = {
        row: round(of_words * words.get(row, 0.0) + of_cosines * max(0.0, cosines.get(row, 0.0)), 6)
        for row in words.keys() | cosines.keys()
    }
    return {row: made[row] for row in sorted(made, key=lambda row: (-made[row], row))}
