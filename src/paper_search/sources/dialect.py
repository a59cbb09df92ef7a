"""Write a boolean query in a service's dialect, and note what the dialect lacks."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase, digits
from typing import ClassVar

from paper_search.bibliography.languages import language_code
from paper_search.bibliography.text import WORD
from paper_search.errors import InputError
from paper_search.models import SearchConstraints
from paper_search.query import (
    OPERATORS,
    OWN_WORDS,
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
from paper_search.query.ast import all_leaves, words_of
from paper_search.query.limits import whole_days
from paper_search.query.widening import sides
from paper_search.sources.adapter import Translated, translate_known_part
from paper_search.sources.values import quoted

_PREPRINT = "article"
"""CSL's type; other types are checked in the results."""
_LETTER = re.compile(r"[^\W_]")
HYPHENATED = re.compile(r"\w+(?:-\w+)*")
LUCENE_OPERATORS = OPERATORS | {"TO"}
_NAMES = frozenset({"author", "venue"})
_IN_TEXTS = frozenset({None, "title", "abstract", "tiab", OWN_WORDS})
FIRST_YEAR, LAST_YEAR = 1000, 3000
"""The open end of a range, for services that require both ends."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A part of a query in the service's dialect.

    Attributes:
        text: to send; None if the part cannot be expressed, so that anything matches.
        is_exact: whether the text matches no more than the part means.
    """

    text: str | None
    is_exact: bool = True


ANYTHING = Expression(None, is_exact=False)


def bare_or_quoted(
    word: str,
    operators: frozenset[str],
    *,
    is_prefix: bool,
    bare: re.Pattern[str],
) -> str:
    """Return a word with its `*`, quoted if it is an operator or does not match `bare`."""
    if is_prefix and bare.fullmatch(word):
        return f"{word}*"
    is_bare = bare.fullmatch(word) and word.upper() not in operators
    return word if is_bare else quoted(word)


class Dialect(ABC):
    """The query syntax of a service; all share the traversal of the tree.

    Every group gets parentheses, because services disagree on precedence. De Morgan's laws move
    NOTs out of ORs, so that every NOT has a non-empty positive side. What cannot be expressed is
    widened, never narrowed.

    Attributes:
        service: name for messages.
        has_year_parameters: whether years of the whole query are parameters instead of text.
        known_fields: fields in addition to title, abstract, author and venue, such as headings.
        entered: format of a range of entry dates with two `{}`; empty if unsupported.
        shortest_stem: letters required before `*`; None if there is no truncation.
        years_note: note about years inside a group, with `{}` for the service.
        loose_in: fields that support phrases with a distance, `"a b"~3`.
        negation: prefix of an exclusion.
        excludes_groups: whether NOT accepts more than a word or phrase.
        compares_stems: whether a word matches its other forms, which NOT would exclude, too.
        language: clause for a language, with `{}` for its name; empty if unsupported.
        language_notes: notes for a search with a language.
        preprints: clause for preprints; empty if there is none.
    """

    service: ClassVar[str]
    language: ClassVar[str] = ""
    language_notes: ClassVar[tuple[str, ...]] = ()
    preprints: ClassVar[str] = ""
    negation: ClassVar[str] = "NOT "
    excludes_groups: ClassVar[bool] = True
    has_year_parameters: ClassVar[bool] = False
    years_note: ClassVar[str] = ""
    loose_in: ClassVar[Collection[str | None]] = ()
    known_fields: ClassVar[Collection[str]] = ()
    entered: ClassVar[str] = ""
    shortest_stem: ClassVar[int | None] = 3
    compares_stems: bool = False

    def __init__(self) -> None:
        self._notes: dict[str, None] = {}

    def translate_within(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query with clauses for the language and for preprints.

        For a service without a language filter, the results are checked.
        """
        name = self.language_name(filters.language) if filters.language else None
        if filters.language and not name:
            self.note(
                f"the language {filters.language!r} is unknown: results in all languages are kept"
            )
        if name:
            for note in self.language_notes:
                self.note(note)
        translated = self.translate(tree, filters)
        text = translated.text
        if name and self.language:
            text = f"({text} AND {self.language.format(name)})"
        if self.preprints and filters.publication_types:
            if filters.publication_types == [_PREPRINT]:
                text = f"({text} AND {self.preprints})"
            elif _PREPRINT not in filters.publication_types:
                text = f"({text} NOT {self.preprints})"
        own = None if self.language else language_code(filters.language)
        return replace(translated, text=text, language=own)

    def language_name(self, language: str) -> str | None:
        return language_code(language)

    @abstractmethod
    def leaf(self, leaf: Term | Phrase) -> Expression: ...

    def years(self, years: YearRange) -> Expression:
        """Return a range of years inside a group, which by default cannot be expressed."""
        del years
        if self.years_note:
            self.note(self.years_note.format(self.service))
        return ANYTHING

    def quoted_words(self, texts: tuple[str, ...]) -> str | None:
        return quoted(" ".join(texts))

    def without(self, text: str, unwanted: Sequence[str]) -> str:
        return f"({text} {self.negation}{self._either(unwanted)})"

    def both(self, texts: Sequence[str]) -> str:
        return f"({' AND '.join(texts)})"

    def either(self, texts: Sequence[str]) -> str:
        return f"({' OR '.join(texts)})"

    def near(self, near: Near) -> Expression:
        """Return both sides of a NEAR; by default the distance cannot be expressed."""
        words = [side for side in (near.left, near.right) if isinstance(side, Term)]
        if len(words) == 2 and all(not w.is_prefix and w.field in self.loose_in for w in words):  # noqa: PLR2004  # both
            # A distance of two more also finds the words in reverse order, which NEAR allows.
            text = self.quoted_words(tuple(word.text for word in words))
            return Expression(text and f"{text}~{near.distance + 2}", is_exact=False)
        self.note("NEAR is sent as AND; the distance is checked in title and abstract")
        both = self._both([self._positive(side) for side in (near.left, near.right)])
        return Expression(both.text, is_exact=False)

    def word_by_word(self, phrase: Phrase) -> Expression:
        self.note("a phrase with '*' is sent as words; their order is checked")
        words = [
            Term(word.rstrip("*"), phrase.field, word.endswith("*"))
            for word in phrase.words
            if _LETTER.search(word)
        ]
        return Expression(self._both([self.leaf(word) for word in words]).text, is_exact=False)

    def short_stem(self, stem: str, write: Callable[[str], str]) -> Expression:
        """Return a stem that is too short for `*` with each possible next letter.

        Leaving it out would match far more records than a service returns.
        """
        needs = f"{self.service} needs {self.shortest_stem} letters before '*'"
        if len(stem) < (self.shortest_stem or 0) - 1:
            self.note(f"'{stem}*' is checked in the results: {needs}")
            return ANYTHING
        self.note(f"'{stem}*' is sent with each next letter: {needs}")
        ends = ("", *(f"{letter}*" for letter in ascii_lowercase + digits))
        return Expression(self._either([write(stem + end) for end in ends]))

    def note(self, text: str) -> None:
        self._notes.setdefault(text)

    def translate(self, tree: Node, filters: SearchConstraints | None = None) -> Translated:
        return translate_known_part(
            tree,
            lambda part: self._translate(part, filters),
            service=self.service,
            fields=(*self.known_fields, *(["entered"] if self.entered else [])),
            shortest_stem=self.shortest_stem,
        )

    def _translate(self, tree: Node, filters: SearchConstraints | None) -> Translated:
        wanted, unwanted = sides(normalise(tree))
        parts, first, last = without_years(wanted, filters or SearchConstraints())
        if not parts:
            raise InputError("the query only excludes: add what to search for")
        if (first, last) != (None, None) and not self.has_year_parameters:
            parts.append(YearRange(first, last))
        inclusions = [(part, self._positive(part)) for part in parts]
        excluded = [(Not(part), self._excluded(part)) for part in unwanted]
        text = self._both([clause for _, clause in inclusions], is_whole=True).text
        if text is None:
            raise InputError(f"{self.service} supports no part of the query")
        exclusions = [clause.text for _, clause in excluded if clause.is_exact and clause.text]
        text = self.without(text, exclusions) if exclusions else text
        rest = tuple(part for part, clause in [*inclusions, *excluded] if not clause.is_exact)
        return Translated(
            text, tuple(self._notes), normalise(And(rest)) if rest else None, first, last
        )

    def _positive(self, node: Node) -> Expression:
        match node:
            case Term(text, field, is_prefix=True) if field not in _NAMES and "-" in text.strip(
                "-"
            ):
                # A stem is compared with single words, which hyphens separate.
                return self.leaf(Phrase((*f"{text}*".split("-"),), field))
            case Term() | Phrase():
                return self.leaf(node)
            case YearRange():
                return self.years(node)
            case Near():
                return self.near(node)
            case Or(children):
                return self._any([self._positive(child) for child in children])
            case _:
                inclusions, unwanted = sides(node)
                return self._without(
                    self._both(list(map(self._positive, inclusions))),
                    list(map(self._excluded, unwanted)),
                )

    def _excluded(self, node: Node) -> Expression:
        """Return an exclusion; it must not exclude other forms of a word."""
        if self.compares_stems and any(leaf.field in _IN_TEXTS for leaf in all_leaves(node)):
            self.note(f"what NOT excludes is checked in the results: {self.service} compares stems")
            return ANYTHING
        if self.excludes_groups or isinstance(node, Term | Phrase):
            return self._positive(node)
        self.note(f"NOT of a group is checked in the results: {self.service} excludes words only")
        return ANYTHING

    def whole(self, texts: Sequence[str]) -> str:
        return self.both(texts)

    def _both(self, parts: Sequence[Expression], *, is_whole: bool = False) -> Expression:
        texts = list(dict.fromkeys(part.text for part in parts if part.text is not None))
        join = self.whole if is_whole else self.both
        text = join(texts) if len(texts) > 1 else next(iter(texts), None)
        return Expression(text, all(part.is_exact for part in parts))

    def _any(self, parts: Sequence[Expression]) -> Expression:
        texts = [part.text for part in parts if part.text is not None]
        if len(texts) < len(parts):
            return ANYTHING
        return Expression(self._either(texts), all(part.is_exact for part in parts))

    def _either(self, texts: Sequence[str]) -> str:
        distinct = list(dict.fromkeys(texts))
        return self.either(distinct) if len(distinct) > 1 else distinct[0]

    def _without(self, main: Expression, unwanted: Sequence[Expression]) -> Expression:
        """Exclude only exact parts; inexact ones would exclude too much and are checked later."""
        exclusions = [part.text for part in unwanted if part.is_exact and part.text is not None]
        is_exact = main.is_exact and len(exclusions) == len(unwanted)
        if main.text is None or not exclusions:
            return Expression(main.text, is_exact)
        return Expression(self.without(main.text, exclusions), is_exact)


def without_years(
    parts: Sequence[Node], filters: SearchConstraints
) -> tuple[list[Node], int | None, int | None]:
    """Separate year ranges from a conjunction: the other parts, first and last year (or None)."""
    spans = [part for part in parts if isinstance(part, YearRange)]
    spans.append(YearRange(filters.year_from, filters.year_to))
    first = max((years.first for years in spans if years.first is not None), default=None)
    last = min((years.last for years in spans if years.last is not None), default=None)
    if first is not None and last is not None and first > last:
        raise InputError(f"no year is both {first} or later and {last} or earlier: widen the years")
    return [part for part in parts if not isinstance(part, YearRange)], first, last


class FieldDialect(Dialect):
    """`field:word`, `field:"a phrase"` and `field:[2019 TO 2022]`, with AND, OR and a NOT.

    Attributes:
        fields: prefix of a word, by field.
        year: format of a year range, with two `{}`.
        operators: words to quote.
        bare: words that need no quotation marks.
        unsearched: unsupported fields, searched anywhere and checked in the results.
    """

    fields: ClassVar[Mapping[str | None, str]]
    year: ClassVar[str]
    operators: ClassVar[frozenset[str]] = LUCENE_OPERATORS
    bare: ClassVar[re.Pattern[str]] = WORD
    unsearched: ClassVar[Collection[str]] = ()

    def leaf(self, leaf: Term | Phrase) -> Expression:
        if isinstance(leaf, Term) and leaf.field == "entered":
            return Expression(self.entered.format(*whole_days(leaf.text)))
        is_exact = leaf.field not in self.unsearched
        if not is_exact:
            self.note(
                f"{leaf.field}: is searched anywhere and checked in the results:"
                f" {self.service} has no such field"
            )
        field = self.fields.get(leaf.field, "")
        if isinstance(leaf, Phrase) and any(word.endswith("*") for word in leaf.words):
            return self.word_by_word(leaf)
        if isinstance(leaf, Phrase):
            return Expression(f"{field}{quoted(' '.join(leaf.words))}", is_exact)
        if not _LETTER.search(leaf.text):
            return ANYTHING
        word = bare_or_quoted(leaf.text, self.operators, is_prefix=leaf.is_prefix, bare=self.bare)
        return Expression(f"{field}{word}", is_exact)

    def years(self, years: YearRange) -> Expression:
        return Expression(self.year.format(years.first or FIRST_YEAR, years.last or LAST_YEAR))


class TextDialect(Dialect):
    """Words in title and abstract; all other fields are checked in the results."""

    compares_stems: bool = True
    has_year_parameters: ClassVar[bool] = True
    years_note: ClassVar[str] = (
        "{} accepts one range of years: years inside a group are checked in the results"
    )

    def is_searched(self, field: str | None) -> bool:
        return field in {None, "tiab"}

    def leaf(self, leaf: Term | Phrase) -> Expression:
        if leaf.field in _NAMES:
            self.note(f"{leaf.field}: is checked in the results")
            return ANYTHING
        is_exact = self.is_searched(leaf.field)
        if not is_exact:
            self.note(f"{leaf.field}: is searched in title and abstract and checked in the results")
        words = words_of(leaf)
        if len(words) > 1 and any(word.endswith("*") for word in words):
            self.note("a phrase with '*' is sent word by word and checked in the results")
            return self.apart(words)
        text = self.quoted_words(words)
        whole = self.word(words[0]) if len(words) == 1 else Expression(text, text is not None)
        return Expression(whole.text, whole.is_exact and is_exact)

    def apart(self, words: Sequence[str]) -> Expression:
        return Expression(self._both([self.word(word) for word in words]).text, is_exact=False)

    def word(self, word: str) -> Expression:
        text = self.quoted_words((word,))
        if text is None:
            return ANYTHING
        if word.endswith("*") and text.startswith('"'):
            self.note(
                f"'{word}' is checked in the results: {self.service} takes '*' after letters only"
            )
            return ANYTHING
        return Expression(f"{text}*" if word.endswith("*") else text)
