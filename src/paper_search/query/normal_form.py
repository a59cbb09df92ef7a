"""The normal form of a tree (flat, without duplicates, canonical words) and its text."""

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
    rebuild,
    straighten,
    words_of,
)
from paper_search.query.limits import day_after, entry_span


def normalise(node: Node) -> Node:  # noqa: PLR0911  # one case per kind of node
    """Flatten nested ANDs and ORs, and remove duplicates and double NOTs.

    Order is kept; of parts that differ only in case, the first stays. A term of several words
    becomes a phrase, a phrase of one word a term.

    Raises:
        InputError: the tree is invalid, such as an AND without parts, a word without letters, an
            unknown field, reversed years, or a NEAR over an AND or a NOT.
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


def merge_conditions(node: Node, *, has_own_keywords: bool = False) -> Node:
    """Merge conditions that a database can only express separately.

    The same words in the title or in the abstract become `tiab`; two open spans of years or of
    entry dates become one closed span. With `has_own_keywords`, `keyword` means author keywords.
    """
    fold = partial(merge_conditions, has_own_keywords=has_own_keywords)
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
"""Returned by `field_of` instead of a field."""


def field_of(node: Node) -> str | None:
    """Return the common field of all words, or `SEVERAL`, also for headings, years and NOTs."""
    if isinstance(node, Term | Phrase):
        return SEVERAL if node.field in {*HEADINGS, *INDEXED} else node.field
    fields = set() if isinstance(node, Not) else {field_of(part) for part in parts(node)}
    return fields.pop() if len(fields) == 1 else SEVERAL


def in_field(node: Node, name: str | None) -> Node:
    if isinstance(node, Term | Phrase):
        return replace(node, field=name)
    return rebuild(node, lambda part: in_field(part, name))


def depth(node: Node) -> int:
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        inner, level = waiting.pop()
        deepest = max(deepest, level)
        waiting += [(child, level + 1) for child in parts(inner)]
    return deepest


def identity(node: Node) -> object:
    """Return a key that is equal for nodes that differ only in case."""
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
    """Whether it can be an operand of NEAR: a word, a phrase, a NEAR, or an OR of these."""
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


@lru_cache(maxsize=16_384)  # one translation normalises the same leaf hundreds of times
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


# Words with a meaning in another system are quoted.
_BARE = re.compile(
    r"(?!(?:(?i:adj)\d+|[NWS]\d+|TI|AB|SU|MW|TX|KW|DE|MJ|XB|MH|MM)$)\w+(?:[-.'’?$]\w+)*"
)
_OPERATORS = {"AND", "OR", "NOT", "NEAR", "PRE", "NEXT"}


def render(node: Node) -> str:
    """Return the canonical text, in which every nested group has parentheses.

    `parse(render(tree)) == normalise(tree)` for every tree within the size limits of `parse`.
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
            return " AND ".join(map(_operand, children))
        case Or(children):
            return " OR ".join(map(_operand, children))
        case Not(child):
            return f"NOT {_operand(child)}"
        case Near(left, right, distance, is_ordered):
            return (
                f"{_operand(left)} {'PRE' if is_ordered else 'NEAR'}/{distance} {_operand(right)}"
            )
        case YearRange(first, last):
            return f"year:{_years(first, last)}"


def _operand(node: Node) -> str:
    is_group = isinstance(node, And | Or | Not | Near)
    return f"({_text(node)})" if is_group else _text(node)


def _prefix(field: str | None) -> str:
    return f"{field}:" if field else ""


def _years(first: int | None, last: int | None) -> str:
    return str(first) if first == last else f"{first or ''}-{last or ''}"
