"""Writes a boolean tree for Europe PMC's search (https://europepmc.org/searchsyntax)."""

from __future__ import annotations

import re
from typing import ClassVar

from paper_search.query import Phrase, Term, YearRange
from paper_search.sources.dialect import Dialect, Written, quoted

_FIELDS = {
    "title": "TITLE",
    "abstract": "ABSTRACT",
    "author": "AUTH",
    "venue": "JOURNAL",
    "mesh": "KW",
    None: "TITLE_ABS",
}
_BARE = re.compile(r"\w+(?:-\w+)*")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_FIRST_YEAR, _LAST_YEAR = 1000, 3000


class EuropePmcDialect(Dialect):
    """`TITLE_ABS:word`, `AUTH:"a phrase"`, AND, OR, NOT, `PUB_YEAR:[2019 TO 2022]`.

    A word without a field would be looked for in full texts, too, and find far too much. Headings
    are among the keywords (`KW:`).
    """

    service: ClassVar[str] = "Europe PMC"
    has_headings: ClassVar[bool] = True

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase in its field; `*` has no meaning inside quotes."""
        field = _FIELDS[leaf.field]
        if isinstance(leaf, Term):
            return Written(f"{field}:{_word(leaf.text, is_prefix=leaf.is_prefix)}")
        if not any(word.endswith("*") for word in leaf.words):
            return Written(f"{field}:{quoted(' '.join(leaf.words))}")
        return self.word_by_word(leaf)

    def years(self, years: YearRange) -> Written:
        """Return the years as a span; an open end is far away."""
        return Written(f"PUB_YEAR:[{years.first or _FIRST_YEAR} TO {years.last or _LAST_YEAR}]")

    def without(self, wanted: str, unwanted: str) -> str:
        """Return the one NOT the other."""
        return f"({wanted} NOT {unwanted})"


def _word(text: str, *, is_prefix: bool) -> str:
    if is_prefix and _BARE.fullmatch(text):
        return f"{text}*"
    is_bare = _BARE.fullmatch(text) and text.upper() not in _OPERATORS
    return text if is_bare else quoted(text)
