"""Converts a person's words to queries and trees, and trees to text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from paper_search.bibliography.text import WORD
from paper_search.errors import QuerySyntaxError
from paper_search.query import (
    HEADINGS,
    INDEXED,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    heading_words,
    parse,
    render,
)
from paper_search.skills.stop_words import BREAKS
from paper_search.skills.untrusted import visible
from paper_search.skills.words import is_unspaced

MIN_QUERIES, MAX_QUERIES = 2, 4
"""Queries of a strategy that we write; a person may write more."""

MAX_QUERY_CHARS = 2_000
"""The longest query in a strategy; services refuse longer ones."""

_SYNTAX = re.compile(r"[\"“”„«»()\[\]{}<>*?|&^~\\/:;,=!$%#@`]+")
_OPERATORS = re.compile(r"\b(AND|OR|NOT|NEAR)\b")

_MOST_WORDS = 12
"""Words of one name; a longer one is no name."""


def quoted(text: str) -> str:
    """Return the text as one term of a query: a bare word or a phrase in quotes, or "".

    Whatever has a meaning in the query language is taken out of the text; operators among its
    words become ordinary words.
    """
    words = cleaned(text).split()
    if not any(char.isalnum() for word in words for char in word):
        return ""
    joined = " ".join(words)
    return joined if WORD.fullmatch(joined) else f'"{joined}"'


def cleaned(text: str) -> str:
    """Return the words of the text without signs and operators of the query language."""
    plain = _OPERATORS.sub(lambda match: match.group().lower(), _SYNTAX.sub(" ", visible(text)))
    words = (word.strip(".'’-+_") if len(word) > 1 else word for word in plain.split())
    return " ".join(word for word in words if word)


def normalised(query: str) -> str:
    """Return what two spellings of one query share: case and spaces do not matter."""
    return " ".join(re.sub(r"([()])", r" \1 ", query).casefold().split())


def leaf(text: str, field: str | None = None) -> Term | Phrase | None:
    """Return a name as one term of a query, a word or a phrase; None: no word is in it."""
    words = tuple(word for word in cleaned(text).split() if any(map(str.isalnum, word)))
    words = words[:_MOST_WORDS]
    if not words:
        return None
    return Term(words[0], field) if len(words) == 1 else Phrase(words, field)


def words_of(text: str) -> list[Term]:
    """Return the words of a name, function words left out where something else is left.

    A word with a hyphen stays whole: "few-shot" is no "shot".
    """
    if is_unspaced(text):
        return [node for node in [leaf(text)] if isinstance(node, Term)]
    found = cleaned(text).split()
    content = [word for word in found if word.casefold() not in BREAKS] or found
    terms = (leaf(word) for word in content[:_MOST_WORDS])
    return [term for term in terms if isinstance(term, Term)]


def any_of(nodes: Iterable[Node]) -> Node | None:
    """Return what any of the nodes matches; None: there is no node."""
    found = list(dict.fromkeys(nodes))
    return Or(tuple(found)) if len(found) > 1 else found[0] if found else None


def all_of(nodes: Iterable[Node]) -> Node | None:
    """Return what all of the nodes match; None: there is no node."""
    found = list(dict.fromkeys(nodes))
    return And(tuple(found)) if len(found) > 1 else found[0] if found else None


def parts(tree: Node) -> tuple[Node, ...]:
    """Return what is AND-ed at the top of a tree."""
    return tree.children if isinstance(tree, And) else (tree,)


def written(tree: Node) -> str:
    """Return a tree as a person would write it: what is not wanted comes last, after NOT."""
    children = parts(tree)
    wanted = [node for node in children if not isinstance(node, Not)]
    barred = [node.child for node in children if isinstance(node, Not)]
    head = render(wanted[0]) if len(children) == 1 and wanted else _joined(wanted)
    return " ".join([head, *(f"NOT {_grouped(node)}" for node in barred)]).strip()


def wanted_names(node: Node) -> Iterator[str]:
    """Yield the words and phrases of a tree that are about the subject and wanted."""
    match node:
        case Term() | Phrase() if node.field in {"author", "venue", *INDEXED}:
            return
        case Term() | Phrase() if node.field in HEADINGS:
            yield " ".join(heading_words(node))
        case Term(text):
            yield text
        case Phrase(words):
            yield " ".join(words)
        case And(children) | Or(children):
            for child in children:
                yield from wanted_names(child)
        case Near(left, right):
            yield from wanted_names(left)
            yield from wanted_names(right)
        case Not() | YearRange():
            return


def is_short(query: str) -> bool:
    """Whether services take a query of that length."""
    return len(query) <= MAX_QUERY_CHARS


def tree_of(query: str) -> Node | None:
    """Return the tree of a query; None: it cannot be read, or is empty."""
    try:
        return parse(query) if query.strip() else None
    except QuerySyntaxError:
        return None


def _joined(nodes: Sequence[Node]) -> str:
    return " AND ".join(map(_grouped, nodes))


def _grouped(node: Node) -> str:
    return render(node) if isinstance(node, Term | Phrase) else f"({render(node)})"
