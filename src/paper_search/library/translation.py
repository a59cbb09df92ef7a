"""Translation of boolean queries, and of plain words, into queries of the full-text index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from paper_search.errors import InputError
from paper_search.library.analysis import (
    EXACT,
    STEMMED,
    STOP_WORDS,
    is_of_letters_apart,
    words,
)
from paper_search.library.index import EXACT_TWINS, UNKNOWN_LANGUAGE
from paper_search.models import SearchConstraints
from paper_search.query.ast import And, Near, Node, Not, Or, Phrase, Term, YearRange

if TYPE_CHECKING:
    import tantivy

_WEIGHTS = {"title": 1.5, "abstract": 1.0, "author": 0.7, "venue": 0.4}
"""All fields that a word without a field is looked for in, and what a match in each is worth."""
_ALL_WORDS_BONUS = 0.3
_MOST_PATTERNS = 5_000
_MOST_STEMS = 400

Vocabulary: TypeAlias = Callable[[str, str], list[str]]
"""Returns the words of an exact field that begin with a prefix."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word at a place, counted from the first word of its pattern."""

    place: int
    text: str
    is_prefix: bool = False


_Pattern: TypeAlias = tuple[_Word, ...]


class Translator:
    """Turns trees into tantivy queries that find exactly what the trees mean.

    The meaning is that of `paper_search.query.evaluate`: words in one field, a phrase's words
    adjacent, NEAR with at most n words in between, in any order. Words are compared by English
    stem except in names and where a prefix stands alone; a prefix inside a phrase or a NEAR
    matches every word of the same stems.
    """

    def __init__(self, schema: tantivy.Schema, vocabulary: Vocabulary) -> None:
        import tantivy  # noqa: PLC0415  # heavy: only when something is searched

        self._engine = tantivy
        self._make = tantivy.Query
        self._schema = schema
        self._vocabulary = vocabulary

    def boolean(self, node: Node) -> tantivy.Query:
        """Return the query that finds what the tree means.

        Raises:
            InputError: a NEAR over groups so large that it stands for thousands of phrases.
        """
        match node:
            case And(children):
                return self._all_of(children)
            case Or(children):
                return self._any_of([self.boolean(child) for child in children])
            case Not():
                return self._all_of((node,))
            case YearRange(first, last):
                return self._years(first, last)
            case _:
                return self._any_of(
                    [
                        self._make.boost_query(self._matching(pattern, field), weight)
                        for field, weight in _WEIGHTS.items()
                        for pattern in _patterns(node, field)
                    ]
                )

    def ranked(self, text: str) -> tantivy.Query:
        """Return the query that finds any of the words, best those records that have them all."""
        given = [word.strip(",;.?!") for word in text.split()]
        telling = [word for word in given if word.lower() not in STOP_WORDS] or given
        distinct = dict.fromkeys(node for word in telling for node in _independent(word))
        any_word = [self.boolean(node) for node in distinct]
        if len(any_word) > 1:
            any_word.append(self._make.boost_query(self._all(any_word), _ALL_WORDS_BONUS))
        return self._any_of(any_word)

    def limited(self, query: tantivy.Query, limits: SearchConstraints) -> tantivy.Query:
        """Return the query within years and language.

        A record without a year is in no range of years; one that does not say its language may
        be in any.
        """
        conditions = [query]
        if limits.year_from is not None or limits.year_to is not None:
            conditions.append(self._years(limits.year_from, limits.year_to))
        if limits.language:
            languages = (limits.language.lower(), UNKNOWN_LANGUAGE)
            spoken = [self._make.term_query(self._schema, "language", each) for each in languages]
            conditions.append(self._unscored(self._any_of(spoken)))
        return self._all(conditions) if len(conditions) > 1 else query

    def _all_of(self, children: tuple[Node, ...]) -> tantivy.Query:
        occur = self._engine.Occur
        wanted = [child for child in children if not isinstance(child, Not)]
        parts = [(occur.Must, self.boolean(child)) for child in wanted]
        if not wanted:
            parts.append((occur.Must, self._unscored(self._make.all_query())))
        parts += [
            (occur.MustNot, self.boolean(each.child)) for each in children if isinstance(each, Not)
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
        if len(pattern) == 1 and pattern[0].is_prefix:
            regex = f"{pattern[0].text}.*"
            return self._make.regex_query(self._schema, EXACT_TWINS.get(field, field), regex)
        if len(pattern) == 1:
            return self._make.term_query(self._schema, field, pattern[0].text)
        if any(word.is_prefix for word in pattern):
            regexes: list[str | tuple[int, str]] = [
                (word.place, self._regex(word, field)) for word in pattern
            ]
            return self._make.regex_phrase_query(self._schema, field, regexes)
        placed: list[str | tuple[int, str]] = [(word.place, word.text) for word in pattern]
        return self._make.phrase_query(self._schema, field, placed)

    def _regex(self, word: _Word, field: str) -> str:
        """Return the pattern of a word in a field; words are letters and digits, so all literal."""
        if not word.is_prefix:
            return word.text
        if field not in EXACT_TWINS:
            return f"{word.text}.*"
        stems = {
            stem
            for full in self._vocabulary(EXACT_TWINS[field], word.text)
            for stem in words(full, STEMMED)
        }
        if len(stems) > _MOST_STEMS:
            return f"{word.text}.*"
        return "|".join(sorted(stems | {word.text}))


def _patterns(node: Node, field: str) -> list[_Pattern]:
    """Return all arrangements of words in the field that the node stands for."""
    match node:
        case Term(text, limit, is_prefix):
            given = (f"{text}*" if is_prefix else text,)
            return _run(given, field) if limit in {None, field} else []
        case Phrase(given, limit):
            return _run(given, field) if limit in {None, field} else []
        case Or(children):
            return [pattern for child in children for pattern in _patterns(child, field)]
        case Near(left, right, distance):
            return _near(_patterns(left, field), _patterns(right, field), distance)
        case _:
            raise InputError("NEAR joins words, phrases or OR-groups of them, and nothing else")


def _run(given: tuple[str, ...], field: str) -> list[_Pattern]:
    """Return the one arrangement of words that follow each other; none, if there are no words."""
    analyser = STEMMED if field in EXACT_TWINS else EXACT
    made: list[_Word] = []
    for word in given:
        if not word.endswith("*"):
            made += [_Word(len(made) + i, each) for i, each in enumerate(words(word, analyser))]
            continue
        parts = words(word, EXACT)
        # Only the last part is cut short: state-of-the-ar* begins with three whole words.
        whole = [words(part, analyser)[0] for part in parts[:-1]]
        made += [_Word(len(made) + i, each) for i, each in enumerate(whole)]
        made += [_Word(len(made), each, is_prefix=True) for each in parts[-1:]]
    return [tuple(made)] if made else []


def _near(left: list[_Pattern], right: list[_Pattern], distance: int) -> list[_Pattern]:
    if 2 * len(left) * len(right) * (distance + 1) > _MOST_PATTERNS:
        raise InputError(
            f"NEAR/{distance} over {len(left)} and {len(right)} variants stands for too many "
            f"phrases (more than {_MOST_PATTERNS}): use fewer variants or a smaller distance"
        )
    return [
        pattern
        for one in left
        for other in right
        for gap in range(distance + 1)
        for pattern in (_joined(one, other, gap), _joined(other, one, gap))
    ]


def _joined(first: _Pattern, second: _Pattern, gap: int) -> _Pattern:
    start = first[-1].place + 1 + gap
    return first + tuple(_Word(start + w.place, w.text, w.is_prefix) for w in second)


def _independent(word: str) -> Iterator[Node]:
    """Yield what to look for when a plain word is given.

    A word in a script without spaces may be a whole sentence: its pairs of letters are looked
    for. Other compounds stand as they are, and their parts too.
    """
    parts = words(word, EXACT)
    if is_of_letters_apart(word) and len(parts) > 2:  # noqa: PLR2004  # more than one pair
        yield from (Phrase(pair) for pair in pairwise(parts))
        return
    if len(parts) > 1:
        yield Phrase(tuple(parts))
    if not is_of_letters_apart(word):
        yield from (Term(part) for part in parts)
