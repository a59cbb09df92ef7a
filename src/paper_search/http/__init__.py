"""One small HTTP client that all adapters share."""

from paper_search.http.errors import (
    HttpBodyError,
    HttpCallLimitError,
    HttpError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
)
from paper_search.http.limits import CallBudget
from paper_search.http.redaction import redact

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
