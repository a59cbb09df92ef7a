"""Exact nearest-neighbour search, and its fusion with the ranking by words.

Imported only if vectors are used, because numpy is an extra.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import tantivy
    from numpy.typing import NDArray

LEVELS = 127
"""Components are stored as integers from -127 to 127, times the scale of the vector."""
RELEVANT = 0.75
"""Weight of the centroid of relevant records relative to the question."""
IRRELEVANT = 0.15
"""Weight of the irrelevant centroid; both as in Manning et al. 2008, section 9.1.1."""
_BLOCK = 1_024
"""Vectors that are converted to floats at once, to fit into the processor's cache."""


def encode(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise unit or zero vectors to one byte per component; return codes and scales."""
    scales = np.abs(vectors).max(axis=1) / LEVELS
    scales[scales == 0] = 1.0
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


class Matrix:
    """A snapshot of a library's vectors: ascending row numbers, codes and their scales."""

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
        """Return the rows nearest to a unit vector with their cosines, best first, then by row.

        `among`: rows to consider; None for all.
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
        """Return the vectors of the rows that have one, ordered by row."""
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
    """The nearest records of a question, a unit vector that relevance feedback moves."""

    depth = 300
    """Records that each ranking contributes; more add nothing."""

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
        """Consider only records that meet the condition, if there is one."""
        among: list[int] | None = None
        if condition is not None:
            hits = searcher.search(condition, limit=max(1, searcher.num_docs), count=False).hits
            addresses: Any = [address for _, address in hits]
            among = [int(row or 0) for row in searcher.fast_field_values("row", addresses)]
        self._near = self._matrix.nearest(self._question, self.depth, among)

    def merge(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return the records of both rankings, best first."""
        if self._near is None:
            self._near = self._matrix.nearest(self._question, self.depth)
        others = self._matrix.cosines(self._question, scores.keys() - self._near.keys())
        return fuse(scores, {**self._near, **others})


def fuse(words: Mapping[int, float], cosines: Mapping[int, float]) -> dict[int, float]:
    """Fuse both rankings into one score in 0..1, best first, then by row.

    Each side is scaled to 0..1 and weighted by one half. Word scores have a natural zero and are
    divided by the best; cosines have none, because all texts of a field are close to each other,
    and are scaled from the farthest (0) to the nearest (1) record. A record without a word of the
    question or without a vector gets 0 for that side.
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
    """Move the question towards relevant and away from irrelevant papers (Rocchio 1971).

    Question and result are unit vectors; a result of length zero is replaced by the question.
    """
    vector = question.astype(np.float32)
    for vectors, weight in ((relevant, RELEVANT), (irrelevant, -IRRELEVANT)):
        if len(vectors):
            vector = vector + np.float32(weight) * vectors.mean(axis=0)
    length = np.linalg.norm(vector)
    return np.asarray(vector / length, dtype=np.float32) if length else question
