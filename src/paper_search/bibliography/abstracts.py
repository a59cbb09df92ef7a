"""Abstracts as services write them (JATS, HTML, labelled parts, LaTeX), turned into plain text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from paper_search.bibliography.text import clean, plain

_HEADING = re.compile(
    r"<((?:\w{1,10}:)?(?:title|h[1-6]|label))\b[^>]{0,200}>(.{0,200}?)</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_BOLD_HEADING = re.compile(
    r"(^|<p\b[^>]{0,100}>|<br\s*/?>|\.\s)\s*<(b|strong|bold|jats:bold)>\s*([A-Z][\w /&]{2,40})\s*"
    r":?\s*</\2>\s*:?",
)
_TEX_COPY = re.compile(
    r"<((?:\w{1,10}:)?(?:tex-math|annotation))\b[^>]{0,300}>.{0,5000}?</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_MATHML = re.compile(r"<(?:\w{1,10}:)?math\b", re.IGNORECASE)
_ESCAPED_MARKUP = re.compile(r"&(?:amp|lt;/?(?:\w{1,10}:)?(?:p|b|i|br|sub|sup|title|sec|h[1-6])\b)")
_OWN_NAME = re.compile(r"^(?:abstract|summary)\s*[:.—–-]\s+(?=\S)", re.IGNORECASE)
_SHOUTED = re.compile(r"^ABSTRACT\s+(?=\S)")
# fmt: off
_SELF_TITLES = frozenset({
    "abstract", "summary", "abstracts", "zusammenfassung", "résumé", "resumen", "resumo",
    "riassunto", "unlabelled", "unassigned",
})
_NONE_AT_ALL = frozenset({
    "", "no abstract available", "no abstract", "abstract not available", "not available", "n/a",
    "null", "none", "abstract", "-",
})
# fmt: on


def plain_abstract(text: str | None, *, has_latex: bool = True) -> str | None:
    """Return an abstract on one line, without markup; None: it says nothing.

    Headings stay as labels ("Methods: ..."), except one that only says "Abstract". Of a formula
    that is given twice, in MathML and in TeX, the TeX is left out.

    Args:
        text: plain, HTML or JATS, also escaped once too often.
        has_latex: whether LaTeX may occur in it, to be decoded.
    """
    text = text or ""
    if _ESCAPED_MARKUP.search(text):
        text = html.unescape(text)
    if "<" in text:
        if _MATHML.search(text):
            text = _TEX_COPY.sub(" ", text)
        text = _BOLD_HEADING.sub(lambda match: f"{match[1]} <h4>{match[3]}</h4> ", text)
        text = _HEADING.sub(lambda match: f" {_label(match[2])} ", text)
    return _meaningful(plain(text) if has_latex else clean(text))


def join_abstract(parts: Iterable[tuple[str | None, str | None]]) -> str | None:
    """Return an abstract whose parts come one by one, each with its label; None: all are empty."""
    texts = []
    for label, text in parts:
        if part := clean(text or ""):
            texts.append(f"{_label(label or '')} {part}".strip())
    return _meaningful(" ".join(texts))


def indexed_abstract(index: object) -> str | None:
    """Return the abstract of an inverted index, word to positions (OpenAlex), or None.

    What is no word or no position is passed over.
    """
    entries = index.items() if isinstance(index, dict) else ()
    places = {
        place: str(word)
        for word, positions in entries
        for place in (positions if isinstance(positions, list) else ())
        if isinstance(place, int)
    }
    return plain_abstract(" ".join(places[place] for place in sorted(places)))


def _label(heading: str) -> str:
    """Return a heading as "Methods:"; empty for one that says nothing."""
    words = clean(heading).strip(" .:;–-")
    if not words or words.lower() in _SELF_TITLES:
        return ""
    if words.isupper() and len(words) > 5:  # noqa: PLR2004  # longer than an acronym
        words = words.capitalize()
    return f"{words}:"


def _meaningful(text: str) -> str | None:
    text = _SHOUTED.sub("", _OWN_NAME.sub("", text.strip()))
    return None if text.lower().strip(" .[]()") in _NONE_AT_ALL else text
