"""Explains a failed request: what happened, and what to do about it."""

from __future__ import annotations

import traceback
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.http.errors import (
    HttpBodyError,
    HttpCallLimitError,
    HttpError,
    HttpProxyError,
    HttpRefusedError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
)
from paper_search.http.host_file import QUOTA_USED_UP
from paper_search.http.redaction import redact
from paper_search.http.retry import is_retryable
from paper_search.http.retry import refusal_of as usual_refusal_of
from paper_search.models import SourceStatus

if TYPE_CHECKING:
    from paper_search.sources.adapter import Service
    from paper_search.sources.errors import ServiceError

_LONGEST = 500
_LONG_S = 3600.0
"""A refusal that lasts longer is no matter of haste: a budget is used up."""


def explain_missing_key(adapter: Service) -> str:
    return f"{adapter.name} needs a key: set {adapter.key_variable} (get one at {adapter.key_page})"


def explain_bug(error: Exception, adapter: Service) -> ServiceError:
    """Return the file and line of an adapter's bug."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    message = redact(f"{type(error).__name__}: {error}", (adapter.key,))[:_LONGEST]
    return adapter.failure(
        f"a bug in {adapter.title}'s adapter{where}: {message}", SourceStatus.BUG
    )


def explained(error: HttpError, adapter: Service, *, patience_s: float) -> ServiceError:
    """Return the failure of a service that an error of the HTTP client is.

    Args:
        error: of the HTTP client.
        adapter: the service that failed.
        patience_s: a service that asks to wait for longer than this has given up on us.
    """
    failure = _explained(error, adapter, patience_s)
    if isinstance(error, HttpStatusError) and not isinstance(error, HttpRefusedError):
        failure.http_status = error.status
    return failure


def _explained(error: HttpError, adapter: Service, patience_s: float) -> ServiceError:
    title = adapter.title
    if isinstance(error, HttpStatusError) and error.until is not None:
        return _of_refusal(error, error.until, adapter)
    match error:
        case HttpCallLimitError(setting=setting):
            setting = setting or f"{_prefix(adapter)}_MAX_CALLS"
            message = f"the limit of calls to {title} is reached ({setting})"
            return adapter.failure(message, SourceStatus.EXHAUSTED)
        case HttpStatusError():
            return _of_status(error, adapter, patience_s)
        case HttpTimeoutError():
            message, status = f"{title} took too long: {error}", SourceStatus.TIMEOUT
            return adapter.failure(message, status, is_passing=True)
        case HttpUnreachableError():
            message = str(error) if isinstance(error, HttpProxyError) else f"{title}: {error}"
            return adapter.failure(message, SourceStatus.UNREACHABLE, is_passing=True)
        case _:
            is_cut_off = isinstance(error, HttpBodyError) and error.is_cut_off
            message = f"{title}: {error}"
            return adapter.failure(message, SourceStatus.BAD_RESPONSE, is_passing=is_cut_off)


def refusal_of(error: HttpStatusError, adapter: Service) -> str | None:
    """Return why the service does not want to be asked for a while; None: it said no such thing.

    What is remembered of a refusal is its reason, since only its answer tells it: how long it
    still lasts does not (a budget of the day is used up in the last hour, too).
    """
    status = adapter.status_of(error)
    if status is SourceStatus.EXHAUSTED:
        return QUOTA_USED_UP
    if status is SourceStatus.RATE_LIMITED:
        return f"HTTP {error.status}"
    usual = usual_refusal_of(error) if status is None else None
    return QUOTA_USED_UP if usual and (error.retry_after or 0) > _LONG_S else usual


def time_text(moment: float) -> str:
    """Return a moment, in seconds since 1970, to the minute in UTC."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _of_refusal(error: HttpStatusError, until: float, adapter: Service) -> ServiceError:
    """Return that the service refuses for now, until when, and what helps."""
    why = error.reason if isinstance(error, HttpRefusedError) else refusal_of(error, adapter)
    status = SourceStatus.EXHAUSTED if why == QUOTA_USED_UP else SourceStatus.RATE_LIMITED
    help_ = adapter.advice_on(error)
    if help_ is None and adapter.key_variable and not adapter.key:
        help_ = f"set {adapter.key_variable} to a free key from {adapter.key_page}"
    if isinstance(error, HttpRefusedError):
        reason = "refused lately"
    elif error.is_challenge:
        reason = "keeps programs out with a page for people"
    else:
        reason = f"refuses requests (HTTP {error.status})"
    parts = [f"{adapter.title} {reason} and is not asked again before {time_text(until)}", help_]
    return adapter.failure("; ".join(filter(None, parts)), status, is_passing=True)


def _of_status(error: HttpStatusError, adapter: Service, patience_s: float) -> ServiceError:
    body = redact(error.body, (adapter.key,))[:_LONGEST]
    message = f"{adapter.title} answered with HTTP {error.status}" + (f": {body}" if body else "")
    if error.location:  # its query may hold a key
        target = redact(error.location.partition("?")[0], (adapter.key,))[:_LONGEST]
        message = f"{message} and led to {target}, which is not followed"
    if advice := adapter.advice_on(error):
        message = f"{message}; {advice}"
    own_status = adapter.status_of(error)
    if own_status is not None:
        status = own_status
    elif error.status in {401, 403}:
        status = SourceStatus.UNAUTHORISED
    elif error.status == HTTPStatus.TOO_MANY_REQUESTS:
        is_long = (error.retry_after or 0) > patience_s
        status = SourceStatus.EXHAUSTED if is_long else SourceStatus.RATE_LIMITED
    else:
        status = SourceStatus.BAD_RESPONSE
    if status is SourceStatus.UNAUTHORISED:
        return adapter.failure(_refused(error, adapter), status)
    return adapter.failure(message, status, is_passing=is_retryable(error))


def _refused(error: HttpStatusError, adapter: Service) -> str:
    status = f"(HTTP {error.status})"
    if not adapter.key_variable:
        return f"{adapter.title} refused the request {status}: it needs no key, so try again later"
    if not adapter.key:
        fix = f"set {adapter.key_variable}, see {adapter.key_page}"
        return f"{adapter.title} refused the request without a key {status}: {fix}"
    fix = f"check {adapter.key_variable}, see {adapter.key_page}"
    return f"{adapter.title} refused the key {status}: {fix}"


def _prefix(adapter: Service) -> str:
    return (adapter.key_variable or adapter.name.upper()).removesuffix("_API_KEY")
