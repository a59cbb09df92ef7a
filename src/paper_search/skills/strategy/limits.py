"""Conditions of a strategy that come from words: authors, what is required, what is not wanted."""

from __future__ import annotations

from collections.abc import Iterable

from paper_search.models import ParsedIntent, SearchConstraints
from paper_search.query import And, Node, Not, Or, Phrase, Term, YearRange, alternatives
from paper_search.skills.intent.notes import Note
from paper_search.skills.strategy.trees import all_of, any_of, leaf, parts, tree_of, written
from paper_search.skills.variants import spellings, variants
from paper_search.skills.words import tokens

_MOST_NAMES = 6


def limits_of_intent(intent: ParsedIntent) -> SearchConstraints:
    """Return the limits of a question, with a condition for its names and each unwanted term."""
    conditions = [*_named(intent.authors, intent.venues), *_unwanted(intent.excluded)]
    return _with_conditions(intent.constraints, conditions)


def next_limits(limits: SearchConstraints, note: Note) -> SearchConstraints:
    """Return the limits as a note wants them: conditions are added, or no longer hold."""
    before = (changed_by(note, condition) for condition in limits.conditions)
    names = (
        any_of(node for name in (term, *variants(term)[:_MOST_NAMES]) if (node := leaf(name)))
        for term in note.required
    )
    required = [written(group) for group in names if group is not None]
    people = _named(note.authors, note.venues)
    conditions = [*filter(None, before), *people, *required, *_unwanted(note.excluded)]
    return _with_conditions(note.limited(limits), conditions)


def changed_by(terms: Note, query: str) -> str:
    """Return a query that excludes nothing that is welcome and asks for nothing unwanted.

    Empty: it asked for nothing else.
    """
    tree = tree_of(query)
    if tree is None:
        return query
    wanted = (*terms.added, *terms.instead, *terms.required)
    welcome = {tuple(tokens(term)) for term in wanted}
    left = [node for part in parts(tree) if (node := _without_exclusions(part, welcome))]
    remaining = all_of(left)
    if remaining is not None and (unwanted := (*terms.excluded, *terms.dropped)):
        remaining = _without(remaining, {tuple(tokens(term)) for term in unwanted})
    if remaining == tree:
        return query
    return "" if remaining is None else written(remaining)


def _with_conditions(limits: SearchConstraints, conditions: Iterable[str]) -> SearchConstraints:
    return limits.model_copy(update={"conditions": list(dict.fromkeys(conditions))})


def _named(authors: Iterable[str], venues: Iterable[str]) -> list[str]:
    return [
        written(names)
        for field, wanted in (("author", authors), ("venue", venues))
        if (names := any_of(node for name in wanted if (node := leaf(name, field)))) is not None
    ]


def _unwanted(terms: Iterable[str]) -> list[str]:
    """Return a condition for each term, against its singular and plural and both spellings."""
    groups = (
        any_of(node for name in (term, *spellings(term)[:2]) if (node := leaf(name)))
        for term in terms
    )
    return [written(Not(group)) for group in groups if group is not None]


def _without_exclusions(part: Node, welcome: set[tuple[str, ...]]) -> Node | None:
    if not isinstance(part, Not):
        return part
    left = any_of(node for node in alternatives(part.child) if _stems(node) not in welcome)
    return None if left is None else Not(left)


def _without(node: Node, unwanted: set[tuple[str, ...]]) -> Node | None:
    """Return a tree without the terms that it asks for; None: it asked for nothing else."""
    match node:
        case Term() | Phrase():
            return None if _stems(node) in unwanted else node
        case And(children):
            left = [part for child in children if (part := _without(child, unwanted))]
            is_empty = all(isinstance(part, Not | YearRange) for part in left)
            return None if is_empty else all_of(left)
        case Or(children):
            return any_of(part for child in children if (part := _without(child, unwanted)))
        case _:
            return node


def _stems(node: Node) -> tuple[str, ...]:
    match node:
        case Term(text):
            return tuple(tokens(text))
        case Phrase(words):
            return tuple(tokens(" ".join(words)))
        case _:
            return ()
