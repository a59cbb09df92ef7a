"""The tree of a boolean query, which each source translates into its own dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NoReturn, TypeAlias

HEADINGS = ("mesh", "mesh-only", "majr", "majr-only", "substance")
"""Medical Subject Headings (exploded, not exploded, major topic exploded, major topic not exploded)
and substance names. A service without headings searches for their words in any field."""

INDEXED = ("type", "language", "subheading", "subset", "entered")
"""Fields that only some indexing services fill."""

OWN_WORDS = "tiabkw"
"""Title, abstract or author keywords: the authors' words, without index terms."""

FIELDS = (
    "title", "abstract", "tiab", OWN_WORDS, "keyword", "author", "venue", *HEADINGS, *INDEXED,
)  # fmt: skip
"""The fields that a word or phrase may be limited to; None is any field. `tiab` is title or
abstract, `keyword` covers author keywords and index terms."""

OPERATORS = frozenset({"AND", "OR", "NOT"})
WILDCARDS = "*?$"
"""Any letters, one letter, at most one letter."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word or, with `is_prefix`, any word that begins with it (`graph*`).

    The text may contain `WILDCARDS` (`wom?n`, `colo$r`); a final `*` becomes `is_prefix`.
    """

    text: str
    field: str | None = None
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """Adjacent words in this order; each may contain `WILDCARDS`."""

    words: tuple[str, ...]
    field: str | None = None


@dataclass(frozen=True, slots=True)
class And:
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    child: Node


@dataclass(frozen=True, slots=True)
class Near:
    """At most `distance` words between both sides in a field, left first if `is_ordered`."""

    left: Node
    right: Node
    distance: int
    is_ordered: bool = False


@dataclass(frozen=True, slots=True)
class YearRange:
    """Published from `first` to `last`, both inclusive; None leaves that end open."""

    first: int | None
    last: int | None


Node: TypeAlias = Term | Phrase | And | Or | Not | Near | YearRange


def alternatives(node: Node) -> tuple[Node, ...]:
    """Return the children of an OR, or the node itself."""
    return node.children if isinstance(node, Or) else (node,)


CURLY_QUOTES = "“”„‟«»″＂"
"""Quotation marks that word processors substitute for the plain one."""

_INVISIBLE = "\ufeff\u200b\u2060\u00ad"
"""Left behind by copying: byte order mark, zero-width space, word joiner, soft hyphen."""
_PLAIN = str.maketrans({
    **dict.fromkeys(CURLY_QUOTES, '"'), "（": "(", "）": ")", "：": ":",
    **dict.fromkeys(_INVISIBLE, ""),
    **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000", " "),
    **dict.fromkeys("\u2010\u2011\u2212", "-"),
})  # fmt: skip


_DASH_OF_RANGE = re.compile(r"(?<=\d)–(?=[#S]?\d)")
_CUT_WORD = re.compile(r"(?<!\S)(\S*[^\W\d_])\u00ad[^\S\n]*\n[^\S\n]*(?=[^\W\d_])")
_CURLY_PAIR = re.compile(r"(?<!\w)‘([^‘’\n]+)’(?!\w)")


def straighten(text: str) -> str:
    """Replace typographic quotes, parentheses, colons, spaces and hyphens with plain ones."""
    whole = _CUT_WORD.sub(r"\n\1", text)
    plain = _DASH_OF_RANGE.sub("-", whole.translate(_PLAIN))
    return _CURLY_PAIR.sub(r"'\1'", plain)


Refusal = Callable[[int, str], NoReturn]
"""Raises an error for an offset, in characters, and a reason."""

FIELD_PREFIXES = ", ".join(f"{name}:" for name in (*FIELDS, "year"))

TRAILING = ",;:.!?"
_UNKNOWN_FIELD = re.compile(r"([^\W\d]\w*):(?!//)(?=.)")
_YEARS = re.compile(r"(?:(\d{4})(\s*-\s*)?(\d{4})?|-(\d{4}))")
_WILDCARD = re.compile(rf"[{WILDCARDS}]")
_PATTERN = re.compile(r"(?<=\w)[?$*]|^\*(?=\w)")
LETTER = re.compile(r"\w")
YEAR = re.compile(r"\d{4}")


def parse_word(text: str, refuse: Refusal) -> Term | Phrase:
    word = text.rstrip(TRAILING)
    _refuse_foreign_operators(text, refuse)
    if not LETTER.search(word):
        refuse(0, f"expected a word, a \"phrase\" or '(' but found {text!r}")
    if prefix := _UNKNOWN_FIELD.match(word):
        refuse(
            0,
            f"unknown field '{prefix[1]}:': known are {FIELD_PREFIXES};"
            " quote the word if no field is meant",
        )
    return leaf_of((word,))


def parse_phrase(text: str, refuse: Refusal) -> Term | Phrase:
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
    """Whether a word has wildcards other than a final '*'."""
    return _PATTERN.search(word.rstrip("*")) is not None


def parse_years(text: str, refuse: Refusal) -> YearRange:
    """Return the range for 2015, 2015-2019, 2015- or -2019."""
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
    """Strip quotes, a final '?', which is punctuation here, and all but one final '*'."""
    bare = word.replace('"', "").rstrip("?")
    stem = bare.rstrip("*")
    return f"{stem}*" if stem and stem != bare else stem


def is_wrapped(text: str) -> bool:
    """Whether the first and last characters are a matching pair of parentheses."""
    depths = list(accumulate({"(": 1, ")": -1}.get(sign, 0) for sign in text))
    return text.startswith("(") and text.endswith(")") and 0 not in depths[:-1]


def _refuse_foreign_operators(text: str, refuse: Refusal) -> None:
    """Refuse operators of other languages, which would otherwise be read as words."""
    if text[0] in "-!":
        refuse(0, f"{text[0]!r} is not an operator here: write NOT, or quote the word")
    if "|" in text:
        refuse(text.index("|"), "'|' is not an operator here: write OR")


def conjuncts(node: Node) -> tuple[Node, ...]:
    """Return the children of an AND, or the node itself."""
    return node.children if isinstance(node, And) else (node,)


def join(kind: type[And | Or], nodes: Sequence[Node]) -> Node:
    return kind(tuple(nodes)) if len(nodes) > 1 else nodes[0]


def parts(node: Node) -> tuple[Node, ...]:
    """Return the children of any kind of node; a leaf has none."""
    match node:
        case And(children) | Or(children):
            return children
        case Not(child):
            return (child,)
        case Near(left, right):
            return (left, right)
        case _:
            return ()


def rebuild(node: Node, change: Callable[[Node], Node]) -> Node:
    """Apply a change to each child; a leaf is returned unchanged."""
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
    """Yield every word and phrase in order; with `is_positive`, not those under a NOT."""
    if isinstance(node, Term | Phrase):
        yield node
    elif not (is_positive and isinstance(node, Not)):
        for part in parts(node):
            yield from all_leaves(part, is_positive=is_positive)


def positive_leaves(node: Node) -> Iterator[Term | Phrase]:
    return all_leaves(node, is_positive=True)
