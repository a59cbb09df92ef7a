"""Mixes the records nearest to a question into the results by words, and learns from decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paper_search.library.nearness import Nearness
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
_MOST_LISTED = 30_000
"""Records that meet a condition and are compared one by one; of more, the nearest are sought."""
_MOST_SOUGHT = 20_000
_SPARE = 1.5


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
        self._question = question
        self._among: Sequence[int] | None = None
        self._near: dict[int, float] | None = None
        self._is_marked = bool(relevant or irrelevant)
        if self._is_marked:
            self._move(relevant, irrelevant)

    def limit_to(
        self, searcher: tantivy.Searcher, condition: tantivy.Query | None, schema: tantivy.Schema
    ) -> None:
        """Let only records count that meet the condition; None: all do.

        Where a great many meet it, only those count of them that are nearest to the question.
        """
        self._among, self._near = None, None
        if condition is None:
            return
        result: Any = searcher.search(condition, limit=_MOST_LISTED, count=True)
        if result.count > len(result.hits):
            import tantivy  # noqa: PLC0415  # heavy: only when something is searched

            share = result.count / max(1, searcher.num_docs)
            wanted = min(_MOST_SOUGHT, int(_SPARE * DEPTH / share))
            near = list(self._nearness.nearest(self._question, wanted))
            is_near = tantivy.Query.term_set_query(schema, "row", near)
            must = tantivy.Occur.Must
            both = tantivy.Query.boolean_query([(must, condition), (must, is_near)])
            result = searcher.search(both, limit=max(1, len(near)))
        addresses = [address for _, address in result.hits]
        self._among = [int(row or 0) for row in searcher.fast_field_values("row", addresses)]

    def follow(self, first: Sequence[int]) -> None:
        """Move the question towards the first results, unless a person has moved it."""
        if not self._is_marked:
            self._move(first)

    def mixed(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return the records of both rankings, best first.

        Args:
            scores: by words, by row.
        """
        if self._near is None:
            self._near = self._nearness.nearest(self._question, DEPTH, self._among)
        others = self._nearness.cosines(self._question, scores.keys() - self._near.keys())
        return fused(scores, {**self._near, **others})

    def _move(self, relevant: Sequence[int], irrelevant: Sequence[int] = ()) -> None:
        vectors = self._nearness.vectors
        self._question = moved(self._question, vectors(relevant), vectors(irrelevant))
        self._near = None


def said(tree: Node) -> str:
    """Return the words that a boolean query asks for, without what it does not want."""
    match tree:
        case Term(text):
            return text
        case Phrase(given):
            return " ".join(given).replace("*", "")
        case And(children) | Or(children):
            return " ".join(filter(None, map(said, children)))
        case Near(left, right):
            return f"{said(left)} {said(right)}"
        case _:
            return ""


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


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
