"""The words of a text in a form in which equal words compare equal."""

from __future__ import annotations

import re

from paper_search.bibliography.stemming import stem
from paper_search.bibliography.text import WORD

__all__ = ["is_unspaced", "stem", "tokens"]

_UNSPACED = (
    "\u3040-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\u0e00-\u0e7f"  # Thai
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")


def tokens(text: str) -> list[str]:
    """Return the stems of the words of `text` in order.

    Scripts that put no space between words give overlapping pairs of characters, so that a
    phrase is found wherever it stands in a longer run.
    """
    if text.isascii():
        return [stem(word) for word in WORD.findall(text.lower())]
    found: list[str] = []
    for word in WORD.findall(text.casefold()):
        if word.isascii():
            found.append(stem(word))
        else:
            found.extend(_pieces(word))
    return found


def _pieces(word: str) -> list[str]:
    pieces: list[str] = []
    end = 0
    for run in _UNSPACED_RUN.finditer(word):
        if run.start() > end:
            pieces.append(stem(word[end : run.start()]))
        chars = run.group()
        pieces += [chars[i : i + 2] for i in range(len(chars) - 1)] or [chars]
        end = run.end()
    if end < len(word):
        pieces.append(stem(word[end:]))
    return pieces


def is_unspaced(text: str) -> bool:
    """Whether the text is mostly in a script that puts no space between words."""
    unspaced = sum(len(run) for run in _UNSPACED_RUN.findall(text))
    return unspaced * 2 > sum(char.isalnum() for char in text)


def words_in(table: str) -> list[str]:
    """Return the words of a table, which are separated by white space."""
    return table.split()


def terms_in(table: str) -> list[str]:
    """Return the terms of a table, which are separated by bars and may hold spaces."""
    return [" ".join(term.split()) for term in table.split("|")]
