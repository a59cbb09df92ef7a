"""Parses the boolean query that a source receives; falls back to its words."""

from __future__ import annotations

from dataclasses import dataclass

from paper_search.bibliography.identifiers import parse_doi
from paper_search.bibliography.text import WORD
from paper_search.errors import InputError, QuerySyntaxError
from paper_search.query import And, Node, Term, parse

_TURNED = frozenset({"OR", "NOT", "NEAR"})
"""Operators without which words mean another query."""


@dataclass(frozen=True, slots=True)
class TreeOrWords:
    """What a query means; a query that cannot be read means all of its words."""

    tree: Node
    notes: tuple[str, ...] = ()


def read_query(text: str) -> TreeOrWords:
    """Return the tree of a query; of one that cannot be read, its words, with a note.

    Words are no substitute for a query with operators: NOT would be turned round.

    Raises:
        InputError: there are no words in it, or it has OR, NOT or NEAR and cannot be read.
    """
    try:
        return TreeOrWords(parse(text))
    except QuerySyntaxError as error:
        if not _TURNED.isdisjoint(WORD.findall(text)):
            raise InputError(f"the query cannot be read: {error}") from None
        found = dict.fromkeys(word for word in WORD.findall(text) if word != "AND")
        if not found:
            raise InputError(f"the query {text!r} contains no words: {error}") from None
        words = tuple(Term(word) for word in found)
        note = f"sent as plain words, since the query is not valid ({error})"
        return TreeOrWords(And(words) if len(words) > 1 else words[0], (note,))


def doi_of(tree: Node) -> str | None:
    """Return the DOI that a query is, normalised; None: it is more, or something else."""
    return parse_doi(tree.text) if isinstance(tree, Term) and not tree.is_prefix else None
