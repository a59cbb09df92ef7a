"""The facts of a strategy, as every interface shows them: queries, sources and hits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from paper_search.models import (
    SNOWBALL,
    BlockHits,
    QueryHits,
    RankedQuery,
    ScopeReport,
    SearchConstraints,
    SearchStrategy,
)
from paper_search.models.scope import Translation
from paper_search.models.source_report import LOCAL, early_requests, quantity
from paper_search.query import render
from paper_search.skills.strategy.trees import BlockText, block_texts, leaf

if TYPE_CHECKING:
    from paper_search.workflow.checkpoints import StrategyPayload

Fact: TypeAlias = tuple[str, str]
"""A label and its text."""
CITATIONS = "citations, no query"
"""What the source `snowball` is asked."""


def checkpoint_facts(payload: StrategyPayload) -> Iterator[Fact]:
    """Yield all that a person needs to decide on a strategy."""
    strategy, scope = payload.strategy, payload.scope
    if payload.changes:
        yield "changed", payload.changes
    if strategy.reason:
        yield "why", strategy.reason
    intent = payload.intent
    yield "topic", intent.topic
    yield "concepts", ", ".join(intent.concepts) or "-"
    if intent.intent_type.value != "method":  # also the value if the question names none
        yield "wanted", intent.intent_type.value
    yield from (
        ("criterion", f"{n}. {criterion}") for n, criterion in enumerate(intent.criteria, 1)
    )
    yield from (("note", note) for note in intent.notes)
    requested = intent.constraints.in_words
    if not set(requested) <= set(strategy.filters.in_words):
        yield "asked for", "; ".join(requested)
    yield "limits", limits(strategy.filters)
    yield from strategy_facts(strategy, ranking=payload.ranking_sources, scope=scope)
    if scope is not None:
        yield from scope_facts(scope, strategy)
    if counting := early_requests(payload.counts):
        yield "counted", counting
    yield from (("note", note) for note in strategy.notes)
    yield from (("remark", remark) for remark in payload.remarks)
    if others := [name for name in payload.available_sources if name not in strategy.sources]:
        yield "could ask", ", ".join(others)
    if payload.estimate is not None:
        yield "will cost", payload.estimate.in_words(payload.iteration)
    if payload.budget is not None and (payload.estimate or payload.usage):
        yield "budget", str(payload.budget)


def limits(filters: SearchConstraints) -> str:
    return "; ".join(
        [*filters.in_words, f"at most {quantity(filters.max_results, 'record')} a query"]
    )


def strategy_facts(
    strategy: SearchStrategy,
    *,
    ranking: Collection[str] | None = None,
    scope: ScopeReport | None = None,
) -> Iterator[Fact]:
    """Yield the queries, with known hits; `ranking`: sources that answer plain text, if known."""
    is_known = ranking is not None and bool(strategy.ranked)
    sources = queries_by_source(strategy, ranking or ()) if is_known else strategy.sources
    yield "sources", ("; " if is_known else ", ").join(sources) or "-"
    for number, ranked in enumerate(strategy.ranked, start=1):
        name = "question" if len(strategy.ranked) == 1 else f"question {number}"
        yield name, _ranked_query_text(ranked, strategy.sources)
    counts = {entry.text: entry for entry in scope.lines if entry.counts} if scope else {}
    for line in strategy.lines:
        count = f" ({counts_of(counts[line.label])})" if line.label in counts else ""
        yield f"line {line.label}", f"{line.text}{count}"
    for number, query in enumerate(strategy.queries, start=1):
        yield from _query_facts(query.boolean_query, number, scope)
    # The queries of a strategy share their synonyms: each keyword is shown once.
    entries = {entry.keyword: entry for q in strategy.queries for entry in q.synonym_map}
    yield from (("synonyms", str(entry)) for entry in entries.values())
    if not strategy.queries and not strategy.ranked:
        yield "queries", "none"


def scope_facts(scope: ScopeReport, strategy: SearchStrategy) -> Iterator[Fact]:
    """Yield the results of counting hits, besides the hits of the queries."""
    numbers = {query.boolean_query: n for n, query in enumerate(strategy.queries, start=1)}
    for relaxed in scope.relaxed:
        number = numbers.get(relaxed.instead)
        instead = f"query {number}" if number else relaxed.instead
        yield "relaxed", f"no hits for {relaxed.original}: {instead} is {relaxed.name}"
    for limit in (entry for entry in scope.limits if entry.counts):
        advice = "; nothing meets all limits: remove one" if limit.is_empty else ""
        yield "limit", f"{limit.text}: {counts_of(limit)}{advice}"
    for number, step in enumerate(scope.steps, start=1):
        remark = ", taken" if step.text in numbers else ""
        yield f"broader {number}", f"{step.name}: {counts_of(step)}{remark}"
    if scope.suggested:
        terms = ", ".join(f"{entry.term} ({entry.papers})" for entry in scope.suggested)
        results = quantity(scope.first_results, "result")
        yield "also", f"frequent in the first {results} that fit: {terms}"
    for note in scope.notes:
        yield "note", note


def _query_facts(boolean_query: str, number: int, scope: ScopeReport | None) -> Iterator[Fact]:
    """Yield each block of a query, how the blocks are joined, and the query itself."""
    blocks = block_texts(boolean_query)
    block_hits = {block.text: block for block in scope.blocks} if scope else {}
    if len(blocks) > 1:
        for place, block in enumerate(blocks, start=1):
            yield f"block {place}", _block(block, block_hits.get(block.boolean_query))
        yield "joined", " AND ".join(str(place) for place, _ in enumerate(blocks, start=1))
    yield f"query {number}", boolean_query
    hits = scope.hits_of([boolean_query]).get(boolean_query) if scope else None
    if hits and hits.counts:
        yield "hits", f"query {number}: {counts_of(hits)}"


def _block(block: BlockText, hits: BlockHits | None) -> str:
    """Return a block with its hits: "heart (12) OR cardiac (30): 38 library"."""
    entries = hits.terms if hits else []
    counts = {term.text: "/".join(f"{count.hits:,}" for count in term.counts) for term in entries}
    terms = [f"{term} ({counts[term]})" if term in counts else term for term in block.terms]
    total = f": {counts_of(hits)}" if hits and hits.counts else ""
    return f"{' OR '.join(terms)}{total}"


def translation_facts(
    translations: Sequence[Translation], strategy: SearchStrategy
) -> Iterator[Fact]:
    """Yield the exact strings that sources will be sent for each query of a strategy."""
    names = {(True, query.text): "question" for query in strategy.ranked}
    numbered = enumerate(strategy.queries, start=1)
    names |= {(False, query.boolean_query): f"query {number}" for number, query in numbered}
    for translation in translations:
        title = names.get((translation.is_ranked, translation.query), translation.query)
        about = f"{title}: " if title else ""
        for place, string in enumerate(translation.texts):
            joint = "if nothing is found, " if translation.is_ranked else "and "
            yield translation.source, f"{about}{joint * bool(place)}{string}"
        for note in translation.notes:
            yield "note", f"{translation.source}: {note}"
        if translation.error:
            part = f"{translation.source}, {title}" if title else translation.source
            yield "not asked", f"{part}: {translation.error}"


def queries_by_source(strategy: SearchStrategy, ranking: Collection[str]) -> list[str]:
    """Return which sources are asked what: "library: the question", "pubmed: queries 1-3"."""
    by_form: dict[str, list[str]] = {}
    for name in strategy.sources:
        if name == SNOWBALL:
            by_form[CITATIONS] = [name]
            continue
        part = strategy.for_source(ranks_text=name in ranking)
        parts = ["the question" if len(part.ranked) == 1 else "the questions"] * bool(part.ranked)
        numbers = [n for n, query in enumerate(strategy.queries, start=1) if query in part.queries]
        parts += [_query_numbers(numbers)] if numbers else []
        by_form.setdefault(" and ".join(parts) or "nothing", []).append(name)
    return [f"{', '.join(names)}: {form}" for form, names in by_form.items()]


def counts_of(hits: QueryHits) -> str:
    """Return the counts of one query or concept: "1,234 library, up to 56 pubmed"."""
    return ", ".join(map(str, hits.counts))


def reasons_of(strategy: SearchStrategy) -> dict[str, str]:
    """Return why each term is in the queries, by the term as written in a query."""
    return {
        render(term): reason
        for query in strategy.queries
        for entry in query.synonym_map
        for name, reason in entry.reasons.items()
        if (term := leaf(name)) is not None
    }


def _ranked_query_text(query: RankedQuery, sources: Sequence[str]) -> str:
    parts = [query.text]
    for word, sign in (("also", 1), ("less", -1)):
        if terms := [term for term, weight in query.terms.items() if weight * sign > 0]:
            parts.append(f"{word} {', '.join(terms)}")
    if query.depth and not LOCAL.isdisjoint(sources):
        parts.append(f"up to {query.depth:,} records of a local library")
    return "; ".join(parts)


def _query_numbers(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"query {numbers[0]}"
    is_run = all(after - before == 1 for before, after in pairwise(numbers))
    numerals = f"{numbers[0]}-{numbers[-1]}" if is_run else ", ".join(map(str, numbers))
    return f"queries {numerals}"
