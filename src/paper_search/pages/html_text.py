"""The text of a web page: what a reader sees of its main part."""

from __future__ import annotations

import codecs
from typing import Any

_HIDDEN = (
    "//*[@hidden or @aria-hidden='true']"
    " | //*[contains(translate(@style, ' ', ''), 'display:none')]"
    " | //*[contains(translate(@style, ' ', ''), 'visibility:hidden')]"
    " | //*[contains(translate(@style, ' ', ''), 'font-size:0')]"
    " | //*[contains(translate(@style, ' ', ''), 'opacity:0')"
    " and not(contains(translate(@style, ' ', ''), 'opacity:0.'))]"
    " | //script | //style | //template | //noscript | //comment()"
)
"""What no reader sees, and what an order to a program hides in."""
_TITLES = (
    "string((//meta[@name='citation_title']/@content)[1])",
    "string((//meta[@property='og:title']/@content)[1])",
    "string((//title)[1])",
    "string((//h1)[1])",
)


def html_text(content: bytes, charset: str, max_chars: int) -> dict[str, Any]:
    """Return title and text of a page, paragraphs divided by empty lines.

    Navigation, comments of visitors and what is hidden are left out; no link is followed, no
    `meta refresh` either.

    Args:
        content: of the page.
        charset: that its server names; empty: what the page says itself, or seems to be in.
        max_chars: of text that are kept.

    Raises:
        ValueError: it holds no element.
        ImportError: trafilatura is not installed.
    """
    import trafilatura  # noqa: PLC0415  # only in a process that reads pages
    from lxml import html  # noqa: PLC0415  # as trafilatura
    from trafilatura.utils import decode_file  # noqa: PLC0415  # as trafilatura

    text = _decoded(content, charset)
    tree = html.document_fromstring(
        (text if text is not None else decode_file(content)).encode("utf-8", "replace"),
        parser=html.HTMLParser(encoding="utf-8"),
    )
    titles = (" ".join(str(tree.xpath(each)).split()) for each in _TITLES)
    title = next(filter(None, titles), "")
    for element in tree.xpath(_HIDDEN):
        if element.getparent() is not None:
            element.drop_tree()
    kept = trafilatura.extract(
        html.tostring(tree, encoding="unicode"),
        include_comments=False,
        include_tables=False,
        include_formatting=False,
        favor_precision=True,
    )
    paragraphs = [each.strip() for each in (kept or "").split("\n")]
    return {
        "title": title,
        "text": "\n\n".join(filter(None, paragraphs))[:max_chars],
        "pages": None,
    }


def _decoded(content: bytes, charset: str) -> str | None:
    try:
        codec = codecs.lookup(charset).name if charset else ""
    except LookupError:
        codec = ""
    return content.decode(codec, "replace") if codec else None
