"""Reads the text of a boolean query into its tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NoReturn

from paper_search.errors import QuerySyntaxError
from paper_search.query import leaves
from paper_search.query.ast import And, Near, Node, Not, Or, Phrase, Term, YearRange
from paper_search.query.dialects import rewrite
from paper_search.query.normal_form import depth, is_near_side, normalise
from paper_search.query.rewriting import Rewriting
from paper_search.query.typography import straighten

if TYPE_CHECKING:
    from lark import Lark, Token

MAX_LENGTH = 10_000
"""Characters in a query."""

MAX_DEPTH = 100
"""Parentheses or parts inside each other."""

MAX_DISTANCE = 100
"""The n of NEAR/n."""

_PARENTHESES = re.compile(r'"[^"]*"|[()]')


def parse(text: str) -> Node:
    """Return the normal form of the tree that a query text stands for.

    The language: words, "phrases", AND OR NOT, juxtaposition (AND), parentheses, NEAR/n, `*` at
    the end of a word, and the prefixes title:, abstract:, author:, venue:, tiab: (title or
    abstract), mesh: (a Medical Subject Heading) and year:. Search strings in the style of PubMed,
    Web of Science and Scopus are understood too (`paper_search.query.dialects`).

    Raises:
        QuerySyntaxError: it cannot be read; the message begins with the column.
    """
    written = _bounded(read(text).node, 2 * MAX_DEPTH, text)  # what is flat may be written deep
    return _bounded(normalise(written), MAX_DEPTH, text)


@dataclass(frozen=True, slots=True)
class Reading:
    """A tree as it was written, before normalisation.

    Attributes:
        node: the tree.
        columns: of leaves and of NOTs, by `id()` of their nodes, which `node` keeps alive.
        rewriting: what was read, if it was in another dialect.
    """

    node: Node
    columns: dict[int, int]
    rewriting: Rewriting


def read(text: str) -> Reading:
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
    rewriting = rewrite(straighten(text), refuse)
    opened = _open_parentheses(rewriting, refuse)
    builder = _builder(rewriting, refuse)
    try:
        node = builder.transform(_grammar().parse(rewriting.text))
    except VisitError as error:
        raise error.orig_exc from None
    except UnexpectedInput as error:
        offset, reason = _explain(error, rewriting, opened, len(text))
    else:
        return Reading(node, builder.columns, rewriting)
    return refuse(offset, reason)


def _bounded(node: Node, limit: int, text: str) -> Node:
    if depth(node) > limit:
        _refuse(text, 0, f"parts are nested deeper than {MAX_DEPTH}")
    return node


def _refuse(query: str, offset: int, reason: str) -> NoReturn:
    raise QuerySyntaxError(f"column {offset + 1}: {reason}", query=query, column=offset + 1)


@cache
def _grammar() -> Lark:
    from lark import Lark  # noqa: PLC0415  # slow to import

    grammar = files("paper_search.query").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic")


def _open_parentheses(rewriting: Rewriting, refuse: Callable[[int, str], NoReturn]) -> list[int]:
    """Return the offsets of the parentheses that are never closed."""
    opened: list[int] = []
    for found in _PARENTHESES.finditer(rewriting.text):
        if found[0] == "(":
            opened.append(rewriting.origin(found.start()))
            if len(opened) > MAX_DEPTH:
                refuse(opened[-1], f"parentheses are nested deeper than {MAX_DEPTH}")
        elif found[0] == ")" and opened:
            opened.pop()
    return opened


def _explain(error: Any, rewriting: Rewriting, opened: list[int], end: int) -> tuple[int, str]:
    """Return the offset in the text as given, and what was expected there."""
    from lark.exceptions import UnexpectedCharacters  # noqa: PLC0415  # slow to import

    offset: int = error.pos_in_stream
    if isinstance(error, UnexpectedCharacters):
        return rewriting.origin(offset), "this quote is never closed"
    token = error.token
    at_end = token.type == "$END"
    found = "the end" if at_end else repr(str(token))
    offset = end if at_end else rewriting.origin(token.start_pos)
    if not error.accepts & {"_OR", "_AND", "_RPAR", "$END"}:
        return offset, f"expected a word, a \"phrase\" or '(' but found {found}"
    if at_end and opened:
        return offset, f"expected ')' for the '(' in column {opened[-1] + 1} but found the end"
    if token.type == "_RPAR":
        return offset, "expected AND, OR or the end but found ')', which closes nothing"
    return offset, f"expected AND, OR or the end but found {found}"


def _builder(rewriting: Rewriting, refuse: Callable[[int, str], NoReturn]) -> Any:
    from lark.visitors import Transformer_NonRecursive  # noqa: PLC0415  # slow to import

    class Builder(_Construction, Transformer_NonRecursive[Any, Any]):
        """Turns lark's tree into ours without recursion, so that depth cannot overflow."""

    return Builder(rewriting, refuse)


class _Construction:
    """One method for every rule of the grammar."""

    def __init__(
        self, rewriting: Rewriting, refuse: Callable[[int, str], NoReturn], **options: Any
    ) -> None:
        super().__init__(**options)
        self._rewriting = rewriting
        self._refuse = refuse
        self.columns: dict[int, int] = {}
        self._kept: list[Node] = []

    def disjunction(self, children: list[Node]) -> Node:
        return Or(tuple(children))

    def conjunction(self, children: list[Node]) -> Node:
        return And(tuple(children))

    def exclusion(self, children: list[Any]) -> Node:
        token, node = children
        return node.child if isinstance(node, Not) else self._located(Not(node), token, 0)

    def proximity(self, children: list[Any]) -> Node:
        left, token, right = children
        number = str(token).removeprefix("NEAR").removeprefix("/")
        if not (number.isascii() and number.isdigit() and int(number) <= MAX_DISTANCE):
            self._refuse_at(
                token, 0, f"expected NEAR/n with n from 0 to {MAX_DISTANCE}, as in NEAR/3"
            )
        for side in (left, right):
            if not is_near_side(side):
                self._refuse_at(token, 0, "NEAR joins words, phrases or OR-groups of them")
        if _spine(left) >= MAX_DEPTH:
            self._refuse_at(token, 0, f"more than {MAX_DEPTH} NEAR in a row")
        return Near(left, right, int(number))

    def word(self, children: list[Token]) -> Node:
        [token] = children
        return self._located(
            leaves.read_word(str(token), partial(self._refuse_at, token)), token, 0
        )

    def exact_word(self, children: list[Token]) -> Node:
        [token] = children
        return self._located(leaves.read_exact_word(str(token)), token, 0)

    def phrase(self, children: list[Token]) -> Node:
        [token] = children
        leaf = leaves.read_phrase(str(token)[1:-1], partial(self._refuse_at, token))
        return self._located(leaf, token, 0)

    def year(self, children: list[Token]) -> Node:
        [token] = children
        start = str(token).index(":") + 1
        refuse = partial(self._refuse_at, token)
        return self._located(leaves.read_years(str(token)[start:].strip(), refuse), token, 0)

    def limited(self, children: list[Any]) -> Node:
        token, node = children
        return self._within(str(token).split(":")[0].lower(), node)

    def _within(self, field: str, node: Node) -> Node:
        match node:
            case Term() | Phrase():
                return node if node.field else self._in_field(field, node)
            case And(children):
                return And(tuple(map(partial(self._within, field), children)))
            case Or(children):
                return Or(tuple(map(partial(self._within, field), children)))
            case Not(child):
                return self._at_column_of(Not(self._within(field, child)), node)
            case Near(left, right, distance):
                return Near(self._within(field, left), self._within(field, right), distance)
            case YearRange():
                return node

    def _in_field(self, field: str, leaf: Term | Phrase) -> Node:
        if field != "tiab":
            return self._at_column_of(replace(leaf, field=field), leaf)
        title, abstract = (
            self._at_column_of(replace(leaf, field=name), leaf) for name in ("title", "abstract")
        )
        return Or((title, abstract))

    def _located(self, node: Node, token: Token, offset: int) -> Node:
        self._kept.append(node)
        self.columns[id(node)] = self._rewriting.origin((token.start_pos or 0) + offset) + 1
        return node

    def _at_column_of(self, node: Node, origin: Node) -> Node:
        self._kept.append(node)
        self.columns[id(node)] = self.columns.get(id(origin), 1)
        return node

    def _refuse_at(self, token: Token, offset: int, reason: str) -> NoReturn:
        self._refuse(self._rewriting.origin((token.start_pos or 0) + offset), reason)


def _spine(node: Node) -> int:
    length = 0
    while isinstance(node, Near):
        node, length = node.left, length + 1
    return length
