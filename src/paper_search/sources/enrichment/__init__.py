"""Looks up missing fields: abstract, DOI, open-access text."""

from paper_search.sources.enrichment.base import (
    GAPS,
    Enricher,
    LookUp,
    create_enrichers,
    known_enrichers,
)

__all__ = ["GAPS", "Enricher", "LookUp", "create_enrichers", "known_enrichers"]
