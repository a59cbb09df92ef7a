"""Academic search: each query through the paper-search skills, all records merged and judged."""

from __future__ import annotations

from collections.abc import Sequence

from paper_search.models import (
    Paper,
    ParsedIntent,
    QueryBuilderInput,
    RawPaper,
    ScoredPaper,
    SearchStrategy,
)
from paper_search.report.evidence import paper_of, result_of
from paper_search.report.exchange import SearcherInput
from paper_search.report.models import SearchQuery, SearchResult, SearchRun, now
from paper_search.report.searcher import Found, runs_of
from paper_search.skills import Deduplicator, IntentParser, QueryBuilder, RelevanceScorer, Searcher

MIN_RELEVANCE = 0.3
"""Works that are judged less relevant to the whole question are left out."""


class AcademicSearch:
    """Finds papers for the queries of a plan.

    Queries become strategies by algorithm: a plan is a model's work already. Records of all
    queries are merged with each other and with what is known, and judged once, against the
    question of the report.
    """

    def __init__(
        self,
        searcher: Searcher,
        deduplicator: Deduplicator,
        relevance_scorer: RelevanceScorer,
        sources: Sequence[str],
    ) -> None:
        self._searcher = searcher
        self._deduplicator = deduplicator
        self._scorer = relevance_scorer
        self._sources = list(sources)

    async def find(
        self, queries: Sequence[SearchQuery], given: SearcherInput, known: Sequence[SearchResult]
    ) -> Found:
        """Return the works that the queries find, most relevant first."""
        whole = await IntentParser(None).parse(given.original_query or queries[0].query_text)
        records: list[RawPaper] = []
        found_by: dict[str, list[str]] = {}
        failed: dict[str, str] = {}
        notes: list[str] = []
        runs: dict[str, list[SearchRun]] = {}
        for query in queries:
            at = now()
            answer = await self._searcher.report(await self._strategy(query, whole))
            runs[query.query_id] = runs_of(answer.sources, query.query_text, at)
            failures = [source for source in answer.sources if source.status.is_failure]
            notes += [f"source {f.source}: {f.status.value}: {f.error or f.note}" for f in failures]
            if failures and len(failures) == len(answer.sources) and not answer.papers:
                failed[query.query_id] = "; ".join(f"{f.source} {f.status.value}" for f in failures)
            for paper in answer.papers:
                found_by.setdefault(paper.id, []).append(query.query_id)
                records.append(paper)
        works = await self._works(records, known)
        scored = await self._scorer.score([work for work, is_new in works if is_new], whole)
        hits = _hits(works, found_by)
        results = _limited(scored, found_by, given.max_results_per_query)
        return Found(results, hits, failed, list(dict.fromkeys(notes)), runs)

    async def _strategy(self, query: SearchQuery, whole: ParsedIntent) -> SearchStrategy:
        intent = await IntentParser(None).parse(query.query_text)
        limits = whole.constraints.model_copy(update={"max_results": 50})
        builder = QueryBuilder(None, available_sources=self._sources)
        return await builder.build(
            QueryBuilderInput(intent=intent.model_copy(update={"constraints": limits}))
        )

    async def _works(
        self, records: list[RawPaper], known: Sequence[SearchResult]
    ) -> list[tuple[RawPaper, bool]]:
        """Return the merged works, each with whether it is new."""
        earlier = [_record_of(result) for result in known if "paper_id" in result.metadata]
        seen = {record.id for record in earlier}
        unique = list({paper.id: paper for paper in records if paper.id not in seen}.values())
        works = await self._deduplicator.deduplicate([*earlier, *unique])
        return [(work, not seen & {work.id, *work.merged_from}) for work in works]


def _record_of(result: SearchResult) -> RawPaper:
    paper = paper_of(result)
    shared = paper.model_dump(include=set(RawPaper.model_fields) - {"id"})
    return RawPaper(**{**shared, "id": str(result.metadata["paper_id"]), "abstract": result.text})


def _hits(works: Sequence[tuple[RawPaper, bool]], found_by: dict[str, list[str]]) -> dict[str, int]:
    hits: dict[str, int] = {}
    for work, _ in works:
        for query_id in _queries_of(work, found_by):
            hits[query_id] = hits.get(query_id, 0) + 1
    return hits


def _queries_of(work: RawPaper, found_by: dict[str, list[str]]) -> list[str]:
    ids = dict.fromkeys([work.id, *work.merged_from])
    return list(dict.fromkeys(query for result_id in ids for query in found_by.get(result_id, [])))


def _limited(
    scored: Sequence[ScoredPaper], found_by: dict[str, list[str]], limit: int
) -> list[SearchResult]:
    """Return the relevant works, at most so many for each query."""
    ranked = sorted(scored, key=lambda paper: (-paper.relevance_score, paper.paper.id))
    counts: dict[str, int] = {}
    results = []
    for paper in ranked:
        if paper.is_judged and paper.relevance_score < MIN_RELEVANCE:
            continue
        query = next(iter(_queries_of(paper.paper, found_by)), "")
        if counts.get(query, 0) >= limit:
            continue
        counts[query] = counts.get(query, 0) + 1
        results.append(result_of(Paper.from_scored(paper), query))
    return results
