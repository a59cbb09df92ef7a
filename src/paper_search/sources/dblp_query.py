"""Writes a boolean tree for DBLP's search (https://dblp.org/faq/How+to+use+the+dblp+search+API.html).

DBLP knows words, all of which have to occur, and `a|b`. It looks into titles, names and venues, and
a word stands for all that begin with it. There are no phrases, no NOT, no parentheses and no years:
the tree becomes a conjunction of alternatives that finds at least what is wanted, and what it does
not say is checked in the answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TypeAlias

from paper_search.errors import InputError
from paper_search.models import SearchConstraints
from paper_search.query import (
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    headings_as_words,
    normalise,
)
from paper_search.sources.adapter import Translated

_Clause: TypeAlias = frozenset[str]
_WORD = re.compile(r"[^\W_]+")
_MOST_CLAUSES = 24
"""Alternatives that an OR of groups is written out into; beyond that it is asked more loosely."""
_SEARCHED = ("title", "author", "venue")


@dataclass(frozen=True, slots=True)
class _Said:
    """What has to occur: one word of each clause; and whether that is all that is meant."""

    clauses: tuple[_Clause, ...]
    is_exact: bool = True


_ANYTHING = _Said((), is_exact=False)


def to_dblp(tree: Node, filters: SearchConstraints) -> Translated:
    """Return the query for `q`, and what is left to check.

    Raises:
        InputError: no word is left to ask for, such as when the tree only excludes.
    """
    tree = headings_as_words(tree)
    if filters.year_from is not None or filters.year_to is not None:
        tree = And((tree, YearRange(filters.year_from, filters.year_to)))
    tree = normalise(tree)
    parts = tree.children if isinstance(tree, And) else (tree,)
    said = [(part, _said(part)) for part in parts]
    clauses = _shortest(clause for _, each in said for clause in each.clauses)
    if not clauses:
        raise InputError("DBLP searches by words only: give at least one required word")
    text = " ".join("|".join(sorted(clause)) for clause in clauses)
    rest = tuple(_checked(part, is_wanted=True) for part, each in said if not each.is_exact)
    return Translated(text, tuple(_notes(tree)), normalise(And(rest)) if rest else None)


def _said(node: Node) -> _Said:  # noqa: PLR0911  # one case per kind of node
    match node:
        case Term(text, field) if field in {None, "title"}:
            return _Said(_words(text), is_exact=len(_words(text)) == 1)
        case Term() | Phrase() if node.field == "abstract":
            return _ANYTHING
        case Term(text):
            return _Said(_words(text), is_exact=False)
        case Phrase(words):
            return _Said(_words(" ".join(words)), is_exact=False)
        case And(children):
            return _all([_said(child) for child in children])
        case Or(children):
            return _any([_said(child) for child in children])
        case Near(left, right):
            return replace(_all([_said(left), _said(right)]), is_exact=False)
        case _:
            return _ANYTHING


def _words(text: str) -> tuple[_Clause, ...]:
    return tuple(frozenset({word.lower()}) for word in _WORD.findall(text))


def _all(parts: Sequence[_Said]) -> _Said:
    clauses = tuple(clause for part in parts for clause in part.clauses)
    return _Said(clauses, all(part.is_exact for part in parts))


def _any(parts: Sequence[_Said]) -> _Said:
    """Distribute: (a AND b) OR c is (a OR c) AND (b OR c)."""
    is_exact = all(part.is_exact for part in parts)
    sides = [part.clauses for part in parts]
    if prod(map(len, sides)) <= _MOST_CLAUSES:
        joined = (frozenset().union(*each) for each in product(*sides))
        return _Said(tuple(dict.fromkeys(joined)), is_exact)
    rarest = [max(side, key=lambda clause: max(map(len, clause))) for side in sides if side]
    return _Said((frozenset().union(*rarest),), is_exact=False)


def _shortest(clauses: Iterable[_Clause]) -> list[_Clause]:
    """Return the clauses that no other one makes superfluous, in their order."""
    distinct = list(dict.fromkeys(clauses))
    return [one for one in distinct if not any(other < one for other in distinct)]


def _checked(node: Node, *, is_wanted: bool) -> Node:  # noqa: PLR0911  # one case per kind of node
    """Return the node as it can be checked in a record of DBLP, which has no abstract.

    A word that is wanted stands for all that begin with it, as in DBLP itself; one that is not
    wanted stands for itself.
    """
    match node:
        case Term() | Phrase() if node.field is None:
            fields = (replace(node, field=field) for field in _SEARCHED)
            return Or(tuple(_checked(each, is_wanted=is_wanted) for each in fields))
        case Term() if is_wanted:
            return replace(node, is_prefix=True)
        case Phrase(words) if is_wanted:
            return replace(node, words=(*words[:-1], f"{words[-1].rstrip('*')}*"))
        case And(children) | Or(children):
            return type(node)(tuple(_checked(each, is_wanted=is_wanted) for each in children))
        case Not(child):
            return Not(_checked(child, is_wanted=not is_wanted))
        case Near(left, right, distance):
            return Or(
                tuple(
                    Near(_in_field(left, field), _in_field(right, field), distance)
                    for field in _SEARCHED
                )
            )
        case _:
            return node


def _in_field(side: Node, field: str) -> Node:
    """Return a side of a NEAR limited to a field, where it is limited to none."""
    match side:
        case Term() | Phrase():
            return side if side.field else replace(side, field=field)
        case Or(children):
            return Or(tuple(_in_field(child, field) for child in children))
        case Near(left, right, distance):
            return Near(_in_field(left, field), _in_field(right, field), distance)
        case _:
            return side


def _notes(tree: Node) -> list[str]:
    kinds, fields = _kinds(tree)
    said = {
        Phrase: "phrases are checked in the results: DBLP has none",
        Not: "NOT is applied to the results: DBLP has none",
        Near: "NEAR is checked in the results: DBLP has none",
        YearRange: "years are checked in the results: DBLP has no filter for them",
    }
    notes = [note for kind, note in said.items() if kind in kinds]
    if "abstract" in fields:
        notes.append("abstract: is ignored: DBLP has no abstracts")
    return notes


def _kinds(tree: Node) -> tuple[set[type], set[str | None]]:
    """Return the kinds of all nodes, and the fields of all leaves."""
    kinds: set[type] = set()
    fields: set[str | None] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        kinds.add(type(node))
        match node:
            case Term() | Phrase():
                fields.add(node.field)
            case And(children) | Or(children):
                waiting += children
            case Not(child):
                waiting.append(child)
            case Near(left, right):
                waiting += (left, right)
    return kinds, fields
