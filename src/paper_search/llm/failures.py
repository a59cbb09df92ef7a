"""What an exception of any chat model means: one of our errors, with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from paper_search.errors import (
    LLMAuthError,
    LLMError,
    LLMFailure,
    LLMLengthError,
    LLMRateLimitError,
    LLMRefusalError,
    LLMResponseError,
    LLMTimeoutError,
)
from paper_search.http.retry import parse_retry_after

_F = LLMFailure

_KINDS: dict[LLMFailure, type[LLMError]] = {
    _F.KEY: LLMAuthError,
    _F.QUOTA: LLMRateLimitError,
    _F.RATE_LIMIT: LLMRateLimitError,
    _F.TIMEOUT: LLMTimeoutError,
    _F.REFUSAL: LLMRefusalError,
    _F.CONTENT_FILTER: LLMRefusalError,
    _F.ANSWER_TOO_LONG: LLMLengthError,
    _F.QUESTION_TOO_LONG: LLMLengthError,
    _F.UNREADABLE: LLMResponseError,
}

_SAYS = {
    _F.KEY: "the model's server refused the key",
    _F.QUOTA: "the quota of the model's account is used up",
    _F.UNKNOWN_MODEL: "the model's server knows no such model, or the address is not its own",
    _F.RATE_LIMIT: "the model's server is asked too often",
    _F.TIMEOUT: "the model did not answer in time",
    _F.UNREACHABLE: "the model's server cannot be reached",
    _F.SERVER: "the model's server answered with an error",
    _F.REQUEST: "the model's server refused the question",
    _F.CONTENT_FILTER: "a content filter refused the question",
    _F.ANSWER_TOO_LONG: "the answer was cut off at max_tokens",
    _F.QUESTION_TOO_LONG: "the question is too long for the model",
    _F.UNREADABLE: "the model's answer cannot be read",
}

_BY_CODE = {
    "account_deactivated": _F.KEY,
    "billing_hard_limit_reached": _F.QUOTA,
    "content_filter": _F.CONTENT_FILTER,
    "content_policy_violation": _F.CONTENT_FILTER,
    "context_length_exceeded": _F.QUESTION_TOO_LONG,
    "deploymentnotfound": _F.UNKNOWN_MODEL,
    "insufficient_quota": _F.QUOTA,
    "invalid_api_key": _F.KEY,
    "model_decommissioned": _F.UNKNOWN_MODEL,
    "model_not_found": _F.UNKNOWN_MODEL,
}
"""https://platform.openai.com/docs/guides/error-codes, and what Azure and Groq add to it."""

_BY_CLASS = (
    ("LengthFinishReasonError", _F.ANSWER_TOO_LONG),
    ("ContentFilterFinishReasonError", _F.CONTENT_FILTER),
    ("ContextOverflowError", _F.QUESTION_TOO_LONG),
    ("ModelTimeoutError", _F.TIMEOUT),
    ("APITimeoutError", _F.TIMEOUT),
    ("TimeoutException", _F.TIMEOUT),
    ("TimeoutError", _F.TIMEOUT),
    ("ModelConnectionError", _F.UNREACHABLE),
    ("APIConnectionError", _F.UNREACHABLE),
    ("TransportError", _F.UNREACHABLE),
    ("ConnectionError", _F.UNREACHABLE),
    ("ModelAuthenticationError", _F.KEY),
    ("ModelPermissionDeniedError", _F.KEY),
    ("ModelNotFoundError", _F.UNKNOWN_MODEL),
    ("ModelRateLimitError", _F.RATE_LIMIT),
)
"""Classes of langchain-core, of the clients made by Stainless (openai, anthropic, groq) and of
httpx, by name: no client that is not in use is imported. A time-out is also a lost connection."""

_BY_STATUS = {
    401: _F.KEY,
    402: _F.QUOTA,
    403: _F.KEY,
    404: _F.UNKNOWN_MODEL,
    408: _F.TIMEOUT,
    413: _F.QUESTION_TOO_LONG,
    429: _F.RATE_LIMIT,
    504: _F.TIMEOUT,
}

_BY_PROSE = (
    ("maximum context length", _F.QUESTION_TOO_LONG),
    ("prompt is too long", _F.QUESTION_TOO_LONG),
    ("credit balance", _F.QUOTA),
    ("api key not valid", _F.KEY),
)
"""For a status 400 only, where a server has no other sign: vLLM, Anthropic (twice), Google."""

_SERVER_ERROR = 500
_BAD_REQUEST = 400
_RETRIED = frozenset({_F.RATE_LIMIT, _F.TIMEOUT, _F.UNREACHABLE, _F.SERVER})


@dataclass(frozen=True)
class Failure:
    """One failed call: what to raise, and whether to ask again first."""

    error: LLMError
    is_passing: bool = False
    """Whether the same call may succeed in a moment."""
    wait_s: float | None = None
    """How long the server asks to wait; None: it does not say."""


def failure_of(error: Exception, *secrets: str) -> Failure:
    """Return what an exception of a chat model means, without the secrets in its text.

    By code, class and status, and by prose only where there is nothing else.
    """
    reason = _reason(error)
    told = redacted(f"{type(error).__name__}: {error}", *secrets)
    kind = _KINDS.get(reason, LLMError)
    translated = kind(f"{_SAYS[reason]}: {told}", reason=reason)
    return Failure(translated, reason in _RETRIED, _asked_wait(error))


def _reason(error: Exception) -> LLMFailure:
    for code in (getattr(error, "code", None), getattr(error, "type", None)):
        if isinstance(code, str) and (known := _BY_CODE.get(code.lower())):
            return known
    status = status_of(error)
    if status == _BAD_REQUEST:
        prose = str(error).lower()
        for words, reason in _BY_PROSE:
            if words in prose:
                return reason
    names = {kind.__name__ for kind in type(error).__mro__}
    for name, reason in _BY_CLASS:
        if name in names:
            return reason
    if status is None or status < _BAD_REQUEST:
        return LLMFailure.UNREADABLE
    if status >= _SERVER_ERROR:
        return _BY_STATUS.get(status, LLMFailure.SERVER)
    return _BY_STATUS.get(status, LLMFailure.REQUEST)


def status_of(error: Exception) -> int | None:
    """Return the HTTP status in an exception of any client; None: there was no answer."""
    response = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (response, "status_code"), (error, "code")):
        status = getattr(holder, name, None)
        if isinstance(status, int):
            return status
    return None


def _asked_wait(error: Exception) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    in_ms = str(headers.get("retry-after-ms", ""))
    if in_ms.isdigit():
        return int(in_ms) / 1000
    return parse_retry_after(headers.get("retry-after"))


_KEY_LIKE = re.compile(r"\b(?:sk|pk|key)-[\w*-]{6,}|(?i:bearer)\s+[\w.*~+/=-]{6,}")
_LIMIT = 500
_SHORTEST_SECRET = 4
"""A shorter key would blank ordinary letters out of every message."""


def redacted(text: str, *secrets: str) -> str:
    """Return `text` cut to a readable length, without the secrets and anything key-like."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "***")
    text = _KEY_LIKE.sub("***", text)
    return text if len(text) <= _LIMIT else text[:_LIMIT] + " ..."
