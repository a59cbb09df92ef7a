"""The tree of a boolean query: what every source translates into its own dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NoReturn, TypeAlias

HEADINGS = ("mesh", "mesh-only", "majr", "majr-only", "substance")
"""Medical Subject Headings: with narrower ones, alone, as a main topic, as a main topic alone; and
names of substances. Whoever has no headings reads them as words anywhere."""

INDEXED = ("type", "language", "subheading", "subset", "entered")
"""What only some indexers say of a record; nobody else can be asked for it."""

OWN_WORDS = "tiabkw"
"""Title, abstract or authors' keywords: what authors wrote, without what indexers added."""

FIELDS = (
    "title", "abstract", "tiab", OWN_WORDS, "keyword", "author", "venue", *HEADINGS, *INDEXED,
)  # fmt: skip
"""The fields that a word or phrase may be limited to; None means anywhere. `tiab` is title or
abstract, `keyword` the words of authors' keywords and of an index."""

OPERATORS = frozenset({"AND", "OR", "NOT"})
"""Words that combine parts of a query, in capitals."""

WILDCARDS = "*?$"
"""In a word: any letters, one letter, one letter or none."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word; with `is_prefix`, any word that begins so (`graph*`).

    The text may hold `WILDCARDS` inside or at its end (`wom?n`, `colo$r`), but for a last `*`.
    """

    text: str
    field: str | None = None
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that follow each other in this order; each may hold `WILDCARDS`."""

    words: tuple[str, ...]
    field: str | None = None


@dataclass(frozen=True, slots=True)
class And:
    """All of the children."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the children."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Whatever the child is not."""

    child: Node


@dataclass(frozen=True, slots=True)
class Near:
    """Both sides in one field, with at most `distance` words in between.

    In any order; with `is_ordered`, the left one first.
    """

    left: Node
    right: Node
    distance: int
    is_ordered: bool = False


@dataclass(frozen=True, slots=True)
class YearRange:
    """Published from `first` to `last`, both inclusive; None is open."""

    first: int | None
    last: int | None


Node: TypeAlias = Term | Phrase | And | Or | Not | Near | YearRange


def alternatives(node: Node) -> tuple[Node, ...]:
    """Return the parts of which one is enough: the children of an OR, or the node itself."""
    return node.children if isinstance(node, Or) else (node,)


CURLY_QUOTES = "“”„‟«»″＂"
"""Characters that word processors put where a query needs a plain quotation mark."""

_INVISIBLE = "\ufeff\u200b\u2060\u00ad"
"""Characters that copying leaves behind: marks of a file's start, and where a line may break."""
_PLAIN = str.maketrans({
    **dict.fromkeys(CURLY_QUOTES, '"'), "（": "(", "）": ")", "：": ":",
    **dict.fromkeys(_INVISIBLE, ""),
    **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000", " "),
    **dict.fromkeys("\u2010\u2011\u2212", "-"),
})  # fmt: skip


_DASH_OF_RANGE = re.compile(r"(?<=\d)–(?=[#S]?\d)")
_CURLY_PAIR = re.compile(r"(?<!\w)‘([^‘’\n]+)’(?!\w)")


def straighten(text: str) -> str:
    """Return the text as typed: plain quotes, parentheses, colons, spaces and hyphens."""
    plain = _DASH_OF_RANGE.sub("-", text.translate(_PLAIN))
    return _CURLY_PAIR.sub(r"'\1'", plain)


Refusal = Callable[[int, str], NoReturn]
"""Raises for an offset from the start of the token, in characters, and a reason."""

FIELD_PREFIXES = ", ".join(f"{name}:" for name in (*FIELDS, "year"))

_TRAILING = ",;:.!?"
_UNKNOWN_FIELD = re.compile(r"([^\W\d]\w*):(?!//)(?=.)")
_YEARS = re.compile(r"(?:(\d{4})(\s*-\s*)?(\d{4})?|-(\d{4}))")
_WILDCARD = re.compile(rf"[{WILDCARDS}]")
_PATTERN = re.compile(r"(?<=\w)[?$*]|^\*(?=\w)")
LETTER = re.compile(r"\w")
YEAR = re.compile(r"\d{4}")


def parse_word(text: str, refuse: Refusal) -> Term:
    word = text.rstrip(_TRAILING)
    _refuse_foreign_operators(text, refuse)
    if not LETTER.search(word):
        refuse(0, f"expected a word, a \"phrase\" or '(' but found {text!r}")
    if prefix := _UNKNOWN_FIELD.match(word):
        refuse(
            0,
            f"unknown field '{prefix[1]}:': known are {FIELD_PREFIXES};"
            " quote the word if no field is meant",
        )
    stem = word.rstrip("*")
    return Term(stem, is_prefix=stem != word)


def parse_exact_word(text: str) -> Term:
    """Return the term for a word that is taken literally, such as a DOI."""
    word = text.rstrip(_TRAILING)
    return Term(word.rstrip("*"), is_prefix=word.endswith("*"))


def parse_phrase(text: str, refuse: Refusal) -> Term | Phrase:
    """Return the leaf for the text between two quotes; one word alone is a term."""
    words = tuple(cleaned for word in text.split() if (cleaned := clean_word(word)))
    if not LETTER.search("".join(words)):
        refuse(0, "the phrase is empty: put words between the quotes")
    return leaf_of(words)


def leaf_of(words: tuple[str, ...], field: str | None = None) -> Term | Phrase:
    if len(words) > 1:
        return Phrase(words, field)
    return Term(words[0].rstrip("*"), field, words[0].endswith("*"))


def words_of(leaf: Term | Phrase) -> tuple[str, ...]:
    if isinstance(leaf, Phrase):
        return leaf.words
    return (f"{leaf.text}*" if leaf.is_prefix else leaf.text,)


def before_wildcard(word: str) -> str:
    return _WILDCARD.split(word, maxsplit=1)[0]


def is_pattern(word: str) -> bool:
    """Whether a word has wildcards beside a '*' at its end."""
    return _PATTERN.search(word.rstrip("*")) is not None


def parse_years(text: str, refuse: Refusal) -> YearRange:
    """Return the range for what follows `year:`: 2015, 2015-2019, 2015- or -2019."""
    years = _YEARS.fullmatch(text.strip().rstrip(",;."))
    if years is None:
        refuse(0, f"expected a year as in 2015, 2015-2019, 2015- or -2019 but found {text!r}")
    first, dash, last, only_last = years.groups()
    if only_last:
        return YearRange(None, int(only_last))
    if last and not dash:
        refuse(0, f"expected a year of four digits but found {text!r}")
    if not dash:
        return YearRange(int(first), int(first))
    if last and int(last) < int(first):
        refuse(0, f"the years run backwards: write {last}-{first}")
    return YearRange(int(first), int(last) if last else None)


def clean_word(word: str) -> str:
    """Return the word without quotes, and with at most one '*' at its end; empty: nothing left.

    A '?' at the end closes a question: it is no wildcard there.
    """
    bare = word.replace('"', "").rstrip("?")
    stem = bare.rstrip("*")
    return f"{stem}*" if stem and stem != bare else stem


def is_wrapped(text: str) -> bool:
    """Whether the parenthesis that opens a text is closed by its last one."""
    depths = list(accumulate({"(": 1, ")": -1}.get(sign, 0) for sign in text))
    return text.startswith("(") and text.endswith(")") and 0 not in depths[:-1]


def _refuse_foreign_operators(text: str, refuse: Refusal) -> None:
    """Refuse what other languages mean an operator by, rather than misread it as a word."""
    if text[0] in "-!":
        refuse(0, f"{text[0]!r} is no operator here: write NOT, or quote the word")
    if "|" in text:
        refuse(text.index("|"), "'|' is no operator here: write OR")


def conjuncts(node: Node) -> tuple[Node, ...]:
    """Return the parts that all have to match: the children of an AND, or the node itself."""
    return node.children if isinstance(node, And) else (node,)


def join(kind: type[And | Or], nodes: Sequence[Node]) -> Node:
    return kind(tuple(nodes)) if len(nodes) > 1 else nodes[0]


def parts(node: Node) -> tuple[Node, ...]:
    """Return what the node is made of, in order; a leaf has no parts."""
    match node:
        case And(children) | Or(children):
            return children
        case Not(child):
            return (child,)
        case Near(left, right):
            return (left, right)
        case _:
            return ()


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return the node with each of its parts changed; a leaf as it is."""
    match node:
        case And(children) | Or(children):
            return replace(node, children=tuple(map(change, children)))
        case Not(child):
            return Not(change(child))
        case Near(left, right):
            return replace(node, left=change(left), right=change(right))
        case _:
            return node


def all_leaves(node: Node, *, is_positive: bool = False) -> Iterator[Term | Phrase]:
    """Yield every word and phrase of a tree in order; `is_positive`: but those excluded."""
    if isinstance(node, Term | Phrase):
        yield node
    elif not (is_positive and isinstance(node, Not)):
        for part in parts(node):
            yield from all_leaves(part, is_positive=is_positive)


def positive_leaves(node: Node) -> Iterator[Term | Phrase]:
    return all_leaves(node, is_positive=True)
