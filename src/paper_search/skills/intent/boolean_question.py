"""Questions that are boolean queries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paper_search.errors import QuerySyntaxError, QuestionError
from paper_search.query import parse
from paper_search.query.ast import And, Near, Node, Not, Or, Phrase, Term, YearRange
from paper_search.query.prose import SMALL_WORDS, is_prose
from paper_search.query.systems import is_tagged
from paper_search.query.typography import straighten

_OPERATOR = re.compile(r"(?<![\w-])(?:AND|OR|NOT|NEAR(?:/\d+)?|ADJ\d*|W/\d+)(?![\w-])")
_FIELD = re.compile(r"(?<!\w)(?:title|abstract|author|venue|tiab|year):(?!//)\s?\S", re.IGNORECASE)
_OTHER_FIELD = re.compile(
    r"(?<![\w.])(?:ti|ab|au|abs|kw|so|key|keywords?|subject|mesh|mh|cat|jr|py|pubyear|affil):"
    r"(?!//)[\w\"(]",
    re.IGNORECASE,
)
"""Fields of other services: not known here, so they are refused rather than read as words."""
_TRUNCATED = re.compile(r"(?<!\w)\w{3,}+\*(?!\w)")
_SHOWN = 60
_QUOTED = re.compile(r'"[^"]*"')
_ACCEPTED = (
    'use words, "phrases", AND OR NOT, parentheses, NEAR/n, word*, and the fields'
    " title: abstract: author: venue: year: tiab:; or ask in plain words"
)


@dataclass(frozen=True)
class BooleanQuestion:
    """What a boolean query wants.

    Attributes:
        concepts: one for each part that is required; a group of ORs by its first word or phrase.
        alternatives: by concept, the others of its group.
        authors: names limited to authors.
    """

    concepts: tuple[str, ...]
    alternatives: dict[str, list[str]]
    authors: tuple[str, ...]


def read_boolean(question: str) -> BooleanQuestion | None:
    """Return what a boolean query wants; None: the question is plain words.

    Raises:
        QuestionError: it holds operators, fields or tags, is no prose, and cannot be read.
    """
    text = straighten(question)
    if not _is_query(text):
        return None
    try:
        tree = parse(question)
    except QuerySyntaxError as error:
        raise QuestionError(
            f"the question looks like a boolean query but is not valid: {error}; {_ACCEPTED}"
        ) from error
    if not _asks(tree):
        raise QuestionError(
            f"the question only says what to exclude: {question[:_SHOWN]!r};"
            " say what you are looking for"
        )
    groups = [group for part in _parts(tree) if (group := list(dict.fromkeys(_wanted(part))))]
    authors = [_text(leaf) for leaf in _leaves(tree) if leaf.field == "author"]
    return BooleanQuestion(
        tuple(dict.fromkeys(group[0] for group in groups)),
        {group[0]: group[1:] for group in groups if len(group) > 1},
        tuple(dict.fromkeys(authors)),
    )


def _asks(node: Node) -> bool:
    """Return whether the tree wants anything."""
    is_dated = any(isinstance(part, YearRange) for part in _parts(node))
    return is_dated or next(_leaves(node), None) is not None


def _is_query(text: str) -> bool:
    if is_tagged(text):
        return True
    outside = _QUOTED.sub(" ", text)
    if is_prose(text):
        return False
    if any(mark.search(outside) for mark in (_OPERATOR, _FIELD, _OTHER_FIELD, _TRUNCATED)):
        return True
    # Quotes alone are a query where no function word says that the rest is a sentence.
    words = [word.strip(".,;:?!").casefold() for word in outside.split()]
    return _QUOTED.search(text) is not None and '"' not in outside and SMALL_WORDS.isdisjoint(words)


def _parts(node: Node) -> Iterator[Node]:
    """Yield what is required, part by part."""
    match node:
        case And(children):
            for child in children:
                yield from _parts(child)
        case Near(left, right, _):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield node


def _leaves(node: Node) -> Iterator[Term | Phrase]:
    """Yield the words and phrases of a tree that are not excluded."""
    match node:
        case Term() | Phrase():
            yield node
        case And(children) | Or(children):
            for child in children:
                yield from _leaves(child)
        case Near(left, right, _):
            yield from _leaves(left)
            yield from _leaves(right)
        case Not() | YearRange():
            return


def _wanted(node: Node) -> Iterator[str]:
    for leaf in _leaves(node):
        if leaf.field not in {"author", "venue"}:
            yield _text(leaf)


def _text(leaf: Term | Phrase) -> str:
    return leaf.text if isinstance(leaf, Term) else " ".join(leaf.words)
