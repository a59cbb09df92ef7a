"""Makes queries do what a person said, whoever wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paper_search.models import ParsedIntent, SearchQuery
from paper_search.query import And, Node, Not, Phrase, Term, alternatives
from paper_search.skills.strategy.booleans import names_of
from paper_search.skills.strategy.free_text import FeedbackTerms
from paper_search.skills.strategy.limits import (
    Limits,
    barred_names,
    limits_of_intent,
    required_names,
)
from paper_search.skills.strategy.ranked import wanted_names
from paper_search.skills.strategy.text import MAX_QUERIES
from paper_search.skills.strategy.trees import any_of, is_short, parts, tree_of, written
from paper_search.skills.words import tokens


def complying(
    queries: Sequence[SearchQuery],
    intent: ParsedIntent,
    said: FeedbackTerms,
    last: Sequence[SearchQuery] = (),
) -> list[SearchQuery]:
    """Return the queries within what the person asked for.

    Every one has what the question and the feedback require and has not what they exclude; what
    all queries of the last round excluded stays excluded, unless it is welcome now. One query at
    least asks for what was added.

    Args:
        queries: of a model.
        intent: the question.
        said: what the feedback asks for.
        last: the queries of the last round.
    """
    welcome = {_stems(term) for term in (*said.added, *said.required)}
    barred = [node for node in _barred_by_all(last) if _stems_of(node) not in welcome]
    question = limits_of_intent(intent)
    limits = Limits(question.required, (*question.barred, *barred_names(said.excluded), *barred))
    found = [_limited(query, limits, said.required) for query in queries]
    missing = [term for term in said.added if not _is_asked_for(term, found)]
    group = any_of(node for term in missing for node in names_of(term))
    if group is None or not found:
        return found
    broadest = found[-1]
    tree = tree_of(broadest.boolean_query)
    text = written(And((group, *parts(tree)))) if tree is not None else ""
    if not is_short(text):
        return found
    new = SearchQuery(keywords=[*missing, *broadest.keywords], boolean_query=text)
    return [*found[:-1][: MAX_QUERIES - 2], new, broadest]


def _limited(query: SearchQuery, limits: Limits, required: Iterable[str]) -> SearchQuery:
    """Return a query within the limits; terms that it asks for already are not added again."""
    tree = tree_of(query.boolean_query)
    if tree is None:
        return query
    asked = {tuple(tokens(name)) for name in wanted_names(tree)}
    groups = [
        group
        for group in required_names(required)
        if not any(_stems_of(node) in asked for node in alternatives(group))
    ]
    limited = Limits((*limits.required, *groups), limits.barred).applied(tree)
    text = written(limited)
    if limited is tree or not is_short(text):
        return query
    return query.model_copy(update={"boolean_query": text})


def _is_asked_for(term: str, queries: Iterable[SearchQuery]) -> bool:
    trees = (tree_of(query.boolean_query) for query in queries)
    named = (name for tree in trees if tree is not None for name in wanted_names(tree))
    wanted = set(tokens(term))
    return any(wanted <= set(tokens(name)) for name in named)


def _barred_by_all(queries: Sequence[SearchQuery]) -> list[Node]:
    """Return what every one of the queries excludes."""
    every = [
        [node for part in parts(tree) if isinstance(part, Not) for node in alternatives(part.child)]
        for query in queries
        if (tree := tree_of(query.boolean_query)) is not None
    ]
    return [node for node in every[0] if all(node in nodes for nodes in every)] if every else []


def _stems(text: str) -> tuple[str, ...]:
    return tuple(tokens(text))


def _stems_of(node: Node) -> tuple[str, ...]:
    match node:
        case Term(text):
            return _stems(text)
        case Phrase(words):
            return _stems(" ".join(words))
        case _:
            return ()
