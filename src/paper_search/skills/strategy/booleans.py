"""The first queries for a question: boolean ones from precise to broad, and the ranked one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from paper_search.models import ParsedIntent, RankedQuery, SearchQuery, SynonymMap
from paper_search.query import HEADING, And, Node, Or, Phrase, Term
from paper_search.skills import vocabulary
from paper_search.skills.strategy.relaxation import informativeness
from paper_search.skills.strategy.trees import (
    all_of,
    any_of,
    cleaned,
    is_short,
    leaf,
    normalised,
    tree_of,
    words_of,
    written,
)
from paper_search.skills.untrusted import visible
from paper_search.skills.variants import spellings, synonyms

_MOST_NAMES = 6
"""Other names of one concept in a query."""
_TELLING = 3
"""Concepts of which a paper of the precise query must have one."""
_PHRASE = 2
"""Words of the longest concept that is asked as a phrase alone."""

_ABBREVIATION = re.compile(r"(?=.*[A-Z].*[A-Z])[\w-]+")


@dataclass(frozen=True)
class Subject:
    """What is looked for."""

    concepts: tuple[str, ...]
    alternatives: dict[str, list[str]] = field(default_factory=dict)
    """By concept: others that would do as well."""
    has_headings: bool = False
    """Whether concepts are asked by their subject headings, too."""


def first_queries(intent: ParsedIntent, *, has_headings: bool = False) -> list[SearchQuery]:
    """Return the queries to start with, the broadest last; none: the intent has no words.

    A question that is a boolean query is the only one. Otherwise the precise one wants one of the
    three most telling concepts and a word of another; the broad one wants any word, for a
    service that ranks what it finds. Only authors: a query for what they wrote.

    Args:
        intent: the question.
        has_headings: whether a source indexes subject headings, so that concepts are asked by
            theirs, too.
    """
    if intent.boolean_query is not None:
        return [SearchQuery(keywords=intent.concepts, boolean_query=intent.boolean_query)]
    if intent.identifiers and not intent.question:
        return []  # a number is looked up, or ranked by: no boolean finds a work by it
    subject = subject_of(intent, has_headings=has_headings)
    trees = [_precise(subject), _broad(subject)]
    queries = _queries([tree for tree in trees if tree is not None], subject)
    authors = any_of(node for name in intent.authors if (node := leaf(name, "author")))
    if queries or authors is None:
        return queries
    return [SearchQuery(keywords=intent.authors, boolean_query=written(authors))]


def first_ranked(intent: ParsedIntent) -> list[RankedQuery]:
    """Return the ranked query for a question; none for a boolean query, which is asked as it is."""
    if intent.boolean_query is not None:
        return []
    named = " ".join(name.partition(":")[2] for name in intent.identifiers)
    text = " ".join(visible(intent.question or named or intent.topic).split())
    short = [concept for concept in intent.concepts if _ABBREVIATION.fullmatch(concept)]
    names = dict.fromkeys(name for concept in short for name in synonyms(concept)[:_MOST_NAMES])
    return [RankedQuery(text=text, long_forms=list(names))] if text else []


def plain_queries(intent: ParsedIntent) -> list[SearchQuery]:
    """Return the one query that needs neither model nor other names: concepts joined by AND."""
    if intent.boolean_query is not None:
        return first_queries(intent)
    names = [name for name in map(cleaned, intent.concepts) if name]
    text = " AND ".join(dict.fromkeys(names or [cleaned(intent.topic)]))
    if tree_of(text) is None:
        return []
    return [SearchQuery(keywords=names or [text], boolean_query=text)]


def further_queries(intent: ParsedIntent) -> list[SearchQuery]:
    """Return queries for when the first ones did not do: all concepts, pairs of them, titles."""
    subject = subject_of(intent)
    return _queries(list(_further(subject)), subject)


def subject_of(intent: ParsedIntent, *, has_headings: bool = False) -> Subject:
    """Return the concepts of an intent, or its topic where it has none that can be asked."""
    concepts = [concept for concept in intent.concepts if leaf(concept)]
    if not concepts and leaf(intent.topic) and not intent.authors:
        concepts = [intent.topic]
    return Subject(tuple(concepts), intent.alternatives, has_headings)


def names_of(
    concept: str, alternatives: Sequence[str] = (), *, has_headings: bool = False
) -> list[Node]:
    """Return the concept, its alternatives, and the synonyms of all of them."""
    found: list[Node] = []
    for name in (concept, *alternatives):
        found += _forms(name)
        if has_headings and (heading := heading_of(name)) is not None:
            found.append(heading)
    return list(dict.fromkeys(found))


def heading_of(name: str) -> Node | None:
    """Return the subject heading of a name; None: it has none."""
    found = vocabulary.heading([name, *spellings(name)])
    return None if found is None else Phrase(tuple(found.split()), HEADING)


def _forms(name: str) -> list[Node]:
    words = words_of(name)
    others = [leaf(other) for other in synonyms(name)[:_MOST_NAMES]]
    if len(words) > _PHRASE:
        # A phrase of three words or more misses most of what is written about it.
        own = [all_of(words)]
    else:
        own = [leaf(form) for form in (name, *spellings(name)[: _MOST_NAMES // 2])]
    return [node for node in [*own, *others] if node is not None]


def _precise(subject: Subject) -> Node | None:
    concepts = subject.concepts
    if not concepts:
        return None
    if len(concepts) == 1:
        names = any_of(_names(subject, concepts[0]))
        title = leaf(concepts[0], "title")
        return title if isinstance(title, Term) else names
    telling = sorted(concepts, key=_telling, reverse=True)[:_TELLING]
    halves = (_with_others(subject, concept) for concept in concepts if concept in telling)
    return any_of(half for half in halves if half is not None)


def _broad(subject: Subject) -> Node | None:
    if len(subject.concepts) == 1 and len(words_of(subject.concepts[0])) == 1:
        return any_of(_names(subject, subject.concepts[0]))
    return any_of(_words(subject, subject.concepts))


def _with_others(subject: Subject, concept: str) -> Node | None:
    names = any_of(_names(subject, concept))
    words = any_of(_words(subject, [other for other in subject.concepts if other != concept]))
    return all_of(node for node in (names, words) if node is not None)


def _names(subject: Subject, concept: str) -> list[Node]:
    return names_of(
        concept, subject.alternatives.get(concept, ()), has_headings=subject.has_headings
    )


def _words(subject: Subject, concepts: Sequence[str]) -> list[Node]:
    """Return the words of concepts and of their alternatives."""
    return [
        word
        for concept in concepts
        for name in (concept, *subject.alternatives.get(concept, ()))
        for word in words_of(name)
    ]


def _telling(concept: str) -> float:
    """Return how rare the rarest word of a concept is."""
    return max(map(informativeness, words_of(concept)), default=0.0)


def _further(subject: Subject) -> Iterator[Node]:
    concepts = subject.concepts
    groups = [any_of(_names(subject, concept)) for concept in concepts]
    named = [group for group in groups if group is not None]
    if named:
        yield named[0] if len(named) == 1 else And(tuple(named))
    for count, one in enumerate(named):
        yield from (And((one, other)) for other in named[count + 1 :])
    for concept in concepts:
        titled = all_of(Term(word.text, "title") for word in words_of(concept))
        if titled is not None:
            yield titled
    yield from named
    if len(named) > 1:
        yield Or(tuple(named))


def _queries(trees: Sequence[Node], subject: Subject) -> list[SearchQuery]:
    """Return the queries for trees, each once, none too long for services."""
    found: dict[str, SearchQuery] = {}
    for tree in trees:
        text = written(tree)
        if is_short(text):
            found.setdefault(normalised(text), _query(text, subject))
    return list(found.values())


def _query(text: str, subject: Subject) -> SearchQuery:
    maps = []
    for concept in subject.concepts:
        others = [*subject.alternatives.get(concept, ()), *synonyms(concept), *spellings(concept)]
        present = [name for name in dict.fromkeys(others) if _is_asked(name, text)]
        if present:
            maps.append(SynonymMap(keyword=concept, synonyms=present))
    keywords = [name for name in map(cleaned, subject.concepts) if name]
    return SearchQuery(keywords=keywords, synonym_map=maps, boolean_query=text)


def _is_asked(name: str, query: str) -> bool:
    return cleaned(name).casefold() in query.casefold()
