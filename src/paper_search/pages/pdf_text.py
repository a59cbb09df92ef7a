"""The text of a PDF, without its list of references: those are the words of others."""

from __future__ import annotations

import itertools
import re
from typing import Any

_HYPHENATED = re.compile(r"(?<=[a-z])(?:[-\u00ad]\n|\ufffe\n?)(?=[a-z])")
"""The hyphen of a word that was divided at the end of a line; the library marks those it knows."""
_REFERENCES = re.compile(
    r"^[\d. ]{0,6}(?:references|bibliography|literature cited|works cited)[ :]{0,3}$",
    re.IGNORECASE | re.MULTILINE,
)
_EARLIEST = 0.4
"""Share of a paper before which "References" is a word of its contents, not its list."""
_FULL_LINE = 0.6
"""Share of the usual length of a line; a shorter one ends its paragraph."""


def pdf_text(content: bytes, max_pages: int, max_chars: int) -> dict[str, Any]:
    """Return title and text of the first pages, paragraphs divided by empty lines.

    Args:
        content: of the file.
        max_pages: that are read.
        max_chars: of text that are kept.

    Raises:
        pypdfium2.PdfiumError: it is damaged, or locked with a password.
        ImportError: pypdfium2 is not installed.
    """
    import pypdfium2  # noqa: PLC0415  # only in a process that reads PDFs

    opened: Any = pypdfium2.PdfDocument  # untyped
    document = opened(content)
    try:
        count = len(document)
        texts: list[str] = []
        room = max_chars
        for number in range(min(count, max_pages)):
            page = document[number]
            words = page.get_textpage()
            texts.append(words.get_text_range().replace("\r\n", "\n").replace("\r", "\n")[:room])
            room -= len(texts[-1])
            words.close()
            page.close()
            if room <= 0:
                break
        title = document.get_metadata_dict().get("Title", "")
    finally:
        document.close()
    return {
        "title": " ".join(title.split()),
        "text": "\n\n".join(_paragraphs(_without_references("\n".join(texts)))),
        "pages": count,
        "pages_read": len(texts),
    }


def _without_references(text: str) -> str:
    found = [each for each in _REFERENCES.finditer(text) if each.start() > _EARLIEST * len(text)]
    return text[: found[0].start()] if found else text


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs: a line that is short and ends a sentence, or a heading, ends one."""
    lines = [" ".join(each.split()) for each in _HYPHENATED.sub("", text).split("\n")]
    lengths = sorted(len(each) for each in lines if each)
    usual = lengths[len(lengths) * 3 // 4] if lengths else 0
    paragraphs: list[list[str]] = [[]]
    for line, following in itertools.pairwise([*lines, ""]):
        if line:
            paragraphs[-1].append(line)
        is_short = len(line) < _FULL_LINE * usual
        is_end = line.endswith((".", "!", "?", ":")) or not following[:1].islower()
        if not line or (is_short and is_end):
            paragraphs.append([])
    return [" ".join(each) for each in paragraphs if each]
