"""Boolean queries in Lucene's language, with each service's field names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from paper_search.query import Phrase, Term, YearRange
from paper_search.sources.dialect import ANYTHING, Dialect, Written

_BARE = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W_]")
_MARKS = re.compile(r"[\"“”\\*?~]+")
_OPERATORS = frozenset({"AND", "OR", "NOT", "TO"})


class LuceneDialect(Dialect):
    """AND, OR, NOT, "phrases", `field:word`, ranges of years, and `*` where it is allowed.

    Attributes:
        fields: of our language, to those of the service.
        year_field: the service's.
        has_wildcards: whether `*` may end a word.
    """

    fields: ClassVar[Mapping[str, str]]
    year_field: ClassVar[str]
    has_wildcards: ClassVar[bool] = True

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase, in its field if it has one."""
        name = f"{self.fields[leaf.field]}:" if leaf.field else ""
        if isinstance(leaf, Phrase) and any(word.endswith("*") for word in leaf.words):
            self.note("a phrase with '*' is sent word by word and checked in the results")
            words = [Term(w.rstrip("*"), leaf.field, w.endswith("*")) for w in leaf.words]
            return Written(self._both([self.leaf(word) for word in words]).text, is_exact=False)
        texts = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        cleaned = " ".join(_MARKS.sub(" ", " ".join(texts)).split())
        if not _LETTER.search(cleaned):
            return ANYTHING
        is_bare = bool(_BARE.fullmatch(cleaned)) and cleaned not in _OPERATORS
        if isinstance(leaf, Term) and leaf.is_prefix:
            return self._cut(name, cleaned, is_bare=is_bare)
        return Written(f"{name}{cleaned}" if is_bare else f'{name}"{cleaned}"')

    def years(self, years: YearRange) -> Written:
        """Return a span of years; an open one ends far away."""
        return Written(f"{self.year_field}:[{years.first or 1000} TO {years.last or 2100}]")

    def without(self, wanted: str, unwanted: str) -> str:
        """Return what matches the one and not the other."""
        return f"({wanted} AND NOT {unwanted})"

    def _cut(self, name: str, stem: str, *, is_bare: bool) -> Written:
        if self.has_wildcards and is_bare:
            return Written(f"{name}{stem}*")
        self.note(
            f"'{stem}*' is sent as '{stem}': {self.service} has no '*',"
            " so other endings may be missed"
        )
        return Written(f"{name}{stem}" if is_bare else f'{name}"{stem}"')
