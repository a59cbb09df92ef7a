"""Reads the text of a boolean query into its tree."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

from paper_search.errors import QuerySyntaxError
from paper_search.query import ast
from paper_search.query.ast import (
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    conjuncts,
    join,
    parts,
    rebuilt,
    straighten,
)
from paper_search.query.normal_form import depth, is_near_side, normalise, render
from paper_search.query.reader import MAX_DEPTH, MAX_DISTANCE, parse_sentence
from paper_search.query.strategy import parse_strategy
from paper_search.query.systems import SYSTEMS, recognised

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
_NO_WORD = r'(?![^\s()"])'
_TOKEN = re.compile(
    rf"(?P<or>OR{_NO_WORD})|(?P<and>AND{_NO_WORD})|(?P<not>NOT{_NO_WORD})"
    rf'|(?P<near>(?:NEAR|PRE)(?:/[^\s()"]*)?{_NO_WORD})'
    r"|(?P<field>(?i:(?:title|abstract|author|venue|tiab|mesh(?:-only)?|majr(?:-only)?):\s*"
    r'|(?:keyword|substance|type|language|subheading|subset|entered):(?=[\w"(])))'
    r'|(?P<year>(?i:year):\s*(?:\d+\s*-\s*\d+|[^\s()"]*))'
    r'|(?P<doi>10\.\d{4,9}/(?:[^\s"()]|\([^\s"()]*\))+)'
    r'|(?P<blank>\s+|[^\w\s()"*|!]+(?=[\s)]|$))'  # punctuation alone says nothing: R & D
    r'|(?P<phrase>"[^"]*")|(?P<quote>")|(?P<word>[^\s()"]+)|(?P<open>\()|(?P<close>\))'
)


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
    return [part for tree in trees for part in conjuncts(tree)]


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
        system: whose language it was in; None means our own.
    """

    node: Node
    columns: dict[int, int]
    notes: tuple[tuple[int, str], ...] = ()
    system: str | None = None


def analyse(text: str) -> Reading:
    """Return the tree as it was written, with the columns of its parts."""
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
    if sign := next((mark for mark in _FOREIGN.finditer(plain) if mark["sign"]), None):
        refuse(sign.start(), f"{sign[0]!r} is not understood: leave it out, or quote it as a word")
    parser = _Parser(plain, refuse)
    return Reading(parser.whole(), parser.columns, tuple(parser.notes))


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


class _Parser:
    """Recursive descent: NEAR binds tightest, then NOT, then AND (written or not), then OR."""

    def __init__(self, text: str, refuse: Callable[[int, str], NoReturn]) -> None:
        self._refuse, self._end = refuse, len(text)
        self._tokens = [sign for sign in _TOKEN.finditer(text) if sign.lastgroup != "blank"]
        self._next = 0
        self._open: list[int] = []
        self._groups: set[int] = set()
        self._alive: list[Node] = []
        self.notes: list[tuple[int, str]] = []
        self.columns: dict[int, int] = {}

    def whole(self) -> Node:
        node = self._disjunction()
        if self._kind() != "end":
            self._unexpected("expected AND, OR or the end", ", which closes nothing")
        return node

    def _kind(self) -> str:
        if self._next == len(self._tokens):
            return "end"
        token = self._tokens[self._next]
        return token[0] if token[0] in {"(", ")"} else str(token.lastgroup)

    def _take(self) -> re.Match[str]:
        self._next += 1
        return self._tokens[self._next - 1]

    def _unexpected(self, reason: str, rest: str = "") -> NoReturn:
        if self._kind() == "end":
            self._refuse(self._end, f"{reason} but found the end")
        token = self._take()
        if token.lastgroup == "quote":
            self._refuse(token.start(), "this quote is never closed")
        self._refuse(token.start(), f"{reason} but found {token[0]!r}{rest}")

    def _disjunction(self) -> Node:
        children = [self._conjunction()]
        while self._kind() == "or":
            self._take()
            children.append(self._conjunction())
        if len(children) == 1:
            return children[0]
        node = Or(tuple(children))
        if any(isinstance(child, And) and id(child) not in self._groups for child in children):
            text = render(node)
            text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            column = self.columns.get(id(_first_leaf(node)), 1)
            note = f"AND and OR are mixed without parentheses: read as {text}"
            self.notes.append((column, note))
        self._alive.append(node)
        return node

    def _conjunction(self) -> Node:
        children = [self._inversion()]
        while self._kind() not in {"or", ")", "end"}:
            if self._kind() == "and":
                self._take()
            children.append(self._inversion())
        node = join(And, children)
        self._alive.append(node)
        return node

    def _inversion(self) -> Node:
        signs = []
        while self._kind() == "not":
            signs.append(self._take())
        node = self._closeness()
        for sign in reversed(signs):
            node = node.child if isinstance(node, Not) else self._located(Not(node), sign)
        return node

    def _closeness(self) -> Node:
        node = self._operand()
        count = 0
        while self._kind() == "near":
            token, count = self._take(), count + 1
            name, _, number = token[0].partition("/")
            if not (number.isascii() and number.isdigit() and int(number) <= MAX_DISTANCE):
                reason = f"expected {name}/n with n from 0 to {MAX_DISTANCE}, as in {name}/3"
                self._refuse(token.start(), reason)
            if count > MAX_DEPTH:
                self._refuse(token.start(), f"more than {MAX_DEPTH} NEAR in a row")
            right = self._operand()
            if not (is_near_side(node) and is_near_side(right)):
                reason = f"{name} joins words, phrases or OR-groups of them"
                self._refuse(token.start(), reason)
            node = Near(node, right, int(number), name == "PRE")
        return node

    def _operand(self) -> Node:
        fields: list[str] = []
        while self._kind() == "field":
            fields.append(self._take()[0].partition(":")[0].lower())
        kind = self._kind()
        if kind == "(":
            node = self._group()
        elif kind == "year" and not fields:
            token = self._take()
            start = token[0].index(":") + 1
            refuse = self._at(token)
            node = self._located(ast.parse_years(token[0][start:].strip(), refuse), token)
        elif kind in {"word", "doi", "phrase"}:
            node = self._leaf(self._take())
        else:
            self._unexpected("expected a word, a \"phrase\" or '('")
        for field in reversed(fields):
            node = self._within(field, node)
        return node

    def _group(self) -> Node:
        self._open.append(self._take().start())
        if len(self._open) > MAX_DEPTH:
            self._refuse(self._open[-1], f"parentheses are nested deeper than {MAX_DEPTH}")
        node = self._disjunction()
        if self._kind() != ")":
            self._unexpected(f"expected ')' for the '(' in column {self._open[-1] + 1}")
        self._take()
        self._open.pop()
        self._groups.add(id(node))
        return node

    def _leaf(self, token: re.Match[str]) -> Node:
        if token.lastgroup == "doi":
            return self._located(ast.parse_exact_word(token[0]), token)
        if token.lastgroup == "phrase":
            return self._located(ast.parse_phrase(token[0][1:-1], self._at(token)), token)
        return self._located(ast.parse_word(token[0], self._at(token)), token)

    def _within(self, field: str, node: Node) -> Node:
        if isinstance(node, Term | Phrase):
            result: Node = node if node.field else replace(node, field=field)
        else:
            result = rebuilt(node, partial(self._within, field))
        self._alive.append(result)
        if id(node) in self.columns:
            self.columns[id(result)] = self.columns[id(node)]
        return result

    def _located(self, node: Node, token: re.Match[str]) -> Node:
        self._alive.append(node)
        self.columns[id(node)] = token.start() + 1
        return node

    def _at(self, token: re.Match[str]) -> Callable[[int, str], NoReturn]:
        return lambda offset, reason: self._refuse(token.start() + offset, reason)


def _first_leaf(node: Node) -> Node:
    while inner := parts(node):
        node = inner[0]
    return node
