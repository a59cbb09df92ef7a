"""Finds probable mistakes in a query."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paper_search.errors import QuerySyntaxError
from paper_search.query.ast import CURLY_QUOTES, And, Node, Not, Or, Term, all_leaves, straighten
from paper_search.query.operators import Reading
from paper_search.query.parser import analyse
from paper_search.query.prose import STOP_WORDS

_CURLY = re.compile(f"[{CURLY_QUOTES}]")
_LOWER_OPERATOR = re.compile(r'"[^"]*"|(?<![^\s()])(and|or|not|And|Or|Not)(?![^\s()])')


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """A probable mistake, at a column counted from 1."""

    column: int
    message: str


def lint(text: str) -> list[Finding]:
    """Return probable mistakes by column.

    These are the first syntax error, queries with only exclusions, operators in lower case, curly
    quotes, single stop words, and remarks on the translation from another system.
    """
    findings = [
        Finding(quote.start() + 1, f"the curly quote {quote[0]} is read as a plain one")
        for quote in _CURLY.finditer(text)
    ]
    try:
        reading = analyse(text)
    except QuerySyntaxError as error:
        reason = str(error).removeprefix(f"column {error.column}: ")
        return sorted([*findings, Finding(error.column, reason)])
    findings += [Finding(column, note) for column, note in reading.notes]
    if reading.system is None:
        findings += [
            Finding(
                operator.start() + 1,
                f"{operator[1]!r} is read as a word: write {operator[1].upper()} for the operator",
            )
            for operator in _LOWER_OPERATOR.finditer(straighten(text))
            if operator[1]
        ]
    findings += _of_tree(reading)
    return sorted(set(findings))


def _of_tree(reading: Reading) -> Iterator[Finding]:
    if (exclusion := mere_exclusion(reading.node)) is not None:
        column = reading.columns.get(id(exclusion), 1)
        yield Finding(column, "this only excludes: put search terms before the NOT")
    for leaf in all_leaves(reading.node):
        match leaf:
            case Term(text, field, False) if text.casefold() in STOP_WORDS and field != "author":
                message = (
                    f"{text!r} alone is too general: leave it out, or quote the phrase that it is"
                    " part of"
                )
                yield Finding(reading.columns.get(id(leaf), 1), message)


def mere_exclusion(node: Node) -> Not | None:
    """Return a NOT that nothing is excluded from, if any."""
    if isinstance(node, Not):
        return node
    if not isinstance(node, And | Or):
        return None
    exclusions = [mere_exclusion(child) for child in node.children]
    is_wanted = isinstance(node, And) and None in exclusions
    return None if is_wanted else next(filter(None, exclusions), None)
