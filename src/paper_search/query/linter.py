"""Finds what a query probably does not mean, and says where."""

import re
from dataclasses import dataclass

from paper_search.errors import QuerySyntaxError
from paper_search.query.ast import (
    CURLY_QUOTES,
    And,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    parts,
    straighten,
)
from paper_search.query.normal_form import identity
from paper_search.query.parser import Reading, analyse

STOP_WORDS = frozenset({
        "a", "an", "are", "as", "at", "be", "been", "but", "by", "for", "from", "had", "has",
        "have", "how", "in", "into", "is", "it", "its", "of", "on", "that", "the",
        "their", "there", "these", "they", "this", "those", "to", "was", "were", "what",
        "when", "where", "which", "who", "why", "will", "with", "der", "die", "das",
        "und", "le", "la", "les", "des", "el", "los", "du", "de",
})  # fmt: skip
"""Words that nearly every document contains."""

_CURLY = re.compile(f"[{CURLY_QUOTES}]")
_LOWER_OPERATOR = re.compile(r'"[^"]*"|(?<![^\s()])(and|or|not|And|Or|Not)(?![^\s()])')


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """What is odd at a column of a query, counted from 1, and what to write instead."""

    column: int
    message: str


def lint(text: str) -> list[Finding]:
    """Return what is odd about a query, by column; a query that cannot be read is one finding.

    Found are: unbalanced parentheses and quotes and every other syntax error, a query that only
    excludes, operators in lower case, curly quotes, stop words alone, repeated terms, and what
    the rewriting from another service's style could not carry over.
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
    findings += _Inspection(reading).findings()
    return sorted(set(findings))


def _is_stop_word(term: Term) -> bool:
    return term.text.casefold() in STOP_WORDS and not term.is_prefix and term.field != "author"


class _Inspection:
    """Looks at every part of a tree as it was written."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def findings(self) -> list[Finding]:
        root = self._reading.node
        findings: list[Finding] = []
        if (column := self._pure_exclusion(root)) is not None:
            findings.append(
                Finding(column, "this only excludes: say before the NOT what is wanted")
            )
        waiting: list[Node] = [root]
        while waiting:
            node = waiting.pop()
            waiting += parts(node)
            if isinstance(node, Term) and _is_stop_word(node):
                message = (
                    f"{node.text!r} alone says nothing of a subject: leave it out or quote the"
                    " phrase that it is part of"
                )
                findings.append(Finding(self._column(node), message))
            if isinstance(node, And | Or):
                findings += self._repeated(node)
        return findings

    def _repeated(self, group: And | Or) -> list[Finding]:
        keys: set[object] = set()
        findings = []
        for leaf in self._operands(group, type(group)):
            key = identity(leaf)
            if key in keys and isinstance(leaf, Term | Phrase | YearRange):
                label = leaf.text if isinstance(leaf, Term) else "this part"
                findings.append(Finding(self._column(leaf), f"{label!r} is repeated in its group"))
            keys.add(key)
        return findings

    def _operands(self, node: Node, kind: type[And | Or]) -> list[Node]:
        if not isinstance(node, kind):
            return [node]
        return [leaf for child in node.children for leaf in self._operands(child, kind)]

    def _pure_exclusion(self, node: Node) -> int | None:
        """Return the column of a NOT with nothing wanted beside it, if there is one."""
        if isinstance(node, Not):
            return self._column(node)
        if not isinstance(node, And | Or):
            return None
        columns = [self._pure_exclusion(child) for child in node.children]
        is_wanted = isinstance(node, And) and None in columns
        return None if is_wanted else next(filter(None, columns), None)

    def _column(self, node: Node) -> int:
        return self._reading.columns.get(id(node), 1)
