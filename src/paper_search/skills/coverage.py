"""Estimates how many works a search missed, by capture-recapture over independent sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from paper_search.models import SNOWBALL, ScoredPaper, Sighting, SourceReport
from paper_search.models.coverage import Coverage

MIN_PAPERS = 5
"""Relevant papers below which nothing is estimated."""
MIN_SHARED = 3
"""Papers of more than one source below which the overlap is too small to go by."""

_DEPENDENT = frozenset({"library", "sample", SNOWBALL})
"""Sources that hold what others found, or follow it: no capture of their own."""
_Answer = tuple[str, str | None]
"""A source and the query that it was sent."""


def coverage_of(
    papers: Sequence[ScoredPaper], reports: Iterable[SourceReport], *, line: float = 0.3
) -> Coverage | None:
    """Return the estimate from the overlap of sources; None: too little data.

    The estimate is the bias-corrected Chao2: with f1 papers that one of t sources gave and f2 that
    two gave, at least (t - 1) / t * f1 * (f1 - 1) / (2 * (f2 + 1)) are missing. It needs no equal
    chances, but sources that rank by the same words miss the same papers: it is a lower bound.

    Args:
        papers: merged works with all their sightings, relevant or not.
        reports: what each source did, for its number of hits.
        line: the lowest score of a relevant paper; what was not judged is left out.
    """
    seen = [_by_source(scored.paper.sightings) for scored in papers if _is_above(scored, line)]
    seen = [sources for sources in seen if sources]
    number = len({source for sources in seen for source in sources})
    times = Counter(len(sources) for sources in seen)
    if number < 2 or len(seen) < MIN_PAPERS or len(seen) - times[1] < MIN_SHARED:  # noqa: PLR2004  # an overlap is of two
        return None
    halves = _halves(papers, reports)
    return Coverage(
        sources=number,
        papers=len(seen),
        missing_at_least=round(chao2(times, number)),
        found_late=sum(_is_late(sources, halves) for sources in seen),
    )


def chao2(times: Mapping[int, int], sources: int) -> float:
    """Return the bias-corrected lower bound on what no source has (Chao 1987, 2005).

    Args:
        times: how many papers were found by one source, by two, and so on.
        sources: how many there are.
    """
    once, twice = times.get(1, 0), times.get(2, 0)
    return (sources - 1) / sources * once * (once - 1) / (2 * (twice + 1))


def _is_above(scored: ScoredPaper, line: float) -> bool:
    return scored.is_judged and scored.relevance_score >= line


def _by_source(sightings: Iterable[Sighting]) -> dict[str, list[Sighting]]:
    found: dict[str, list[Sighting]] = defaultdict(list)
    for sighting in sightings:
        if sighting.source not in _DEPENDENT:
            found[sighting.source].append(sighting)
    return found


def _halves(papers: Iterable[ScoredPaper], reports: Iterable[SourceReport]) -> dict[_Answer, float]:
    """Return the rank in the middle of every answer that was cut off."""
    deepest: dict[_Answer, int] = {}
    for scored in papers:
        for sighting in scored.paper.sightings:
            answer = sighting.source, sighting.query
            deepest[answer] = max(deepest.get(answer, 0), sighting.rank or 0)
    hits = {(report.source, report.query): report.hits or 0 for report in reports}
    return {a: depth / 2 for a, depth in deepest.items() if hits.get(a, 0) > depth}


def _is_late(sources: Mapping[str, list[Sighting]], halves: Mapping[_Answer, float]) -> bool:
    """Whether answers of half the length would not have had the paper."""
    return all(
        (sighting.rank or 0) > halves.get((sighting.source, sighting.query), float("inf"))
        for sightings in sources.values()
        for sighting in sightings
    )
