"""The normal form of a tree: flat, without repetition, with canonical words; and its text."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial

from paper_search.errors import InputError, UnknownNameError
from paper_search.query.ast import (
    FIELDS,
    HEADINGS,
    INDEXED,
    LETTER,
    OWN_WORDS,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    clean_word,
    join,
    leaf_of,
    parts,
    rebuilt,
    straighten,
    words_of,
)
from paper_search.query.limits import day_after, entry_span


def normalise(node: Node) -> Node:  # noqa: PLR0911  # one case per kind of node
    """Return the tree with nested ANDs and ORs flattened, repetitions and double NOTs removed.

    Order is kept: the first of two equal parts stays, and parts are equal whatever their case.
    A term of several words becomes a phrase, a phrase of one word a term.

    Raises:
        InputError: the tree means nothing: an AND without parts, a word without letters, an
            unknown field, years that run backwards, a NEAR over an AND or a NOT.
    """
    match node:
        case Term():
            return _normal_leaf(words_of(node), node.field)
        case Phrase():
            return _normal_leaf(node.words, node.field)
        case And(children):
            return _join(And, children)
        case Or(children):
            return _join(Or, children)
        case Not(child):
            inner = normalise(child)
            return inner.child if isinstance(inner, Not) else Not(inner)
        case Near():
            return _normal_near(node)
        case YearRange():
            return _check_years(node)


def folded(node: Node, *, has_own_keywords: bool = False) -> Node:
    """Return the tree of a database's text with what it can only express in parts put together.

    A word in the title or, the same word, in the abstract is `tiab`; years and dates of entry
    after one date and before another one are one span. `has_own_keywords`: its keywords are those
    of authors.
    """
    fold = partial(folded, has_own_keywords=has_own_keywords)
    match node:
        case Or(children):
            merge = partial(_merge_fields, name=OWN_WORDS if has_own_keywords else None)
            return _merge_neighbours(Or, tuple(map(fold, children)), merge)
        case And(children):
            return _merge_neighbours(And, tuple(map(fold, children)), _merge_spans)
        case Not(child):
            inner = fold(child)
            return node if inner is child else Not(inner)
        case _:
            return node


def _merge_neighbours(
    kind: type[And | Or], children: tuple[Node, ...], merge: Callable[[Node, Node], Node | None]
) -> Node:
    merged: list[Node] = []
    for child in children:
        one = merge(merged[-1], child) if merged else None
        if one is None:
            merged.append(child)
        else:
            merged[-1] = one
    return join(kind, merged)


def _merge_fields(one: Node, other: Node, name: str | None) -> Node | None:
    fields = field_of(one), field_of(other)
    if in_field(one, None) != in_field(other, None):
        return None
    if set(fields) == {"title", "abstract"}:
        return in_field(one, "tiab")
    if fields == ("tiab", "keyword"):
        return in_field(one, name)
    return in_field(one, None) if fields == ("tiab", None) else None


def _merge_spans(one: Node, other: Node) -> Node | None:
    match one, other:
        case YearRange(int() as first, None), YearRange(None, int() as last) if first <= last:
            return YearRange(first, last)
        case Term(text, "entered"), Not(Term(after, "entered")):
            is_span = text.endswith("/") and after.endswith("/")
            return entry_span(text[:-1], day_after(after[:-1], -1)) if is_span else None
        case Term(text, "entered"), Term(before, "entered"):
            is_span = text.endswith("/") and before.startswith("/")
            return entry_span(text[:-1], before[1:]) if is_span else None
        case _:
            return None


SEVERAL = "several fields"
"""Stands for them, and for parts that have none, in place of a field."""


def field_of(node: Node) -> str | None:
    """Return the one field of all words of a part, if it has no headings, years or NOTs."""
    if isinstance(node, Term | Phrase):
        return SEVERAL if node.field in {*HEADINGS, *INDEXED} else node.field
    fields = set() if isinstance(node, Not) else {field_of(part) for part in parts(node)}
    return fields.pop() if len(fields) == 1 else SEVERAL


def in_field(node: Node, name: str | None) -> Node:
    if isinstance(node, Term | Phrase):
        return replace(node, field=name)
    return rebuilt(node, lambda part: in_field(part, name))


def depth(node: Node) -> int:
    """Return how many parts are inside each other; a leaf has depth 1."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        inner, level = waiting.pop()
        deepest = max(deepest, level)
        waiting += [(child, level + 1) for child in parts(inner)]
    return deepest


def identity(node: Node) -> object:
    """Return what two nodes share that mean the same: all of them but the case of letters."""
    match node:
        case Term(text, field, is_prefix):
            return (text.casefold(), field, is_prefix)
        case Phrase(words, field):
            return (tuple(map(str.casefold, words)), field)
        case YearRange():
            return node
        case Near(_, _, distance, is_ordered):
            return (Near, distance, is_ordered, *map(identity, parts(node)))
        case _:
            return (type(node), *map(identity, parts(node)))


def is_near_side(node: Node) -> bool:
    """Whether NEAR can have it on a side: a word, a phrase, a NEAR, or an OR of these."""
    if isinstance(node, Or):
        return all(map(is_near_side, node.children))
    return isinstance(node, Term | Phrase | Near)


def _join(kind: type[And | Or], children: tuple[Node, ...]) -> Node:
    if not children:
        raise InputError(f"{kind.__name__} has no parts: give it at least one")
    flat: list[Node] = []
    for child in map(normalise, children):
        flat += child.children if isinstance(child, kind) else (child,)
    distinct: dict[object, Node] = {}
    for child in flat:
        distinct.setdefault(identity(child), child)
    return join(kind, [*distinct.values()])


@lru_cache(maxsize=16_384)  # one translation meets each of them hundreds of times
def _normal_leaf(texts: tuple[str, ...], field: str | None) -> Term | Phrase:
    if field is not None and field not in FIELDS:
        raise UnknownNameError("field", field, list(FIELDS))
    plain = straighten(" ".join(texts)).replace('"', " ")
    words = tuple(cleaned for word in plain.split() if (cleaned := clean_word(word)))
    if not LETTER.search("".join(words)):
        raise InputError(f"nothing to search for in {' '.join(texts)!r}: expected a word")
    return leaf_of(words, field)


def _normal_near(node: Near) -> Near:
    left, right = map(normalise, (node.left, node.right))
    if not (is_near_side(left) and is_near_side(right)):
        raise InputError("NEAR accepts only words, phrases and OR groups of them")
    if node.distance < 0:
        raise InputError(f"a NEAR of distance {node.distance!r}: expected 0 or more words")
    return Near(left, right, node.distance, node.is_ordered)


_FOUR_DIGITS = range(1000, 10_000)


def _check_years(years: YearRange) -> YearRange:
    bounds = [bound for bound in (years.first, years.last) if bound is not None]
    if not bounds or bounds != sorted(bounds) or any(bound not in _FOUR_DIGITS for bound in bounds):
        raise InputError(
            f"years {years.first!r} to {years.last!r}: expected four digits each, in order"
        )
    return years


# What means something to another system is quoted.
_BARE = re.compile(
    r"(?!(?:(?i:adj)\d+|[NWS]\d+|TI|AB|SU|MW|TX|KW|DE|MJ|XB|MH|MM)$)\w+(?:[-.'’?$]\w+)*"
)
_OPERATORS = {"AND", "OR", "NOT", "NEAR", "PRE", "NEXT"}


def render(node: Node) -> str:
    """Return the canonical text: every group inside another one in parentheses.

    `parse(render(tree)) == normalise(tree)` for every tree that `parse` would accept the size of.
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
        case Near(left, right, distance, is_ordered):
            return (
                f"{_grouped(left)} {'PRE' if is_ordered else 'NEAR'}/{distance} {_grouped(right)}"
            )
        case YearRange(first, last):
            return f"year:{_years(first, last)}"


def _grouped(node: Node) -> str:
    is_group = isinstance(node, And | Or | Not | Near)
    return f"({_text(node)})" if is_group else _text(node)


def _prefix(field: str | None) -> str:
    return f"{field}:" if field else ""


def _years(first: int | None, last: int | None) -> str:
    return str(first) if first == last else f"{first or ''}-{last or ''}"
