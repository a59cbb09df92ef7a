"""A report as Markdown; what sources wrote can neither format it nor load anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from paper_search.exports.text import single_line
from paper_search.report.document import Report
from paper_search.report.evidence import author_year
from paper_search.report.outputs.blocks import (
    Block,
    Contents,
    Element,
    Figure,
    Heading,
    Notice,
    Span,
    Table,
    headings,
    rendered,
    spaced,
)
from paper_search.report.outputs.layout import REFERENCES, layout
from paper_search.report.outputs.references import DEFAULT_STYLE, link_of, references

_ESCAPED = re.compile(r"([\\`*_\[\]<>|#~$])")
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s`]+|\bwww\.[^\s`]+", re.IGNORECASE)


def render_markdown(
    report: Report, *, style: str = DEFAULT_STYLE, figures: Mapping[str, str] | None = None
) -> str:
    """Return the report as Markdown: CommonMark with the tables of GitHub.

    `style`: see `references`. `figures`: file of each by its name.

    Raises:
        ConfigError: the style cannot be used.
    """
    files = figures or {}
    elements = layout(report, files)
    named = references(report, style)
    lines = [f"# {escaped(report.title)}"]
    lines += MarkdownWriter(report, elements, files, has_references=bool(named)).lines()
    if named:
        lines += ["", f"## {REFERENCES}", ""]
        lines += [_reference(report, key, line) for key, line in named.items()]
    return "\n".join(lines).rstrip() + "\n"


@dataclass(frozen=True)
class MarkdownWriter:
    """Writes the elements of one report; other kinds of Markdown write some of them otherwise."""

    report: Report
    elements: list[Element]
    files: Mapping[str, str]
    has_references: bool

    def lines(self) -> Iterator[str]:
        """Return the lines, with a blank one before each element that begins anew."""
        before: Element | None = None
        for element in self.elements:
            if not _is_list(before, element):
                yield ""
            yield self._written(element)
            before = element

    def _written(self, element: Element) -> str:
        match element:
            case Heading():
                return self._heading(element)
            case Notice():
                return "\n>\n".join(f"> {self._line(block.spans)}" for block in element.blocks)
            case Contents():
                last = [Heading(REFERENCES, REFERENCES.lower())] if self.has_references else []
                listed = [*headings(self.elements), *last]
                return "\n".join(f"- [{self._text(h.text)}](#{h.name})" for h in listed)
            case Table():
                return self._table(element)
            case Figure():
                return f"![{self._text(element.caption)}]({self.files[element.name]})"
            case Block():
                marks = {"bullet": "- ", "number": "1. ", "heading": "### "}
                return marks.get(element.kind, "") + self._line(element.spans)

    def _heading(self, element: Heading) -> str:
        return f"## {self._text(element.text)}"

    def _table(self, table: Table) -> str:
        head = [f"**{self._text(table.caption)}**", ""]
        return "\n".join([*head, *self._rows(table, ["---"] * len(table.head))])

    def _rows(self, table: Table, dashes: Sequence[str]) -> list[str]:
        lines = [table.head, *(map(self._line, row) for row in table.rows)]
        head, *rows = (f"| {' | '.join(cells)} |" for cells in lines)
        return [head, f"|{'|'.join(dashes)}|", *rows]

    def _line(self, spans: tuple[Span, ...]) -> str:
        return rendered(
            spans,
            {
                "text": lambda span: spaced(span.text, self._text(span.text)),
                "bold": lambda span: f"**{self._text(span.text)}**",
                "citation": lambda span: self._citation(span.keys),
                "mark": lambda span: rf"*\[{self._text(span.text)}\]*",
                "study": self._study,
            },
        )

    def _text(self, text: str) -> str:
        return escaped(text)

    def _study(self, span: Span) -> str:
        return self._text(span.text)

    def _citation(self, keys: tuple[str, ...]) -> str:
        known = self.report.evidence.by_key
        named = [author_year(known[key]) if key in known else f"?{key}" for key in keys]
        return f"({escaped('; '.join(named))})"


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is; addresses become code, which nothing links."""
    parts: list[str] = []
    position = 0
    line = single_line(text)
    for match in _ADDRESS.finditer(line):
        parts += [_ESCAPED.sub(r"\\\1", line[position : match.start()]), f"`{match.group()}`"]
        position = match.end()
    parts.append(_ESCAPED.sub(r"\\\1", line[position:]))
    return re.sub(r"^(\s*)([-+]|\d+[.)])(\s)", r"\1\\\2\3", "".join(parts))


def _is_list(before: Element | None, element: Element) -> bool:
    """Whether an element goes on with the list that the one before it is in."""
    return (
        isinstance(before, Block)
        and isinstance(element, Block)
        and before.kind == element.kind
        and element.kind in {"bullet", "number"}
    )


def _reference(report: Report, key: str, line: str) -> str:
    address = link_of(report.evidence.by_key[key])
    if not address:
        return f"- {escaped(line)}"
    text = escaped(line.replace(address, "").rstrip(" ."))
    return f"- {text}. <{address}>"
