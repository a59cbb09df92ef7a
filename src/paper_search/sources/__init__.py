"""Sources to search."""

from paper_search.errors import SearchSourceError
from paper_search.http.freshness import fresh_answers
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
    "SearchSourceError", "SerpAPIError", "ServiceError", "create_source", "create_sources",
    "fresh_answers", "known_sources",
]  # fmt: skip
