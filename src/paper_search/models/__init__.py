"""The data types of the program."""

from paper_search.models.feedback import (
    MAX_SEEDS,
    SNOWBALL,
    Cluster,
    Clustering,
    KnownPapersReport,
    MarkedPaper,
    MergeDecision,
    MergeReason,
    PairEvidence,
    Seed,
    UserFeedback,
    relevant_seeds,
    seed_of_identifier,
)
from paper_search.models.paper import (
    NOT_NEEDED,
    Author,
    BibliographicRecord,
    EndReason,
    Facets,
    Paper,
    PaperCollection,
    PaperTag,
    RawPaper,
    ScoredPaper,
    ScreeningDecision,
    SearchMetadata,
    Sighting,
    Version,
)
from paper_search.models.query import (
    PUBLICATION_TYPES,
    Criterion,
    CriterionKind,
    Grade,
    IntentType,
    ParsedIntent,
    QueryBuilderInput,
    RankedQuery,
    SearchConstraints,
    SearchQuery,
    SearchStrategy,
    StrategyLine,
    SynonymMap,
)
from paper_search.models.report import DeduplicationReport, SearchReport
from paper_search.models.scope import (
    BlockHits,
    BroaderQuery,
    HitCount,
    QueryHits,
    RelaxedQuery,
    ScopeReport,
    SourceHits,
    SuggestedTerm,
)
from paper_search.models.source_report import (
    Arrival,
    Purpose,
    RequestRecord,
    SourceReport,
    SourceStatus,
)

__all__ = [
    "MAX_SEEDS", "NOT_NEEDED", "PUBLICATION_TYPES", "SNOWBALL", "Arrival", "Author",
    "BibliographicRecord", "BlockHits", "BroaderQuery", "Cluster", "Clustering", "Criterion",
    "CriterionKind", "DeduplicationReport", "EndReason", "Facets", "Grade", "HitCount",
    "IntentType", "KnownPapersReport", "MarkedPaper", "MergeDecision", "MergeReason",
    "PairEvidence", "Paper", "PaperCollection", "PaperTag", "ParsedIntent", "Purpose",
    "QueryBuilderInput", "QueryHits", "RankedQuery", "RawPaper", "RelaxedQuery", "RequestRecord",
    "ScopeReport", "ScoredPaper", "ScreeningDecision", "SearchConstraints", "SearchMetadata",
    "SearchQuery", "SearchReport", "SearchStrategy", "Seed", "Sighting", "SourceHits",
    "SourceReport", "SourceStatus", "StrategyLine", "SuggestedTerm", "SynonymMap", "UserFeedback",
    "Version", "relevant_seeds", "seed_of_identifier",
]  # fmt: skip
