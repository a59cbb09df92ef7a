"""Writes a boolean query for Semantic Scholar's bulk search.

`+` is AND, `|` is OR, `-` in front of a word, phrase or group excludes it; words are compared by
stem, in title and abstract. See https://api.semanticscholar.org/api-docs/graph (paper bulk search).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from paper_search.query import Near, Phrase, Term, YearRange
from paper_search.sources.dialect import ANYTHING, Dialect, Written

_BARE = re.compile(r"[^\W_]+")


class BulkDialect(Dialect):
    """Title and abstract together; nothing else can be limited to."""

    service: ClassVar[str] = "Semantic Scholar"
    has_year_parameters: ClassVar[bool] = True

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase, asked of title and abstract."""
        if leaf.field in {"author", "venue"}:
            self.note(f"{leaf.field}: is checked in the results: the bulk search has no such field")
            return ANYTHING
        if leaf.field:
            self.note(f"{leaf.field}: is searched in title and abstract and checked in the results")
        is_exact = leaf.field is None
        if isinstance(leaf, Term):
            text = _quoted((leaf.text,))
            if not leaf.is_prefix:
                return Written(text, is_exact and text is not None)
            if text is None or text.startswith('"'):
                self.note("a word with '*' and punctuation inside is checked in the results")
                return ANYTHING
            return Written(f"{text}*", is_exact)
        text = _quoted(leaf.words)
        if any(word.endswith("*") for word in leaf.words):
            self.note("a phrase with '*' is sent word by word and checked in the results")
            words = [Term(w.rstrip("*"), leaf.field, w.endswith("*")) for w in leaf.words]
            return Written(self._both([self.leaf(word) for word in words]).text, is_exact=False)
        return Written(text, is_exact and text is not None)

    def years(self, years: YearRange) -> Written:
        """Return nothing: years are a parameter."""
        del years
        self.note(
            "years inside a group are checked in the results:"
            " the service accepts one range of years"
        )
        return ANYTHING

    def near(self, near: Near) -> Written:
        """Return two words with a distance, wider than was asked."""
        sides = [side for side in (near.left, near.right) if isinstance(side, Term)]
        if len(sides) < 2 or any(side.is_prefix or side.field for side in sides):  # noqa: PLR2004  # both sides
            return super().near(near)
        # Two moves turn the words round, which NEAR allows; what that lets in is checked.
        text = _quoted(tuple(side.text for side in sides))
        return Written(text and f"{text}~{near.distance + 2}", is_exact=False)

    def both(self, texts: Sequence[str]) -> str:
        """Return what matches all of the texts."""
        return f"({' + '.join(texts)})"

    def either(self, texts: Sequence[str]) -> str:
        """Return what matches one of the texts."""
        return f"({' | '.join(texts)})"

    def without(self, wanted: str, unwanted: str) -> str:
        """Return what matches the one and not the other."""
        return f"({wanted} + -{unwanted})"


def _quoted(texts: tuple[str, ...]) -> str | None:
    """Return words that follow each other; marks would be operators. None: there are no letters."""
    cleaned = " ".join("".join(c if c.isalnum() or c in "-.'’" else " " for c in t) for t in texts)
    cleaned = " ".join(cleaned.split())
    if not _BARE.search(cleaned):
        return None
    return cleaned if _BARE.fullmatch(cleaned) else f'"{cleaned}"'
