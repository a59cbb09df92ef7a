"""The errors of sources."""

from paper_search.errors import SearchSourceError
from paper_search.models import SourceStatus

__all__ = [
    "NonRetryableError", "RetryableError", "SearchSourceError", "SerpAPIError", "ServiceError",
]  # fmt: skip


class ServiceError(SearchSourceError):
    """A service could not answer.

    Attributes:
        status: what the search report says about it.
        http_status: of the answer; None if there was none, or its status was that of success.
    """

    http_status: int | None = None

    def __init__(self, message: str, *, status: SourceStatus = SourceStatus.BAD_RESPONSE) -> None:
        super().__init__(message)
        self.status = status


class SerpAPIError(ServiceError):
    """SerpApi could not answer."""


class RetryableError(SerpAPIError):
    """The same question may be answered later."""


class NonRetryableError(SerpAPIError):
    """Asking again cannot help."""
