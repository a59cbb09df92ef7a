"""The next round's strategy: the last one, changed by labels, notes or variation."""

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
    query_key,
    query_text,
    tree_of,
    wanted_names,
)
from paper_search.skills.words import tokens

RELEVANT, IRRELEVANT = 0.75, 0.15
"""Rocchio weights of the mean relevant and mean irrelevant paper, relative to 1 for the question
(Manning, Raghavan, Schütze 2008, section 9.1.1)."""

MOST_TERMS = 30
"""Learned words; more would not change any rank that a person sees."""
_AGAIN = "this would repeat an earlier round, so {}"
_LEARNED = 4
"""Learned words in the new boolean query, joined by OR."""


def next_queries(
    last: SearchStrategy, note: Note, terms: dict[str, float] | None
) -> list[SearchQuery]:
    """Return the last queries, changed by the feedback, with new ones for added and learned terms.

    A person's edits are kept; the new queries replace the last ones if there would be too many.
    """
    texts = [changed_by(_with_synonyms(note, query), query.boolean_query) for query in last.queries]
    base = [_with_text(*pair) for pair in zip(last.queries, texts, strict=True) if pair[1]]
    new = _new_queries(base[0], note, terms) if base else []
    if len(base) <= MAX_QUERIES:
        base = base[: MAX_QUERIES - len(new)]
    return list({query_key(query.boolean_query): query for query in [*base, *new]}.values())


def next_ranked_queries(
    last: SearchStrategy, note: Note, terms: dict[str, float] | None
) -> list[RankedQuery]:
    return [
        query.model_copy(
            update={
                "text": _extend(query.text, note),
                "terms": query.terms if terms is None else terms,
            }
        )
        for query in last.ranked
    ]


def note_on(strategy: SearchStrategy, note: Note) -> Note:
    """Return the note without terms to drop that no query has, or without which none is left."""
    trees = (tree_of(query.boolean_query) for query in strategy.queries)
    names = {tuple(tokens(name)) for tree in trees if tree for name in wanted_names(tree)}
    reading = note.for_terms(names) if strategy.queries else note
    queries = (changed_by(_with_synonyms(reading, q), q.boolean_query) for q in strategy.queries)
    return reading if not strategy.queries or any(queries) else note.for_terms(())


def _with_synonyms(note: Note, query: SearchQuery) -> Note:
    unwanted = {tuple(tokens(term)) for term in (*note.excluded, *note.dropped)}
    entries = [entry for entry in query.synonym_map if tuple(tokens(entry.keyword)) in unwanted]
    synonyms = (name for entry in entries for name in entry.synonyms)
    return replace(note, dropped=(*note.dropped, *synonyms))


def _extend(text: str, note: Note) -> str:
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
    """Return the learned terms with weights; None if no papers are marked."""
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
    """Return queries that join added or learned terms to any block of a query."""
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
    """Learn words from labelled papers by Rocchio's formula; return them with weights, best first.

    Weights are relative to 1 for a word of the question (`texts`), and are added to it if the word
    is in the question. They are for rankings such as BM25 that weight rare words by themselves.
    Words of irrelevant papers have negative weights. Without a relevant paper, nothing is learned.
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
    """Return dampened counts of words by stem, scaled so that their tf-idf vector has length 1."""
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


def vary(
    strategy: SearchStrategy, earlier: Sequence[SearchStrategy], *, most_results: int
) -> SearchStrategy:
    """Vary a strategy that repeats an earlier one, if possible, and add a note.

    Variants have a broader query or another number of results, from 1 to `most_results`.
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
        query_key(q.boolean_query) for each in (strategy, *earlier) for q in each.queries
    }
    for place, query in enumerate(strategy.queries):
        if tree_of(query.boolean_query) is None:
            continue
        for step in broader_steps(query.boolean_query):
            if query_key(step.boolean_query) not in queries_before:
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
    queries = sorted({query_key(query.boolean_query) for query in strategy.queries})
    ranked = [query.model_dump() for query in strategy.ranked]
    return json.dumps([queries, ranked, strategy.filters.model_dump()], sort_keys=True)
