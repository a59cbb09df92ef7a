"""The tree of a boolean query: what every source translates into its own dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

HEADINGS = ("mesh", "mesh-only", "majr", "majr-only", "substance")
"""Medical Subject Headings: with narrower ones, alone, as a main topic, as a main topic alone; and
names of substances. Whoever has no headings reads them as words anywhere."""

INDEXED = ("type", "language", "subheading", "subset", "entered")
"""What only some indexers say of a record; nobody else can be asked for it."""

FIELDS = ("title", "abstract", "tiab", "author", "venue", *HEADINGS, *INDEXED)
"""The fields that a word or phrase may be limited to; None means anywhere. `tiab` is title or
abstract."""

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
