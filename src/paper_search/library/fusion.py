"""Fuses two rankings of the same records: by words and by vectors."""

from __future__ import annotations

from collections.abc import Mapping


def fused(words: Mapping[int, float], cosines: Mapping[int, float]) -> dict[int, float]:
    """Return the records of both rankings with one score in 0..1, best first, equal ones by row.

    Both sides are brought to 0..1 and count half. A score by words has a zero of its own, no word
    of the question, so it is divided by the best. A cosine has none, as models put all texts of a
    field close together: the farthest of the records gets 0 and the nearest 1. A record that has
    no words of the question, or no vector, gets 0 from that side.

    Args:
        words: scores by words, not negative.
        cosines: cosines with the question.
    """
    best = max(words.values(), default=0.0) or 1.0
    least, most = min(cosines.values(), default=0.0), max(cosines.values(), default=0.0)
    width = most - least or 1.0
    made = {
        row: round((words.get(row, 0.0) / best + (cosines.get(row, least) - least) / width) / 2, 6)
        for row in words.keys() | cosines.keys()
    }
    return {row: made[row] for row in sorted(made, key=lambda row: (-made[row], row))}
