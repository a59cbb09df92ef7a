"""Writes a boolean tree for arXiv's search (https://info.arxiv.org/help/api/user-manual.html).

arXiv has no precedence and binds to the right, so every group has its own parentheses; without an
operator it reads OR, and a NOT needs something before it.
"""

from __future__ import annotations

import re
from typing import ClassVar

from paper_search.query import Phrase, Term, YearRange
from paper_search.sources.dialect import Dialect, Written, quoted

_FIELDS = {"title": "ti", "abstract": "abs", "author": "au", "venue": "jr", None: "all"}
_BARE = re.compile(r"\w+(?:-\w+)*")
_OPERATORS = frozenset({"AND", "OR", "ANDNOT", "NOT", "TO"})
_FIRST_YEAR, _LAST_YEAR = 1900, 2999


class ArxivDialect(Dialect):
    """`field:word`, `field:"a phrase"`, AND, OR, ANDNOT, and years as dates of submission."""

    service: ClassVar[str] = "arXiv"

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase in its field; `*` has no meaning inside quotes."""
        field = _FIELDS[leaf.field]
        if isinstance(leaf, Term):
            return Written(f"{field}:{_word(leaf.text, is_prefix=leaf.is_prefix)}")
        if not any(word.endswith("*") for word in leaf.words):
            return Written(f"{field}:{quoted(' '.join(leaf.words))}")
        return self.word_by_word(leaf)

    def years(self, years: YearRange) -> Written:
        """Return the years as a span of dates; an open end is far away."""
        self.note("years are those of the first version on arXiv")
        first, last = years.first or _FIRST_YEAR, years.last or _LAST_YEAR
        return Written(f"submittedDate:[{first}01010000 TO {last}12312359]")

    def without(self, wanted: str, unwanted: str) -> str:
        """Return the one ANDNOT the other."""
        return f"({wanted} ANDNOT {unwanted})"


def _word(text: str, *, is_prefix: bool) -> str:
    if is_prefix and _BARE.fullmatch(text):
        return f"{text}*"
    is_bare = _BARE.fullmatch(text) and text.upper() not in _OPERATORS
    return text if is_bare else quoted(text)
