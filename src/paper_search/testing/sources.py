"""Fake sources, and the contract test of sources."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from paper_search.errors import SearchSourceError
from paper_search.models import (
    RawPaper,
    SearchConstraints,
    SearchQuery,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.sources.base import ReportingSource, SearchSource

Papers: TypeAlias = Iterable[RawPaper] | Callable[[SearchStrategy], Iterable[RawPaper]]


class FakeSource:
    """A source that returns given papers, or raises an error after `delay_s`.

    It applies years, language and `max_results`, but ignores the queries. `papers`: its papers, or
    a function of the strategy. `strategies` records the calls.
    """

    def __init__(
        self,
        name: str = "fake",
        papers: Papers = (),
        *,
        delay_s: float = 0.0,
        error: BaseException | None = None,
    ) -> None:
        self._name = name
        self._papers = papers if callable(papers) else list(papers)
        self._delay_s = delay_s
        self._error = error
        self.strategies: list[SearchStrategy] = []

    @property
    def source_name(self) -> str:
        return self._name

    async def search(self, query: str, **options: Any) -> list[RawPaper]:
        return await self.search_advanced(_strategy(self._name, query, **options))

    async def search_advanced(self, strategy: SearchStrategy) -> list[RawPaper]:
        """Record the strategy and return the papers that pass its filters."""
        self.strategies.append(strategy)
        await asyncio.sleep(self._delay_s)
        if self._error is not None:
            raise self._error
        papers = self._papers(strategy) if callable(self._papers) else self._papers
        passing = [paper for paper in papers if _passes(paper, strategy.filters)]
        return [paper.model_copy(deep=True) for paper in passing[: strategy.filters.max_results]]

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Answer as `search_advanced` does, with an entry for the first query; it raises, too."""
        papers = await self.search_advanced(strategy)
        entry = SourceReport(
            source=self._name,
            query=next((query.boolean_query for query in strategy.queries), None),
            status=SourceStatus.OK if papers else SourceStatus.EMPTY,
            hits=len(papers),
            kept=len(papers),
        )
        return SearchReport(papers=papers, sources=[entry])


@dataclass(frozen=True, slots=True)
class SourceContract:
    """Parameters of the contract test; parts whose parameter is None are skipped.

    Attributes:
        query: finds at least one record.
        nothing: a query without results.
        max_results: fewer than `query` finds, if possible.
        year: the year of some, but not all, results of `query`.
        secrets: must not occur in any output of the source.
        many: a number of results of `query` that needs more than one page.
        failing: sources with a failing service, by the kind of failure (an error body, a rate
            limit, a refused key).
        patience_s: how long a cancelled search may take to end.
    """

    query: str = "learning"
    nothing: str | None = None
    max_results: int = 2
    year: int | None = None
    secrets: Sequence[str] = field(default=(), repr=False)
    many: int | None = None
    failing: Mapping[str, SearchSource] = field(default_factory=dict)
    patience_s: float = 2.0


async def check_source(source: SearchSource, contract: SourceContract | None = None) -> None:
    """Test a source.

    Raises:
        AssertionError: lists all violations of the contract.
    """
    problems = await find_problems(source, contract or SourceContract())
    if problems:
        name = type(source).__name__
        raise AssertionError(f"{name} breaks the contract of sources: " + "; ".join(problems))


async def find_problems(source: SearchSource, contract: SourceContract) -> list[str]:
    """Return a sentence for every violation of the contract."""
    heard = _Listener()
    logging.getLogger().addHandler(heard)
    try:
        problems = [
            *_name_problems(source),
            *await _answer_problems(source, contract, heard),
            *await _report_problems(source, contract, heard),
            *await _paging_problems(source, contract),
            *await _failure_problems(contract, heard),
            *await _cancellation_problems(source, contract),
        ]
    finally:
        logging.getLogger().removeHandler(heard)
    heard.texts.append(repr(source))
    leaks = {secret for secret in contract.secrets if any(secret in text for text in heard.texts)}
    return [*problems, *("a secret is in what the source says" for _ in leaks)]


class _Listener(logging.Handler):
    """Records all output of the source."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())

    def hear(self, papers: list[RawPaper]) -> list[RawPaper]:
        self.texts += [paper.model_dump_json() for paper in papers]
        return papers


def _name_problems(source: SearchSource) -> list[str]:
    name: Any = source.source_name  # a foreign source may return anything
    if isinstance(name, str) and name.strip():
        return []
    return [f"source_name is {name!r}: expected a non-empty string"]


async def _answer_problems(
    source: SearchSource, contract: SourceContract, heard: _Listener
) -> list[str]:
    query = contract.query
    first = heard.hear(await source.search(query, max_results=20))
    again = heard.hear(await source.search(query, max_results=20))
    problems = [] if first else [f"nothing is found for {query!r}: give a query that finds some"]
    if any(not paper.title.strip() for paper in first):
        problems.append("a record has no title")
    if any(paper.source != source.source_name for paper in first):
        problems.append("a record names another source than source_name")
    if len({paper.id for paper in first}) < len(first):
        problems.append("two records of one answer have the same id")
    if [paper.id for paper in first] != [paper.id for paper in again]:
        problems.append("asking twice gives other ids: they must be stable")
    papers = heard.hear(await source.search(query, max_results=contract.max_results))
    if len(papers) > contract.max_results:
        problems.append(f"max_results={contract.max_results} gave {len(papers)} records")
    problems += await _year_problems(source, contract)
    if contract.nothing is not None:
        empty = await source.search(contract.nothing, max_results=5)
        if empty != []:
            problems.append(f"a query that finds nothing gave {empty!r:.80}: expected []")
    return problems


async def _paging_problems(source: SearchSource, contract: SourceContract) -> list[str]:
    if contract.many is None:
        return []
    papers = await source.search(contract.query, max_results=contract.many)
    distinct = len({paper.id for paper in papers})
    problems = ["turning the pages repeats a record"] if distinct < len(papers) else []
    if distinct != contract.many:
        problems.append(f"max_results={contract.many} gave {distinct} records over all pages")
    return problems


async def _failure_problems(contract: SourceContract, heard: _Listener) -> list[str]:
    problems = []
    for fault, source in contract.failing.items():
        try:
            await source.search(contract.query, max_results=20)
        except SearchSourceError as error:
            heard.texts += [str(error), repr(error)]
        except Exception as error:  # noqa: BLE001  # any other exception is a violation
            name = type(error).__name__
            problems.append(f"{fault} raises {name} instead of a SearchSourceError")
            continue
        else:
            problems.append(f"{fault} is no error: nobody would know that papers are missing")
        if isinstance(source, ReportingSource):
            strategy = _strategy(source.source_name, contract.query, max_results=20)
            report = await source.report(strategy)
            heard.texts.append(report.model_dump_json())
            if not any(entry.status.is_failure and entry.error for entry in report.sources):
                problems.append(f"{fault} is no failure in the report")
    return problems


async def _year_problems(source: SearchSource, contract: SourceContract) -> list[str]:
    year = contract.year
    if year is None:
        return []
    papers = await source.search(contract.query, max_results=20, year_from=year, year_to=year)
    problems = [] if papers else [f"year_from=year_to={year} gave nothing"]
    if any(paper.year is not None and paper.year != year for paper in papers):
        problems.append(f"year_from=year_to={year} gave records of other years")
    return problems


async def _report_problems(
    source: SearchSource, contract: SourceContract, heard: _Listener
) -> list[str]:
    strategy = _strategy(source.source_name, contract.query, max_results=20)
    papers = heard.hear(await source.search_advanced(strategy))
    ids = [paper.id for paper in papers]
    problems = [] if len(set(ids)) == len(ids) else ["search_advanced repeats a record"]
    if isinstance(source, ReportingSource):
        report = await source.report(strategy)
        heard.texts.append(report.model_dump_json())
        if [paper.id for paper in report.papers] != ids:
            problems.append("report gives other records than search_advanced")
        if any(entry.source != source.source_name for entry in report.sources):
            problems.append("a report's entry names another source than source_name")
        if not report.sources:
            problems.append("report has no entry for the query")
    return problems


async def _cancellation_problems(source: SearchSource, contract: SourceContract) -> list[str]:
    task = asyncio.ensure_future(source.search(contract.query, max_results=20))
    await asyncio.sleep(0)
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=contract.patience_s)
    if not done:
        return [f"a cancelled search goes on for more than {contract.patience_s:g} s"]
    if not task.cancelled() and (error := task.exception()) is not None:
        return [f"a cancelled search raises {type(error).__name__} instead of CancelledError"]
    return []


def _strategy(source: str, query: str, **options: Any) -> SearchStrategy:
    return SearchStrategy(
        queries=[SearchQuery(keywords=[], boolean_query=query)],
        sources=[source],
        filters=SearchConstraints.model_validate(options),
    )


def _passes(paper: RawPaper, filters: SearchConstraints) -> bool:
    first, last = filters.year_from, filters.year_to
    if not filters.allows_type(paper.publication_type):
        return False
    if filters.language and paper.language and paper.language != filters.language:
        return False
    if paper.year is None:
        return first is None and last is None
    return (first or paper.year) <= paper.year <= (last or paper.year)
