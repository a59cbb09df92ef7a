"""The searcher: runs the queries of a plan for papers, web pages and news."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from urllib.parse import urlsplit

from paper_search.bibliography.identifiers import host_of
from paper_search.bibliography.text import normalised_title
from paper_search.models import (
    Paper,
    ParsedIntent,
    QueryBuilderInput,
    RawPaper,
    ScoredPaper,
    SearchStrategy,
    SourceReport,
)
from paper_search.models import SearchQuery as SourceQuery
from paper_search.models.source_report import quantity
from paper_search.report.evidence import SNIPPET_CHARS, paper_of, result_id_of, result_of
from paper_search.report.models import (
    SearcherInput,
    SearcherOutput,
    SearchQuery,
    SearchResult,
    SearchType,
    now,
)
from paper_search.report.planner import broader_query
from paper_search.skills import Deduplicator, IntentParser, QueryBuilder, RelevanceScorer, Searcher
from paper_search.skills.judging.run import MOST_JUDGED
from paper_search.skills.untrusted import is_suspicious, shown_to_model, visible

WEAK = 3
"""A query that returns fewer sources is broadened."""


@dataclass
class KindAnswer:
    results: list[SearchResult] = field(default_factory=list)
    """Each with the id of the first query that returned it."""
    hits: dict[str, int] = field(default_factory=dict)
    """Number of sources by query id, including known ones."""
    failures: dict[str, str] = field(default_factory=dict)
    """Reasons by id of queries that failed completely."""
    notes: list[str] = field(default_factory=list)
    """For the reader, such as services that failed while others answered."""
    runs: dict[str, list[SourceReport]] = field(default_factory=dict)
    """Rows of the search log by query id."""

    async def ask(
        self, searcher: Searcher, query: SearchQuery, strategies: Iterable[SearchStrategy]
    ) -> list[RawPaper]:
        """Return the results of the first strategy that a service answers; log all of them."""
        rows = self.runs[query.query_id] = []
        for strategy in strategies:
            at = now()
            answer = await searcher.report(strategy)
            rows += journal_rows(answer.sources, query.query_text, at)
            failures = [source for source in answer.sources if source.status.is_failure]
            self.notes += map(_failure, failures)
            if answer.papers or len(failures) < len(answer.sources) or not answer.sources:
                return answer.papers
        reasons = map(_failure, (row for row in rows if row.status.is_failure))
        self.failures[query.query_id] = "; ".join(reasons)
        return []

    def note_left_out(self, noun: str, count: int, why: str) -> None:
        if count:
            self.notes.append(f"{quantity(count, noun)} left out {why}")


class FindsSources(Protocol):
    async def find(
        self, queries: Sequence[SearchQuery], request: SearcherInput, before: Sequence[SearchResult]
    ) -> KindAnswer:
        """Return the results of the queries; failures of services are data, not exceptions."""
        ...


@dataclass
class ReportSearcher:
    kinds: Mapping[SearchType, FindsSources]

    @property
    def search_types(self) -> list[SearchType]:
        return list(self.kinds)

    async def collect(
        self, request: SearcherInput, before: Sequence[SearchResult] = ()
    ) -> SearcherOutput:
        """Return new sources for the queries.

        For a query with fewer than three sources, a broader one is added with status pending. A
        query whose kind of search is missing or fails has status failed.
        """
        collected: list[SearchResult] = []
        outcomes: list[SearchQuery] = []
        errors: list[str] = []
        notes: list[str] = []
        for kind in dict.fromkeys(query.search_type for query in request.search_queries):
            queries = [query for query in request.search_queries if query.search_type == kind]
            adapter = self.kinds.get(kind)
            if adapter is None:
                outcomes += [query.model_copy(update={"status": "failed"}) for query in queries]
                lost = quantity(len(queries), "query was", "queries were")
                errors.append(f"there is no {kind} search; {lost} not asked")
                continue
            answer = await adapter.find(queries, request, [*before, *collected])
            collected += answer.results
            notes += dict.fromkeys(answer.notes)
            errors += [
                f"{kind} search: {reason}" for reason in dict.fromkeys(answer.failures.values())
            ]
            for query in queries:
                changes = {
                    "status": "failed" if query.query_id in answer.failures else "completed",
                    "found": answer.hits.get(query.query_id, 0),
                    "runs": list(answer.runs.get(query.query_id, ())),
                }
                outcomes.append(query.model_copy(update=changes))
        return SearcherOutput(
            search_results=collected,
            queries_completed=sum(query.status == "completed" for query in outcomes),
            queries_failed=sum(query.status == "failed" for query in outcomes),
            coverage_report={query.query_text: query.found for query in outcomes},
            queries=[*outcomes, *_broader_queries(outcomes)],
            errors=errors,
            notes=notes,
        )


def journal_rows(
    reports: Iterable[SourceReport], query: str, sent_at: datetime
) -> list[SourceReport]:
    """Return the reports of sources, with query and time filled in where they are missing."""
    defaults = {"query": query, "asked_at": sent_at.isoformat()}
    return [
        row.model_copy(update={n: getattr(row, n) or value for n, value in defaults.items()})
        for row in reports
    ]


def _broader_queries(queries: Sequence[SearchQuery]) -> list[SearchQuery]:
    texts = {(query.query_text.casefold(), query.search_type) for query in queries}
    broader = []
    for query in queries:
        is_weak = query.status == "completed" and query.found < WEAK and query.reformulates is None
        other = broader_query(query) if is_weak else None
        if other is not None and (other.query_text.casefold(), other.search_type) not in texts:
            texts.add((other.query_text.casefold(), other.search_type))
            broader.append(other)
    return broader


MIN_RELEVANCE = 0.3
"""Works below this relevance to the whole question are left out."""


@dataclass
class AcademicSearch:
    """Finds papers for the queries of a plan.

    Queries become strategies by algorithm. The records of all queries are merged with each other
    and with known sources, and judged once against the report's question.
    """

    searcher: Searcher
    deduplicator: Deduplicator
    scorer: RelevanceScorer
    sources: Sequence[str]

    async def find(
        self, queries: Sequence[SearchQuery], request: SearcherInput, before: Sequence[SearchResult]
    ) -> KindAnswer:
        whole = await IntentParser(None).parse(request.original_query or queries[0].query_text)
        records: list[RawPaper] = []
        found_by: dict[str, list[str]] = {}
        outcome = KindAnswer()
        searcher = self.searcher.within_seconds(request.timeout_seconds)
        for query in queries:
            papers = await outcome.ask(searcher, query, [await self._strategy(query, whole)])
            for paper in papers:
                found_by.setdefault(paper.id, []).append(query.query_id)
            records += papers
        works = await self._works(records, before)
        best = self._best([work for work, is_new in works if is_new], whole)
        if len(works) > len(best) and self.scorer.model is not None:
            outcome.notes.append(f"the {len(best)} best of {len(works)} were judged")
        scored = await self.scorer.score(best, whole)
        outcome.hits = dict(Counter(q for work, _ in works for q in _queries_of(work, found_by)))
        relevant, most = _relevant(scored), request.max_results_per_query
        outcome.results = _best_of_each(relevant, found_by, most)
        beyond = len(relevant) - len(outcome.results)
        outcome.note_left_out("paper", len(scored) - len(relevant), "as not relevant")
        outcome.note_left_out("paper", beyond, f"beyond the {most} best of each query")
        return outcome

    def _best(self, works: list[RawPaper], whole: ParsedIntent) -> list[RawPaper]:
        """Return the works to judge; if there are too many for a model, the best by words."""
        if self.scorer.model is None:
            return works
        scores = [paper.relevance_score for paper in self.scorer.by_words(works, whole)]
        ranked = sorted(range(len(works)), key=lambda number: -scores[number])
        return [works[number] for number in ranked[:MOST_JUDGED]]

    async def _strategy(self, query: SearchQuery, whole: ParsedIntent) -> SearchStrategy:
        intent = await IntentParser(None).parse(query.query_text)
        limits = whole.constraints.model_copy(update={"max_results": 50})
        builder = QueryBuilder(None, available_sources=list(self.sources))
        return await builder.build(
            QueryBuilderInput(intent=intent.model_copy(update={"constraints": limits}))
        )

    async def _works(
        self, records: list[RawPaper], sources: Sequence[SearchResult]
    ) -> list[tuple[RawPaper, bool]]:
        earlier = [_record_of(result) for result in sources if "paper_id" in result.metadata]
        ids = {record.id for record in earlier}
        unique = list({paper.id: paper for paper in records if paper.id not in ids}.values())
        works = await self.deduplicator.deduplicate([*earlier, *unique])
        return [(work, not ids & {work.id, *work.merged_from}) for work in works]


def _record_of(result: SearchResult) -> RawPaper:
    shared = paper_of(result).model_dump(include=set(RawPaper.model_fields) - {"id"})
    return RawPaper(**{**shared, "id": str(result.metadata["paper_id"]), "abstract": result.text})


def _queries_of(work: RawPaper, found_by: dict[str, list[str]]) -> list[str]:
    ids = dict.fromkeys([work.id, *work.merged_from])
    return list(dict.fromkeys(query for result_id in ids for query in found_by.get(result_id, [])))


def _relevant(scored: Iterable[ScoredPaper]) -> list[ScoredPaper]:
    """Return what was not judged to be below `MIN_RELEVANCE`, best first."""
    rest = (one for one in scored if not one.is_judged or one.relevance_score >= MIN_RELEVANCE)
    return sorted(rest, key=lambda one: (-one.relevance_score, one.paper.id))


def _best_of_each(
    ranked: Sequence[ScoredPaper], found_by: dict[str, list[str]], limit: int
) -> list[SearchResult]:
    """Return at most `limit` works per query; a work of several counts for the one with fewest."""
    counts: Counter[str] = Counter()
    results = []
    for paper in ranked:
        queries = _queries_of(paper.paper, found_by) or [""]
        query = min(queries, key=lambda name: counts[name])
        if counts[query] >= limit:
            continue
        counts[query] += 1
        results.append(result_of(Paper.from_scored(paper), query))
    return results


@dataclass
class WebSearch:
    """Finds pages for the queries of a plan.

    Each service gets only the queries that the ones before it failed to answer, because they cost
    money and return much the same.
    """

    kind: SearchType
    searcher: Searcher
    scorer: RelevanceScorer
    services: Sequence[str]

    async def find(
        self, queries: Sequence[SearchQuery], request: SearcherInput, before: Sequence[SearchResult]
    ) -> KindAnswer:
        """Return the pages, each URL or title once."""
        whole = await IntentParser(None).parse(request.original_query or queries[0].query_text)
        pages: dict[str, RawPaper] = {}
        found_by: dict[str, str] = {}
        outcome = KindAnswer()
        page_names = {name for page in before for name in _names(page.source_url, page.title)}
        limits = whole.constraints.model_copy(update={"max_results": request.max_results_per_query})
        searcher = self.searcher.within_seconds(request.timeout_seconds)
        for query in queries:
            queried = SourceQuery(keywords=[], boolean_query=query.query_text)
            strategies = [
                SearchStrategy(queries=[queried], sources=[name], filters=limits)
                for name in self.services
            ]
            answer = await outcome.ask(searcher, query, strategies)
            outcome.hits[query.query_id] = len(answer)
            for page in answer:
                names = _names(page.url or "", page.title)
                if not names & page_names:
                    page_names |= names
                    pages[page.id], found_by[page.id] = page, query.query_id
        texts = [page.model_copy(update={"abstract": page.snippet}) for page in pages.values()]
        scored = await self.scorer.score(texts, whole) if texts else []
        relevant = _relevant(scored)
        outcome.results = [page_result(one, self.kind, found_by[one.paper.id]) for one in relevant]
        left_out = len(scored) - len(relevant)
        outcome.note_left_out(f"{self.kind} page", left_out, "as not relevant")
        return outcome


def page_result(scored: ScoredPaper, kind: SearchType, query_id: str) -> SearchResult:
    """Return a page as a source of a report; its only text is the snippet."""
    page = scored.paper
    snippet = shown_to_model(page.snippet, SNIPPET_CHARS) or ""
    fields = {"year": page.year, "venue": page.venue, "doi": page.doi, "arxiv_id": page.arxiv_id}
    return SearchResult(
        result_id=result_id_of(f"page:{_plain(page.url or '')}"),
        query_id=query_id,
        source_url=page.url or "",
        title=" ".join(visible(page.title).split()),
        snippet=snippet,
        relevance_score=scored.relevance_score,
        metadata={
            **{name: value for name, value in fields.items() if value is not None},
            "source_type": kind,
            "publication_type": page.publication_type,
            "url": page.url,
            "authors": [author.name for author in page.authors],
            "published": page.raw_data.get("published") or None,
            "found_by": [page.source],
            "is_judged": scored.is_judged,
            "relevance_reason": scored.relevance_reason,
            "is_suspicious": is_suspicious(page.title, page.snippet),
            "has_abstract": False,
            "text_is": "snippet",
        },
    )


def _failure(report: SourceReport) -> str:
    return f"source {report.source}: {report.status.value}: {report.error or report.note}"


def _names(url: str, title: str) -> set[str]:
    name = normalised_title(title)
    return {name for name in (_plain(url), f"title:{name}" if len(name) > 20 else "") if name}  # noqa: PLR2004  # shorter titles are not distinctive


def _plain(url: str) -> str:
    """Normalise a URL: no scheme, www or final slash."""
    if not (host := host_of(url)):
        return ""
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{host.removeprefix('www.')}{parts.path.rstrip('/')}{query}"
