"""The skill that fills missing fields of merged works from enrichers."""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from paper_search.bibliography.identifiers import family_name, names_of
from paper_search.bibliography.text import normalised_title
from paper_search.models import Purpose, RawPaper, SourceReport, SourceStatus
from paper_search.models.report import EnrichmentReport
from paper_search.models.source_report import OF_ENRICHER
from paper_search.skills.failures import describe, status_of
from paper_search.sources.base import journal
from paper_search.sources.enrichment import GAPS, Enricher, LookUp

_log = logging.getLogger(__name__)

_SAME_TITLE = 95.0
"""Least similarity, in per cent, of titles without a common identifier."""
_SIMILAR_TITLE = 50.0
"""The same with a common identifier; below it, one of the identifiers is wrong."""
_SHORTEST_TITLE = 20
"""Letters from which a title identifies a work."""
_NUMERAL = re.compile(r"\b(?:\d+|[ivx]+)\b")
"""Distinguishes the parts of a work."""


class GapFiller:
    """Fills missing abstracts, DOIs and URLs from enrichers in turn, `deadline_s` seconds each."""

    def __init__(self, enrichers: Iterable[Enricher], *, deadline_s: float = 30.0) -> None:
        self._enrichers = list(enrichers)
        self._deadline_s = deadline_s

    @property
    def enricher_names(self) -> list[str]:
        return [enricher.enricher_name for enricher in self._enrichers]

    async def fill(self, works: Sequence[RawPaper]) -> EnrichmentReport:
        """Return the works, with `field_sources` of filled fields, and reports; never raises."""
        filled = list(works)
        reports = []
        for enricher in self._enrichers:
            lacking = [work for work in filled if _gaps(work)]
            if not lacking:
                break
            answer = await look_up(enricher, lacking, self._deadline_s)
            filling = _Filling()
            for place, work in enumerate(filled):
                filled[place] = filling.complete(work, answer.records.get(work.id, []))
            reports.append(filling.report(answer.report))
        return EnrichmentReport(works=filled, sources=reports)


async def look_up(enricher: Enricher, works: Sequence[RawPaper], deadline_s: float) -> LookUp:
    """Look up works with an enricher; its failure becomes a report, whatever it raises."""
    name = f"{enricher.enricher_name}{OF_ENRICHER}"
    with journal() as rows:
        try:
            async with asyncio.timeout(deadline_s):
                return await enricher.look_up(works)
        except TimeoutError:
            status, reason = SourceStatus.TIMEOUT, f"no answer within {deadline_s:g} s"
        except Exception as error:  # noqa: BLE001  # an enricher may raise anything
            status, reason = status_of(error), describe(error)
    _log.warning("enricher %s failed (%s): %s", name, status.value, reason)
    row = rows[-1]() if rows else SourceReport(source=name, status=status)
    return LookUp(row.model_copy(update={"source": name, "status": status, "error": reason}))


@dataclass
class _Filling:
    fields: Counter[str] = field(default_factory=Counter)
    used: int = 0
    unused: int = 0
    of_other_works: int = 0
    unmatched_works: int = 0

    def complete(self, work: RawPaper, records: Sequence[RawPaper]) -> RawPaper:
        matching = [record for record in records if is_same_work(work, record)]
        self.of_other_works += len(records) - len(matching)
        self.unmatched_works += len(records) > 0 and not matching
        values: dict[str, str] = {}
        origins = dict(work.field_sources)
        givers: set[int] = set()
        for gap in _gaps(work):
            place = next((n for n, record in enumerate(matching) if getattr(record, gap)), None)
            if place is not None:
                values[gap] = getattr(matching[place], gap)
                origins[gap] = matching[place].id
                givers.add(place)
        self.fields.update(values.keys())
        self.used += len(givers)
        self.unused += len(matching) - len(givers)
        return work.model_copy(update={**values, "field_sources": origins}) if values else work

    def report(self, row: SourceReport) -> SourceReport:
        names = {"abstract": "abstracts", "doi": "DOIs", "full_text_url": "open texts"}
        filled = [f"{self.fields[gap]} {names[gap]}" for gap in GAPS if self.fields[gap]]
        notes = [f"filled {', '.join(filled)}"] if filled else []
        if self.unmatched_works:
            notes.append(f"works without a matching record: {self.unmatched_works}")
        update = {
            "purpose": Purpose.FILL,
            "note": "; ".join(filter(None, [row.note, *notes])) or None,
            "kept": self.used,
            "excluded": row.excluded + self.of_other_works,
            # The records of a look-up that timed out are lost, but it has a row.
            "unused": max(self.unused, row.unused - self.used - self.of_other_works),
        }
        return row.model_copy(update=update)


def _gaps(work: RawPaper) -> list[str]:
    return [gap for gap in GAPS if not getattr(work, gap)]


def is_same_work(work: RawPaper, record: RawPaper) -> bool:
    """Whether a record describes the work, by identifier and title, or by title and more."""
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415  # only where works are enriched

    one, other = normalised_title(work.title), normalised_title(record.title)
    if names_of(work) & names_of(record):
        is_part = bool(other) and (one in other or other in one)
        return not other or is_part or ratio(one, other) >= _SIMILAR_TITLE
    return (
        min(len(one), len(other)) >= _SHORTEST_TITLE
        and ratio(one, other) >= _SAME_TITLE
        and _NUMERAL.findall(work.title.lower()) == _NUMERAL.findall(record.title.lower())
        and not _contradict(work.doi, record.doi)
        and not _contradict(work.pmid, record.pmid)
        and _is_confirmed(work, record)
    )


def _is_confirmed(work: RawPaper, other: RawPaper) -> bool:
    """Whether years (at most one apart) or first authors agree, and neither differs."""
    evidence = []
    if work.year and other.year:
        evidence.append(abs(work.year - other.year) <= 1)
    if work.authors and other.authors:
        names = {normalised_title(family_name(record.authors[0].name)) for record in (work, other)}
        evidence.append(len(names) == 1)
    return bool(evidence) and all(evidence)


def _contradict(one: str | None, other: str | None) -> bool:
    return bool(one and other) and (one or "").lower() != (other or "").lower()
