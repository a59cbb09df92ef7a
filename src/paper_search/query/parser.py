"""Reads the text of a boolean query into its tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NoReturn

from paper_search.errors import QuerySyntaxError
from paper_search.query import leaves
from paper_search.query.ast import And, Near, Node, Not, Or, Phrase, Term, YearRange
from paper_search.query.leaves import straighten
from paper_search.query.normal_form import depth, is_near_side, normalise, parts, render
from paper_search.query.reader import MAX_DEPTH, MAX_DISTANCE, parse_sentence
from paper_search.query.strategy import parse_strategy
from paper_search.query.systems import SYSTEMS, recognised

if TYPE_CHECKING:
    from lark import Lark, Token

MAX_LENGTH = 50_000
"""Characters in a query, or in all lines of a strategy."""

_SHOWN = 300
_TAGS = {tag.upper() for system in SYSTEMS for tag in system.fields if tag.isalpha()} - {"IS"}
_FOREIGN = re.compile(
    r'"[^"]*"|10\.\d{4,9}/\S+'
    r'|(?<![^\s(])(?P<sign>[^\s()",]{1,60}\.[a-z]{2}(?:,[a-z]{2}){0,9}\.(?=[\s)]|$)'
    rf"|\.\.[a-z]{{1,9}}\S{{0,60}}|(?:(?i:{'|'.join(sorted(_TAGS))})|[A-Z-]{{3,20}})"
    r"(?<!AND)(?<!NOT)(?<!NEAR)\((?=[^()]{0,60}[^\W\d]{3}))"
)
"""Fields and commands of databases, where too few stand together to tell whose they are."""
_PARENTHESES = re.compile(r'"[^"]*"|[()]')


def parse(text: str) -> Node:
    """Return the normal form of the tree of a query text.

    The language: words, "phrases", AND OR NOT, juxtaposition (AND), parentheses, NEAR/n, `*` at
    the end of a word, and the prefixes title:, abstract:, author:, venue:, tiab: (title or
    abstract), mesh: (a Medical Subject Heading) and year:. Search strings of other systems are
    understood, too (`paper_search.query.systems`); a strategy of several lines is what its last
    line finds.

    Raises:
        QuerySyntaxError: it cannot be read; the message begins with the column.
    """
    tree = _bounded(analyse(text).node, 2 * MAX_DEPTH, text)  # what is flat may be written deep
    return _bounded(normalise(tree), MAX_DEPTH, text)


def conditions_in(texts: Iterable[str]) -> list[Node]:
    """Return the trees of conditions that hold together, what is AND-ed each by itself."""
    trees = (parse(text) for text in texts if text.strip())
    return [part for tree in trees for part in (tree.children if isinstance(tree, And) else [tree])]


def with_conditions(tree: Node, texts: Iterable[str]) -> Node:
    conditions = conditions_in(texts)
    return normalise(And((tree, *conditions))) if conditions else tree


@dataclass(frozen=True, slots=True)
class Reading:
    """A tree as it was written, before normalisation.

    Attributes:
        node: the tree.
        columns: of leaves and of NOTs, by `id()` of their nodes, which `node` keeps alive.
        notes: column, and what was not carried over from another system, or how it was read.
        system: whose language it was in; None: our own.
    """

    node: Node
    columns: dict[int, int]
    notes: tuple[tuple[int, str], ...] = ()
    system: str | None = None


def analyse(text: str) -> Reading:
    """Return the tree as it was written, with the columns of its parts.

    Raises:
        QuerySyntaxError: it cannot be read.
    """
    from lark.exceptions import UnexpectedInput, VisitError  # noqa: PLC0415  # slow to import

    refuse = partial(_refuse, text)
    if len(text) > MAX_LENGTH:
        refuse(MAX_LENGTH, f"the query is longer than {MAX_LENGTH:,} characters")
    if not text.strip():
        refuse(0, "the query is empty: expected a word, a \"phrase\" or '('")
    if "\n" in text.strip() and (strategy := parse_strategy(text)) is not None:
        return Reading(strategy.node, {}, tuple(strategy.remarks()), strategy.system.name)
    plain = straighten(text)
    if (system := recognised(plain)) is not None:
        sentence = parse_sentence(plain, system, refuse)
        notes = tuple((offset + 1, note) for offset, note in sentence.notes)
        return Reading(sentence.node, sentence.columns, notes, system.name)
    if sign := next((sentence for sentence in _FOREIGN.finditer(plain) if sentence["sign"]), None):
        refuse(sign.start(), f"{sign[0]!r} is not understood: leave it out, or quote it as a word")
    open_brackets = _open_parentheses(plain, refuse)
    builder = _builder(plain, refuse)
    try:
        node = builder.transform(_grammar().parse(plain))
    except VisitError as error:
        raise error.orig_exc from None
    except UnexpectedInput as error:
        offset, reason = _explain(error, open_brackets, len(text))
    else:
        return Reading(node, builder.columns, tuple(builder.notes))
    return refuse(offset, reason)


def _bounded(node: Node, limit: int, text: str) -> Node:
    if depth(node) > limit:
        _refuse(text, 0, f"parts are nested deeper than {MAX_DEPTH}")
    return node


def _refuse(query: str, offset: int, reason: str) -> NoReturn:
    row = query.count("\n", 0, offset) + 1
    if row > 1:
        column = offset - query.rindex("\n", 0, offset)
        raise QuerySyntaxError(
            f"line {row}, column {column}: {reason}", query=query, column=column, line=row
        )
    raise QuerySyntaxError(f"column {offset + 1}: {reason}", query=query, column=offset + 1)


@cache
def _grammar() -> Lark:
    from lark import Lark  # noqa: PLC0415  # slow to import

    grammar = files("paper_search.query").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic")


def _open_parentheses(text: str, refuse: Callable[[int, str], NoReturn]) -> list[int]:
    """Return the offsets of the parentheses that are never closed."""
    offsets: list[int] = []
    for bracket in _PARENTHESES.finditer(text):
        if bracket[0] == "(":
            offsets.append(bracket.start())
            if len(offsets) > MAX_DEPTH:
                refuse(offsets[-1], f"parentheses are nested deeper than {MAX_DEPTH}")
        elif bracket[0] == ")" and offsets:
            offsets.pop()
    return offsets


def _explain(error: Any, offsets: list[int], end: int) -> tuple[int, str]:
    """Return the offset in the text as given, and what was expected there."""
    from lark.exceptions import UnexpectedCharacters  # noqa: PLC0415  # slow to import

    offset: int = error.pos_in_stream
    if isinstance(error, UnexpectedCharacters):
        return offset, "this quote is never closed"
    token = error.token
    at_end = token.type == "$END"
    actual = "the end" if at_end else repr(str(token))
    offset = end if at_end else token.start_pos
    if not error.accepts & {"_OR", "_AND", "_RPAR", "$END"}:
        return offset, f"expected a word, a \"phrase\" or '(' but found {actual}"
    if at_end and offsets:
        return offset, f"expected ')' for the '(' in column {offsets[-1] + 1} but found the end"
    if token.type == "_RPAR":
        return offset, "expected AND, OR or the end but found ')', which closes nothing"
    return offset, f"expected AND, OR or the end but found {actual}"


def _builder(text: str, refuse: Callable[[int, str], NoReturn]) -> Any:
    from lark.visitors import Transformer_NonRecursive  # noqa: PLC0415  # slow to import

    class Builder(_Construction, Transformer_NonRecursive[Any, Any]):
        """Turns lark's tree into ours without recursion, so that depth cannot overflow."""

    return Builder(text, refuse)


class _Construction:
    """One method for every rule of the grammar."""

    def __init__(self, text: str, refuse: Callable[[int, str], NoReturn], **options: Any) -> None:
        super().__init__(**options)
        self._text = text
        self._refuse = refuse
        self._grouped: set[int] = set()
        self.notes: list[tuple[int, str]] = []
        self.columns: dict[int, int] = {}
        self._kept: list[Node] = []

    def disjunction(self, children: list[Node]) -> Node:
        bare = [child for child in children if id(child) not in self._grouped]
        node = Or(tuple(children))
        if any(isinstance(child, And) for child in bare):
            text = render(node)
            text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            column = self.columns.get(id(_first_leaf(node)), 1)
            note = f"AND and OR are mixed without parentheses: read as {text}"
            self.notes.append((column, note))
        self._kept.append(node)
        return node

    def group(self, children: list[Node]) -> Node:
        [node] = children
        self._grouped.add(id(node))
        return node

    def conjunction(self, children: list[Node]) -> Node:
        node = And(tuple(children))
        self._kept.append(node)
        return node

    def exclusion(self, children: list[Any]) -> Node:
        token, node = children
        return node.child if isinstance(node, Not) else self._located(Not(node), token, 0)

    def proximity(self, children: list[Any]) -> Node:
        left, token, right = children
        name, _, number = str(token).partition("/")
        if not (number.isascii() and number.isdigit() and int(number) <= MAX_DISTANCE):
            self._refuse_at(
                token, 0, f"expected {name}/n with n from 0 to {MAX_DISTANCE}, as in {name}/3"
            )
        for side in (left, right):
            if not is_near_side(side):
                self._refuse_at(token, 0, f"{name} joins words, phrases or OR-groups of them")
        if _spine(left) >= MAX_DEPTH:
            self._refuse_at(token, 0, f"more than {MAX_DEPTH} NEAR in a row")
        return Near(left, right, int(number), name == "PRE")

    def word(self, children: list[Token]) -> Node:
        [token] = children
        return self._located(
            leaves.parse_word(str(token), partial(self._refuse_at, token)), token, 0
        )

    def exact_word(self, children: list[Token]) -> Node:
        [token] = children
        return self._located(leaves.parse_exact_word(str(token)), token, 0)

    def phrase(self, children: list[Token]) -> Node:
        [token] = children
        leaf = leaves.parse_phrase(str(token)[1:-1], partial(self._refuse_at, token))
        return self._located(leaf, token, 0)

    def year(self, children: list[Token]) -> Node:
        [token] = children
        start = str(token).index(":") + 1
        refuse = partial(self._refuse_at, token)
        return self._located(leaves.parse_years(str(token)[start:].strip(), refuse), token, 0)

    def field(self, children: list[Any]) -> Node:
        token, node = children
        return self._within(str(token).split(":")[0].lower(), node)

    def _within(self, field: str, node: Node) -> Node:
        match node:
            case Term() | Phrase():
                return node if node.field else self._at_column_of(replace(node, field=field), node)
            case And(children):
                return And(tuple(map(partial(self._within, field), children)))
            case Or(children):
                return Or(tuple(map(partial(self._within, field), children)))
            case Not(child):
                return self._at_column_of(Not(self._within(field, child)), node)
            case Near(left, right, distance):
                sides = self._within(field, left), self._within(field, right)
                return Near(*sides, distance, node.is_ordered)
            case YearRange():
                return node

    def _located(self, node: Node, token: Token, offset: int) -> Node:
        self._kept.append(node)
        self.columns[id(node)] = (token.start_pos or 0) + offset + 1
        return node

    def _at_column_of(self, node: Node, origin: Node) -> Node:
        self._kept.append(node)
        self.columns[id(node)] = self.columns.get(id(origin), 1)
        return node

    def _refuse_at(self, token: Token, offset: int, reason: str) -> NoReturn:
        self._refuse((token.start_pos or 0) + offset, reason)


def _first_leaf(node: Node) -> Node:
    while inner := parts(node):
        node = inner[0]
    return node


def _spine(node: Node) -> int:
    length = 0
    while isinstance(node, Near):
        node, length = node.left, length + 1
    return length
