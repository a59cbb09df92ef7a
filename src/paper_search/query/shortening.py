"""Makes a query that is too long for anybody shorter, and says what was left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from paper_search.errors import InputError, QuerySyntaxError
from paper_search.query.ast import And, Near, Node, Not, Or
from paper_search.query.normal_form import render
from paper_search.query.parser import MAX_LENGTH, parse

LONGEST = 8_000
"""Characters of a query that are asked; few reviews need more."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A query of a length that can be asked.

    Attributes:
        text: the query.
        note: what was left out; None: nothing.
    """

    text: str
    note: str | None = None


def shorten(text: str, most: int = LONGEST) -> Shortened:
    """Return the query with the last alternatives of its longest groups left out.

    Raises:
        InputError: no shorter query can be made of it.
    """
    if len(text) <= most:
        return Shortened(text)
    tree = _readable(text)
    if tree is None:
        raise InputError(f"the query has {len(text):,} characters: at most {most:,} can be asked")
    while len(render(tree)) > most:
        longest = max(_groups(tree), key=lambda group: len(render(group)), default=None)
        if longest is None:
            raise InputError(
                f"the query has {len(text):,} characters and no alternatives that could be left"
                f" out: at most {most:,} can be asked"
            )
        tree = _replaced(tree, longest, _thinned(longest))
    short = render(tree)
    note = f"a query of {len(text):,} characters was cut to {len(short):,}: alternatives left out"
    return Shortened(short, note)


def _readable(text: str) -> Node | None:
    """Return the tree of a query, or of its beginning up to the last OR that can be read."""
    try:
        return parse(text)
    except QuerySyntaxError:
        if len(text) <= MAX_LENGTH:
            return None
    start = text[: MAX_LENGTH - 100].rpartition(" OR ")[0]
    start += '"' * (start.count('"') % 2)
    start += ")" * max(start.count("(") - start.count(")"), 0)
    try:
        return parse(start)
    except QuerySyntaxError:
        return None


def _groups(node: Node) -> list[Or]:
    """Return all ORs of at least two alternatives."""
    match node:
        case Or(children):
            inner = [group for child in children for group in _groups(child)]
            return [node, *inner] if len(children) > 1 else inner
        case And(children):
            return [group for child in children for group in _groups(child)]
        case Not(child):
            return _groups(child)
        case Near(left, right):
            return [*_groups(left), *_groups(right)]
        case _:
            return []


def _thinned(group: Or) -> Node:
    rest = group.children[: max(len(group.children) * 3 // 4, 1)]
    return Or(rest) if len(rest) > 1 else rest[0]


def _replaced(node: Node, old: Node, new: Node) -> Node:
    if node is old:
        return new
    match node:
        case And(children) | Or(children):
            return replace(node, children=tuple(_replaced(child, old, new) for child in children))
        case Not(child):
            return Not(_replaced(child, old, new))
        case Near(left, right):
            return replace(node, left=_replaced(left, old, new), right=_replaced(right, old, new))
        case _:
            return node
