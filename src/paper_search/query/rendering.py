"""Writes a tree as canonical text that reads back as the same tree."""

from __future__ import annotations

import re

from paper_search.query.ast import And, Near, Node, Not, Or, Phrase, Term, YearRange
from paper_search.query.normal_form import normalise

_BARE = re.compile(r"\w+(?:[-.'’]\w+)*")
_OPERATORS = {"AND", "OR", "NOT", "NEAR"}


def render(node: Node) -> str:
    """Return the canonical text: every group inside another one in parentheses.

    `parse(render(tree)) == normalise(tree)` for every tree that `parse` would accept the size of.

    Raises:
        InputError: the tree means nothing (see `normalise`).
    """
    return _text(normalise(node))


def _text(node: Node) -> str:  # noqa: PLR0911  # one case per kind of node
    match node:
        case Term(text, field, is_prefix):
            star = "*" if is_prefix else ""
            is_bare = _BARE.fullmatch(text) and text not in _OPERATORS
            return _prefix(field) + (f"{text}{star}" if is_bare else f'"{text}{star}"')
        case Phrase(words, field):
            return f'{_prefix(field)}"{" ".join(words)}"'
        case And(children):
            return " AND ".join(map(_grouped, children))
        case Or(children):
            return " OR ".join(map(_grouped, children))
        case Not(child):
            return f"NOT {_grouped(child)}"
        case Near(left, right, distance):
            return f"{_grouped(left)} NEAR/{distance} {_grouped(right)}"
        case YearRange(first, last):
            return f"year:{_years(first, last)}"


def _grouped(node: Node) -> str:
    is_group = isinstance(node, And | Or | Not | Near)
    return f"({_text(node)})" if is_group else _text(node)


def _prefix(field: str | None) -> str:
    return f"{field}:" if field else ""


def _years(first: int | None, last: int | None) -> str:
    if first == last:
        return str(first)
    return f"{first or ''}-{last or ''}"
