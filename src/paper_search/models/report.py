"""The reports of a search, of merging records, and of looking up missing fields."""

from collections import Counter

from pydantic import BaseModel, Field

from paper_search.models.feedback import PairEvidence
from paper_search.models.paper import RawPaper
from paper_search.models.source_report import REASONS, Arrival, SourceReport


class SearchReport(BaseModel):
    """The answer of all sources: the records in source order, and what each source did."""

    papers: list[RawPaper] = Field(default_factory=list)
    sources: list[SourceReport] = Field(default_factory=list)
    arrivals: list[Arrival] = Field(default_factory=list)
    """A row for each record that arrived; empty if `rows` derives them."""

    def rows(self) -> list[Arrival]:
        """Return the arrivals, or else rows derived from sightings and counts."""
        if self.arrivals:
            return self.arrivals
        rows: list[Arrival] = []
        for paper in self.papers:
            rows += [
                Arrival(record=paper.id, source=at.source, query=at.query, position=at.rank)
                for at in paper.sightings
            ] or [Arrival(record=paper.id, source=paper.source)]
        later = Counter((s.source, s.query) for paper in self.papers for s in paper.sightings[1:])
        for report in self.sources:
            key = report.source, report.query
            own = min(later[key], report.repeated)  # two queries may be sent as the same string
            later[key] -= own
            for name, reason in REASONS.items():
                row = Arrival(source=report.source, query=report.query, removed=reason)
                rows += [row] * (getattr(report, name) - own * (name == "repeated"))
        return rows


class DeduplicationReport(BaseModel):
    """The works that records were merged into, and pairs that only a person can decide."""

    works: list[RawPaper] = Field(default_factory=list)
    uncertain: list[PairEvidence] = Field(default_factory=list)
    """The likeliest first."""


class EnrichmentReport(BaseModel):
    """The works in their order, and what each enricher did."""

    works: list[RawPaper] = Field(default_factory=list)
    sources: list[SourceReport] = Field(default_factory=list)
    """`hits`: works that the service knows; `kept`: records that filled a field."""
