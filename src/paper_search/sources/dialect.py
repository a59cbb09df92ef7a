"""Writes a boolean tree in a service's dialect, and reports what the dialect lacks."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase, digits
from typing import ClassVar

from paper_search.bibliography.text import WORD
from paper_search.errors import InputError
from paper_search.models import SearchConstraints
from paper_search.query import (
    OPERATORS,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Term,
    YearRange,
    normalise,
)
from paper_search.sources.adapter import Translated, translated_as_far_as_known

_PREPRINT = "article"
"""CSL's type; other types are checked in the answers."""
_LETTER = re.compile(r"[^\W_]")
HYPHENATED = re.compile(r"\w+(?:-\w+)*")
_MARKS = re.compile(r"[\"“”\\\[\]{}<>|^~\x00-\x1f\x7f]+")
"""What could end a quotation, or means something inside of one."""
_LUCENE_MARKS = re.compile(r"[\"“”\\*?~]+")
LUCENE_OPERATORS = OPERATORS | {"TO"}
FIRST_YEAR, LAST_YEAR = 1000, 3000
"""What stands for the open end of a range where a service wants both."""


@dataclass(frozen=True, slots=True)
class Written:
    """A part of a query as the service understands it.

    Attributes:
        text: what to send; None: nothing can be said, anything would match.
        is_exact: False: the text matches more than the part means.
    """

    text: str | None
    is_exact: bool = True


ANYTHING = Written(None, is_exact=False)
"""What cannot be said at all."""


def quoted(text: str) -> str:
    """Return the text between quotation marks, without what could end them or be misread."""
    return f'"{" ".join(_MARKS.sub(" ", text).split())}"'


def bare_or_quoted(
    word: str,
    operators: frozenset[str],
    *,
    is_prefix: bool = False,
    bare: re.Pattern[str] = HYPHENATED,
) -> str:
    """Return a word unchanged, with its `*`; between quotation marks if it could be misread.

    `operators`: words that mean something else to the service; `bare`: what needs no marks.
    """
    if is_prefix and bare.fullmatch(word):
        return f"{word}*"
    is_bare = bare.fullmatch(word) and word.upper() not in operators
    return word if is_bare else quoted(word)


class Dialect(ABC):
    """How one service writes words and groups; the walk over the tree is the same for all.

    Every group is written in parentheses of its own, since no two services agree on precedence.
    A NOT becomes "wanted, without unwanted", whose wanted side is never empty: De Morgan's laws
    move NOTs out of ORs. What cannot be said is widened, never narrowed.

    Attributes:
        service: its name, for messages.
        has_year_parameters: whether years that all of the query is limited to are left out of
            the text, since the service has parameters for them.
        known_fields: what it knows beside title, abstract, author and venue, such as headings.
        shortest_stem: letters that it needs before a `*`; None: it has no `*`.
    """

    service: ClassVar[str]
    has_year_parameters: ClassVar[bool] = False
    known_fields: ClassVar[Collection[str]] = ()
    shortest_stem: ClassVar[int | None] = 3

    def __init__(self) -> None:
        self._notes: dict[str, None] = {}

    def limited(
        self,
        tree: Node,
        filters: SearchConstraints,
        *,
        name_of: Callable[[str], str | None],
        language: str,
        preprints: str = "",
    ) -> Translated:
        """Return the query for a tree, with the language and the wish for preprints in it.

        Args:
            tree: the query.
            filters: the years, the language and the types of publications.
            name_of: returns the service's name of a language; None: it is unknown.
            language: the clause for a language, with `{}` for its name.
            preprints: the clause for preprints; empty: there is none.
        """
        name = name_of(filters.language) if filters.language else None
        if filters.language and not name:
            self.note(
                f"the language {filters.language!r} is unknown: results in all languages are kept"
            )
        translated = self.translate(tree, filters)
        text = translated.text
        if name:
            text = f"({text} AND {language.format(name)})"
        if preprints and filters.publication_types:
            if filters.publication_types == [_PREPRINT]:
                text = f"({text} AND {preprints})"
            elif _PREPRINT not in filters.publication_types:
                text = f"({text} NOT {preprints})"
        return replace(translated, text=text)

    @abstractmethod
    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase."""

    @abstractmethod
    def years(self, years: YearRange) -> Written:
        """Return a span of years."""

    @abstractmethod
    def without(self, wanted: str, unwanted: str) -> str:
        """Return what matches the one and not the other."""

    def both(self, texts: Sequence[str]) -> str:
        """Return what matches all of at least two texts."""
        return f"({' AND '.join(texts)})"

    def either(self, texts: Sequence[str]) -> str:
        """Return what matches one of at least two texts."""
        return f"({' OR '.join(texts)})"

    def near(self, near: Near) -> Written:
        """Return both sides of a NEAR; by default their distance cannot be said."""
        self.note("NEAR is sent as AND; the distance is checked in title and abstract")
        sides = self._both([self._positive(side) for side in (near.left, near.right)])
        return Written(sides.text, is_exact=False)

    def word_by_word(self, phrase: Phrase) -> Written:
        """Return the words of a phrase that cannot be said as one; their order is checked."""
        self.note("a phrase with '*' is sent as words; their order is checked")
        words = [
            Term(word.rstrip("*"), phrase.field, word.endswith("*"))
            for word in phrase.words
            if _LETTER.search(word)
        ]
        return Written(self._both([self.leaf(word) for word in words]).text, is_exact=False)

    def short_stem(self, stem: str, written: Callable[[str], str]) -> Written:
        """Return a stem that is too short for a `*` with each next letter.

        To leave it out would ask for everything else, of which a service sends the first hundreds.
        """
        needs = f"{self.service} needs {self.shortest_stem} letters before '*'"
        if len(stem) < (self.shortest_stem or 0) - 1:
            self.note(f"'{stem}*' is checked in the results: {needs}")
            return ANYTHING
        self.note(f"'{stem}*' is sent with each next letter: {needs}")
        ends = ("", *(f"{letter}*" for letter in ascii_lowercase + digits))
        return Written(self._either([written(stem + end) for end in ends]))

    def note(self, text: str) -> None:
        """Say something to the person, once."""
        self._notes.setdefault(text)

    def translate(self, tree: Node, filters: SearchConstraints | None = None) -> Translated:
        """Return the tree, limited to the years of the filters, in this dialect.

        Raises:
            InputError: nothing is left to ask: the tree only excludes, or the service can say
                no part of it.
        """
        return translated_as_far_as_known(
            tree,
            lambda given: self._translated(given, filters),
            service=self.service,
            fields=self.known_fields,
            shortest_stem=self.shortest_stem,
        )

    def _translated(self, tree: Node, filters: SearchConstraints | None) -> Translated:
        wanted, unwanted = _sides(normalise(tree))
        span = [part for part in wanted if isinstance(part, YearRange)]
        wanted = [part for part in wanted if not isinstance(part, YearRange)]
        if not wanted:
            raise InputError("the query only excludes: add what to search for")
        first, last = joined_span(span, filters or SearchConstraints())
        if (first, last) != (None, None) and not self.has_year_parameters:
            wanted.append(YearRange(first, last))
        kept = [(part, self._positive(part)) for part in wanted]
        excluded = [(Not(part), self._positive(part)) for part in unwanted]
        text = self._both([written for _, written in kept]).text
        if text is None:
            raise InputError(f"{self.service} supports no part of the query")
        said = [written.text for _, written in excluded if written.is_exact and written.text]
        text = self.without(text, self._either(said)) if said else text
        rest = tuple(part for part, written in [*kept, *excluded] if not written.is_exact)
        return Translated(
            text,
            tuple(self._notes),
            self.checked(normalise(And(rest))) if rest else None,
            first,
            last,
        )

    def checked(self, remainder: Node) -> Node:
        """Return the remainder as the answers are to be checked for it; by default as it is."""
        return remainder

    def _positive(self, node: Node) -> Written:
        """Return a node that `_sides` found to be wanted."""
        match node:
            case Term() | Phrase():
                return self.leaf(node)
            case YearRange():
                return self.years(node)
            case Near():
                return self.near(node)
            case Or(children):
                return self._any([self._positive(child) for child in children])
            case _:
                wanted, unwanted = _sides(node)
                return self._without(
                    self._both(list(map(self._positive, wanted))),
                    list(map(self._positive, unwanted)),
                )

    def _both(self, parts: Sequence[Written]) -> Written:
        texts = list(dict.fromkeys(part.text for part in parts if part.text is not None))
        text = self.both(texts) if len(texts) > 1 else next(iter(texts), None)
        return Written(text, all(part.is_exact for part in parts))

    def _any(self, parts: Sequence[Written]) -> Written:
        texts = [part.text for part in parts if part.text is not None]
        if len(texts) < len(parts):
            return ANYTHING
        return Written(self._either(texts), all(part.is_exact for part in parts))

    def _either(self, texts: Sequence[str]) -> str:
        distinct = list(dict.fromkeys(texts))
        return self.either(distinct) if len(distinct) > 1 else distinct[0]

    def _without(self, wanted: Written, unwanted: Sequence[Written]) -> Written:
        """Leave out what would exclude too much; the answers are checked for it."""
        said = [part.text for part in unwanted if part.is_exact and part.text is not None]
        is_exact = wanted.is_exact and len(said) == len(unwanted)
        if wanted.text is None or not said:
            return Written(wanted.text, is_exact)
        return Written(self.without(wanted.text, self._either(said)), is_exact)


def _sides(node: Node) -> tuple[list[Node], list[Node]]:
    """Return what an AND wants and what it excludes; all of them are positive.

    A node alone is an AND of one. A NOT of a whole group is moved inwards until every part is
    positive: `a OR NOT b` is `NOT (b AND NOT a)`.
    """
    wanted: list[Node] = []
    unwanted: list[Node] = []
    for child in node.children if isinstance(node, And) else (node,):
        positive, is_excluded = _polarised(child)
        (unwanted if is_excluded else wanted).append(positive)
    return wanted, unwanted


def _polarised(node: Node) -> tuple[Node, bool]:
    """Return a positive node, and whether it is meant to be excluded."""
    match node:
        case Not(child):
            positive, is_excluded = _polarised(child)
            return positive, not is_excluded
        case And(children):
            parts = [_polarised(child) for child in children]
            if all(is_excluded for _, is_excluded in parts):
                return Or(tuple(part for part, _ in parts)), True
            return And(tuple(Not(part) if out else part for part, out in parts)), False
        case Or(children):
            parts = [_polarised(child) for child in children]
            if not any(is_excluded for _, is_excluded in parts):
                return Or(tuple(part for part, _ in parts)), False
            return And(tuple(part if out else Not(part) for part, out in parts)), True
        case _:
            return node, False


def joined_span(
    years: Iterable[YearRange], filters: SearchConstraints
) -> tuple[int | None, int | None]:
    """Return the first and the last year that all of them allow; None is open.

    Raises:
        InputError: no year is left.
    """
    given = [YearRange(filters.year_from, filters.year_to), *years]
    first = max((years.first for years in given if years.first is not None), default=None)
    last = min((years.last for years in given if years.last is not None), default=None)
    if first is not None and last is not None and first > last:
        raise InputError(f"no year is both {first} or later and {last} or earlier: widen the years")
    return first, last


class FieldDialect(Dialect):
    """`field:word` and `field:"a phrase"`: no word is without a field."""

    fields: ClassVar[Mapping[str | None, str]]
    operators: ClassVar[frozenset[str]]

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase in its field; `*` has no meaning inside quotes."""
        field = self.fields[leaf.field]
        if isinstance(leaf, Term):
            word = bare_or_quoted(leaf.text, self.operators, is_prefix=leaf.is_prefix)
            return Written(f"{field}:{word}")
        if not any(word.endswith("*") for word in leaf.words):
            return Written(f"{field}:{quoted(' '.join(leaf.words))}")
        return self.word_by_word(leaf)


class LuceneDialect(Dialect):
    """AND, OR, NOT, "phrases", `field:word`, ranges of years, and `*` where it is allowed."""

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
        cleaned = " ".join(_LUCENE_MARKS.sub(" ", " ".join(texts)).split())
        if not _LETTER.search(cleaned):
            return ANYTHING
        is_bare = bool(WORD.fullmatch(cleaned)) and cleaned not in LUCENE_OPERATORS
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
