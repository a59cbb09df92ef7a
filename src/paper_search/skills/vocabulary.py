"""Subject headings with their synonyms, and nouns that have a plural.

The headings are Medical Subject Headings (MeSH) of the National Library of Medicine, edition
2020/2021, changed; `scripts/vocabulary.py` makes both tables and says how.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from functools import cache, lru_cache

from paper_search.resources import PackageFiles

_HEADINGS, _PLURALS = "mesh.txt.gz", "plurals.txt.gz"


def heading(names: Iterable[str]) -> str | None:
    """Return the MeSH heading that the first of the names leads to, in small letters, or None."""
    line = _line(names)
    return line[0] if line else None


def entry_terms(names: Iterable[str]) -> list[str]:
    """Return what MeSH also calls the first of the names that it knows, the heading included."""
    return [_natural(name) for name in _line(names)]


def has_plural(noun: str) -> bool:
    """Return whether records write the noun, in small letters, in the plural."""
    return noun in _plurals()


def is_word(word: str) -> bool:
    """Return whether a heading or another name of one has the word, in small letters."""
    table = _table()
    return any(f"{before}{word}{after}" in table for before in "| -" for after in "| -,")


def _natural(name: str) -> str:
    last, _, first = name.partition(", ")
    return f"{first} {last}" if first and ", " not in first else name.replace(",", "")


def _line(names: Iterable[str]) -> list[str]:
    for name in names:
        key = " ".join(name.casefold().split())
        if key and "|" not in key and (line := _line_with(key)):
            return line.split("|")
    return []


# A look through the text takes half a millisecond, an index a hundred times that; and the words of
# one question are looked for again and again.
@lru_cache(maxsize=1000)
def _line_with(key: str) -> str:
    table = _table()
    place = table.find(f"|{key}|")
    if place < 0:
        return ""
    start = table.rfind("\n", 0, place + 1) + 1
    return table[start : table.find("\n", place)].strip("|")


@cache
def _table() -> str:
    packed = PackageFiles("paper_search.skills").read(_HEADINGS)
    lines = gzip.decompress(packed).decode("ascii").splitlines(keepends=True)
    return "\n" + "".join(line for line in lines if not line.startswith("#"))


@cache
def _plurals() -> frozenset[str]:
    packed = PackageFiles("paper_search.skills").read(_PLURALS)
    return frozenset(gzip.decompress(packed).decode("ascii").split())
