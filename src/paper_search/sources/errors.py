"""The errors of sources.

SearchSourceError
└── ServiceError                   carries `status` and `attempts`
    └── SerpAPIError               of SerpApi
        ├── RetryableError         the same question may be answered later
        └── NonRetryableError      asking again cannot help
"""

from __future__ import annotations

from paper_search.errors import SearchSourceError
from paper_search.models import SourceStatus

__all__ = [
    "NonRetryableError",
    "RetryableError",
    "SearchSourceError",
    "SerpAPIError",
    "ServiceError",
]


class ServiceError(SearchSourceError):
    """A service could not answer.

    Attributes:
        status: what the search report says about it.
        attempts: requests that were sent.
    """

    def __init__(
        self,
        message: str,
        *,
        status: SourceStatus = SourceStatus.BAD_RESPONSE,
        attempts: int = 0,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.attempts = attempts


class SerpAPIError(ServiceError):
    """SerpApi could not answer."""


class RetryableError(SerpAPIError):
    """The same question may be answered later."""


class NonRetryableError(SerpAPIError):
    """Asking again cannot help."""
