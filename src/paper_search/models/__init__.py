"""The nouns of the program."""

from paper_search.models.feedback import MarkedPaper, UserFeedback
from paper_search.models.paper import (
    Author,
    BibliographicRecord,
    EndReason,
    Facets,
    Paper,
    PaperCollection,
    PaperTag,
    RawPaper,
    ScoredPaper,
    SearchMetadata,
    Sighting,
)
from paper_search.models.query import (
    IntentType,
    ParsedIntent,
    QueryBuilderInput,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    SynonymMap,
)
from paper_search.models.report import SearchReport, SourceReport, SourceStatus

__all__ = [
    "Author",
    "BibliographicRecord",
    "EndReason",
    "Facets",
    "IntentType",
    "MarkedPaper",
    "Paper",
    "PaperCollection",
    "PaperTag",
    "ParsedIntent",
    "QueryBuilderInput",
    "RawPaper",
    "ScoredPaper",
    "SearchConstraints",
    "SearchMetadata",
    "SearchQuery",
    "SearchReport",
    "SearchStrategy",
    "Sighting",
    "SourceReport",
    "SourceStatus",
    "SynonymMap",
    "UserFeedback",
]
