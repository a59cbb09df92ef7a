"""Writes a boolean tree for CORE's search (https://api.core.ac.uk/docs/v3#tag/Search)."""

from __future__ import annotations

import re
from typing import ClassVar

from paper_search.query import Phrase, Term, YearRange
from paper_search.sources.dialect import Dialect, Written, quoted

_FIELDS = {"title": "title:", "abstract": "abstract:", "author": "authors:", None: ""}
_BARE = re.compile(r"\w+")
_OPERATORS = frozenset({"AND", "OR", "NOT", "TO"})


class CoreDialect(Dialect):
    """`word`, `title:"a phrase"`, AND, OR, NOT, `yearPublished>=2019`.

    A NOT is written as AND NOT: without the AND, Lucene's language could read OR.
    """

    service: ClassVar[str] = "CORE"

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase in its field; `*` has no meaning inside quotes."""
        if leaf.field == "venue":
            self.note(
                "venue: is searched anywhere and checked in the results: CORE has no such field"
            )
        is_exact = leaf.field != "venue"
        field = _FIELDS.get(leaf.field, "")
        if isinstance(leaf, Term):
            return Written(f"{field}{_word(leaf.text, is_prefix=leaf.is_prefix)}", is_exact)
        if not any(word.endswith("*") for word in leaf.words):
            return Written(f"{field}{quoted(' '.join(leaf.words))}", is_exact)
        return self.word_by_word(leaf)

    def years(self, years: YearRange) -> Written:
        """Return the years as one or two comparisons."""
        sides = [
            f"yearPublished{sign}{year}"
            for sign, year in ((">=", years.first), ("<=", years.last))
            if year is not None
        ]
        return Written(self.both(sides) if len(sides) > 1 else sides[0])

    def without(self, wanted: str, unwanted: str) -> str:
        """Return the one AND NOT the other."""
        return f"({wanted} AND NOT {unwanted})"


def _word(text: str, *, is_prefix: bool) -> str:
    if is_prefix and _BARE.fullmatch(text):
        return f"{text}*"
    is_bare = _BARE.fullmatch(text) and text.upper() not in _OPERATORS
    return text if is_bare else quoted(text)
