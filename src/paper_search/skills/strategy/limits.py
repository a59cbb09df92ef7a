"""Conditions besides the subject: authors, excluded words and kinds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paper_search.models import PUBLICATION_TYPES, ParsedIntent
from paper_search.query import And, Node, Not, Or, Phrase, Term, alternatives
from paper_search.skills.strategy.trees import all_of, any_of, leaf, parts, tree_of, written
from paper_search.skills.variants import spellings, variants
from paper_search.skills.words import tokens

_KINDS: dict[str, tuple[str, ...]] = {
    "review": ("review", "survey", "overview", "meta-analysis", "state of the art"),
    "editorial": ("editorial", "commentary", "letter to the editor", "erratum", "corrigendum"),
    "thesis": ("thesis", "dissertation"),
}
"""Words of titles by the kind of work that they give away. Other types of CSL are not seen in
titles; whatever is no type, such as "case report", is its own word."""

_MOST_NAMES = 6


@dataclass(frozen=True)
class Limits:
    """Parts of a query, each of which every record must match, or must not match."""

    required: tuple[Node, ...] = ()
    barred: tuple[Node, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is any limit."""
        return bool(self.required or self.barred)

    def applied(self, tree: Node) -> Node:
        """Return the tree within the limits; those that it has are not repeated."""
        known = set(parts(tree))
        excluded = [part.child for part in known if isinstance(part, Not)]
        banned = [name for child in excluded for name in alternatives(child)]
        required = [part for part in self.required if part not in known]
        barred = any_of(node for node in self.barred if node not in banned)
        more = [*required, *([Not(barred)] if barred is not None else [])]
        return And((*parts(tree), *more)) if more else tree

    def text(self) -> str:
        """Return the limits as a query of their own; empty: there are none."""
        barred = any_of(self.barred)
        every = all_of([*self.required, *([Not(barred)] if barred is not None else [])])
        if every is None:
            return ""
        # In parentheses, so that a query can be put in front of it as it is.
        return f"({written(every)})" if isinstance(every, Or) else written(every)


def limits_of_intent(intent: ParsedIntent) -> Limits:
    """Return the authors, the words that no paper may have, and the kinds that are not wanted."""
    authors = any_of(node for name in intent.authors if (node := leaf(name, "author")))
    barred = [*barred_names(intent.excluded)]
    for kind in intent.constraints.excluded_types:
        names = _KINDS.get(kind, () if kind in PUBLICATION_TYPES else (kind,))
        barred += [node for name in names if (node := leaf(name, "title")) is not None]
    return Limits(() if authors is None else (authors,), tuple(barred))


def barred_names(terms: Iterable[str]) -> list[Node]:
    """Return terms that are not wanted, in their singular and plural and both spellings."""
    names = [name for term in terms for name in (term, *spellings(term)[:2])]
    return [node for node in map(leaf, names) if node is not None]


def required_names(terms: Iterable[str]) -> list[Node]:
    """Return for every term that is required what it is called, any of which will do."""
    groups = (
        any_of(node for name in (term, *variants(term)[:_MOST_NAMES]) if (node := leaf(name)))
        for term in terms
    )
    return [group for group in groups if group is not None]


def lifted(query: str, terms: Iterable[str]) -> str:
    """Return a query that no longer excludes any of the terms; it is as it was if it did not."""
    tree = tree_of(query)
    stems = {tuple(tokens(term)) for term in terms}
    if tree is None or not stems:
        return query
    kept: list[Node] = []
    for part in parts(tree):
        left = _kept(part, stems)
        if left is not None:
            kept.append(left)
    if kept == list(parts(tree)):
        return query
    remaining = all_of(kept)
    return "" if remaining is None else written(remaining)


def _kept(part: Node, stems: set[tuple[str, ...]]) -> Node | None:
    """Return a part without those exclusions; None: nothing is left of it."""
    if not isinstance(part, Not):
        return part
    left = any_of(node for node in alternatives(part.child) if _stems(node) not in stems)
    return None if left is None else Not(left)


def _stems(node: Node) -> tuple[str, ...]:
    match node:
        case Term(text):
            return tuple(tokens(text))
        case Phrase(words):
            return tuple(tokens(" ".join(words)))
        case _:
            return ()
