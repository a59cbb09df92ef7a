"""Faults of foreign code: the status of its exceptions, and results of a wrong type."""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

from paper_search.errors import SearchSourceError
from paper_search.models import SourceStatus

_SECRET = re.compile(
    r"(?i)\b((?:api[_-]?key|access[_-]?token|token|key|secret|password|authorization)"
    r"[\"']?\s*[=:]\s*[\"']?(?:bearer\s+)?)[^\s&\"',;)]+"
)
_LONGEST = 300
_STATUS_OF_CODE = {
    401: SourceStatus.UNAUTHORISED, 403: SourceStatus.UNAUTHORISED, 408: SourceStatus.TIMEOUT,
    429: SourceStatus.RATE_LIMITED, 504: SourceStatus.TIMEOUT,
}  # fmt: skip
_SERVER_ERROR = 500
T = TypeVar("T")


def require_type(value: Any, kind: type[T], owner: str) -> T:
    """Return what foreign code returned; raise TypeError if it has another type."""
    if isinstance(value, kind):
        return value
    raise TypeError(f"{owner} returned {type(value).__name__}, not {kind.__name__}")


def require_list(values: Any, kind: type[T], owner: str) -> list[T]:
    """Do the same for a list."""
    if not isinstance(values, list):
        raise TypeError(f"{owner} returned {type(values).__name__}, not a list of {kind.__name__}")
    return [require_type(value, kind, f"in a list, {owner}") for value in values]


def status_of(error: BaseException) -> SourceStatus:
    """Return the status for a source's exception or its causes.

    It depends on the error's `status` or HTTP status code, then on its class. Any error that is not
    a `SearchSourceError` or a network error is a bug in the source.
    """
    chain = list(_causes(error))
    for link in chain:
        status = getattr(link, "status", None)
        if isinstance(status, SourceStatus):
            return status
        holders = (link, getattr(link, "response", None))
        codes = (getattr(holder, "status_code", None) for holder in holders)
        code = next((code for code in codes if isinstance(code, int)), None)
        if code is not None:
            is_theirs = code >= _SERVER_ERROR
            other = SourceStatus.UNREACHABLE if is_theirs else SourceStatus.BAD_RESPONSE
            return _STATUS_OF_CODE.get(code, other)
    for link in chain:
        name = type(link).__name__.lower()
        if isinstance(link, TimeoutError) or "timeout" in name:
            return SourceStatus.TIMEOUT
        if isinstance(link, OSError) or name in {"connecterror", "networkerror", "transporterror"}:
            return SourceStatus.UNREACHABLE
    if isinstance(error, SearchSourceError):
        return SourceStatus.BAD_RESPONSE
    return SourceStatus.BUG


def describe(error: BaseException) -> str:
    """Return the error as text, with everything that looks like a secret masked."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _SECRET.sub(r"\1***", text)[:_LONGEST]


def _causes(error: BaseException) -> Iterator[BaseException]:
    ids: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in ids:
        ids.add(id(cause))
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
