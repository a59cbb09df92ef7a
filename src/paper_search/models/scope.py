"""What a scoping search found: hit counts of the queries, before anything is searched."""

from collections.abc import Mapping, Sequence
from operator import not_

from pydantic import BaseModel, Field

from paper_search.models.paper import RawPaper
from paper_search.models.query import SearchStrategy
from paper_search.models.source_report import SourceReport


class HitCount(BaseModel):
    """How many records one source has for one query."""

    hits: int | None
    """None: the source does not say."""
    is_at_most: bool = Field(default=False, exclude_if=not_)
    """Whether the source was asked a broader query, since it cannot express this one."""
    source: str | None = Field(default=None, exclude=True)
    """What was counted in place of the source: the sample, where a library is empty."""
    papers: list[RawPaper] = Field(default_factory=list, exclude=True)
    """The first records, where they came with the count."""


class SourceHits(BaseModel):
    """One source and its count."""

    source: str
    hits: int
    is_at_most: bool = Field(default=False, exclude_if=not_)

    def __str__(self) -> str:
        return f"{'up to ' if self.is_at_most and self.hits else ''}{self.hits:,} {self.source}"


class QueryHits(BaseModel):
    """One query or concept and its counts; no counts: no source could say."""

    text: str
    counts: list[SourceHits] = Field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether every source that could say has no record."""
        return bool(self.counts) and not any(count.hits for count in self.counts)


class BlockHits(QueryHits):
    """A part of a query that every record must have, with its counts."""

    terms: list[QueryHits] = Field(default_factory=list)
    """Those of which one is enough, as far as counted."""


def _replaced(strategy: SearchStrategy, instead: Mapping[str, str]) -> SearchStrategy:
    queries = [
        query.model_copy(update={"boolean_query": instead.get(text := query.boolean_query, text)})
        for query in strategy.queries
    ]
    return strategy.model_copy(update={"queries": queries})


class BroaderQuery(QueryHits):
    """A query that a person may take instead of one that finds little."""

    name: str
    """What is different in it."""
    original: str
    """The query that it is a step from; `text` is the broader one."""

    def replace_in(self, strategy: SearchStrategy) -> SearchStrategy:
        return _replaced(strategy, {self.original: self.text})


class RelaxedQuery(BaseModel):
    """A query without hits, and the query that replaces it."""

    original: str
    instead: str
    """The narrowest broader query with hits."""
    name: str = ""
    """What is different in it."""


class SuggestedTerm(BaseModel):
    """A term that is frequent in the first results and that no query asks for."""

    term: str
    papers: int
    """How many of the first results have it."""


class ScopeReport(BaseModel):
    """What the sources have for a strategy; all of it is for the person to read."""

    queries: list[QueryHits] = Field(default_factory=list)
    """One for each boolean query of the strategy after relaxing, in its order."""
    lines: list[QueryHits] = Field(default_factory=list, exclude_if=not_)
    """One for each line of a strategy that the person gave, by its label, as far as counted."""
    limits: list[QueryHits] = Field(default_factory=list, exclude_if=not_)
    """One for each condition that wants something: records within all limits that meet it."""
    blocks: list[BlockHits] = Field(default_factory=list, exclude_if=not_)
    """Those that queries join by AND, each once."""
    steps: list[BroaderQuery] = Field(default_factory=list, exclude_if=not_)
    """Ever broader forms of queries that find little, the narrowest first."""
    relaxed: list[RelaxedQuery] = Field(default_factory=list)
    suggested: list[SuggestedTerm] = Field(default_factory=list)
    first_results: int = 0
    """How many papers the suggested terms were counted in."""
    papers: dict[str, int] = Field(default_factory=dict, exclude_if=not_)
    """By source that was asked all that the search asks it: how many papers it gives, each once, as
    far as the search would judge them."""
    paper_chars: int = Field(default=0, exclude_if=not_)
    """Of one of the first results, as a model is shown it; 0: not known."""
    asked: list[SourceReport] = Field(default_factory=list, exclude=True)
    """A row of the journal for each query that a source was asked."""
    notes: list[str] = Field(default_factory=list)
    """Which sources cannot count, did not answer in time or failed, and what stays as it is."""

    def revised(self, strategy: SearchStrategy) -> SearchStrategy:
        """Return the strategy with relaxed queries instead of those without hits."""
        if not self.relaxed:
            return strategy
        return _replaced(strategy, {each.original: each.instead for each in self.relaxed})

    def hits_of(self, queries: Sequence[str]) -> dict[str, QueryHits]:
        """Return what is known of those queries, or steps; one that was edited is not there."""
        entries = {entry.text: entry for entry in (*self.steps, *self.queries)}
        return {text: entries[text] for text in queries if text in entries}


class Translation(BaseModel):
    """One query of a strategy in the words of one source, before it is asked."""

    source: str
    query: str
    """A boolean one, the text of a ranked one, or an identifier; empty: it is about all queries."""
    is_ranked: bool = False
    texts: list[str] = Field(default_factory=list)
    """The exact strings: of a ranked query, each if those before it find nothing; else all."""
    requests: list[str] = Field(default_factory=list)
    """The request for the first page of each text, without key and contact address; empty: none
    is sent, since the records are on this machine."""
    notes: list[str] = Field(default_factory=list)
    """What the source cannot say of the query, and what happens instead."""
    error: str | None = None
    """Why nothing is sent; None if something is."""
