"""The skills that the steps need: ours, or any objects with the same methods."""

import asyncio
import dataclasses
import inspect
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol, cast

from paper_search.errors import UnknownNameError
from paper_search.llm.metering import Metering
from paper_search.models import (
    DeduplicationReport,
    MarkedPaper,
    MergeDecision,
    PaperCollection,
    ParsedIntent,
    QueryBuilderInput,
    RawPaper,
    ScopeReport,
    ScoredPaper,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.models.report import EnrichmentReport
from paper_search.skills import RelevanceScorer, Searcher
from paper_search.skills.failures import describe, require_list, require_type
from paper_search.skills.judging.judgement import JudgementCache
from paper_search.skills.judging.run import MOST_JUDGED
from paper_search.skills.result_ranker import ResultRanker, by_grades
from paper_search.sources import SearchSource

_log = logging.getLogger(__name__)


class ParsesIntent(Protocol):
    async def parse(self, user_input: str) -> ParsedIntent: ...


class BuildsQueries(Protocol):
    async def build(self, request: QueryBuilderInput, /) -> SearchStrategy: ...


class Searches(Protocol):
    async def search(self, strategy: SearchStrategy) -> list[RawPaper]: ...


class Deduplicates(Protocol):
    async def deduplicate(self, papers: list[RawPaper]) -> list[RawPaper]: ...


class Scores(Protocol):
    async def score(self, papers: list[RawPaper], intent: ParsedIntent) -> list[ScoredPaper]: ...


class FillsGaps(Protocol):
    async def fill(self, works: Sequence[RawPaper]) -> EnrichmentReport: ...


class Scopes(Protocol):
    async def scope(
        self, strategy: SearchStrategy, intent: ParsedIntent, *, is_asking: bool
    ) -> ScopeReport: ...


class Organizes(Protocol):
    async def organize(
        self, papers: list[ScoredPaper], strategy: SearchStrategy, original_query: str
    ) -> PaperCollection: ...


@dataclass(frozen=True)
class Skills:
    """The six skills of one workflow, and optional ones."""

    intent_parser: ParsesIntent
    query_builder: BuildsQueries
    searcher: Searches
    deduplicator: Deduplicates
    relevance_scorer: Scores
    result_organizer: Organizes
    gap_filler: FillsGaps | None = None
    scoper: Scopes | None = None
    result_ranker: ResultRanker = field(default_factory=ResultRanker)
    metering: Metering = field(default_factory=Metering)
    create_source: Callable[[str], SearchSource] | None = None

    def of_run(self, sources: Iterable[str]) -> "Skills":
        """Return skills that can also search sources that the run got from another process."""
        names = self.source_names
        lacking = [name for name in dict.fromkeys(sources) if names and name not in names]
        if not lacking or self.create_source is None or not isinstance(self.searcher, Searcher):
            return self
        searcher = self.searcher.having(self.create_source(name) for name in lacking)
        return dataclasses.replace(self, searcher=searcher)

    @property
    def source_names(self) -> list[str]:
        """Return the sources that a strategy may name; empty if the searcher does not say."""
        names = getattr(self.searcher, "source_names", ())
        return list(names) if isinstance(names, Sequence) else []

    def has_any_of(self, sources: Collection[str]) -> bool:
        """Whether at least one of these sources can be searched, or the searcher does not say."""
        names = self.source_names
        return not names or any(name in names for name in sources)

    def require_sources(self, sources: Iterable[str]) -> None:
        """Raise UnknownNameError if the searcher says which it has, and one is not among them."""
        names = self.source_names
        for name in sources:
            if names and name not in names:
                raise UnknownNameError("source", name, names)

    def within_ceiling(self, strategy: SearchStrategy) -> SearchStrategy:
        limit = getattr(type(self.searcher), "within_ceiling", None)
        return cast("SearchStrategy", limit(self.searcher, strategy)) if limit else strategy

    @property
    def ranking_sources(self) -> list[str]:
        """Return the sources that rank by plain text; empty if none, or if it is not known."""
        names = getattr(self.searcher, "ranking_sources", ())
        return list(names) if isinstance(names, Sequence) else []

    @property
    def models(self) -> dict[str, str]:
        """Return the model that each skill asks, by the name of its prompt."""
        skills = {
            "intent_parser": self.intent_parser,
            "query_builder": self.query_builder,
            "deduplicator": self.deduplicator,
            "relevance_scorer": self.relevance_scorer,
        }
        names = {name: getattr(skill, "model", None) for name, skill in skills.items()}
        return {name: model for name, model in names.items() if isinstance(model, str)}

    async def parse(self, question: str) -> ParsedIntent:
        intent = await self.intent_parser.parse(question)
        return require_type(intent, ParsedIntent, _owner(self.intent_parser))

    async def build(self, request: QueryBuilderInput) -> SearchStrategy:
        strategy = await self.query_builder.build(request)
        return require_type(strategy, SearchStrategy, _owner(self.query_builder))

    async def organize(
        self, scored: list[ScoredPaper], strategy: SearchStrategy, question: str
    ) -> PaperCollection:
        collection = await self.result_organizer.organize(scored, strategy, question)
        return require_type(collection, PaperCollection, _owner(self.result_organizer))

    async def search(self, strategy: SearchStrategy, *, is_waiting: bool = False) -> SearchReport:
        # A mock has every attribute; what counts is the method of a class.
        now = datetime.now(UTC).isoformat(timespec="seconds")
        report = getattr(type(self.searcher), "report", None)
        if callable(report):
            is_patient = is_waiting and "is_waiting" in inspect.signature(report).parameters
            options = {"is_waiting": True} if is_patient else {}
            answer: SearchReport = await report(self.searcher, strategy, **options)
            rows = answer.sources or _rows(answer.papers, strategy)
            return answer.model_copy(update={"sources": _with_times(rows, now)})
        papers = await self.searcher.search(strategy)
        require_list(papers, RawPaper, _owner(self.searcher))
        return SearchReport(papers=papers, sources=_with_times(_rows(papers, strategy), now))

    async def scope(
        self, strategy: SearchStrategy, intent: ParsedIntent, *, is_asking: bool
    ) -> ScopeReport:
        """Count hits if there is a scoper; its failure becomes a note."""
        if self.scoper is None:
            return ScopeReport()
        try:
            return await self.scoper.scope(strategy, intent, is_asking=is_asking)
        except Exception as error:  # noqa: BLE001  # foreign code, and the search can do without it
            _log.exception("the scoper failed")
            return ScopeReport(notes=[f"no hit counts: {describe(error)}"])

    async def deduplicate(
        self, papers: list[RawPaper], decisions: Sequence[MergeDecision]
    ) -> DeduplicationReport:
        report = getattr(type(self.deduplicator), "report", None)
        if callable(report):
            answer: DeduplicationReport = await report(
                self.deduplicator, papers, decisions=decisions
            )
            return answer
        works = await self.deduplicator.deduplicate(papers)
        return DeduplicationReport(works=require_list(works, RawPaper, _owner(self.deduplicator)))

    @property
    def has_own_judge(self) -> bool:
        """Whether papers are judged as `judge` says, in the order of the result.

        Then papers marked relevant in earlier rounds are judged again with the new ones: by words
        that is free, and a model's judgements are stored. What a foreign scorer costs is not
        known: such papers join its result at the end.
        """
        return isinstance(self.relevance_scorer, RelevanceScorer)

    async def judge(
        self,
        papers: list[RawPaper],
        intent: ParsedIntent,
        marked: Sequence[MarkedPaper],
        cache: JudgementCache | None,
        order: tuple[Collection[tuple[str, str]], str],
    ) -> list[ScoredPaper]:
        """Return papers with verdicts, in the order of the result unless the scorer is foreign.

        A model judges the first papers in the order that they have without it; its grades then
        change that order.

        `cache`: earlier judgements of a model. `order`: the pairs of source and query whose ranks
        count, and the question in plain words.
        """
        queries, question = order
        scorer = self.relevance_scorer
        if not isinstance(scorer, RelevanceScorer):
            return await self.score(papers, intent, marked)
        by_words = scorer.by_words(papers, intent, marked)
        ranked = await asyncio.to_thread(
            self.result_ranker.order, by_words, marked, asked=queries, question=question
        )
        if scorer.model is None:
            return ranked
        in_order = [verdict.paper for verdict in ranked]
        scored = await scorer.score(in_order, intent, marked, cache=cache, most=MOST_JUDGED)
        return by_grades(scored, marked)

    async def enrich(self, works: list[RawPaper]) -> EnrichmentReport:
        if self.gap_filler is None:
            return EnrichmentReport(works=works)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        filled = await self.gap_filler.fill(works)
        return filled.model_copy(update={"sources": _with_times(filled.sources, now)})

    async def score(
        self, papers: list[RawPaper], intent: ParsedIntent, marked: Sequence[MarkedPaper]
    ) -> list[ScoredPaper]:
        """Ask a foreign scorer; papers that it leaves out are unjudged, and not lost."""
        score: Any = self.relevance_scorer.score
        owner = _owner(self.relevance_scorer)
        learns = bool(marked) and "marked" in inspect.signature(score).parameters
        options = {"marked": marked} if learns else {}
        scored = require_list(await score([*papers], intent, **options), ScoredPaper, owner)
        for verdict in scored:
            if not 0 <= verdict.relevance_score <= 1:  # an assignment is not validated
                raise ValueError(
                    f"{owner} gave the paper {verdict.paper.id!r} a score of "
                    f"{verdict.relevance_score:g}; scores are from 0 to 1"
                )
        ids = {verdict.paper.id for verdict in scored}
        if left_out := [paper for paper in papers if paper.id not in ids]:
            scored += RelevanceScorer().unjudged(left_out, intent, f"{owner} left it out")
        return scored


def _owner(skill: object) -> str:
    return f"the skill {type(skill).__name__}"


def _rows(papers: Sequence[RawPaper], strategy: SearchStrategy) -> list[SourceReport]:
    """Return rows for a searcher that returns only papers; a round needs at least one row."""
    if not papers:
        names = strategy.sources or ["the searcher"]
        return [SourceReport(source=name, status=SourceStatus.EMPTY) for name in names]
    counts = Counter(paper.source for paper in papers)
    return [
        SourceReport(source=name, status=SourceStatus.OK, kept=count)
        for name, count in counts.items()
    ]


def _with_times(reports: Sequence[SourceReport], now: str) -> list[SourceReport]:
    return [
        report
        if report.asked_at is not None or report.requests
        else report.model_copy(update={"asked_at": now})
        for report in reports
    ]
