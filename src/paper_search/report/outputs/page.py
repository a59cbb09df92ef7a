"""A report as one HTML page, made from its Markdown; it loads nothing and runs nothing."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape

from markdown_it import MarkdownIt

from paper_search.report.document import DEFAULT_STYLE, Report, references
from paper_search.report.outputs.markdown import MarkdownTemplate, escaped
from paper_search.resources import PackageFiles

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
_DRAWING = "data:image/svg+xml;base64,"
_LINK = re.compile(rf"https?://|#|{re.escape(_DRAWING)}", re.IGNORECASE)


def render_html(
    report: Report, *, style: str = DEFAULT_STYLE, figures: Mapping[str, bytes] | None = None
) -> str:
    """Return the report as a page of its own, for the screen and for paper.

    `style`: see `references`. `figures`: SVG of each by its name, shown as images, in which no
    script runs.

    Raises:
        ConfigError: the style cannot be used.
    """
    images = {name: embedded(content) for name, content in (figures or {}).items()}
    by_key = references(report, style)
    return html_page(
        report.title, _LinkedTemplate(report, images, by_key).text(), reference_keys=list(by_key)
    )


def html_page(
    title: str, markdown: str, *, reference_keys: Sequence[str] = (), is_wide: bool = False
) -> str:
    """Return Markdown as a page of its own; HTML in it is shown, and nothing is loaded.

    `reference_keys`: of the references, which are the last list, in its order. `is_wide`: for
    tables of many columns.
    """
    css = PackageFiles("paper_search.report.outputs").read("page.css").decode("utf-8")
    main = '<main class="wide">' if is_wide else "<main>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(' '.join(title.split()))}</title>\n<style>{css}</style>\n</head>\n<body>\n"
        f"{main}\n{_html(markdown, reference_keys)}</main>\n</body>\n</html>\n"
    )


def embedded(svg: bytes) -> str:
    """Return a drawing as an address of itself."""
    return _DRAWING + base64.b64encode(svg).decode("ascii")


class _LinkedTemplate(MarkdownTemplate):
    def source(self, key: str) -> str:
        return self._linked(super().source(key), key)

    def study(self, name: str, key: str) -> str:
        return self._linked(escaped(name), key)

    def _linked(self, text: str, key: str) -> str:
        return f"[{text}](#ref-{key})" if key in self.report.cited else text


def _html(text: str, keys: Sequence[str]) -> str:
    """Return Markdown as HTML; the references, its last list, are linked to by their keys."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.validateLink = lambda url: _LINK.match(url) is not None  # type: ignore[method-assign]  # as it is documented
    tokens = parser.parse(text)
    items = [token for token in tokens if token.type == "list_item_open"]
    for token, key in zip(items[len(items) - len(keys) :], keys, strict=True):
        token.attrSet("id", f"ref-{key}")
    for token in tokens:
        if token.type == "th_open":
            token.attrSet("scope", "col")
        for child in token.children or []:
            if child.type == "link_open" and str(child.attrGet("href")).startswith("http"):
                child.attrSet("rel", "noopener noreferrer nofollow")
    return str(parser.renderer.render(tokens, parser.options, {}))
