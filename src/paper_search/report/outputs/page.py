"""A report as one HTML page that loads nothing, runs nothing and links only its references."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby

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
    kind_of,
    rendered,
)
from paper_search.report.outputs.layout import REFERENCES, layout
from paper_search.report.outputs.references import DEFAULT_STYLE, link_of, references
from paper_search.resources import PackageFiles

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_LISTS = {"bullet": "ul", "number": "ol"}


def render_html(
    report: Report, *, style: str = DEFAULT_STYLE, figures: Mapping[str, bytes] | None = None
) -> str:
    """Return the report as a page of its own, for the screen and for paper.

    `style`: see `references`. `figures`: SVG of each by its name, shown as images, in which no
    script runs.

    Raises:
        ConfigError: the style cannot be used.
    """
    drawn = figures or {}
    named = references(report, style)
    elements = layout(report, drawn)
    writer = _Writer(report, elements, drawn, has_references=bool(named))
    body = [f"<h1>{_text(report.title)}</h1>", *writer.all()]
    if named:
        lines = "".join(_reference(report, key, line) for key, line in named.items())
        body += [f"<h2>{REFERENCES}</h2>", f'<ul id="references" class="references">{lines}</ul>']
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(report.title)}</title>\n<style>{_style()}</style>\n</head>\n"
    )
    return head + "<body>\n<main>\n" + "\n".join(body) + "\n</main>\n</body>\n</html>\n"


@dataclass(frozen=True)
class _Writer:
    """Writes the elements of one report."""

    report: Report
    elements: list[Element]
    drawn: Mapping[str, bytes]
    has_references: bool

    def all(self) -> Iterator[str]:
        for kind, some in groupby(self.elements, key=kind_of):
            if (tag := _LISTS.get(kind)) is not None:
                items = "".join(f"<li>{self._element(item)}</li>" for item in some)
                yield f"<{tag}>{items}</{tag}>"
            else:
                yield from map(self._element, some)

    def _element(self, element: Element) -> str:
        match element:
            case Heading():
                return f'<h2 id="{escape(element.name)}">{_text(element.text)}</h2>'
            case Notice():
                lines = "".join(f"<p>{self._line(block.spans)}</p>" for block in element.blocks)
                return f'<div class="{element.kind}">{lines}</div>'
            case Contents():
                return self._contents()
            case Table():
                return self._table(element)
            case Figure():
                data = base64.b64encode(self.drawn[element.name]).decode("ascii")
                words = _text(element.caption)
                image = f'<img alt="{words}" src="data:image/svg+xml;base64,{data}">'
                return f"<figure>{image}<figcaption>{words}</figcaption></figure>"
            case Block():
                line = self._line(element.spans)
                tags = {"heading": "h3", "paragraph": "p"}
                tag = tags.get(element.kind)
                return f"<{tag}>{line}</{tag}>" if tag else line

    def _contents(self) -> str:
        listed = [(part.name, part.text) for part in headings(self.elements)]
        listed += [("references", REFERENCES)] if self.has_references else []
        items = "".join(
            f'<li><a href="#{escape(name)}">{_text(text)}</a></li>' for name, text in listed
        )
        return f'<nav aria-label="Contents"><h2>Contents</h2><ol>{items}</ol></nav>'

    def _table(self, table: Table) -> str:
        columns = "".join(f'<col style="width:{width:.0%}">' for width in table.widths)
        head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in table.head)
        rows = "".join(
            f"<tr>{''.join(f'<td>{self._line(cell)}</td>' for cell in row)}</tr>"
            for row in table.rows
        )
        return (
            f"<table><caption>{_text(table.caption)}</caption><colgroup>{columns}</colgroup>"
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        )

    def _line(self, spans: tuple[Span, ...]) -> str:
        return rendered(
            spans,
            {
                "text": lambda span: escape(" ".join(span.text.split("\n")), quote=True),
                "bold": lambda span: f"<strong>{escape(span.text, quote=True)}</strong>",
                "citation": lambda span: _citation(self.report, span.keys),
                "mark": lambda span: f'<span class="mark">{escape(span.text)}</span>',
                "study": lambda span: _link(span.keys[0], span.text),
            },
        )


def _style() -> str:
    return PackageFiles("paper_search.report.outputs").read("page.css").decode("utf-8")


def _text(text: str) -> str:
    return escape(single_line(text), quote=True)


def _link(key: str, who: str) -> str:
    return f'<a class="cite" href="#ref-{escape(key)}">{_text(who)}</a>'


def _citation(report: Report, keys: tuple[str, ...]) -> str:
    shown = []
    for key in keys:
        result = report.evidence.by_key.get(key)
        if result is None:
            shown.append(_text(f"?{key}"))
        elif key in report.cited:
            shown.append(_link(key, author_year(result)))
        else:
            shown.append(_text(author_year(result)))
    return f"({'; '.join(shown)})"


def _reference(report: Report, key: str, line: str) -> str:
    address = escape(link_of(report.evidence.by_key[key]), quote=True)
    text = _text(line.replace(address, "").rstrip(" .") if address else line)
    link = f'. <a rel="noopener noreferrer nofollow" href="{address}">{address}</a>'
    return f'<li id="ref-{escape(key)}">{text}{link if address else ""}</li>'
