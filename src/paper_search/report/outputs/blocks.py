"""A report as parts, blocks and spans, which every format writes and escapes in its own way."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from paper_search.report.claims.citations import cited_keys
from paper_search.report.document import MARK
from paper_search.report.outputs.figures import CAPTIONS

_PART = re.compile(
    r"(?P<citation>\[\s*@[^\[\]]+\])|(?P<bold>\*\*[^*\n]+\*\*)"
    rf"|(?P<mark>{MARK})"
)
_BULLET = re.compile(r"^\s*[-*•]\s+(.*)$")
_NUMBER = re.compile(r"^\s*\d{1,2}[.)]\s+(.*)$")
_HEADING = re.compile(r"^\s*#{1,6}\s+(.*)$")


@dataclass(frozen=True)
class Span:
    """Part of a line."""

    kind: Literal["text", "bold", "citation", "mark", "study"]
    text: str
    """Of a study: who wrote it."""
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """A paragraph, a heading inside a section, or one item of a list."""

    kind: Literal["paragraph", "heading", "bullet", "number"]
    spans: tuple[Span, ...]


def blocks(text: str) -> list[Block]:
    """Return the blocks of a text; whatever else it holds is plain text."""
    found: list[Block] = []
    waiting: list[str] = []

    def close() -> None:
        if waiting:
            found.append(Block("paragraph", spans(" ".join(waiting))))
            waiting.clear()

    for line in text.splitlines():
        if not line.strip():
            close()
        elif (match := _HEADING.match(line)) is not None:
            close()
            found.append(Block("heading", spans(match.group(1))))
        elif (match := _BULLET.match(line)) is not None:
            close()
            found.append(Block("bullet", spans(match.group(1))))
        elif (match := _NUMBER.match(line)) is not None:
            close()
            found.append(Block("number", spans(match.group(1))))
        else:
            waiting.append(line.strip())
    close()
    return found


def spans(line: str) -> tuple[Span, ...]:
    """Return the parts of a line: plain text, bold text, citations, marks of sentences."""
    found: list[Span] = []
    position = 0
    for match in _PART.finditer(line):
        if line[position : match.start()]:
            found.append(Span("text", line[position : match.start()]))
        words = match.group()
        match match.lastgroup:
            case "bold":
                found.append(Span("bold", words.strip("*")))
            case "citation":
                found.append(Span("citation", words, tuple(cited_keys(words))))
            case _:
                found.append(Span("mark", words.strip("[]")))
        position = match.end()
    if line[position:]:
        found.append(Span("text", line[position:]))
    return tuple(found)


def spaced(text: str, written: str) -> str:
    """Return written text with the blanks at the ends of the text: it stands beside other spans."""
    head = " " if text[:1].isspace() else ""
    tail = " " if text[-1:].isspace() and text.strip() else ""
    return f"{head}{written}{tail}"


def rendered(line: tuple[Span, ...], write: Mapping[str, Callable[[Span], str]]) -> str:
    """Return spans as a format writes them, by their kind."""
    return "".join(write[span.kind](span) for span in line)


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


def kind_of(element: Element) -> str:
    """Return of which kind a block is; empty: the element is no block."""
    return element.kind if isinstance(element, Block) else ""


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
