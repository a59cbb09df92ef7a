"""The skill that asks all sources at once and loses none of their answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from typing import Any

from paper_search.models import RawPaper, SearchReport, SearchStrategy, SourceReport, SourceStatus
from paper_search.skills.failures import described, status_of
from paper_search.sources import SearchSource

_log = logging.getLogger(__name__)


class Searcher:
    """Asks every source of a strategy; a source that fails is reported, the others are kept.

    Args:
        sources: in the order in which results are given; or a mapping by name.
        deadline_s: seconds that one source may take for the whole strategy.
    """

    def __init__(
        self,
        sources: Iterable[SearchSource] | Mapping[str, SearchSource],
        *,
        deadline_s: float = 60.0,
    ) -> None:
        self._sources: dict[str, SearchSource] = (
            dict(sources)
            if isinstance(sources, Mapping)
            else {source.source_name: source for source in sources}
        )
        self._deadline_s = deadline_s

    @property
    def source_names(self) -> list[str]:
        """Return the sources that a strategy may name."""
        return list(self._sources)

    async def search(self, strategy: SearchStrategy) -> list[RawPaper]:
        """Return the records of all sources, in the strategy's order of sources."""
        return (await self.report(strategy)).papers

    async def report(self, strategy: SearchStrategy) -> SearchReport:
        """Return the records and what every source did; no source's failure is an exception."""
        if not strategy.queries:
            return SearchReport()
        named = [name for name in dict.fromkeys(strategy.sources) if name in self._sources]
        answers = await asyncio.gather(
            *(self._answer(name, strategy) for name in named or self._sources)
        )
        return SearchReport(
            papers=[paper for answer in answers for paper in answer.papers],
            sources=[report for answer in answers for report in answer.sources],
        )

    async def _answer(self, name: str, strategy: SearchStrategy) -> SearchReport:
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._deadline_s) as deadline:
                answer = await _asked(name, self._sources[name], strategy)
            return _without_untitled(answer)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            failure: BaseException = error
            status = SourceStatus.BUG
        except TimeoutError as error:
            failure = error
            status = SourceStatus.TIMEOUT
            if deadline.expired():
                failure = TimeoutError(f"no answer within {self._deadline_s:g} s")
        except Exception as error:  # noqa: BLE001  # a source is foreign code; its failure becomes data
            failure = error
            status = status_of(error)
        _log.warning("source %s failed (%s): %s", name, status.value, described(failure))
        entry = SourceReport(
            source=name,
            status=status,
            milliseconds=int((time.monotonic() - started) * 1000),
            error=described(failure),
        )
        return SearchReport(sources=[entry])


async def _asked(name: str, source: SearchSource, strategy: SearchStrategy) -> SearchReport:
    """Return the source's own report, or one made from its list of records."""
    # Asked of the class: a test double may answer to any attribute of the instance.
    report = getattr(type(source), "report", None)
    if callable(report):
        return _checked_report(await report(source, strategy))
    started = time.monotonic()
    papers = _checked_papers(await source.search_advanced(strategy))
    entry = SourceReport(
        source=name,
        status=SourceStatus.OK if papers else SourceStatus.EMPTY,
        kept=len(papers),
        milliseconds=int((time.monotonic() - started) * 1000),
    )
    return SearchReport(papers=papers, sources=[entry])


def _checked_report(answer: Any) -> SearchReport:
    if not isinstance(answer, SearchReport):
        raise TypeError(f"the source answered {type(answer).__name__}, not a SearchReport")
    return answer


def _checked_papers(answer: Any) -> list[RawPaper]:
    if not isinstance(answer, list) or not all(isinstance(each, RawPaper) for each in answer):
        raise TypeError(f"the source answered {type(answer).__name__}, not a list of RawPaper")
    return answer


def _without_untitled(answer: SearchReport) -> SearchReport:
    """Return the answer without records that have no title; each is counted as dropped."""
    titled = [paper for paper in answer.papers if paper.title.strip()]
    dropped = len(answer.papers) - len(titled)
    if not dropped or not answer.sources:
        return answer.model_copy(update={"papers": titled})
    last = answer.sources[-1]
    counted = last.model_copy(
        update={"dropped": last.dropped + dropped, "kept": max(0, last.kept - dropped)}
    )
    return SearchReport(papers=titled, sources=[*answer.sources[:-1], counted])
