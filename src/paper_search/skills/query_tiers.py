"""Candidate queries for an intent, from precise to broad, and then ever more varied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from paper_search.models import IntentType, SearchQuery, SynonymMap
from paper_search.skills.feedback_terms import FeedbackTerms
from paper_search.skills.query_text import (
    MAX_QUERY_CHARS,
    all_of,
    any_of,
    cleaned,
    fitted,
    loose,
    normalised,
    quoted,
)
from paper_search.skills.variants import spellings, synonyms, variants
from paper_search.skills.words import is_unspaced, stem

_MAX_VARIANTS = 6
_SHORTEST_PREFIX = 4
_KINDS: dict[IntentType, tuple[str, ...]] = {
    IntentType.SURVEY: ("survey", "review", "overview", "meta-analysis"),
    IntentType.DATASET: ("dataset", "data set", "benchmark", "corpus"),
    IntentType.BASELINE: ("comparison", "benchmark", "state of the art", "evaluation"),
    IntentType.METHOD: ("method", "approach", "framework", "algorithm"),
}


@dataclass(frozen=True)
class Ask:
    """All that candidate queries are made of."""

    concepts: tuple[str, ...]
    intent_type: IntentType
    feedback: FeedbackTerms = field(default_factory=FeedbackTerms)
    shared: tuple[str, ...] = ()
    """Terms of the papers marked relevant."""


def candidates(ask: Ask) -> list[SearchQuery]:
    """Return different queries for the ask: the first are the ones to start with."""
    made: dict[str, SearchQuery] = {}
    for keywords, parts in _tiers(ask):
        query = _query(ask, keywords, parts)
        if query is not None:
            made.setdefault(normalised(query.boolean_query), query)
    return list(made.values())


def broad(ask: Ask) -> SearchQuery | None:
    """Return the query of a round that asks for recall; None: one concept is broad by itself.

    Titles alone seldom hold every word of a question. It wants one of the two main concepts and
    any word of the others, of the feedback or of the papers marked relevant; the judge sorts out
    what that lets in.
    """
    if len(ask.concepts) < 2:  # noqa: PLR2004  # the first and another
        return None
    return _query(ask, ask.concepts, [_wide(ask)])


def _wide(ask: Ask) -> str:
    halves = []
    for concept in ask.concepts[:2]:
        names = any_of([concept, *variants(concept)[:_MAX_VARIANTS]])
        others = [each for each in ask.concepts if each != concept]
        terms = [*others, *ask.feedback.added, *ask.shared]
        words = _either([each for term in terms for each in _beginnings(term)])
        halves.append(f"({all_of([names, words])})")
    return _either(halves)


def _tiers(ask: Ask) -> Iterator[tuple[Sequence[str], list[str]]]:
    """Yield keywords and AND-ed parts of one query after another."""
    concepts, main = ask.concepts, ask.concepts[:2]
    full = {concept: any_of([concept, *variants(concept)[:_MAX_VARIANTS]]) for concept in concepts}
    yield concepts, [full[concept] for concept in concepts]
    if ask.feedback.added:
        wider = [name for term in ask.feedback.added for name in (term, *variants(term)[:3])]
        yield (*main, *ask.feedback.added), [*(full[each] for each in main), any_of(wider)]
    if ask.shared:
        yield (concepts[0], *ask.shared), [full[concepts[0]], any_of(ask.shared)]
    if ask.intent_type is not IntentType.METHOD:
        yield main, [*(full[each] for each in main), any_of(_KINDS[ask.intent_type])]
    yield concepts, [loose(concept) for concept in concepts]
    if len(concepts) > 1:
        yield concepts, [_wide(ask)]
    if len(concepts) > len(main):
        yield main, [any_of([each, *spellings(each)]) for each in main]
    yield from _varied(ask, full)


def _varied(ask: Ask, full: dict[str, str]) -> Iterator[tuple[Sequence[str], list[str]]]:
    """Yield what is left for later rounds, when the first queries did not do."""
    concepts = ask.concepts
    yield concepts, [_prefixed(concept) for concept in concepts]
    for pair in combinations(concepts, 2):
        yield pair, [full[each] for each in pair]
    yield concepts, [f"title:{full[concepts[0]]}", *(full[each] for each in concepts[1:])]
    if any(synonyms(concept) for concept in concepts):
        others = {each: any_of(synonyms(each)[:_MAX_VARIANTS]) for each in concepts}
        yield concepts, [others[each] or full[each] for each in concepts]
    yield concepts[:1], [full[concepts[0]]]
    yield concepts[:1], [loose(concepts[0])]
    yield concepts[:1], [f"title:{quoted(concepts[0])}"]
    yield concepts, [f"title:{term}" for term in map(quoted, concepts) if term]
    for kind, names in _KINDS.items():
        if kind is not ask.intent_type:
            yield concepts[:1], [full[concepts[0]], any_of(names)]
    yield concepts, [f"abstract:{term}" for term in map(quoted, concepts) if term]
    for concept in concepts[1:]:
        yield (concept,), [full[concept]]
        yield (concept,), [f"title:{quoted(concept)}"]


def _query(ask: Ask, keywords: Sequence[str], parts: list[str]) -> SearchQuery | None:
    if (
        not all(part.removeprefix("title:").removeprefix("abstract:") for part in parts)
        or not parts
    ):
        parts = [part for part in parts if part and not part.endswith(":")]
    if not parts:
        return None
    required = [any_of([term, *variants(term)[:_MAX_VARIANTS]]) for term in ask.feedback.required]
    parts = [*required, *parts] if required else parts
    excluded = any_of(
        name for term in ask.feedback.excluded for name in (term, *spellings(term)[:2])
    )
    text = fitted(all_of(parts), parts)
    if not text:
        return None
    if excluded and len(text) + len(excluded) < MAX_QUERY_CHARS - len(" NOT "):
        text = f"{text} NOT {excluded}"
    named = list(dict.fromkeys([*(cleaned(word) for word in keywords), *ask.feedback.required]))
    return SearchQuery(
        keywords=[name for name in named if name],
        synonym_map=[
            SynonymMap(keyword=name, synonyms=others[:_MAX_VARIANTS])
            for name in named
            if name and (others := variants(name))
        ],
        boolean_query=text,
    )


def _prefixed(concept: str) -> str:
    """Return the words of the concept by their beginnings: `predict* AND model*`."""
    return all_of(_beginnings(concept))


def _either(terms: Sequence[str]) -> str:
    """Return terms that are written out already, joined by OR."""
    written = list(dict.fromkeys(term for term in terms if term))
    return f"({' OR '.join(written)})" if len(written) > 1 else "".join(written)


def _beginnings(concept: str) -> list[str]:
    """Return the words of the concept, each by its beginning where it is long enough."""
    if is_unspaced(concept):
        return [quoted(concept)]
    terms = []
    for word in cleaned(concept).replace("-", " ").split():
        root = stem(word.casefold())
        is_long = len(root) >= _SHORTEST_PREFIX and root.isalpha() and root.isascii()
        terms.append(f"{root}*" if is_long and word.casefold().startswith(root) else quoted(word))
    return terms
