"""The skill that fills missing fields of merged works from enrichers."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Sequence

from paper_search.bibliography.identifiers import family_name, names_of
from paper_search.bibliography.text import normalised_title
from paper_search.models import RawPaper, SourceReport, SourceStatus
from paper_search.models.report import EnrichmentReport
from paper_search.skills.failures import described, status_of
from paper_search.sources.enrichment import GAPS, Enricher, LookUp

_log = logging.getLogger(__name__)

_SAME_TITLE = 95.0
"""Per cent of letters in order that two titles share of which nothing else says they are one."""
_SIMILAR_TITLE = 50.0
"""The same of works with a common identifier: below it, one of the identifiers is wrong."""
_SHORTEST_TITLE = 20
"""Letters of a title that can be told from others by itself."""
_NUMERAL = re.compile(r"\b(?:\d+|[ivx]+)\b")


class GapFiller:
    """Looks up missing abstracts, DOIs and open-access texts; existing values are never changed.

    The enrichers are asked one after the other, each only for works that still lack something.

    Args:
        enrichers: in the order in which they are asked.
        deadline_s: seconds that one of them may take.
    """

    def __init__(self, enrichers: Iterable[Enricher], *, deadline_s: float = 30.0) -> None:
        self._enrichers = list(enrichers)
        self._deadline_s = deadline_s

    @property
    def enricher_names(self) -> list[str]:
        """Return the names of the enrichers, in order."""
        return [enricher.enricher_name for enricher in self._enrichers]

    async def fill(self, works: Sequence[RawPaper]) -> EnrichmentReport:
        """Return the works in order, and a report per enricher; never raises.

        `field_sources` of a work names the record that a filled field comes from.
        """
        filled = list(works)
        reports = []
        for enricher in self._enrichers:
            lacking = [work for work in filled if _gaps(work)]
            if not lacking:
                break
            known = await self._looked_up(enricher, lacking)
            counts = dict.fromkeys(GAPS, 0)
            rejected = 0
            for place, work in enumerate(filled):
                given = known.records.get(work.id, [])
                fitting = [record for record in given if _is_same_work(work, record)]
                rejected += len(given) > 0 and not fitting
                filled[place] = _completed(work, fitting, counts)
            reports.append(_told(known.report, counts, rejected))
        return EnrichmentReport(works=filled, sources=reports)

    async def _looked_up(self, enricher: Enricher, works: list[RawPaper]) -> LookUp:
        name = f"{enricher.enricher_name} (enrichment)"
        try:
            async with asyncio.timeout(self._deadline_s):
                return await enricher.look_up(works)
        except TimeoutError:
            status, said = SourceStatus.TIMEOUT, f"no answer within {self._deadline_s:g} s"
        except Exception as error:  # noqa: BLE001  # an enricher is foreign code; its failure becomes data
            status, said = status_of(error), described(error)
        _log.warning("enricher %s failed (%s): %s", name, status.value, said)
        return LookUp(SourceReport(source=name, status=status, error=said))


def _gaps(work: RawPaper) -> list[str]:
    return [gap for gap in GAPS if not getattr(work, gap)]


def _completed(work: RawPaper, known: Sequence[RawPaper], counts: dict[str, int]) -> RawPaper:
    """Return the work with its gaps filled from the first record that can."""
    found: dict[str, str] = {}
    origins = dict(work.field_sources)
    for gap in _gaps(work):
        giver = next((record for record in known if getattr(record, gap)), None)
        if giver is not None:
            found[gap] = getattr(giver, gap)
            origins[gap] = giver.id
            counts[gap] += 1
    return work.model_copy(update={**found, "field_sources": origins}) if found else work


def _is_same_work(work: RawPaper, known: RawPaper) -> bool:
    """Whether a record is of the work: by identifier and a similar title, or by title and more."""
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415  # only where works are enriched

    one, other = normalised_title(work.title), normalised_title(known.title)
    if names_of(work) & names_of(known):
        is_part = bool(other) and (one in other or other in one)
        return not other or is_part or ratio(one, other) >= _SIMILAR_TITLE
    return (
        min(len(one), len(other)) >= _SHORTEST_TITLE
        and ratio(one, other) >= _SAME_TITLE
        and _numerals(work.title) == _numerals(known.title)
        and not _contradict(work.doi, known.doi)
        and not _contradict(work.pmid, known.pmid)
        and _is_confirmed(work, known)
    )


def _numerals(title: str) -> list[str]:
    """Return the numbers in a title: the second part of a work is not the first one."""
    return _NUMERAL.findall(title.lower())


def _is_confirmed(work: RawPaper, known: RawPaper) -> bool:
    """Whether year (next to each other) or first author agree, and neither speaks against it."""
    evidence = []
    if work.year and known.year:
        evidence.append(abs(work.year - known.year) <= 1)
    if work.authors and known.authors:
        names = {normalised_title(family_name(record.authors[0].name)) for record in (work, known)}
        evidence.append(len(names) == 1)
    return bool(evidence) and all(evidence)


def _contradict(one: str | None, other: str | None) -> bool:
    return bool(one and other) and (one or "").lower() != (other or "").lower()


def _told(report: SourceReport, counts: dict[str, int], rejected: int) -> SourceReport:
    """Return the report with the filled fields and the rejected records."""
    names = {"abstract": "abstracts", "doi": "DOIs", "full_text_url": "open texts"}
    said = [f"{counts[gap]} {names[gap]}" for gap in GAPS if counts[gap]]
    notes = [f"filled {', '.join(said)}"] if said else []
    if rejected:
        notes.append(f"works without a matching record: {rejected}")
    note = "; ".join(filter(None, [report.note, *notes])) or None
    return report.model_copy(update={"note": note, "kept": sum(counts.values())})
