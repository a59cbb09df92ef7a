"""Mixes the records nearest to a question into the results by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paper_search.library.vectors import Nearness
from paper_search.query.ast import And, Near, Node, Or, Phrase, Term

if TYPE_CHECKING:
    import numpy as np
    import tantivy
    from numpy.typing import NDArray

RELEVANT = 0.75
"""Weight of the middle of the relevant records beside 1.0 for the question itself."""
IRRELEVANT = 0.15
"""Weight of the middle of the irrelevant; both are those of Manning et al. 2008, section 9.1.1."""
DEPTH = 300
"""How many records either ranking brings in; more of them add nothing."""


class Neighbourhood:
    """One question among the vectors of a library.

    Args:
        nearness: the vectors.
        question: the vector of the question, of length 1.
        relevant: rows of records that a person marked so: the question is moved towards them.
        irrelevant: rows of records to move it away from.
    """

    def __init__(
        self,
        nearness: Nearness,
        question: NDArray[np.float32],
        *,
        relevant: Sequence[int] = (),
        irrelevant: Sequence[int] = (),
    ) -> None:
        self._nearness = nearness
        self._question = moved(question, nearness.vectors(relevant), nearness.vectors(irrelevant))
        self._near: dict[int, float] | None = None

    def limit_to(self, searcher: tantivy.Searcher, condition: tantivy.Query | None) -> None:
        """Let only records count that meet the condition; None: all do."""
        among: list[int] | None = None
        if condition is not None:
            hits = searcher.search(condition, limit=max(1, searcher.num_docs), count=False).hits
            addresses: Any = [address for _, address in hits]
            among = [int(row or 0) for row in searcher.fast_field_values("row", addresses)]
        self._near = self._nearness.nearest(self._question, DEPTH, among)

    def mixed(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return the records of both rankings, best first."""
        if self._near is None:
            self._near = self._nearness.nearest(self._question, DEPTH)
        others = self._nearness.cosines(self._question, scores.keys() - self._near.keys())
        return fused(scores, {**self._near, **others})


def words_of(tree: Node) -> str:
    """Return the words that a boolean query asks for, without what it does not want."""
    match tree:
        case Term(text):
            return text
        case Phrase(words):
            return " ".join(words).replace("*", "")
        case And(children) | Or(children):
            return " ".join(filter(None, map(words_of, children)))
        case Near(left, right):
            return f"{words_of(left)} {words_of(right)}"
        case _:
            return ""


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
    made = {
        row: round((words.get(row, 0.0) / best + (cosines.get(row, least) - least) / width) / 2, 6)
        for row in words.keys() | cosines.keys()
    }
    return {row: made[row] for row in sorted(made, key=lambda row: (-made[row], row))}


def moved(
    question: NDArray[np.float32], relevant: NDArray[np.float32], irrelevant: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the question, moved towards relevant and away from irrelevant papers (Rocchio 1971).

    The result has length 1; a question of which nothing is left stays as it was.

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
