"""The skill that searches all sources concurrently and reports on each of them."""

import asyncio
import copy
import inspect
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, InitVar, dataclass
from typing import Any, Self

from paper_search.models import RawPaper, SearchReport, SearchStrategy, SourceReport, SourceStatus
from paper_search.models.scope import Translation
from paper_search.models.source_report import REASONS, unasked
from paper_search.query import And, conditions_in, judge, normalise
from paper_search.skills.failures import describe, require_list, require_type, status_of
from paper_search.skills.known_papers import is_named
from paper_search.skills.watchdog import Race, Watchdog
from paper_search.sources import SearchSource
from paper_search.sources.base import (
    Interruption,
    class_attribute,
    interruptible,
    journal,
    keeps_conditions,
    ranks_text,
    sources_by_name,
    translations,
)
from paper_search.sources.free_text import lenient
from paper_search.sources.query_run import searchable

MAX_QUERIES = 50
"""Further queries of a strategy are not sent; the report says so."""

_NO_QUERY = "not asked: the strategy has no query that it takes"
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Searcher:
    """Searches every source of a strategy; a source that fails does not affect the others.

    Args:
        max_results_ceiling: the most records that a strategy may request from a source.
        deadline_s: seconds for one source to process the whole strategy.
        patience_s: seconds for a cancelled source to finish.
        straggler_s: seconds to wait for all sources even if most of four or more have answered.
        stall_s: seconds for which a source may block the event loop without a warning.
    """

    sources: InitVar[Iterable[SearchSource] | Mapping[str, SearchSource]]
    _: KW_ONLY
    max_results_ceiling: int = 10_000
    deadline_s: float = 60.0
    patience_s: float = 1.0
    straggler_s: float = 10.0
    stall_s: float = 5.0

    def __post_init__(self, sources: Iterable[SearchSource] | Mapping[str, SearchSource]) -> None:
        self._sources = sources_by_name(sources)

    def having(self, sources: Iterable[SearchSource]) -> Self:
        other = copy.copy(self)
        other._sources = self._sources | sources_by_name(sources)  # noqa: SLF001  # of its own class
        return other

    def within_seconds(self, deadline_s: float) -> Self:
        other = copy.copy(self)
        other.deadline_s = deadline_s
        return other

    @property
    def source_names(self) -> list[str]:
        return list(self._sources)

    @property
    def ranking_sources(self) -> list[str]:
        return [name for name, source in self._sources.items() if ranks_text(source)]

    def within_ceiling(self, strategy: SearchStrategy) -> SearchStrategy:
        return strategy.within(self.max_results_ceiling)

    async def search(self, strategy: SearchStrategy) -> list[RawPaper]:
        return (await self.report(strategy)).papers

    async def report(self, strategy: SearchStrategy, *, is_waiting: bool = False) -> SearchReport:
        """Return the records and a report on every source; failures of sources are not raised.

        With `is_waiting`, every source has until its deadline, however early the others are done.
        """
        capped, cuts = _cap_queries(self.within_ceiling(strategy))
        names_in_strategy = dict.fromkeys(strategy.sources)
        known_names = [name for name in names_in_strategy if name in self._sources]
        unknown = [
            self._unknown(name)
            for name in names_in_strategy
            if known_names and name not in self._sources
        ]
        names = known_names or list(self._sources)
        with (
            Watchdog(self.stall_s).watching() as watchdog,
            Race(len(names), self.straggler_s, is_run=not is_waiting) as race,
        ):
            answers = await asyncio.gather(*(self._answer(name, capped, race) for name in names))
        entries = [
            entry
            for name, answer in zip(names, answers, strict=True)
            for entry in answer.sources or [unasked(name, _NO_QUERY)]
        ]
        sources: set[str] = set()
        result = []
        for entry in entries:
            notes = [] if entry.source in sources else list(cuts)
            seconds = watchdog.held_s.get(_task_name(entry.source))
            if seconds is not None and entry.source not in sources:
                notes.append(f"blocked the program for {seconds:.1f} s")
            sources.add(entry.source)
            note = "; ".join([*notes, *([entry.note] if entry.note else [])])
            result.append(entry.model_copy(update={"note": note}) if notes else entry)
        return SearchReport(
            papers=[paper for answer in answers for paper in answer.papers],
            sources=[*result, *unknown],
            arrivals=[row for answer in answers for row in answer.rows()],
        )

    def translations(self, strategy: SearchStrategy) -> list[Translation]:
        """Return what each source would be sent, without sending it.

        Queries that no source is sent, such as those beyond `MAX_QUERIES`, are missing.
        """
        capped, _ = _cap_queries(self.within_ceiling(strategy))
        result: list[Translation] = []
        for name in dict.fromkeys(strategy.sources):
            if name not in self._sources:
                result.append(Translation(source=name, query="", error=self._unknown(name).error))
                continue
            source = self._sources[name]
            share = capped.for_source(ranks_text=ranks_text(source))
            result += translations(source, share)
        return result

    def _unknown(self, name: str) -> SourceReport:
        names = ", ".join(self._sources)
        error = f"unknown source {name!r}; known sources: {names}"
        return SourceReport(source=name, status=SourceStatus.UNREACHABLE, error=error)

    async def _answer(self, name: str, strategy: SearchStrategy, race: Race) -> SearchReport:
        started = time.monotonic()
        source = self._sources[name]
        share = strategy.for_source(ranks_text=ranks_text(source))
        if not share.asks(name):
            race.finish()
            return SearchReport()
        interruption = interruptible()
        with journal() as rows:  # inherited by the task
            asking = asyncio.create_task(_ask(name, source, share), name=_task_name(name))
        try:
            failure = await self._finish(asking, interruption, race)
        except asyncio.CancelledError:
            asking.cancel()
            raise
        finally:
            race.finish()
        if failure is None:
            answer = asking.result()
            if interruption.reason:
                update = {"is_unfinished": True}
                answer.sources = [row.model_copy(update=update) for row in answer.sources]
            return answer
        is_cancelled = isinstance(failure, asyncio.CancelledError)
        status = SourceStatus.BUG if is_cancelled else status_of(failure)
        _log.warning("source %s failed (%s): %s", name, status.value, describe(failure))
        sent_rows = [row() for row in rows] or [SourceReport(source=name, status=status)]
        return SearchReport(
            sources=[_with_failure(row, status, failure, started) for row in sent_rows]
        )

    async def _finish(
        self, asking: asyncio.Future[SearchReport], interruption: Interruption, race: Race
    ) -> BaseException | None:
        """Wait for an answer until the deadline, or until the race is over.

        Return the error, or None if there is an answer, which may be partial. A source that
        ignores its cancellation is abandoned.
        """
        ends: set[asyncio.Future[Any]] = {asking, race.is_over}
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait(ends, timeout=self.deadline_s, return_when=first)
        if not asking.done():
            reason = f"no answer within {self.deadline_s:g} s"
            if race.is_over.done():
                reason = (
                    f"not waited for beyond {race.seconds:.0f} s, when the others were done: "
                    "it may have more"
                )
            interruption.end(asking, reason)
            await asyncio.wait({asking}, timeout=self.patience_s)
            if not asking.done() or asking.cancelled():
                # Retrieve the exception, which asyncio would otherwise log.
                asking.add_done_callback(lambda late: late.cancelled() or late.exception())
                return TimeoutError(reason)
        return asyncio.CancelledError() if asking.cancelled() else asking.exception()


def _task_name(source: str) -> str:
    return f"source {source}"


def _cap_queries(strategy: SearchStrategy) -> tuple[SearchStrategy, list[str]]:
    count = len(strategy.queries)
    if count <= MAX_QUERIES:
        return strategy, []
    capped = strategy.model_copy(update={"queries": strategy.queries[:MAX_QUERIES]})
    return capped, [f"only the first {MAX_QUERIES} of {count} queries were sent"]


async def _ask(name: str, source: SearchSource, strategy: SearchStrategy) -> SearchReport:
    report = class_attribute(source, "report")
    if callable(report):
        answer = require_type(await _call(report, source, strategy), SearchReport, "the source")
        return _drop_unusable(answer, source, strategy)
    started = time.monotonic()
    papers = await _call(source.search_advanced, strategy)
    require_list(papers, RawPaper, "the source")
    entry = SourceReport(
        source=name,
        status=SourceStatus.OK if papers else SourceStatus.EMPTY,
        kept=len(papers),
        milliseconds=int((time.monotonic() - started) * 1000),
    )
    return _drop_unusable(SearchReport(papers=papers, sources=[entry]), source, strategy)


async def _call(method: Callable[..., Any], *arguments: Any) -> Any:
    """Call a method, in a thread of its own if it is not a coroutine function."""
    is_plain = inspect.isfunction(method) or inspect.ismethod(method)
    if is_plain and not inspect.iscoroutinefunction(method):
        answer = await asyncio.to_thread(method, *arguments)
    else:
        answer = method(*arguments)
    return await answer if inspect.isawaitable(answer) else answer


def _drop_unusable(
    answer: SearchReport, source: SearchSource, strategy: SearchStrategy
) -> SearchReport:
    """Remove records that lack a title or do not meet the limits, and count them in their rows.

    Conditions are checked unless the source is known to apply them. Works that the question names
    are exempt from limits.
    """
    filters = strategy.filters
    trees = [] if keeps_conditions(source) else conditions_in(filters.every_condition)
    condition = normalise(lenient(And(tuple(trees)))) if trees else None
    rows = [row.model_copy() for row in answer.sources]
    by_query = {row.query: row for row in reversed(rows)}
    papers, removed = [], dict[str, dict[str, str | None]]()
    for paper in answer.papers:
        is_titled = bool(paper.title.strip())
        is_within = filters.allows_type(paper.publication_type) and (
            condition is None or judge(condition, searchable(paper)) is not False
        )
        if is_titled and (is_within or is_named(paper, strategy.works)):
            papers.append(paper)
            continue
        reason = REASONS["excluded" if is_titled else "dropped"]
        title = paper.title.strip() or None
        removed[paper.id] = {"record": None, "removed": reason, "title": title}
        query = paper.sightings[0].query if paper.sightings else None
        if (row := by_query.get(query, rows[-1] if rows else None)) is None:
            continue
        row.kept = max(0, row.kept - 1)
        row.dropped += not is_titled
        row.excluded += is_titled
    arrivals = [row.model_copy(update=removed.get(row.record or "", {})) for row in answer.rows()]
    return SearchReport(papers=papers, sources=rows, arrivals=arrivals)


def _with_failure(
    row: SourceReport, status: SourceStatus, failure: BaseException, started: float
) -> SourceReport:
    """Add the failure of a source, whose records are lost, to one of its rows."""
    update = {
        "status": status,
        "error": describe(failure),
        "milliseconds": int((time.monotonic() - started) * 1000),
        "is_unfinished": status is SourceStatus.TIMEOUT,
        "kept": 0,
        "unused": row.unused + row.kept,
    }
    return row.model_copy(update=update)
