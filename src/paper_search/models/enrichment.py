"""What looking up what works lack gave."""

from __future__ import annotations

from pydantic import BaseModel, Field

from paper_search.models.paper import RawPaper
from paper_search.models.source_report import SourceReport


class EnrichmentReport(BaseModel):
    """The works in their order, and what each enricher did."""

    works: list[RawPaper] = Field(default_factory=list)
    sources: list[SourceReport] = Field(default_factory=list)
    """`hits`: works of which something was known; `kept`: fields that were filled."""
