"""One small HTTP client that all adapters share."""

from paper_search.http.errors import (
    HttpBodyError,
    HttpCallLimitError,
    HttpError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
    redact,
)
from paper_search.http.limits import CallBudget

__all__ = [
    "CallBudget",
    "HttpBodyError",
    "HttpCallLimitError",
    "HttpError",
    "HttpStatusError",
    "HttpTimeoutError",
    "HttpUnreachableError",
    "redact",
]
