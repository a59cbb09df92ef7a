"""One exact search among the vectors of a library, and how it joins the ranking by words.

Imported only where vectors are used: numpy is an extra.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import tantivy
    from numpy.typing import NDArray

LEVELS = 127
"""A number is kept as a whole one from -127 to 127, times the scale of its vector."""
RELEVANT = 0.75
"""Weight of the middle of the relevant records beside 1.0 for the question itself."""
IRRELEVANT = 0.15
"""Weight of the middle of the irrelevant; both are those of Manning et al. 2008, section 9.1.1."""
_BLOCK = 1_024
"""Vectors that are turned into floats at once: what the processor's cache holds."""


def encode(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return vectors of length 1, or 0, in a byte a number, and the scale of each."""
    scales = np.abs(vectors).max(axis=1) / LEVELS
    scales[scales == 0] = 1.0
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


class Matrix:
    """The vectors of a library as they were at one moment.

    Rows are ascending and have a line of codes each, which its scale multiplies.
    """

    def __init__(
        self, rows: NDArray[np.int64], codes: NDArray[np.int8], scales: NDArray[np.float32]
    ) -> None:
        self._rows, self._codes, self._scales = rows, codes, scales

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def dimension(self) -> int:
        return int(self._codes.shape[1])

    def nearest(
        self, question: NDArray[np.float32], limit: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Return the rows nearest to a vector of length 1, with cosines, best first, then by row.

        `among`: the only rows that count; None if all do.
        """
        places = np.arange(len(self)) if among is None else self._places(among)
        cosines = self._cosines(question, None if among is None else places)
        if len(cosines) > limit:
            best = np.argpartition(-cosines, max(limit - 1, 0))[:limit]
            places, cosines = places[best], cosines[best]
        order = np.lexsort((places, -cosines))
        return dict(zip(self._rows[places[order]].tolist(), cosines[order].tolist(), strict=True))

    def cosines(self, question: NDArray[np.float32], rows: Collection[int]) -> dict[int, float]:
        places = self._places(rows)
        values = self._cosines(question, places)
        return dict(zip(self._rows[places].tolist(), values.tolist(), strict=True))

    def vectors(self, rows: Collection[int]) -> NDArray[np.float32]:
        """Return the vectors of those of the rows that have one, each once, in order of rows."""
        places = self._places(rows)
        return self._codes[places].astype(np.float32) * self._scales[places, None]

    def _places(self, rows: Collection[int]) -> NDArray[np.intp]:
        return np.flatnonzero(np.isin(self._rows, np.fromiter(rows, np.int64, len(rows))))

    def _cosines(
        self, question: NDArray[np.float32], places: NDArray[np.intp] | None
    ) -> NDArray[np.float32]:
        count = len(self) if places is None else len(places)
        result = np.empty(count, dtype=np.float32)
        room = np.empty((_BLOCK, self._codes.shape[1]), dtype=np.float32)
        for start in range(0, count, _BLOCK):
            stop = min(start + _BLOCK, count)
            part = room[: stop - start]
            selection = slice(start, stop) if places is None else places[start:stop]
            part[...] = self._codes[selection]
            np.matmul(part, question, out=result[start:stop])
        result *= self._scales if places is None else self._scales[places]
        return result


class Neighbourhood:
    """One question among the vectors of a library.

    The question, of length 1, is moved towards the rows of relevant records, and away from those of
    irrelevant ones.
    """

    depth = 300
    """How many records either ranking brings in; more of them add nothing."""

    def __init__(
        self,
        matrix: Matrix,
        question: NDArray[np.float32],
        *,
        relevant: Sequence[int] = (),
        irrelevant: Sequence[int] = (),
    ) -> None:
        self._matrix = matrix
        self._question = move_question(
            question, matrix.vectors(relevant), matrix.vectors(irrelevant)
        )
        self._near: dict[int, float] | None = None

    def limit_to(self, searcher: tantivy.Searcher, condition: tantivy.Query | None) -> None:
        """Let only records count that meet the condition; None if all do."""
        among: list[int] | None = None
        if condition is not None:
            hits = searcher.search(condition, limit=max(1, searcher.num_docs), count=False).hits
            addresses: Any = [address for _, address in hits]
            among = [int(row or 0) for row in searcher.fast_field_values("row", addresses)]
        self._near = self._matrix.nearest(self._question, self.depth, among)

    def mixed(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return the records of both rankings, best first."""
        if self._near is None:
            self._near = self._matrix.nearest(self._question, self.depth)
        others = self._matrix.cosines(self._question, scores.keys() - self._near.keys())
        return fused(scores, {**self._near, **others})


def fused(words: Mapping[int, float], cosines: Mapping[int, float]) -> dict[int, float]:
    """Return the records of both rankings with one score in 0..1, best first, equal ones by row.

    Both sides are brought to 0..1 and count half. A score by words has a zero of its own, no word
    of the question, so it is divided by the best. A cosine has none, as models put all texts of a
    field close together: the farthest of the records gets 0 and the nearest 1. A record that has
    no words of the question, or no vector, gets 0 from that side.
    """
    best = max(words.values(), default=0.0) or 1.0
    least, most = min(cosines.values(), default=0.0), max(cosines.values(), default=0.0)
    width = most - least or 1.0
    scores = {
        row: round((words.get(row, 0.0) / best + (cosines.get(row, least) - least) / width) / 2, 6)
        for row in words.keys() | cosines.keys()
    }
    return {row: scores[row] for row in sorted(scores, key=lambda row: (-scores[row], row))}


def move_question(
    question: NDArray[np.float32], relevant: NDArray[np.float32], irrelevant: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the question, moved towards relevant and away from irrelevant papers (Rocchio 1971).

    Both question and result have length 1; a question of which nothing is left stays as it was.
    """
    vector = question.astype(np.float32)
    for vectors, weight in ((relevant, RELEVANT), (irrelevant, -IRRELEVANT)):
        if len(vectors):
            vector = vector + np.float32(weight) * vectors.mean(axis=0)
    length = np.linalg.norm(vector)
    return np.asarray(vector / length, dtype=np.float32) if length else question
