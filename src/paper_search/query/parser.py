"""Parser for the program's own query language, with detection of other systems' languages."""

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache, partial
from typing import NoReturn

from paper_search.errors import QuerySyntaxError
from paper_search.query import ast
from paper_search.query.ast import And, Near, Node, Phrase, Term, conjuncts, rebuild, straighten
from paper_search.query.footers import SUM
from paper_search.query.lines import without_headings, without_number
from paper_search.query.normal_form import depth, normalise
from paper_search.query.operators import MAX_DEPTH, MAX_DISTANCE, OperatorReader, Part, Reading
from paper_search.query.reader import SentenceReader
from paper_search.query.strategy import parse_strategy
from paper_search.query.systems import SYSTEMS, System, detect_system
from paper_search.query.tagged import EXPECTED
from paper_search.query.tokens import Token

MAX_LENGTH = 50_000
"""In characters, of a query or of all lines of a strategy."""
_DIGITS = 9
"""Of a distance: Python refuses to read a number of 5,000 digits."""

_OWN = System("this program", re.compile("(?!)"), {})
_TAGS = {tag.upper() for system in SYSTEMS for tag in system.fields if tag.isalpha()} - {"IS"}
_FOREIGN = re.compile(
    r'"[^"]*"|10\.\d{4,9}/\S+'
    r'|(?<![^\s(])(?P<sign>[^\s()",]{1,60}\.[a-z]{2}(?:,[a-z]{2}){0,9}\.(?=[\s)]|$)'
    rf"|\.\.[a-z]{{1,9}}\S{{0,60}}|(?:(?i:{'|'.join(sorted(_TAGS))})|[A-Z-]{{3,20}})"
    r"(?<!AND)(?<!NOT)(?<!NEAR)\((?=[^()]{0,60}[^\W\d]{3}))"
)
"""Fields and commands of databases that are too ambiguous to identify the system."""
_NO_WORD = r'(?![^\s()"])'
_TOKEN = re.compile(
    rf"(?P<OR>OR{_NO_WORD})|(?P<AND>AND{_NO_WORD})|(?P<NOT>NOT{_NO_WORD})"
    rf'|(?P<near>(?:NEAR|PRE)(?:/[^\s()"]*)?{_NO_WORD})'
    r"|(?P<field>(?i:(?:title|abstract|author|venue|tiab|tiabkw|mesh(?:-only)?|majr(?:-only)?):\s*"
    r'|(?:keyword|substance|type|language|subheading|subset|entered):(?=[\w"(])))'
    r'|(?P<year>(?i:year):\s*(?:\d+\s*-\s*\d+|[^\s()"]*))'
    r'|(?P<doi>10\.\d{4,9}/(?:[^\s"()]|\([^\s"()]*\))+)'
    r'|(?P<blank>\s+|[^\w\s()"*|!]+(?=[\s)]|$))'  # ignore isolated punctuation, as in R & D
    r'|(?P<phrase>"[^"]*")|(?P<quote>")|(?P<word>[^\s()"]+)|(?P<paren>[()])'
)


def parse(text: str) -> Node:
    """Parse a query into the normal form of its tree.

    The language has words, "phrases", AND OR NOT, juxtaposition (AND; adjacent bare words after
    NOT are one operand), parentheses, NEAR/n, a final `*`, and the prefixes title:, abstract:,
    author:, venue:, tiab: (title or abstract), tiabkw: (title, abstract or author keywords), mesh:
    (a Medical Subject Heading) and year:. Search strings of the systems in
    `paper_search.query.systems` are accepted too. A numbered strategy means its last line.

    Raises:
        QuerySyntaxError: the text is not a valid query; the message begins with the column.
    """
    tree = _check_depth(analyse(text).node, 2 * MAX_DEPTH, text)  # normalising flattens
    return _check_depth(normalise(tree), MAX_DEPTH, text)


def conditions_in(texts: Iterable[str]) -> list[Node]:
    return [part for text in texts if text.strip() for part in conjuncts(parse(text))]


def with_conditions(tree: Node, texts: Iterable[str]) -> Node:
    conditions = conditions_in(texts)
    return normalise(And((tree, *conditions))) if conditions else tree


@lru_cache(maxsize=64)  # a strategy is shown, compared and linted several times a round
def analyse(text: str) -> Reading:
    """Parse a query without normalising it; columns count visible characters only."""
    text = straighten(text)
    refuse = partial(_refuse, text)
    if len(text) > MAX_LENGTH:
        refuse(MAX_LENGTH, f"the query is longer than {MAX_LENGTH:,} characters")
    if not text.strip():
        refuse(0, "the query is empty: expected a word, a \"phrase\" or '('")
    if "\n" in text.strip() and (strategy := parse_strategy(text)) is not None:
        return Reading(strategy.node, {}, tuple(strategy.remarks()), strategy.system.name)
    text, headings = without_headings(SUM.sub("", text))
    notes = [(1, f"read as a heading and left out: {row!r}") for row in headings]
    bare, number = without_number(text)
    own = text if not number or detect_system(bare) is None else bare
    if (system := detect_system(own)) is not None:
        reading = SentenceReader(own, system, refuse).reading()
        line = own.strip() if own is not text else None
        if line:
            notes.append((1, f"{number!r} before the query is read as its line number"))
        return replace(reading, notes=(*notes, *reading.notes), system=system.name, line=line)
    if sign := next((mark for mark in _FOREIGN.finditer(text) if mark["sign"]), None):
        refuse(sign.start(), f"{sign[0]!r} is not recognized: delete it, or quote it as a word")
    reading = _Parser(text, refuse).reading()
    return replace(reading, notes=(*notes, *reading.notes))


def _check_depth(node: Node, limit: int, text: str) -> Node:
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


class _Parser(OperatorReader):
    """Parses the operands of our own language: words, phrases, years, fields, groups, NEAR."""

    def __init__(self, text: str, refuse: ast.Refusal) -> None:
        tokens = [
            Token(sign[0] if sign["paren"] else str(sign.lastgroup), sign[0], sign.start(), sign)
            for sign in _TOKEN.finditer(text)
            if sign.lastgroup != "blank"
        ]
        super().__init__(tokens, _OWN, refuse, text)

    def reading(self) -> Reading:
        part = self._whole_of(self._tokens[0].start if self._tokens else len(self._text))
        return self._reading(part.node)

    def _closeness(self, left: Part | None = None) -> Part:
        return super()._closeness(left or self._words_behind_not())

    def _near(self, left: Node, token: Token, right: Node) -> Node:
        name, _, number = token.text.partition("/")
        is_number = number.isascii() and number.isdigit() and len(number) <= _DIGITS
        if not (is_number and int(number) <= MAX_DISTANCE):
            reason = f"expected {name}/n with n from 0 to {MAX_DISTANCE}, as in {name}/3"
            self._refuse(token.start, reason)
        self._check_distance(left, token, right)
        return Near(left, right, int(number), name == "PRE")

    def _words_behind_not(self) -> Part | None:
        """Group the bare words after NOT; otherwise `NOT honey bees` would require bees."""
        start = self._next
        rest = itertools.takewhile(lambda token: token.kind == "word", self._tokens[start:])
        words = list(rest)
        if not (words[1:] and start and self._tokens[start - 1].kind == "NOT"):
            return None
        parts = [self._operand() for _ in words]
        text = f"({' '.join(part.text for part in parts)})"
        self.notes.append((words[0].start, f"NOT applies to all words after it: {text}"))
        return Part(And(tuple(part.node for part in parts)), text)

    def _operand(self) -> Part:
        fields: list[Token] = []
        while self._is("field"):
            fields.append(self._take())
        if self._is("("):
            part = self._parenthesis()
        elif self._is("word", "doi", "phrase") or (self._is("year") and not fields):
            token = self._take()
            node = self._leaves.locate(self._leaf(token), token.start)
            part = Part(node, token.text)
        else:
            self._refuse_next(EXPECTED)
        for token in reversed(fields):
            node = self._within(token.text.partition(":")[0].lower(), part.node)
            part = Part(node, f"{token.text}{part.text}")
        return part

    def _leaf(self, token: Token) -> Node:
        match token.kind:
            case "doi":
                return ast.leaf_of((token.text.rstrip(ast.TRAILING),))
            case "phrase":
                return ast.parse_phrase(token.text[1:-1], self._at(token))
            case "year":
                return ast.parse_years(token.text.partition(":")[2].strip(), self._at(token))
            case _:
                return ast.parse_word(token.text, self._at(token))

    def _within(self, field: str, node: Node) -> Node:
        if isinstance(node, Term | Phrase):
            result: Node = node if node.field else replace(node, field=field)
        else:
            result = rebuild(node, partial(self._within, field))
        return self._leaves.locate(result, self._leaves.columns.get(id(node), 1) - 1)

    def _at(self, token: Token) -> Callable[[int, str], NoReturn]:
        return lambda offset, reason: self._refuse(token.start + offset, reason)
