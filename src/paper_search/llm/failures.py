"""What went wrong at a model's server, as one of our errors and without the key."""

from __future__ import annotations

import re

from paper_search.errors import (
    LLMAuthError,
    LLMError,
    LLMLengthError,
    LLMRateLimitError,
    LLMRefusalError,
    LLMResponseError,
    LLMTimeoutError,
)

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


def translated(error: Exception, *secrets: str) -> LLMError:
    """Return our error for an exception of the openai client or of reading its answer.

    Kinds by class and by status, never by the prose of the message, except where OpenAI's
    error codes are the only sign (https://platform.openai.com/docs/guides/error-codes).
    """
    told = redacted(f"{type(error).__name__}: {error}", *secrets)
    kind, says = _meaning(error)
    return kind(f"{says}: {told}")


def _meaning(error: Exception) -> tuple[type[LLMError], str]:
    import openai  # noqa: PLC0415  # heavy: only a program that uses a model pays for it

    if isinstance(error, openai.BadRequestError):
        return _meaning_of_refusal(error)
    kinds: tuple[tuple[type[Exception], type[LLMError], str], ...] = (
        (openai.LengthFinishReasonError, LLMLengthError, "the answer was cut off at max_tokens"),
        (openai.ContentFilterFinishReasonError, LLMRefusalError, "a content filter stopped it"),
        (openai.AuthenticationError, LLMAuthError, "the model's server refused the key"),
        (openai.PermissionDeniedError, LLMAuthError, "the model's server refused the key"),
        (openai.RateLimitError, LLMRateLimitError, "the model's server is asked too often"),
        (openai.APITimeoutError, LLMTimeoutError, "the model's server did not answer in time"),
        (openai.APIConnectionError, LLMError, "the model's server cannot be reached"),
        (openai.APIStatusError, LLMError, "the model's server answered with an error"),
        (TimeoutError, LLMTimeoutError, "the model did not answer in time"),
        (openai.APIResponseValidationError, LLMResponseError, "the answer cannot be read"),
        (openai.OpenAIError, LLMResponseError, "the model did not answer as asked"),
    )
    for cause, kind, says in kinds:
        if isinstance(error, cause):
            return kind, says
    return LLMResponseError, "the model's answer cannot be read"


def _meaning_of_refusal(error: Exception) -> tuple[type[LLMError], str]:
    if _is_too_long(error):
        return LLMLengthError, "the question is too long for the model"
    if getattr(error, "code", None) == "content_filter":
        return LLMRefusalError, "a content filter refused the question"
    return LLMError, "the model's server refused the question"


def _is_too_long(error: Exception) -> bool:
    code = getattr(error, "code", None)
    return code == "context_length_exceeded" or "maximum context length" in str(error)
