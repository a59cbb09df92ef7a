"""What a finished report is made of: the parts that every format writes in its own way."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from paper_search.report.outputs.blocks import Block, Span
from paper_search.report.outputs.figures import CAPTIONS

_NOT_IN_NAMES = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Heading:
    """The heading of a part of the report."""

    text: str
    name: str
    """What links to it; unique in the report."""


@dataclass(frozen=True)
class Notice:
    """A box: what the reader has to know before reading, or the answer."""

    kind: Literal["status", "answer"]
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Contents:
    """Where the table of contents stands."""


@dataclass(frozen=True)
class Table:
    """A table; each cell is a line."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[tuple[Span, ...], ...], ...]
    widths: tuple[float, ...]
    """Share of the line that each column takes; together 1."""


@dataclass(frozen=True)
class Figure:
    """Where a figure stands that was drawn."""

    name: str
    caption: str


Element = Block | Heading | Notice | Contents | Table | Figure


def headings(elements: Sequence[Element]) -> list[Heading]:
    """Return the headings, for a table of contents."""
    return [element for element in elements if isinstance(element, Heading)]


def plain(text: str) -> tuple[Span, ...]:
    """Return text as the line of a cell."""
    return (Span("text", text),)


def heading(text: str) -> Heading:
    """Return a heading, named as GitHub names it, so that links in Markdown lead to it there."""
    return Heading(text, _NOT_IN_NAMES.sub("", text.lower()).replace(" ", "-") or "part")


def figures_of(drawn: Collection[str], *names: str) -> list[Figure]:
    """Return those of the figures that were drawn."""
    return [Figure(name, CAPTIONS[name]) for name in names if name in drawn]
