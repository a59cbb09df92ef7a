"""The nouns of the program."""

from paper_search.models.duplicates import (
    Cluster,
    Clustering,
    MergeDecision,
    MergeReason,
    PairEvidence,
)
from paper_search.models.feedback import (
    MAX_SEEDS,
    SNOWBALL,
    MarkedPaper,
    Seed,
    UserFeedback,
    relevant_seeds,
)
from paper_search.models.known_papers import KnownPapersReport
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
    Version,
)
from paper_search.models.query import (
    PUBLICATION_TYPES,
    IntentType,
    ParsedIntent,
    QueryBuilderInput,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    SynonymMap,
)
from paper_search.models.report import DeduplicationReport, SearchReport
from paper_search.models.source_report import SourceReport, SourceStatus

__all__ = [
    "MAX_SEEDS",
    "PUBLICATION_TYPES",
    "SNOWBALL",
    "Author",
    "BibliographicRecord",
    "Cluster",
    "Clustering",
    "DeduplicationReport",
    "EndReason",
    "Facets",
    "IntentType",
    "KnownPapersReport",
    "MarkedPaper",
    "MergeDecision",
    "MergeReason",
    "PairEvidence",
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
    "Seed",
    "Sighting",
    "SourceReport",
    "SourceStatus",
    "SynonymMap",
    "UserFeedback",
    "Version",
    "relevant_seeds",
]
