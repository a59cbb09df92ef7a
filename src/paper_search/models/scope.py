"""Scoping: hit counts of the queries before a search."""

from collections.abc import Mapping, Sequence
from operator import not_

from pydantic import BaseModel, Field

from paper_search.models.paper import RawPaper
from paper_search.models.query import SearchStrategy
from paper_search.models.source_report import SourceReport


class HitCount(BaseModel):
    """How many records one source has for one query."""

    hits: int | None
    """None if the source does not say."""
    is_at_most: bool = Field(default=False, exclude_if=not_)
    """Whether the source got a broader query, because it cannot express this one."""
    source: str | None = Field(default=None, exclude=True)
    """What was counted instead of the source: the sample if a library is empty."""
    papers: list[RawPaper] = Field(default_factory=list, exclude=True)
    """The first records, if they came with the count."""


class SourceHits(BaseModel):
    source: str
    hits: int
    is_at_most: bool = Field(default=False, exclude_if=not_)

    def __str__(self) -> str:
        return f"{'up to ' if self.is_at_most and self.hits else ''}{self.hits:,} {self.source}"


class QueryHits(BaseModel):
    """One query or concept and its counts, which are empty if no source could count it."""

    text: str
    counts: list[SourceHits] = Field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether every source that could count it has no record."""
        return bool(self.counts) and not any(count.hits for count in self.counts)


class BlockHits(QueryHits):
    """A part of a query that every record must match, with its counts."""

    terms: list[QueryHits] = Field(default_factory=list)
    """The counted terms of the part, of which a record needs only one."""


def _replace(strategy: SearchStrategy, instead: Mapping[str, str]) -> SearchStrategy:
    queries = [
        query.model_copy(update={"boolean_query": instead.get(text := query.boolean_query, text)})
        for query in strategy.queries
    ]
    return strategy.model_copy(update={"queries": queries})


class BroaderQuery(QueryHits):
    """A query that a person may use instead of one with few hits."""

    name: str
    """How it differs."""
    original: str
    """The query that it broadens; `text` is the broader one."""

    def replace_in(self, strategy: SearchStrategy) -> SearchStrategy:
        return _replace(strategy, {self.original: self.text})


class RelaxedQuery(BaseModel):
    """A query without hits, and the query that replaces it."""

    original: str
    instead: str
    """The narrowest broader query with hits."""
    name: str = ""
    """How it differs."""


class SuggestedTerm(BaseModel):
    """A term that is frequent in the first results, but not in any query."""

    term: str
    papers: int
    """How many of the first results have it."""


class ScopeReport(BaseModel):
    """The hits of a strategy, for a person to read."""

    queries: list[QueryHits] = Field(default_factory=list)
    """One for each boolean query of the strategy after relaxing, in its order."""
    lines: list[QueryHits] = Field(default_factory=list, exclude_if=not_)
    """One for each counted line of a strategy that the person gave, by its label."""
    limits: list[QueryHits] = Field(default_factory=list, exclude_if=not_)
    """One for each condition that requires something: records within all limits that meet it."""
    blocks: list[BlockHits] = Field(default_factory=list, exclude_if=not_)
    """The blocks that queries join by AND, each once."""
    steps: list[BroaderQuery] = Field(default_factory=list, exclude_if=not_)
    """Ever broader forms of queries with few hits, the narrowest first."""
    relaxed: list[RelaxedQuery] = Field(default_factory=list)
    suggested: list[SuggestedTerm] = Field(default_factory=list)
    first_results: int = 0
    """The number of papers in which the suggested terms were counted."""
    papers: dict[str, int] = Field(default_factory=dict, exclude_if=not_)
    """By source that already got every query of the search: how many different papers it returns,
    up to the number that the search would judge."""
    paper_chars: int = Field(default=0, exclude_if=not_)
    """Length of one of the first results as a model is shown it; 0 if not known."""
    asked: list[SourceReport] = Field(default_factory=list, exclude=True)
    """A row for each query to a source."""
    notes: list[str] = Field(default_factory=list)
    """Sources that cannot count, did not answer in time or failed; queries that stay unchanged."""

    def revised(self, strategy: SearchStrategy) -> SearchStrategy:
        """Return the strategy with relaxed queries instead of those without hits."""
        if not self.relaxed:
            return strategy
        return _replace(strategy, {query.original: query.instead for query in self.relaxed})

    def hits_of(self, queries: Sequence[str]) -> dict[str, QueryHits]:
        """Return the known counts of queries or steps; an edited one has none."""
        entries = {entry.text: entry for entry in (*self.steps, *self.queries)}
        return {text: entries[text] for text in queries if text in entries}


class Translation(BaseModel):
    """One query of a strategy as one source will be sent it."""

    source: str
    query: str
    """A boolean one, the text of a ranked one, or an identifier; empty for all queries."""
    is_ranked: bool = False
    texts: list[str] = Field(default_factory=list)
    """The exact strings, of a ranked query each only if those before it find nothing."""
    requests: list[str] = Field(default_factory=list)
    """The request for the first page of each text, without key and contact address; empty if the
    records are on this machine."""
    notes: list[str] = Field(default_factory=list)
    """Parts of the query that the source cannot express, and what happens instead."""
    error: str | None = None
    """Why nothing is sent, if so."""
