"""The next round's strategy: the last one, changed by labels and notes, or varied."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from paper_search.bibliography.words import rarity
from paper_search.models import (
    MarkedPaper,
    QueryBuilderInput,
    RankedQuery,
    SearchQuery,
    SearchStrategy,
    SynonymMap,
)
from paper_search.query import And, Term
from paper_search.query.ast import conjuncts
from paper_search.skills.intent.notes import Note
from paper_search.skills.strategy.booleans import block_of
from paper_search.skills.strategy.limits import changed_by, without_terms
from paper_search.skills.strategy.terms import runs
from paper_search.skills.strategy.trees import (
    MAX_QUERIES,
    any_block,
    any_of,
    broader_steps,
    is_short,
    normalised,
    query_text,
    tree_of,
    wanted_names,
)
from paper_search.skills.words import tokens

RELEVANT, IRRELEVANT = 0.75, 0.15
"""Weights of the mean relevant and the mean irrelevant paper beside 1 for the question: the usual
ones (Manning, Raghavan, Schütze 2008, section 9.1.1)."""

MOST_TERMS = 30
"""Words that are learned; further ones move no rank that a person would see."""
_AGAIN = "this would repeat an earlier round, so {}"
_LEARNED = 4
"""Learned words of which a paper of the new boolean query must have one."""


def next_queries(
    last: SearchStrategy, note: Note, terms: dict[str, float] | None
) -> list[SearchQuery]:
    """Return the queries of the last strategy as the feedback wants them, and new ones.

    What a person edited stays edited. Behind it stand a query for what was added and one for what
    was learned; earlier ones of their kind make room.
    """
    texts = [changed_by(_with_synonyms(note, query), query.boolean_query) for query in last.queries]
    base = [_with_text(*pair) for pair in zip(last.queries, texts, strict=True) if pair[1]]
    new = _new_queries(base[0], note, terms) if base else []
    if len(base) <= MAX_QUERIES:
        base = base[: MAX_QUERIES - len(new)]
    return list({normalised(query.boolean_query): query for query in [*base, *new]}.values())


def next_ranked_queries(
    last: SearchStrategy, note: Note, terms: dict[str, float] | None
) -> list[RankedQuery]:
    return [
        query.model_copy(
            update={
                "text": _extended(query.text, note),
                "terms": query.terms if terms is None else terms,
            }
        )
        for query in last.ranked
    ]


def _with_synonyms(note: Note, query: SearchQuery) -> Note:
    """Return the note with the names that the query has for what it does not want."""
    unwanted = {tuple(tokens(term)) for term in (*note.excluded, *note.dropped)}
    entries = [entry for entry in query.synonym_map if tuple(tokens(entry.keyword)) in unwanted]
    synonyms = (name for entry in entries for name in entry.synonyms)
    return replace(note, dropped=(*note.dropped, *synonyms))


def _extended(text: str, note: Note) -> str:
    text = without_terms(text, {tuple(tokens(term)) for term in note.dropped})
    text_in_use = text.casefold()
    return " ".join(
        [*text.split(), *(term for term in note.added if term.casefold() not in text_in_use)]
    )


def with_added(queries: list[SearchQuery], note: Note) -> list[SearchQuery]:
    trees = (tree_of(query.boolean_query) for query in queries)
    names = [{*tokens(name)} for tree in trees if tree is not None for name in wanted_names(tree)]
    missing = [term for term in note.added if not any({*tokens(term)} <= name for name in names)]
    if not missing or not queries:
        return queries
    new = _new_queries(queries[-1], replace(note, added=tuple(missing)), None)
    return [*queries[: MAX_QUERIES - len(new)], *new]


def terms_of_marks(request: QueryBuilderInput, last: SearchStrategy) -> dict[str, float] | None:
    """Return the words that the papers marked so far, if any, teach, with weights."""
    if not request.marked_papers:
        return None
    texts = [query.text for query in last.ranked]
    return learned_terms(
        request.marked_papers, texts or [request.intent.question or request.intent.topic]
    )


def _with_text(query: SearchQuery, text: str) -> SearchQuery:
    return query.model_copy(update={"boolean_query": text})


def _new_queries(
    query: SearchQuery, note: Note, terms: dict[str, float] | None
) -> list[SearchQuery]:
    """Return queries for what was added and for what was learned, each with one block of a query.

    They hold one of these terms, and whatever the query does not want.
    """
    tree = any_block(query.boolean_query, besides=note.added)
    if tree is None:
        return []
    weights = terms or {}
    stems = {token for text in wanted_names(tree) for token in tokens(text)}
    learned = sorted(
        (word for word, weight in weights.items() if weight > 0 and not stems & {*tokens(word)}),
        key=lambda word: -weights[word] * max(map(rarity, tokens(word)), default=0.0),
    )[:_LEARNED]
    blocks = [block_of(term, excluded=note.excluded) for term in note.added]
    additions = (node for block in blocks if (node := block.node) is not None)
    added = [block.synonym_map for block in blocks if block.reasons]
    why = dict.fromkeys(learned, "in papers marked relevant")
    marks = [SynonymMap(keyword="learned", synonyms=learned, reasons=why)]
    queries = []
    for names, entries, group in (
        (note.added, added, any_of(additions)),
        (learned, marks, any_of(map(Term, learned))),
    ):
        text = "" if group is None else query_text(And((group, *conjuncts(tree))))
        if text and is_short(text):
            keywords = list(dict.fromkeys([*names, *query.keywords]))
            queries.append(
                SearchQuery(
                    keywords=keywords,
                    synonym_map=[*entries, *query.synonym_map],
                    boolean_query=text,
                )
            )
    return queries


def learned_terms(
    papers: Sequence[MarkedPaper], texts: Sequence[str] = (), *, limit: int = MOST_TERMS
) -> dict[str, float]:
    """Return words with their weights beside 1 for a word of the question, the strongest first.

    Learned from labelled papers by Rocchio's formula.

    Weights are for a ranking that counts a rare word for more by itself, as BM25 does. A word of
    the question (`texts`) can be among them: its weight comes on top. Below 0: a word of papers
    marked irrelevant. Without a relevant paper nothing is learned: what is not wanted says little
    about what is.
    """
    relevant = [_vector(paper) for paper in papers if paper.is_relevant]
    if not relevant:
        return {}
    irrelevant = [_vector(paper) for paper in papers if not paper.is_relevant]
    weights: defaultdict[str, float] = defaultdict(float)
    for share, vectors in ((RELEVANT, relevant), (-IRRELEVANT, irrelevant)):
        for vector in vectors:
            for word, weight in vector.items():
                weights[word] += share * weight / len(vectors)
    stems = {token for text in texts for token in tokens(text)}
    length = math.hypot(*map(rarity, stems)) or 1.0
    ranked = sorted(weights, key=lambda word: (-abs(weights[word]) * rarity(word), word))
    spellings = _texts_by_form(_text(paper) for paper in papers)
    terms = {spellings[word]: round(length * weights[word], 2) for word in ranked[:limit]}
    return {word: weight for word, weight in terms.items() if weight}


def _vector(paper: MarkedPaper) -> Mapping[str, float]:
    """Return the dampened counts of words by stem, as long as they are with their rarities."""
    counts = Counter(word.stem for run in runs(_text(paper)) for word in run)
    damped = {word: 1 + math.log(count) for word, count in counts.items()}
    length = math.hypot(*(weight * rarity(word) for word, weight in damped.items())) or 1.0
    return {word: weight / length for word, weight in damped.items()}


def _text(paper: MarkedPaper) -> str:
    return f"{paper.title}. {paper.abstract or ''}"


def _texts_by_form(texts: Iterable[str]) -> dict[str, str]:
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for run in runs(text):
            for word in run:
                forms[word.stem][word.written] += 1
    return {
        word: min(counts, key=lambda form: (-counts[form], form != form.casefold(), form))
        for word, counts in forms.items()
    }


def varied(
    strategy: SearchStrategy, earlier: Sequence[SearchStrategy], *, most_results: int
) -> SearchStrategy:
    """Return the strategy, with a broader query or more results if an earlier one is the same.

    A note says which, since nobody asked for it. The number of results stays within 1 and
    `most_results`; if all of them are used, the strategy comes back as it is.
    """
    identities = set(map(_identity, earlier))
    if _identity(strategy) not in identities or not (strategy.queries or strategy.ranked):
        return strategy
    others = chain(_broader(strategy, earlier), _other_sizes(strategy, most_results))
    return next((other for other in others if _identity(other) not in identities), strategy)


def _broader(
    strategy: SearchStrategy, earlier: Sequence[SearchStrategy]
) -> Iterator[SearchStrategy]:
    queries_before = {
        normalised(q.boolean_query) for each in (strategy, *earlier) for q in each.queries
    }
    for place, query in enumerate(strategy.queries):
        if tree_of(query.boolean_query) is None:
            continue
        for step in broader_steps(query.boolean_query):
            if normalised(step.boolean_query) not in queries_before:
                queries = list(strategy.queries)
                queries[place] = _with_text(query, step.boolean_query)
                note = _AGAIN.format(f"query {place + 1} is broader: {step.name}")
                yield strategy.model_copy(
                    update={"queries": queries, "notes": [*strategy.notes, note]}
                )


def _other_sizes(strategy: SearchStrategy, most_results: int) -> Iterator[SearchStrategy]:
    start = strategy.filters.max_results
    for size in chain(range(start + 1, most_results + 1), range(start - 1, 0, -1)):
        filters = strategy.filters.model_copy(update={"max_results": size})
        note = _AGAIN.format(f"it asks for {size} records a query")
        yield strategy.model_copy(update={"filters": filters, "notes": [*strategy.notes, note]})


def _identity(strategy: SearchStrategy) -> str:
    """Return what two strategies share that would find the same: queries in any order, filters."""
    queries = sorted({normalised(query.boolean_query) for query in strategy.queries})
    ranked = [query.model_dump() for query in strategy.ranked]
    return json.dumps([queries, ranked, strategy.filters.model_dump()], sort_keys=True)
