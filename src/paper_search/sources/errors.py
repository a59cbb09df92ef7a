"""Errors of sources."""

from paper_search.errors import SearchSourceError
from paper_search.models import SourceStatus

__all__ = [
    "NonRetryableError", "RetryableError", "SearchSourceError", "SerpAPIError", "ServiceError",
]  # fmt: skip


class ServiceError(SearchSourceError):
    """A service could not answer.

    Attributes:
        status: for the search report.
        http_status: of the answer; None if there was none, or it was successful.
    """

    http_status: int | None = None

    def __init__(self, message: str, *, status: SourceStatus = SourceStatus.BAD_RESPONSE) -> None:
        super().__init__(message)
        self.status = status


class SerpAPIError(ServiceError):
    """SerpApi could not answer."""


class RetryableError(SerpAPIError):
    """A later retry may help."""


class NonRetryableError(SerpAPIError):
    """A retry cannot help."""
