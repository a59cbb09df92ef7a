"""What is near to one question, mixed into what its words find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from paper_search.library.fusion import fused
from paper_search.library.nearness import Nearness
from paper_search.query.ast import And, Near, Node, Or, Phrase, Term

if TYPE_CHECKING:
    import numpy as np
    import tantivy
    from numpy.typing import NDArray

DEPTH = 300
"""How many records either ranking brings in; no more of them are worth a place."""
READ = 5
"""First results whose vectors the question is moved towards."""
MOVED = 0.4
"""How far: 0 leaves it where it is, 1 puts it in their middle."""
_MOST_LISTED = 30_000
"""Records that meet a condition and are compared one by one; of more, the nearest are sought."""
_MOST_SOUGHT = 20_000
_SPARE = 1.5


class Neighbourhood:
    """One question's place among the vectors of a library."""

    def __init__(self, nearness: Nearness, question: NDArray[np.float32]) -> None:
        self._nearness = nearness
        self._question = question
        self._among: Sequence[int] | None = None
        self._near: dict[int, float] | None = None

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

    def mixed(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return the records of both rankings, best first.

        Args:
            scores: by words, by row.
        """
        if self._near is None:
            # Sieved once: the question moves little.
            self._among = self._nearness.candidates(self._question, DEPTH, self._among)
            self._near = self._nearness.nearest(self._question, DEPTH, self._among)
        return self._mixed(scores, self._question, self._near)

    def mixed_again(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Return the same after moving the question towards the first of them (Rocchio)."""
        first = self.mixed(scores)
        mean = self._nearness.mean(dict(islice(first.items(), READ)))
        if mean is None:
            return first
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        moved = (1 - MOVED) * self._question + MOVED * mean
        length = np.linalg.norm(moved)
        if not length:
            return first
        question = np.asarray(moved / length, dtype=np.float32)
        near = self._nearness.nearest(question, DEPTH, self._among)
        return self._mixed(scores, question, near)

    def _mixed(
        self,
        scores: Mapping[int, float],
        question: NDArray[np.float32],
        near: Mapping[int, float],
    ) -> dict[int, float]:
        others = self._nearness.cosines(question, scores.keys() - near.keys())
        return fused(scores, {**near, **others})


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
