"""Writes a boolean query in OpenAlex's language.

Words are searched in title and abstract, by their stems, or in the title alone if all of the query
is limited to it; names of authors are a filter of their own. See
https://docs.openalex.org/how-to-use-the-api/get-lists-of-entities/search-entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar
from urllib.parse import quote_plus

from paper_search.errors import InputError
from paper_search.models import SearchConstraints
from paper_search.query import And, Near, Node, Not, Phrase, Term, YearRange, normalise
from paper_search.query.normal_form import parts
from paper_search.sources.adapter import Translated
from paper_search.sources.dialect import ANYTHING, Dialect, Written
from paper_search.sources.spans import joined_span

_LONGEST = 7000
"""Bytes of the query in the address; OpenAlex takes addresses of 8190."""
_MARKS = re.compile(r"[\"“”*?~|!\\()\[\]:/,]+")
_BARE = re.compile(r"[^\W_]+")
_SHORTEST_STEM = 3


@dataclass(frozen=True, slots=True)
class OpenAlexQuery(Translated):
    """What to send.

    Attributes:
        scope: the parameter that `words` go into.
        words: the boolean text; empty: only authors are asked for.
        authors: the value of the filter on names; empty: none.
        work: the filter for one work, such as `doi:10.1000/1`; empty: none.
    """

    scope: str = "search.title_and_abstract"
    words: str = ""
    authors: str = ""
    work: str = ""


def to_openalex(tree: Node, filters: SearchConstraints) -> OpenAlexQuery:
    """Return the query in OpenAlex's language, within the years of the filters.

    Raises:
        InputError: it only excludes, nothing of it can be said, or it is too long.
    """
    rest, names = _without_authors(tree)
    years = [part for part in rest if isinstance(part, YearRange)]
    authors = _Authors().translate(And(tuple(names)), None).text if names else ""
    if names and len(years) == len(rest):
        first, last = joined_span(years, filters)
        return OpenAlexQuery(f"author:{authors}", year_from=first, year_to=last, authors=authors)
    dialect = _OpenAlex(normalise(And(tuple(rest))))
    found = dialect.translate(normalise(And(tuple(rest))), filters)
    words = found.text if found.text.endswith((")", '"')) else f"({found.text})"
    if len(quote_plus(words + authors)) > _LONGEST:
        raise InputError(
            f"the query takes {len(quote_plus(words)):,} bytes of the URL, and OpenAlex"
            f" accepts {_LONGEST:,}: remove some alternatives or split it into two queries"
        )
    shown = f"{words} author:{authors}" if authors else words
    given = {each.name: getattr(found, each.name) for each in fields(Translated)}
    return OpenAlexQuery(
        **{**given, "text": shown}, scope=dialect.scope, words=words, authors=authors
    )


def _without_authors(tree: Node) -> tuple[list[Node], list[Node]]:
    """Return what the tree wants beside authors, and what it wants of authors alone."""
    wanted = tree.children if isinstance(tree, And) else (tree,)
    names: list[Node] = [
        each
        for each in wanted
        if not isinstance(each, Not) and {leaf.field for leaf in _leaves(each)} == {"author"}
    ]
    return [each for each in wanted if each not in names], names


def _leaves(node: Node) -> Iterator[Term | Phrase]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Term | Phrase):
            yield each
        waiting += parts(each)


class _Words(Dialect):
    """Words and groups, the same in all of OpenAlex's fields."""

    service: ClassVar[str] = "OpenAlex"
    has_year_parameters: ClassVar[bool] = True

    def years(self, years: YearRange) -> Written:
        del years
        self.note(
            "OpenAlex accepts one range of years: years inside a group are checked in the results"
        )
        return ANYTHING

    def without(self, wanted: str, unwanted: str) -> str:
        return f"({wanted} NOT {unwanted})"

    def written(self, texts: tuple[str, ...]) -> str | None:
        """Return words that follow each other; None: there are no letters in them."""
        cleaned = " ".join(" ".join(_MARKS.sub(" ", each) for each in texts).split())
        if not _BARE.search(cleaned):
            return None
        is_bare = _BARE.fullmatch(cleaned) and cleaned not in {"AND", "OR", "NOT"}
        return cleaned if is_bare else f'"{cleaned.lower() if cleaned.isupper() else cleaned}"'


class _OpenAlex(_Words):
    """Titles and abstracts; with `*` in the query, all words are matched as they are written."""

    def __init__(self, tree: Node) -> None:
        super().__init__()
        leaves = list(_leaves(tree))
        self._is_of_titles = bool(leaves) and all(leaf.field == "title" for leaf in leaves)
        self._is_exact = any(_is_cut(leaf) for leaf in leaves)
        if self._is_exact:
            self.note("words are matched exactly, not by stem: OpenAlex requires this for '*'")

    @property
    def scope(self) -> str:
        """The parameter that the text goes into."""
        scope = "search.title" if self._is_of_titles else "search.title_and_abstract"
        return f"{scope}.exact" if self._is_exact else scope

    def leaf(self, leaf: Term | Phrase) -> Written:
        if leaf.field in {"author", "venue"}:
            self.note(f"{leaf.field}: is checked in the results")
            return ANYTHING
        is_exact = leaf.field is None or self._is_of_titles
        if not is_exact:
            self.note(f"{leaf.field}: is searched in title and abstract and checked in the results")
        if isinstance(leaf, Phrase) and any(word.endswith("*") for word in leaf.words):
            self.note("a phrase with '*' is sent word by word and checked in the results")
            return Written(
                self._both([self._word(word) for word in leaf.words]).text, is_exact=False
            )
        if isinstance(leaf, Term):
            said = self._word(f"{leaf.text}*" if leaf.is_prefix else leaf.text)
            return Written(said.text, said.is_exact and is_exact)
        text = self.written(leaf.words)
        return Written(text, is_exact and text is not None)

    def near(self, near: Near) -> Written:
        sides = (near.left, near.right)
        if any(not isinstance(side, Term) or side.is_prefix or side.field for side in sides):
            return super().near(near)
        # Two moves turn the words round, which NEAR allows; what that lets in is checked.
        text = self.written(tuple(side.text for side in sides if isinstance(side, Term)))
        return Written(text and f"{text}~{near.distance + 2}", is_exact=False)

    def _word(self, word: str) -> Written:
        text = self.written((word,))
        if text is None:
            return ANYTHING
        if not word.endswith("*"):
            return Written(text)
        if text.startswith('"') or len(text) < _SHORTEST_STEM:
            self.note(f"'{word}' is checked in the results: OpenAlex requires 3 letters before '*'")
            return ANYTHING
        return Written(f"{text}*")


class _Authors(_Words):
    """Names of authors, as they are printed on the work."""

    def leaf(self, leaf: Term | Phrase) -> Written:
        texts = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        text = self.written(texts)
        return Written(text) if text and not _is_cut(leaf) else ANYTHING


def _is_cut(leaf: Term | Phrase) -> bool:
    return leaf.is_prefix if isinstance(leaf, Term) else any(w.endswith("*") for w in leaf.words)
