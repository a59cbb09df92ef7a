"""The tree of a boolean query: what every source translates into its own dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

FIELDS = ("title", "abstract", "author", "venue", "mesh")
"""The fields that a word or phrase may be limited to; None means anywhere. `mesh` is a Medical
Subject Heading, which is words anywhere for whoever has no headings."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word; with `is_prefix`, any word that begins so (`graph*`)."""

    text: str
    field: str | None = None
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that follow each other in this order."""

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
    """Both sides in one field, in any order, with at most `distance` words in between."""

    left: Node
    right: Node
    distance: int


@dataclass(frozen=True, slots=True)
class YearRange:
    """Published from `first` to `last`, both inclusive; None is open."""

    first: int | None
    last: int | None


Node: TypeAlias = Term | Phrase | And | Or | Not | Near | YearRange
