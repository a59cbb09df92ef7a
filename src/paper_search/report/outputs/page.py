"""A report as one HTML page that loads nothing, runs nothing and links only its references."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from itertools import groupby

from paper_search.exports.text import single_line, web_address
from paper_search.report.document import Report
from paper_search.report.evidence import author_year, paper_of
from paper_search.report.outputs.blocks import Block, blocks, rendered
from paper_search.report.outputs.markdown import notes
from paper_search.report.outputs.references import DEFAULT_STYLE, references

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_STYLE = """
body { font: 17px/1.55 Georgia, serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b }
h1, h2, h3 { font-family: system-ui, sans-serif; line-height: 1.25 }
.notes { background: #f5f3ea; border-left: 4px solid #b8a04a; padding: .5rem 1rem; font-size: .92em }
.cite { color: #22557a; text-decoration: none }
figure { margin: 1.5rem 0 } figure img { max-width: 100% } figcaption { font-size: .9em; color: #555 }
.references li { margin-bottom: .4rem; overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { background: #16181b; color: #ddd } .notes { background: #25241c } .cite { color: #8ec1e8 } }
"""  # noqa: E501  # a style sheet


def render_html(
    report: Report, *, style: str = DEFAULT_STYLE, figures: Mapping[str, str] | None = None
) -> str:
    """Return the report as a page of its own.

    Args:
        report: what.
        style: of the references, see `references`.
        figures: caption to SVG, shown as images, in which no script runs.

    Raises:
        ConfigError: the style cannot be used.
    """
    body = [f"<h1>{_text(report.title)}</h1>", '<div class="notes">']
    body += [f"<p>{_text(note)}</p>" for note in notes(report)]
    body.append("</div>")
    if report.abstract:
        body += ["<h2>Abstract</h2>", *_blocks(report, report.abstract)]
    for section in report.sections:
        body += [f"<h2>{_text(section.title)}</h2>", *_blocks(report, section.content)]
    if report.conclusion:
        body += ["<h2>Conclusion</h2>", *_blocks(report, report.conclusion)]
    for caption, svg in (figures or {}).items():
        data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
        image = f'<img alt="{_text(caption)}" src="data:image/svg+xml;base64,{data}">'
        body.append(f"<figure>{image}<figcaption>{_text(caption)}</figcaption></figure>")
    named = references(report, style)
    if named:
        lines = "".join(_reference(report, key, line) for key, line in named.items())
        body += ["<h2>References</h2>", f'<ul class="references">{lines}</ul>']
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(report.title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
    )
    return head + "<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"


def _text(text: str) -> str:
    return escape(single_line(text), quote=True)


def _blocks(report: Report, text: str) -> list[str]:
    lines: list[str] = []
    for kind, some in groupby(blocks(text), key=lambda block: block.kind):
        inner = [_line(report, block) for block in some]
        if kind in {"bullet", "number"}:
            tag = "ul" if kind == "bullet" else "ol"
            items = "".join(f"<li>{text}</li>" for text in inner)
            lines.append(f"<{tag}>{items}</{tag}>")
        else:
            tag = "h3" if kind == "heading" else "p"
            lines += [f"<{tag}>{text}</{tag}>" for text in inner]
    return lines


def _line(report: Report, block: Block) -> str:
    return rendered(
        block.spans,
        text=lambda words: escape(" ".join(words.split("\n")), quote=True),
        bold=lambda words: f"<strong>{escape(words, quote=True)}</strong>",
        citation=lambda keys: _citation(report, keys),
    )


def _citation(report: Report, keys: tuple[str, ...]) -> str:
    shown = []
    for key in keys:
        result = report.evidence.by_key.get(key)
        if result is None:
            shown.append(_text(f"?{key}"))
        else:
            shown.append(
                f'<a class="cite" href="#ref-{escape(key)}">{_text(author_year(result))}</a>'
            )
    return f"({'; '.join(shown)})"


def _reference(report: Report, key: str, line: str) -> str:
    address = web_address(paper_of(report.evidence.by_key[key]))
    link = ""
    if address.lower().startswith(("http://", "https://")):
        safe = escape(address, quote=True)
        link = f' <a rel="noopener noreferrer nofollow" href="{safe}">{safe}</a>'
    return f'<li id="ref-{escape(key)}">{_text(line)}{link}</li>'
