"""A report as Markdown; what sources wrote can neither format it nor load anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    before: Element | None = None
    number = 0
    writer = _Writer(report, elements, files, has_references=bool(named))
    for element in elements:
        is_numbered = isinstance(element, Block) and element.kind == "number"
        number = number + 1 if is_numbered else 0
        if not _is_list(before, element):
            lines.append("")
        lines.append(writer.written(element, number))
        before = element
    if named:
        lines += ["", f"## {REFERENCES}", ""]
        lines += [_reference(report, key, line) for key, line in named.items()]
    return "\n".join(lines).rstrip() + "\n"


@dataclass(frozen=True)
class _Writer:
    """Writes the elements of one report."""

    report: Report
    elements: list[Element]
    files: Mapping[str, str]
    has_references: bool

    def written(self, element: Element, number: int) -> str:
        match element:
            case Heading():
                return f"## {escaped(element.text)}"
            case Notice():
                return "\n>\n".join(f"> {self._line(block.spans)}" for block in element.blocks)
            case Contents():
                listed = headings(self.elements)
                last = [Heading(REFERENCES, REFERENCES.lower())] if self.has_references else []
                return "\n".join(f"- [{escaped(h.text)}](#{h.name})" for h in [*listed, *last])
            case Table():
                return self._table(element)
            case Figure():
                return f"![{escaped(element.caption)}]({self.files[element.name]})"
            case Block():
                marks = {"bullet": "- ", "number": f"{number}. ", "heading": "### "}
                return marks.get(element.kind, "") + self._line(element.spans)

    def _table(self, table: Table) -> str:
        rows = [
            f"**{escaped(table.caption)}**",
            "",
            f"| {' | '.join(table.head)} |",
            f"|{'---|' * len(table.head)}",
            *(f"| {' | '.join(map(self._line, row))} |" for row in table.rows),
        ]
        return "\n".join(rows)

    def _line(self, spans: tuple[Span, ...]) -> str:
        return rendered(
            spans,
            {
                "text": lambda span: spaced(span.text, escaped(span.text)),
                "bold": lambda span: f"**{escaped(span.text)}**",
                "citation": lambda span: _citation(self.report, span.keys),
                "mark": lambda span: rf"*\[{span.text}\]*",
                "study": lambda span: escaped(span.text),
            },
        )


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


def _citation(report: Report, keys: tuple[str, ...]) -> str:
    named = [
        author_year(report.evidence.by_key[key]) if key in report.evidence.by_key else f"?{key}"
        for key in keys
    ]
    return f"({escaped('; '.join(named))})"


def _reference(report: Report, key: str, line: str) -> str:
    address = link_of(report.evidence.by_key[key])
    if not address:
        return f"- {escaped(line)}"
    text = escaped(line.replace(address, "").rstrip(" ."))
    return f"- {text}. <{address}>"
