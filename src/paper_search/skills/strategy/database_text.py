"""A search strategy in the language of a database that has no service here, to copy."""

from __future__ import annotations

from paper_search.bibliography.languages import language_name
from paper_search.errors import InputError
from paper_search.models import SearchStrategy
from paper_search.query import And, Node, Or, Term, YearRange, limited, normalise, parse
from paper_search.query.leaves import leaf_of
from paper_search.query.writer import Written, write_strategy

_TYPES = {
    "article-journal": "journal article", "article": "preprint", "thesis": "dissertation",
    "paper-conference": "congress", "book": "book", "review": "review",
}  # fmt: skip
"""Publication types as indexers name them."""


def tree_of_strategy(strategy: SearchStrategy) -> Node:
    """Return what a strategy finds: any of its queries, within its limits.

    Raises:
        InputError: it has no boolean query, or one that cannot be read.
    """
    queries = [parse(query.boolean_query) for query in strategy.queries]
    if not queries:
        raise InputError("the strategy has no boolean query: only words for sources that rank")
    limits: list[Node] = []
    filters = strategy.filters
    if filters.year_from or filters.year_to:
        limits.append(YearRange(filters.year_from, filters.year_to))
    if filters.language:
        limits.append(Term(language_name(filters.language) or filters.language, "language"))
    if filters.publication_types:
        names = [_TYPES.get(name, name.replace("-", " ")) for name in filters.publication_types]
        limits.append(Or(tuple(leaf_of(tuple(name.split()), "type") for name in names)))
    wanted = Or(tuple(queries)) if len(queries) > 1 else queries[0]
    return normalise(limited(And((wanted, *limits)), filters.every_condition))


def database_text(strategy: SearchStrategy, database: str) -> Written:
    """Return a strategy to paste into a database; see `write_strategy`."""
    return write_strategy(tree_of_strategy(strategy), database)
