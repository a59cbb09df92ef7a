"""Writes a boolean tree for PubMed's search (https://pubmed.ncbi.nlm.nih.gov/help/).

PubMed evaluates from left to right, so every group has its own parentheses; every word has a tag,
since a word without one is mapped to subject headings that nobody asked for.
"""

from __future__ import annotations

import re
from itertools import product
from typing import ClassVar

from paper_search.query import Near, Node, Or, Phrase, Term, YearRange
from paper_search.sources.dialect import ANYTHING, Dialect, Written, quoted

_TAGS = {"title": "ti", "abstract": "tiab", "author": "au", "venue": "ta", "mesh": "mh",
         None: "tiab"}  # fmt: skip
_BARE = re.compile(r"\w+(?:-\w+)*")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_SHORTEST_STEM = 4
_MOST_PAIRS = 25
"""Pairs of words that a NEAR of two groups is written out into."""
_FIRST_YEAR, _LAST_YEAR = 1000, 3000


class PubmedDialect(Dialect):
    """`word[tiab]`, `"a phrase"[ti]`, AND, OR, NOT, `2019:2022[dp]`, `"a b"[tiab:~3]`."""

    service: ClassVar[str] = "PubMed"
    has_headings: ClassVar[bool] = True

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase with its tag."""
        tag = _TAGS[leaf.field]
        is_exact = leaf.field != "abstract"
        if not is_exact:
            self.note("abstract: is searched in title and abstract and checked in the results")
        words = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        stems = [word for word in words if word.endswith("*")]
        if isinstance(leaf, Term) and leaf.is_prefix:
            stems = [leaf.text]
        if any(len(stem.rstrip("*")) < _SHORTEST_STEM for stem in stems):
            self.note(
                f"'*' needs {_SHORTEST_STEM} letters before it;"
                " shorter stems are checked in the results"
            )
            return ANYTHING
        if isinstance(leaf, Term):
            return Written(f"{_word(leaf)}[{tag}]", is_exact)
        if any(word.endswith("*") for word in words[:-1]):
            return self.word_by_word(leaf)
        return Written(f"{quoted(' '.join(words))}[{tag}]", is_exact)

    def near(self, near: Near) -> Written:
        """Return words within a distance; a NEAR of anything else is asked as AND."""
        lefts, rights = _plain_words(near.left), _plain_words(near.right)
        pairs = list(product(lefts, rights))
        fields = {word.field for word in (*lefts, *rights)}
        if not pairs or len(pairs) > _MOST_PAIRS or fields not in ({None}, {"title"}):
            return super().near(near)
        tag = _TAGS[fields.pop()]
        texts = [
            f"{quoted(f'{one.text} {two.text}')}[{tag}:~{near.distance}]" for one, two in pairs
        ]
        return Written(self._either(texts))

    def years(self, years: YearRange) -> Written:
        """Return the years as a span of dates of publication."""
        return Written(f"{years.first or _FIRST_YEAR}:{years.last or _LAST_YEAR}[dp]")

    def without(self, wanted: str, unwanted: str) -> str:
        """Return the one NOT the other."""
        return f"({wanted} NOT {unwanted})"


def _word(term: Term) -> str:
    is_bare = _BARE.fullmatch(term.text) and term.text.upper() not in _OPERATORS
    text = f"{term.text}*" if term.is_prefix else term.text
    return text if is_bare else quoted(text)


def _plain_words(side: Node) -> list[Term]:
    """Return the words that a side of a NEAR is made of; none: it is made of more than words."""
    parts = side.children if isinstance(side, Or) else (side,)
    words = [part for part in parts if isinstance(part, Term) and not part.is_prefix]
    return words if len(words) == len(parts) else []
