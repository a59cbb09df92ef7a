"""Subject headings in a query: `mesh:"Carcinoma, Basal Cell"`, for services that index them."""

from __future__ import annotations

from dataclasses import replace

from paper_search.query.ast import And, Near, Node, Not, Or, Phrase, Term

HEADING = "mesh"
"""The field of Medical Subject Headings."""


def heading_words(leaf: Term | Phrase) -> tuple[str, ...]:
    """Return the words of a heading as they stand in texts: "Carcinoma, Basal Cell" turned round.

    A heading with several commas keeps its order.
    """
    words = (leaf.text,) if isinstance(leaf, Term) else leaf.words
    parts = " ".join(words).split(", ")
    ordered = parts[::-1] if len(parts) == 2 else parts  # noqa: PLR2004  # inverted once
    return tuple(" ".join(ordered).split())


def headings_as_words(node: Node) -> Node:
    """Return the tree with headings as phrases anywhere, for services that have no headings."""
    match node:
        case Term() | Phrase() if node.field == HEADING:
            words = heading_words(node)
            return Phrase(words) if len(words) > 1 else Term(words[0])
        case And(children) | Or(children):
            return replace(node, children=tuple(map(headings_as_words, children)))
        case Not(child):
            return Not(headings_as_words(child))
        case Near(left, right, distance):
            return Near(headings_as_words(left), headings_as_words(right), distance)
        case _:
            return node
