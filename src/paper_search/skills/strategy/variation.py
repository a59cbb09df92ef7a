"""Varies a strategy, so that none is proposed twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain

from paper_search.models import ParsedIntent, SearchQuery, SearchStrategy
from paper_search.skills.strategy.booleans import further_queries
from paper_search.skills.strategy.relaxation import relaxed_forms
from paper_search.skills.strategy.text import MAX_QUERIES, is_readable, normalised


def varied(
    strategy: SearchStrategy,
    earlier: Sequence[SearchStrategy],
    intent: ParsedIntent,
    *,
    most_results: int,
) -> SearchStrategy:
    """Return the strategy, with another query or number of results if an earlier one is the same.

    The number of results stays within 1 and `most_results`; if all of them are used, the strategy
    comes back as it is.
    """
    used = set(map(_identity, earlier))
    if _identity(strategy) not in used or not (strategy.queries or strategy.ranked):
        return strategy
    others = _others(strategy.queries, intent, earlier) if strategy.queries else ()
    for queries in others:
        other = strategy.model_copy(update={"queries": queries})
        if _identity(other) not in used:
            return other
    start = strategy.filters.max_results
    for size in chain(range(start + 1, most_results + 1), range(start - 1, 0, -1)):
        filters = strategy.filters.model_copy(update={"max_results": size})
        other = strategy.model_copy(update={"filters": filters})
        if _identity(other) not in used:
            return other
    return strategy


def _others(
    own: Sequence[SearchQuery], intent: ParsedIntent, earlier: Sequence[SearchStrategy]
) -> Iterator[list[SearchQuery]]:
    """Yield the own queries with one that was never asked; the broadest one stays last."""
    asked = {normalised(query.boolean_query) for strategy in earlier for query in strategy.queries}
    asked |= {normalised(query.boolean_query) for query in own}
    relaxed = [
        query.model_copy(update={"boolean_query": form})
        for query in own
        if is_readable(query.boolean_query)
        for form in relaxed_forms(query.boolean_query)
    ]
    kept = [*own[:-2], *own[-1:]] if len(own) == MAX_QUERIES else list(own)
    place = max(len(kept) - 1, 1)
    for other in chain(relaxed, further_queries(intent)):
        if normalised(other.boolean_query) not in asked:
            yield [*kept[:place], other, *kept[place:]]


def _identity(strategy: SearchStrategy) -> str:
    """Return what two strategies share that would find the same: queries in any order, filters."""
    queries = sorted({normalised(query.boolean_query) for query in strategy.queries})
    ranked = [query.model_dump() for query in strategy.ranked]
    return json.dumps([queries, ranked, strategy.filters.model_dump()], sort_keys=True)
