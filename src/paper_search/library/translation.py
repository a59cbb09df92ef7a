"""Translate boolean queries and weighted words into queries of the full-text index."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from paper_search.errors import InputError
from paper_search.library.index import POSITIONED, RANKED, UNKNOWN_LANGUAGE
from paper_search.library.lexicon import EXACT, STEMMED, words
from paper_search.models import SearchConstraints
from paper_search.query import conditions_in
from paper_search.query.ast import And, Near, Node, Not, Or, Phrase, Term, YearRange, is_pattern
from paper_search.query.evaluation import is_in_field

if TYPE_CHECKING:
    import tantivy

_NAMES = "author"
"""The field whose words are not stemmed."""
_MOST_PATTERNS = 5_000
_LONG_ENOUGH = 3
"""Letters of a stem that may be no prefix of its words: studi, study."""
_OTHER_ENDINGS = ("i", "e", "y", "bl")
"""Endings of stems that may be no prefix of their words: study, hoping, skies, ability."""
_LONGEST_ENDING = 12
"""Letters that Porter2 may remove: -izationally."""
_IRREGULAR = {"die": "dying", "lie": "lying", "tie": "tying"}
"""The only words that differ from their Porter2 stem before its last letters."""

Vocabulary: TypeAlias = Callable[[str, str], list[str]]
"""Returns the words of a field that begin with a prefix."""


class _Kind(Enum):
    """How a word of a query is matched."""

    EXACT = auto()
    STEM = auto()
    PREFIX = auto()
    PATTERN = auto()


_REGEXES = {_Kind.PREFIX, _Kind.PATTERN}
_MEANING = {"*": ".*", "?": ".", "$": ".?"}
_PIECE = re.compile(r"\w(?:[\w*?$]*[\w?$])?\*?|\*\w[\w*?$]*")


@dataclass(frozen=True, slots=True)
class _Word:
    place: int
    text: str
    kind: _Kind


_Pattern: TypeAlias = tuple[_Word, ...]


class Translator:
    """Translates trees into tantivy queries with the semantics of `paper_search.query.evaluate`.

    The words of phrases are adjacent in one field; NEAR allows at most n words in between, in any
    order. The index holds unstemmed words; a query word matches all indexed words with its English
    stem, except in names and in truncated words.
    """

    def __init__(self, schema: tantivy.Schema, vocabulary: Vocabulary) -> None:
        import tantivy  # noqa: PLC0415  # heavy: only when something is searched

        self._engine = tantivy
        self._make = tantivy.Query
        self._schema = schema
        self._vocabulary = vocabulary
        self._known: dict[tuple[str, str], list[str]] = {}

    def boolean(self, node: Node) -> tantivy.Query:
        """Return the query for a tree, without scores.

        Raises:
            InputError: a NEAR over large groups expands to thousands of phrases.
        """
        return self._unscored(self._matched(node))

    def ranking(self, weights: Mapping[str, float]) -> tantivy.Query:
        term, boost = self._make.term_query, self._make.boost_query
        return self._any_of(
            [boost(term(self._schema, RANKED, word), weight) for word, weight in weights.items()]
        )

    def within(
        self, condition: tantivy.Query | None, rank: tantivy.Query, *, is_rank_needed: bool
    ) -> tantivy.Query:
        """Return the query for records that meet the condition, if any, ranked by `rank`.

        `is_rank_needed`: whether records must match `rank`, too.
        """
        if condition is None:
            return rank
        occur = self._engine.Occur
        second = occur.Must if is_rank_needed else occur.Should
        return self._make.boolean_query([(occur.Must, condition), (second, rank)])

    def _matched(self, node: Node) -> tantivy.Query:
        match node:
            case And(children):
                return self._all_of(children)
            case Or(children):
                return self._any_of([self._matched(child) for child in children])
            case Not():
                return self._all_of((node,))
            case YearRange(first, last):
                return self._years(first, last)
            case _:
                return self._any_of(
                    [
                        self._matching(pattern, field)
                        for field in POSITIONED
                        for pattern in _patterns(node, field)
                    ]
                )

    def limits(self, constraints: SearchConstraints) -> tantivy.Query | None:
        """Return the query for years, language and conditions, or None without limits.

        Records without a year or a language match any.
        """
        conditions: list[tantivy.Query] = []
        if constraints.year_from is not None or constraints.year_to is not None:
            dated = self._years(None, None)
            undated = self._make.boolean_query(
                [
                    (self._engine.Occur.Must, self._make.all_query()),
                    (self._engine.Occur.MustNot, dated),
                ]
            )
            conditions.append(
                self._any_of([self._years(constraints.year_from, constraints.year_to), undated])
            )
        if constraints.language:
            languages = (constraints.language.lower(), UNKNOWN_LANGUAGE)
            spoken = [
                self._make.term_query(self._schema, "language", language) for language in languages
            ]
            conditions.append(self._any_of(spoken))
        conditions += map(self.boolean, conditions_in(constraints.every_condition))
        return self._unscored(self._all(conditions)) if conditions else None

    def both(self, first: tantivy.Query, second: tantivy.Query | None) -> tantivy.Query:
        return first if second is None else self._all([first, second])

    def _all_of(self, children: tuple[Node, ...]) -> tantivy.Query:
        occur = self._engine.Occur
        positive = [child for child in children if not isinstance(child, Not)]
        parts = [(occur.Must, self._matched(child)) for child in positive]
        if not positive:
            parts.append((occur.Must, self._unscored(self._make.all_query())))
        parts += [
            (occur.MustNot, self._matched(child.child))
            for child in children
            if isinstance(child, Not)
        ]
        return self._make.boolean_query(parts)

    def _all(self, queries: list[tantivy.Query]) -> tantivy.Query:
        return self._make.boolean_query([(self._engine.Occur.Must, query) for query in queries])

    def _any_of(self, queries: list[tantivy.Query]) -> tantivy.Query:
        if not queries:
            return self._make.empty_query()
        return self._make.boolean_query([(self._engine.Occur.Should, query) for query in queries])

    def _unscored(self, query: tantivy.Query) -> tantivy.Query:
        return self._make.const_score_query(query, 0.0)

    def _years(self, first: int | None, last: int | None) -> tantivy.Query:
        kind = self._engine.FieldType.Integer
        return self._unscored(
            self._make.range_query(
                self._schema, "year", kind, -9999 if first is None else first, last or 9999
            )
        )

    def _matching(self, pattern: _Pattern, field: str) -> tantivy.Query:
        if len(pattern) == 1:
            only = pattern[0]
            if only.kind in _REGEXES:
                return self._make.regex_query(self._schema, field, self._regex(only, field))
            return self._make.term_set_query(self._schema, field, self._forms(only, field))
        if any(word.kind is not _Kind.EXACT for word in pattern):
            regexes: list[str | tuple[int, str]] = [
                (word.place, self._regex(word, field)) for word in pattern
            ]
            return self._make.regex_phrase_query(self._schema, field, regexes)
        positions: list[str | tuple[int, str]] = [(word.place, word.text) for word in pattern]
        return self._make.phrase_query(self._schema, field, positions)

    def _regex(self, word: _Word, field: str) -> str:
        """Return the regular expression of a word, which has only letters and digits to match."""
        if word.kind is _Kind.PREFIX:
            return f"{word.text}.*"
        if word.kind is _Kind.PATTERN:
            return word.text
        return "|".join(self._forms(word, field))

    def _forms(self, word: _Word, field: str) -> list[str]:
        """Return the words of the field that a query word matches, including itself."""
        if word.kind is _Kind.EXACT:
            return [word.text]
        if (field, word.text) not in self._known:
            stem = _stem(word.text)
            longest = len(stem) + _LONGEST_ENDING
            forms = {
                word
                for word in self._vocabulary(field, _beginning(stem))
                if len(word) <= longest and _stem(word) == stem
            }
            irregular = {_IRREGULAR[stem]} if stem in _IRREGULAR else set[str]()
            self._known[field, word.text] = sorted(forms | irregular | {word.text})
        return self._known[field, word.text]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    stems = words(word, STEMMED)
    return stems[0] if len(stems) == 1 else word


def _beginning(stem: str) -> str:
    """Return the common prefix of all regular words of a stem."""
    is_other = len(stem) >= _LONG_ENOUGH and stem.endswith(_OTHER_ENDINGS)
    return stem[:-1] if is_other else stem


def _patterns(node: Node, field: str) -> list[_Pattern]:
    match node:
        case Term(text, limit, is_prefix):
            given = (f"{text}*" if is_prefix else text,)
            return _run(given, field) if is_in_field(limit, field) else []
        case Phrase(given, limit):
            return _run(given, field) if is_in_field(limit, field) else []
        case Or(children):
            return [pattern for child in children for pattern in _patterns(child, field)]
        case Near(left, right, distance, is_ordered):
            sides = _patterns(left, field), _patterns(right, field)
            return _near(*sides, distance, is_ordered=is_ordered)
        case _:
            raise InputError("NEAR accepts only words, phrases and OR groups of them")


def _run(texts: tuple[str, ...], field: str) -> list[_Pattern]:
    """Return the pattern of adjacent words; none if there are no words."""
    usual = _Kind.EXACT if field == _NAMES else _Kind.STEM
    result: list[_Word] = []
    for word in texts:
        if is_pattern(word):
            result += _wildcard_words(word, len(result))
            continue
        parts = words(word, EXACT)
        # Only the last part is truncated: state-of-the-ar* begins with three whole words.
        last = _Kind.PREFIX if word.endswith("*") else usual
        for number, part in enumerate(parts, start=1):
            result.append(_Word(len(result), part, last if number == len(parts) else usual))
    return [tuple(result)] if result else []


def _wildcard_words(word: str, place: int) -> list[_Word]:
    """Return the patterns of a word with wildcards, folded like the index."""
    result: list[_Word] = []
    for piece in _PIECE.findall(word):
        parts = [
            _MEANING.get(part) or "".join(words(part, EXACT))
            for part in re.split(r"([*?$])", piece)
            if part
        ]
        result.append(_Word(place + len(result), "".join(parts), _Kind.PATTERN))
    return result


def _near(
    left: list[_Pattern], right: list[_Pattern], distance: int, *, is_ordered: bool
) -> list[_Pattern]:
    if 2 * len(left) * len(right) * (distance + 1) > _MOST_PATTERNS:
        raise InputError(
            f"NEAR/{distance} over {len(left)} and {len(right)} variants expands to more "
            f"than {_MOST_PATTERNS:,} phrases: use fewer variants or a smaller distance"
        )
    return [
        pattern
        for one in left
        for other in right
        for gap in range(distance + 1)
        for pattern in (
            _append(one, other, gap),
            *([] if is_ordered else [_append(other, one, gap)]),
        )
    ]


def _append(first: _Pattern, second: _Pattern, gap: int) -> _Pattern:
    start = first[-1].place + 1 + gap
    return first + tuple(_Word(start + w.place, w.text, w.kind) for w in second)
