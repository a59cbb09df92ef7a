"""Stems of words, and the word tables in this package."""

import re
from functools import cache

from paper_search.bibliography.text import WORD
from paper_search.bibliography.words import stem
from paper_search.resources import PackageFiles

_UNSPACED = (
    "\u3040-\u30ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\u0e00-\u0e7f"  # Thai
)
_UNSPACED_RUN = re.compile(f"([{_UNSPACED}]+)")


def tokens(text: str) -> list[str]:
    """Return the stems of the words of `text` in order.

    Scripts without spaces between words give overlapping pairs of characters, so that a phrase
    matches anywhere in a longer run.
    """
    if text.isascii():
        return [stem(word) for word in WORD.findall(text.lower())]
    stems: list[str] = []
    for word in WORD.findall(text.casefold()):
        if word.isascii():
            stems.append(stem(word))
        else:
            stems.extend(_pieces(word))
    return stems


def _pieces(word: str) -> list[str]:
    pieces: list[str] = []
    for place, part in enumerate(_UNSPACED_RUN.split(word)):
        if place % 2:  # a run
            pieces += [part[i : i + 2] for i in range(len(part) - 1)] or [part]
        elif part:
            pieces.append(stem(part))
    return pieces


def is_unspaced(text: str) -> bool:
    """Whether the text is mostly in a script without spaces between words."""
    unspaced = sum(len(run) for run in _UNSPACED_RUN.findall(text))
    return unspaced * 2 > sum(char.isalnum() for char in text)


@cache
def _tables() -> dict[str, list[str]]:
    tables: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in PackageFiles("paper_search.skills").read("words.txt").decode("utf-8").splitlines():
        if line.startswith("["):
            lines = tables.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return tables


def word_table(name: str) -> frozenset[str]:
    return frozenset(" ".join(_tables()[name]).split())


@cache
def term_table(name: str) -> list[tuple[str, ...]]:
    """Return the lines of a table of `words.txt`, split at bars."""
    return [tuple(term.strip() for term in line.split("|")) for line in _tables()[name]]


COMMANDS = word_table("commands")
"""Words of a request, such as "find" and "papers"."""
BREAKS = word_table("function") | COMMANDS
"""Words that separate English key phrases."""
GENERIC = word_table("generic") | word_table("alone")
STOP_WORDS = BREAKS | GENERIC
