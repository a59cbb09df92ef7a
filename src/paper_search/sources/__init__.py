"""Sources to search, one file each."""

from paper_search.errors import SearchSourceError
from paper_search.http.freshness import asking_anew
from paper_search.sources.base import (
    CountingSource,
    ReportingSource,
    SearchSource,
    create_source,
    create_sources,
    known_sources,
)
from paper_search.sources.errors import (
    NonRetryableError,
    RetryableError,
    SerpAPIError,
    ServiceError,
)

__all__ = [
    "CountingSource", "NonRetryableError", "ReportingSource", "RetryableError", "SearchSource",
    "SearchSourceError", "SerpAPIError", "ServiceError", "asking_anew", "create_source",
    "create_sources", "known_sources",
]  # fmt: skip
