"""The audit to read: what it says, as Markdown and as a page that loads nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from paper_search.exports.markdown import inert
from paper_search.exports.text import single_line

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5b6775; --line: #d8dee6; --back: #fff; --band: #f4f6f9 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa6b4; --line: #37414d; --back: #14181d; --band: #1c2229 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
h1, h2 { line-height: 1.2 } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem }
p { max-width: 46rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; min-width: 4.5rem }
th { color: var(--soft); font-weight: 600; white-space: nowrap }
figure { margin: 1.5rem 0; background: #fff; border: 1px solid var(--line); border-radius: 6px; padding: 1rem }
figure img { display: block; max-width: 100%; margin: 0 auto } figcaption { color: #5b6775; font-size: .88rem; margin-top: .6rem }
"""  # noqa: E501  # a style sheet


@dataclass(frozen=True)
class Section:
    title: str
    paragraphs: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str | int | float]] = ()
    pictures: Mapping[str, str] = field(default_factory=dict)
    """Caption by the name of a picture."""


def as_markdown(title: str, sections: Iterable[Section], pictures: Mapping[str, str]) -> str:
    """Return the document; markup in what others wrote is shown, never obeyed."""
    lines = [f"# {inert(title)}", ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        lines += [line for words in section.paragraphs for line in (inert(words), "")]
        if section.rows:
            lines += [_row(section.columns), _row(["---"] * len(section.columns))]
            lines += [_row(inert(str(cell)) for cell in row) for row in section.rows]
            lines.append("")
        for name, caption in section.pictures.items():
            if name in pictures:
                lines += [f"![{inert(caption)}]({pictures[name]})", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def as_html(title: str, sections: Iterable[Section], pictures: Mapping[str, bytes]) -> str:
    body = [f"<h1>{_text(title)}</h1>"]
    for section in sections:
        body.append(f"<h2>{_text(section.title)}</h2>")
        body += [f"<p>{_text(words)}</p>" for words in section.paragraphs]
        body += _table(section)
        for name, caption in section.pictures.items():
            if name in pictures:
                data = base64.b64encode(pictures[name]).decode("ascii")
                image = f'<img alt="{_text(caption)}" src="data:image/svg+xml;base64,{data}">'
                body.append(f"<figure>{image}<figcaption>{_text(caption)}</figcaption></figure>")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _table(section: Section) -> list[str]:
    if not section.rows:
        return []
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in section.columns)
    rows = [
        "<tr>" + "".join(f"<td>{_text(str(cell))}</td>" for cell in row) + "</tr>"
        for row in section.rows
    ]
    table = [f"<table><thead><tr>{head}</tr></thead>", "<tbody>", *rows, "</tbody></table>"]
    return ['<div class="wide">', *table, "</div>"]


def _text(text: str) -> str:
    return escape(single_line(text), quote=True)
