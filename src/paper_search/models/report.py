"""What a search, a merge and a look-up gave, with what every part of them did."""

from __future__ import annotations

from pydantic import BaseModel, Field

from paper_search.models.arrival import Arrival
from paper_search.models.duplicates import PairEvidence
from paper_search.models.paper import RawPaper
from paper_search.models.source_report import SourceReport


class SearchReport(BaseModel):
    """The answer of all sources: the records in source order, and what each source did."""

    papers: list[RawPaper] = Field(default_factory=list)
    sources: list[SourceReport] = Field(default_factory=list)
    arrivals: list[Arrival] = Field(default_factory=list)
    """A row for each record that came, from a searcher that says so; empty: the sightings of the
    papers and the counts of the reports tell."""


class DeduplicationReport(BaseModel):
    """The works that records make up, and the pairs that only a person can tell."""

    works: list[RawPaper] = Field(default_factory=list)
    uncertain: list[PairEvidence] = Field(default_factory=list)
    """The likeliest first."""


class EnrichmentReport(BaseModel):
    """The works in their order, and what each enricher did."""

    works: list[RawPaper] = Field(default_factory=list)
    sources: list[SourceReport] = Field(default_factory=list)
    """`hits`: works of which something was known; `kept`: records that filled a field."""
