"""Mixes the records nearest to a question into the results by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paper_search.library.fusion import fused
from paper_search.library.nearness import Nearness
from paper_search.library.rocchio import moved
from paper_search.query.ast import And, Near, Node, Or, Phrase, Term

if TYPE_CHECKING:
    import numpy as np
    import tantivy
    from numpy.typing import NDArray

DEPTH = 300
"""How many records either ranking brings in; no more of them are worth a place."""
_MOST_LISTED = 30_000
"""Records that meet a condition and are compared one by one; of more, the nearest are sought."""
_MOST_SOUGHT = 20_000
_SPARE = 1.5


class Neighbourhood:
    """One question's place among the vectors of a library.

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
