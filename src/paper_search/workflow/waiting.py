"""The rest of slow sources, taken into the result of a round that was shown without it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from paper_search.models import (
    Arrival,
    SearchReport,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.skills import Skills


async def ask_again(
    services: Skills, strategy: SearchStrategy, awaited: Sequence[str]
) -> SearchReport:
    """Return what the awaited sources of a strategy have, each up to its deadline.

    Args:
        services: what searches.
        strategy: as it was approved; what it does not name is not asked, as in any search.
        awaited: the sources that ran out of time.
    """
    is_limited = bool(strategy.sources) and services.has_any_of(strategy.sources)
    named = [name for name in awaited if not is_limited or name in strategy.sources]
    # Another process may have fewer sources; a strategy without any that is known asks all.
    asked = [name for name in named if services.has_any_of([name])]
    gone = [_gone(name) for name in named if name not in asked]
    if not asked:
        return SearchReport(sources=gone)
    answer = await services.search(strategy.model_copy(update={"sources": asked}), is_waiting=True)
    return answer.model_copy(update={"sources": [*answer.sources, *gone]})


async def arrivals_before(records: SearchRecords, iteration: int) -> list[Arrival]:
    """Return what the sources of a round gave before some of them were asked again."""
    rounds = await records.rounds()
    return [
        row for searched in rounds if searched.iteration == iteration for row in searched.arrivals
    ]


def join_reports(
    before: Sequence[SourceReport], again: Sequence[SourceReport]
) -> list[SourceReport]:
    """Return the reports of a round, those of sources that were asked again in their place.

    What a source gave the first time stays in the result, so it stays counted.
    """
    names = dict.fromkeys(report.source for report in again)
    joined: list[SourceReport] = []
    for source in dict.fromkeys([*(report.source for report in before), *names]):
        earlier = [report for report in before if report.source == source]
        if source in names:
            later = [report for report in again if report.source == source]
            earlier = _joined(earlier, later)
        joined += earlier
    return joined


def count_kept(
    counted: Mapping[str, int],
    names: Iterable[str],
    before: Sequence[SourceReport],
    after: Sequence[SourceReport],
) -> dict[str, int]:
    """Return how many records each source gave, in all rounds.

    Args:
        counted: so far.
        names: of the sources that were asked just now.
        before: the reports of this round that are counted already.
        after: those that stand now.
    """
    kept = dict(counted)
    for name in dict.fromkeys(names):
        then, now = (sum(r.kept for r in part if r.source == name) for part in (before, after))
        kept[name] = kept.get(name, 0) + now - then
    return kept


def _joined(before: list[SourceReport], again: list[SourceReport]) -> list[SourceReport]:
    """Return the reports of one source on both askings."""
    first = {report.query: report for report in before}
    joined = [_counting(report, first.pop(report.query, None)) for report in again]
    left = [report for report in first.values() if report.kept or report.requests]
    return [*(report.model_copy(update={"is_unfinished": False}) for report in left), *joined]


def _counting(report: SourceReport, before: SourceReport | None) -> SourceReport:
    """Return the row of both askings: all requests, and the counts of the one that gave more."""
    if before is None:
        return report
    both: dict[str, object] = {
        "requests": [*before.requests, *report.requests],
        "asked_at": before.asked_at,
        "milliseconds": before.milliseconds + report.milliseconds,
    }
    if before.kept <= report.kept:
        return report.model_copy(update=both)
    note = f"{before.kept} records that it gave before are kept"
    both |= {
        "status": SourceStatus.PARTIAL if report.status.is_failure else SourceStatus.OK,
        "hits": before.hits if report.hits is None else report.hits,
        "note": f"{report.note}; {note}" if report.note else note,
        "error": report.error,
        "is_unfinished": report.is_unfinished,
    }
    return before.model_copy(update=both)


def _gone(name: str) -> SourceReport:
    error = f"{name!r} cannot be asked here: it is not among the sources that are set up"
    return SourceReport(source=name, status=SourceStatus.UNREACHABLE, error=error)
