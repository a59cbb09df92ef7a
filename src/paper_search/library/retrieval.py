"""Search the index: matching, ranking by weighted words, feedback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paper_search.bibliography.text import normalised_title
from paper_search.library import bm25
from paper_search.library.index import RANKED
from paper_search.library.lexicon import (
    EXACT,
    TITLE_WEIGHT,
    query_weights,
    query_words,
    ranked_words,
    text_of,
    words,
)
from paper_search.library.records import RecordStore
from paper_search.library.translation import Translator
from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import conditions_in
from paper_search.query.ast import And, Node, Phrase, positive_leaves

if TYPE_CHECKING:
    import tantivy

    from paper_search.library.vectors import Neighbourhood

_SPARE = 50
_MOST_WORDS = 64
"""Distinct words used of a query, the rarest."""
_MOST_FORMS = 10
_TITLE_OVERLAP = 0.8
"""Share of common words from which a query is a title, which needs no feedback."""
_LONG_TITLE = 4
_LONG_FORM = 0.5
"""Weight of a word of an abbreviation's long form relative to a word of the text."""
_MOST_IN_ORDER = 200
"""Words of a query that are used for adjacent pairs."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Row numbers, best first, and the total number of matches."""

    rows: list[int]
    total: int


@dataclass(frozen=True, slots=True)
class _Scored:
    row: int
    score: float


class Retrieval:
    """Searches one commit of the index."""

    def __init__(
        self,
        searcher: tantivy.Searcher,
        schema: tantivy.Schema,
        records: RecordStore,
        near: Neighbourhood | None = None,
    ) -> None:
        self._searcher = searcher
        self._near = near
        self._records = records
        self._translator = Translator(
            schema,
            lambda field, start: [word for word, _ in searcher.terms_with_prefix(field, start)],
        )
        self._texts: dict[int, bm25.RecordWords] = {}

    def words(self, query: RankedQuery, limit: int, filters: SearchConstraints) -> Ranking:
        text = query.text
        others = dict.fromkeys(ranked_words(" ".join(query.long_forms)), _LONG_FORM)
        weights = self._capped({**others, **query_weights(text)})
        if not weights:
            # Stop words alone may be a title: To be or not to be.
            every = words(text, EXACT)[:_MOST_WORDS]
            conditions = [Phrase(tuple(every))] if every else conditions_in(filters.every_condition)
            if not conditions:
                return Ranking([], 0)
            tree = And(tuple(conditions)) if len(conditions) > 1 else conditions[0]
            return self.boolean(tree, limit, filters)
        within = self._translator.limits(filters)
        return self._rank(weights, within, limit, text=text, learned=_weighted(query.terms))

    def boolean(self, tree: Node, limit: int, filters: SearchConstraints) -> Ranking:
        weights = self._capped(dict.fromkeys(self._query_terms(tree), 1.0))
        make = self._translator
        condition = make.both(make.boolean(tree), make.limits(filters))
        return self._rank(weights, condition, limit, text=None)

    def count(self, tree: Node, filters: SearchConstraints) -> int:
        make = self._translator
        condition = make.both(make.boolean(tree), make.limits(filters))
        result: Any = self._searcher.search(condition, limit=1, count=True)
        return int(result.count)

    def _rank(
        self,
        weights: Mapping[str, float],
        condition: tantivy.Query | None,
        limit: int,
        *,
        text: str | None,
        learned: Mapping[str, float] | None = None,
    ) -> Ranking:
        def query(words: Mapping[str, float]) -> tantivy.Query:
            rank = self._translator.ranking(words)
            return self._translator.within(condition, rank, is_rank_needed=text is not None)

        size = max(limit, bm25.READ, self._near.depth if self._near else 0) + _SPARE
        result: Any = self._searcher.search(query(weights), limit=size, count=True)
        scored, total = self._read_hits(result), int(result.count)
        if self._near:
            self._near.limit_to(self._searcher, condition)
        if not self._near and not (weights and scored):
            return Ranking([hit.row for hit in scored[:limit]], total)
        first = self._merge(scored)[: bm25.READ]
        records = self._records.fields_of([hit.row for hit in (*first, *scored[: bm25.READ])])
        is_title = text and scored and _is_title(query_weights(text), records.get(scored[0].row))
        if weights and scored and not is_title:
            # Terms learned from a person's marks are better than the first results.
            wider = (
                _sum_weights(weights, learned) if learned else self._expand(weights, first, records)
            )
            is_short = total <= len(scored) and not learned
            matching = {hit.row for hit in scored} if is_short else None
            result = self._searcher.search(query(wider), limit=size, count=bool(learned))
            scored = self._read_hits(result)
            total = int(result.count) if learned else total
            if matching is not None:
                # All matches are known: expansion words only reorder them.
                scored = [hit for hit in scored if hit.row in matching]
        if text is not None:
            scored = self._neighbours_first(scored, text, records)
        rows = [hit.row for hit in self._merge(scored)]
        if text is not None:
            rows = _exact_first(rows, text, records)
        return Ranking(rows[:limit], max(total, len(rows) if self._near else 0))

    def _merge(self, scored: list[_Scored]) -> list[_Scored]:
        """Merge the results with the nearest records, if vectors are used.

        Only the first results by words are merged, so that the order does not depend on the limit;
        the others follow.
        """
        if self._near is None:
            return scored
        depth = self._near.depth
        by_row = self._near.merge({hit.row: hit.score for hit in scored[:depth]})
        others = [_Scored(hit.row, 0.0) for hit in scored[depth:] if hit.row not in by_row]
        return [_Scored(row, score) for row, score in by_row.items()] + others

    def _read_hits(self, result: Any) -> list[_Scored]:
        """Return the hits by score, then in the order of import."""
        rows = self._searcher.fast_field_values("row", [address for _, address in result.hits])
        hits = zip(result.hits, rows, strict=True)
        return _in_order([_Scored(int(row or 0), score) for (score, _), row in hits])

    def _expand(
        self,
        weights: Mapping[str, float],
        first: Sequence[_Scored],
        records: Mapping[int, Mapping[str, Any]],
    ) -> dict[str, float]:
        texts = [(hit, self._text(hit.row, records)) for hit in first if hit.row in records]
        results = [bm25.ScoredDocument(hit.score, [*text.title, *text.rest]) for hit, text in texts]
        return bm25.expand_query(weights, results, self._frequency, self._searcher.num_docs)

    def _neighbours_first(
        self, scored: list[_Scored], text: str, records: dict[int, dict[str, Any]]
    ) -> list[_Scored]:
        """Reorder the first results with the bonus for adjacent query words.

        Records that are read for this are added to `records`.
        """
        pairs = bm25.pairs_of(query_words(text)[:_MOST_IN_ORDER])
        first = scored[: bm25.READ]
        if not pairs or len(first) < 2:  # noqa: PLR2004  # one alone has no order
            return scored
        records.update(self._records.fields_of([r.row for r in first if r.row not in records]))
        texts = [self._text(hit.row, records) for hit in first]
        bonuses = bm25.bonuses(pairs, texts, self._rarity, TITLE_WEIGHT)
        raised = [
            _Scored(hit.row, hit.score + bonus) for hit, bonus in zip(first, bonuses, strict=True)
        ]
        return _in_order(raised) + scored[bm25.READ :]

    def _text(self, row: int, records: Mapping[int, Mapping[str, Any]]) -> bm25.RecordWords:
        if row not in self._texts:
            fields = records.get(row, {})
            title = ranked_words(fields.get("title") or "")
            self._texts[row] = bm25.RecordWords(title, ranked_words(text_of(fields)))
        return self._texts[row]

    def _rarity(self, word: str) -> float:
        return bm25.rarity(self._frequency(word), self._searcher.num_docs)

    def _frequency(self, word: str) -> int:
        return int(self._searcher.doc_freq(RANKED, word))

    def _capped(self, weights: Mapping[str, float]) -> dict[str, float]:
        if len(weights) <= _MOST_WORDS:
            return dict(weights)
        counts = {word: count for word in weights if (count := self._frequency(word))}
        rarest = sorted(counts, key=lambda word: (counts[word] / weights[word], word))[:_MOST_WORDS]
        return {word: weights[word] for word in rarest}

    def _query_terms(self, node: Node) -> Iterator[str]:
        for leaf in positive_leaves(node):
            if isinstance(leaf, Phrase):
                yield from ranked_words(" ".join(leaf.words).replace("*", ""))
            elif leaf.is_prefix:
                start = leaf.text.lower()
                terms = self._searcher.terms_with_prefix(RANKED, start, limit=_MOST_FORMS)
                yield from (word for word, _ in terms)
            else:
                yield from ranked_words(leaf.text)


def _weighted(terms: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of the ranking words of weighted terms."""
    weights: dict[str, float] = {}
    for term, weight in terms.items():
        for word in ranked_words(term):
            weights[word] = max(weight, weights.get(word, weight), key=abs)
    return weights


def _sum_weights(weights: Mapping[str, float], learned: Mapping[str, float]) -> dict[str, float]:
    """Add learned weights to a query's; words without a positive weight are dropped."""
    sums = dict(weights)
    for word, weight in learned.items():
        sums[word] = sums.get(word, 0.0) + weight
    return {word: weight for word, weight in sums.items() if weight > 0}


def _in_order(hits: list[_Scored]) -> list[_Scored]:
    return sorted(hits, key=lambda hit: (-round(hit.score, 4), hit.row))


def _is_title(weights: Mapping[str, float], fields: Mapping[str, Any] | None) -> bool:
    title = set(ranked_words((fields or {}).get("title") or ""))
    return len(title & weights.keys()) >= _TITLE_OVERLAP * len(title | weights.keys())


def _exact_first(rows: list[int], text: str, records: Mapping[int, Mapping[str, Any]]) -> list[int]:
    """Move records whose title is the query to the front, then those whose title begins with it."""
    target = normalised_title(text)

    def is_meant(row: int) -> int:
        if row not in records:
            return 2
        title = normalised_title(records[row].get("title") or "")
        if title == target:
            return 0
        is_beginning = len(text.split()) >= _LONG_TITLE and title.startswith(target)
        return 1 if is_beginning else 2

    return sorted(rows, key=is_meant)
