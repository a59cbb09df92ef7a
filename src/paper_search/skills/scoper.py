"""The skill that counts hits and relaxes empty queries before a strategy is approved."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any

from paper_search.errors import PaperSearchError, QuerySyntaxError
from paper_search.models import (
    SNOWBALL,
    BlockHits,
    BroaderQuery,
    ParsedIntent,
    Purpose,
    RawPaper,
    RelaxedQuery,
    ScopeReport,
    SearchStrategy,
    SourceReport,
    SuggestedTerm,
)
from paper_search.query import Not
from paper_search.skills.failures import describe
from paper_search.skills.hit_counter import HitCounter
from paper_search.skills.judging.question import characters_of
from paper_search.skills.judging.run import MOST_JUDGED
from paper_search.skills.strategy.terms import suggest_terms
from paper_search.skills.strategy.trees import BlockText, Step, block_texts, broader_steps, tree_of
from paper_search.skills.variants import synonyms
from paper_search.skills.words import tokens
from paper_search.sources import SearchSource
from paper_search.sources.adapter import Adapter
from paper_search.sources.base import (
    Row,
    counting,
    journal,
    ranks_text,
    remark_of,
    service_of,
    sources_by_name,
    title_of,
)

MAX_BLOCKS = 4
"""Blocks that are counted if each takes a request; a local source counts all."""
ENOUGH = 20
"""A query with so many hits is not broadened."""
FIRST_RESULTS = 50
"""Papers from which terms are suggested."""
MAX_SUGGESTED = 8

_PATIENCE_S = 0.2
_SHARE_OF_TIME = 0.4
"""Share of the deadline for which parts and broader queries wait for the counts of all sources."""


class Scoper:
    """Counts the hits of a strategy's sources, and relaxes queries without hits.

    An HTTP cache lets the search reuse these requests. A `deadline_s` of 0 disables scoping.
    """

    def __init__(
        self,
        sources: Iterable[SearchSource] | Mapping[str, SearchSource],
        *,
        deadline_s: float = 5.0,
    ) -> None:
        self._sources = sources_by_name(sources)
        self._deadline_s = deadline_s

    async def scope(
        self, strategy: SearchStrategy, intent: ParsedIntent, *, is_asking: bool = True
    ) -> ScopeReport:
        """Return hit counts, relaxed queries and suggested terms; failures are not raised.

        If no person will read the report (`is_asking`), only enough is counted to tell whether all
        queries are without hits.
        """
        if self._deadline_s <= 0:
            return ScopeReport()
        look = _Look(self._sources, strategy, intent, self._deadline_s)
        if not is_asking:
            if not intent.boolean_query:
                await self._within([look.rescue()])
            return look.report() if look.relaxed else ScopeReport(asked=look.rows)
        await self._within(
            [look.collect_remarks(), look.count_queries(), look.count_lines(), look.read_first()]
        )
        return look.report()

    async def _within(self, jobs: list[Coroutine[Any, Any, None]]) -> None:
        tasks = [asyncio.ensure_future(job) for job in jobs]
        try:
            _, late = await asyncio.wait(tasks, timeout=self._deadline_s)
        finally:
            for task in tasks:
                task.cancel()
        if late:
            await asyncio.wait(late, timeout=_PATIENCE_S)
        for task in tasks:
            if task.done() and not task.cancelled():
                task.result()


class _Look:
    """The state of scoping one strategy, which can be reported at any time."""

    def __init__(
        self,
        sources: Mapping[str, SearchSource],
        strategy: SearchStrategy,
        intent: ParsedIntent,
        deadline_s: float,
    ) -> None:
        names = [name for name in dict.fromkeys(strategy.sources) if name in sources]
        shares = {
            name: strategy.for_source(ranks_text=ranks_text(sources[name]))
            for name in names or sources
            if name != SNOWBALL
        }
        able = {name: count for name in shares if (count := counting(sources[name]))}
        self._sources = {name: sources[name] for name in shares}
        self._shares, self._strategy, self._intent = shares, strategy, intent
        self._deadline_s = deadline_s
        self._counter = HitCounter(able, strategy.filters)
        self._able = list(able)
        self._local = [name for name, source in able.items() if source.is_local]
        self._unable = [name for name in shares if strategy.queries and name not in able]
        self._steps: list[tuple[str, Step]] = []
        self._first: list[RawPaper] = []
        self._papers: dict[str, int] = {}
        self._reading: list[str] = []
        self._notes: list[str] = []
        self._rows: list[Row] = []
        self.relaxed: list[RelaxedQuery] = []

    @property
    def rows(self) -> list[SourceReport]:
        return [*self._counter.rows, *(row().without_records(Purpose.COUNT) for row in self._rows)]

    @property
    def _queries(self) -> list[str]:
        return [query.boolean_query for query in self._strategy.queries]

    @property
    def _limits(self) -> list[str]:
        trees = [(text, tree_of(text)) for text in self._strategy.filters.conditions]
        return [text for text, tree in trees if tree and not isinstance(tree, Not)]

    @property
    def _cheapest(self) -> list[str]:
        """The source, if any, for counts that the search itself does not need."""
        return [*self._local, *_by_rank(self._able, lambda service: service.count_rank)][:1]

    @property
    def _most_blocks(self) -> int | None:
        return None if self._local else MAX_BLOCKS

    async def collect_remarks(self) -> None:
        for name in self._local:
            try:
                remark = await remark_of(self._sources[name])
            except PaperSearchError:  # reported with its counts and by the search
                remark = None
            if remark is not None:
                self._notes.append(remark)

    async def count_queries(self) -> None:
        """Count the queries in all sources, then parts and broader queries in one source.

        A slow source does not delay other counts, but queries are relaxed only once all sources
        have answered.
        """
        counts = asyncio.ensure_future(self._count_everywhere())
        try:
            await asyncio.wait([counts], timeout=self._deadline_s * _SHARE_OF_TIME)
            is_whole = counts.done()
            await self._count_further(is_whole=is_whole)
            await counts
            if not is_whole:
                await self._count_further(is_whole=True)
        finally:
            counts.cancel()

    async def _count_everywhere(self) -> None:
        await asyncio.gather(*(self._count_at(name, self._queries) for name in self._able))

    async def _count_further(self, *, is_whole: bool) -> None:
        for query in self._queries:
            hits = self._counter.most(query, self._able)
            if hits is not None and hits < ENOUGH:
                await self._count_steps(query, is_all=bool(self._local))
        if is_whole:
            self._relax()
        revised = ScopeReport(relaxed=self.relaxed).revised(self._strategy)
        has_any = any(self._counter.most(query, self._able) for query in self._queries)
        for name in self._cheapest or ([] if has_any else self._able[:1]):
            await self._count_at(name, self._limits)
        for name in self._cheapest:
            for block in _blocks_of(revised)[: self._most_blocks]:
                terms = block.terms if name in self._local and len(block.terms) > 1 else []
                await self._count_at(name, [block.boolean_query, *terms])

    async def count_lines(self) -> None:
        for name in (self._cheapest or self._able)[:1]:
            await self._count_at(name, [line.boolean_query for line in self._strategy.lines])

    async def _count_at(self, source: str, queries: list[str]) -> None:
        for query in queries:
            await self._counter.count(source, query)

    async def rescue(self) -> None:
        """Relax a query if all are without hits; stop at the first with hits.

        Nothing is counted if a source ranks by the question, since it always finds something.
        """
        if any(share.ranked for share in self._shares.values()):
            return
        for query in self._queries:
            for source in self._able:
                if await self._counter.count(source, query):
                    return
        for query in self._queries:
            await self._count_steps(query, is_all=False)
            self._relax()
            if self.relaxed:
                return

    async def _count_steps(self, query: str, *, is_all: bool) -> None:
        """Count broader forms of a query in one source, until one has enough hits, or all."""
        try:
            steps = broader_steps(query)
        except QuerySyntaxError:
            return
        for name in (self._cheapest or self._able)[:1]:
            for step in steps:
                hits = await self._counter.count(name, step.boolean_query)
                if hits is None:
                    return
                if (query, step) not in self._steps:
                    self._steps.append((query, step))
                is_enough = (self._counter.most(step.boolean_query, [name]) or 0) >= ENOUGH
                if is_enough and not is_all:
                    return

    def _relax(self) -> None:
        """Propose the narrowest step with hits if no query has any, and no source ranks."""
        hits = [self._counter.hits_of(query, self._able) for query in self._queries]
        is_ranked = any(share.ranked for share in self._shares.values())
        if is_ranked or not any(hits) or any(count for counts in hits for count in counts.values()):
            return
        steps = (
            (query, step)
            for query, step in self._steps
            if any(self._counter.hits_of(step.boolean_query, self._able).values())
        )
        first = next(steps, None)
        if self._intent.boolean_query:
            self._notes.append("no hits: the query is kept as you wrote it")
        elif first is None:
            self._notes.append("no hits for any query, nor for broader ones")
        else:
            original, (name, instead) = first
            self.relaxed = [RelaxedQuery(original=original, instead=instead, name=name)]

    async def read_first(self) -> None:
        """Fetch the first results from one source, with the search's own request."""
        ranking = {name for name, share in self._shares.items() if share.ranked}
        # Counts of boolean queries include first results.
        best = _by_rank(ranking if not self._queries else (), lambda service: service.first_look)
        for name in [*self._local, *best][:1]:
            share = self._shares[name]
            if name in self._local:
                limit = min(share.filters.max_results, MOST_JUDGED)
                few = share.filters.model_copy(update={"max_results": limit})
                share = share.model_copy(update={"filters": few})
            self._reading = [name]
            with journal() as self._rows:
                try:
                    self._first = await self._sources[name].search_advanced(share)
                    self._papers = {name: len(self._first)}
                except Exception as error:  # noqa: BLE001  # a source may raise anything
                    self._notes.append(f"no first results from {title_of(name)}: {describe(error)}")
            self._reading = []

    def report(self) -> ScopeReport:
        relaxation = ScopeReport(relaxed=self.relaxed)
        queries = [query.boolean_query for query in relaxation.revised(self._strategy).queries]
        first = self._first or self._counter.papers()
        papers = [*filter(self._fits, first[:FIRST_RESULTS])]
        gaps = [*self._gaps()]
        unable = [
            f"no hit counts from {title_of(name)}: hit counts are not supported"
            for name in self._unable
        ]
        blocks = _blocks_of(relaxation.revised(self._strategy))
        most = self._most_blocks
        block_hits = [self._hits_of_block(block) for block in blocks[:most]]
        if most is not None and len(blocks) > most and any(hits.counts for hits in block_hits):
            gaps.append(f"hits are counted for the first {most} of {len(blocks)} blocks only")
        return ScopeReport(
            queries=[self._counter.hits(query) for query in queries],
            lines=[
                self._counter.hits(line.boolean_query, text=line.label)
                for line in self._strategy.lines
            ],
            limits=[self._counter.hits(condition) for condition in self._limits],
            blocks=block_hits,
            steps=[
                BroaderQuery(
                    **self._counter.hits(step.boolean_query).model_dump(),
                    name=step.name,
                    original=query,
                )
                for query, step in self._steps
            ],
            relaxed=relaxation.relaxed,
            suggested=self._suggestions(papers),
            first_results=len(papers),
            papers={} if self.relaxed else self._papers,
            paper_chars=characters_of(self._as_merged(first)),
            asked=self.rows,
            notes=[*self._notes, *unable, *self._counter.failures, *gaps],
        )

    def _hits_of_block(self, block: BlockText) -> BlockHits:
        terms = [self._counter.hits(term) for term in block.terms if len(block.terms) > 1]
        hits = self._counter.hits(block.boolean_query).model_dump()
        return BlockHits(**hits, terms=[term for term in terms if term.counts])

    def _as_merged(self, papers: list[RawPaper]) -> list[RawPaper]:
        """Return the papers as long as merged records, which have an abstract from any source."""
        return [paper for paper in papers if paper.abstract or len(self._shares) == 1]

    def _gaps(self) -> Iterator[str]:
        late = dict.fromkeys([*self._counter.waiting, *self._reading])
        partly = [name for name in late if name in self._counter.sources_with_counts]
        silent = [name for name in late if name not in partly]
        for what, names in (("no answer", silent), ("not every answer", partly)):
            if names:
                listing = ", ".join(map(title_of, names))
                yield f"{what} within {self._deadline_s:g} s from {listing}"

    def _fits(self, paper: RawPaper) -> bool:
        """Whether a paper has at least half of the concepts, so that its terms are on topic."""
        stems, others = {*tokens(_text_of(paper))}, self._intent.alternatives
        names = [(one, *synonyms(one), *others.get(one, ())) for one in self._intent.concepts]
        fitting = sum(any(stems.issuperset(tokens(name)) for name in group) for group in names)
        return fitting * 2 >= len(names)

    def _suggestions(self, papers: list[RawPaper]) -> list[SuggestedTerm]:
        intent = self._intent
        texts_in_use = [intent.topic, intent.question, *intent.concepts, *self._queries]
        terms = suggest_terms(map(_text_of, papers), texts_in_use, limit=MAX_SUGGESTED)
        return [SuggestedTerm(term=term, papers=count) for term, count in terms]


def _text_of(paper: RawPaper) -> str:
    return " ".join(filter(None, (paper.title, paper.abstract)))


def _blocks_of(strategy: SearchStrategy) -> list[BlockText]:
    blocks = [block for query in strategy.queries for block in block_texts(query.boolean_query)]
    return list({block.boolean_query: block for block in blocks}.values())


def _by_rank(names: Iterable[str], rank: Callable[[type[Adapter]], int]) -> list[str]:
    services = {name: service for name in names if (service := service_of(name)) is not None}
    ranked = {name: place for name, service in services.items() if (place := rank(service))}
    return sorted(ranked, key=lambda name: -ranked[name])
