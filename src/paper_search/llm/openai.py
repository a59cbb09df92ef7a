"""Any server that speaks OpenAI's chat completions, through langchain-openai."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from paper_search.errors import (
    LLMAuthError,
    LLMError,
    LLMLengthError,
    LLMRateLimitError,
    LLMRefusalError,
    LLMResponseError,
    LLMTimeoutError,
)
from paper_search.llm.json_text import json_object
from paper_search.llm.provider import LLMProvider, Usage

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_openai import ChatOpenAI

OPENAI_URL = "https://api.openai.com/v1"

_log = logging.getLogger(__name__)


class OpenAIProvider(LLMProvider):
    """A chat model behind an OpenAI-compatible address.

    Args:
        model: the model's name at that server.
        api_key: never part of a repr, an error or a log line.
        base_url: None: OpenAI itself; the environment is not asked.
        temperature: 0.0 for the most repeatable answers.
        max_tokens: the longest answer, in tokens.
        timeout_s: seconds per attempt; all attempts together may take (max_retries + 1) times it.
        max_retries: of what may pass by itself: 429 with a short wait, 5xx, dropped connections.
    """

    def __init__(  # noqa: PLR0913  # the settings of one client, by keyword
        self,
        *,
        model: str,
        api_key: str,
        base_url: str | None = None,
        temperature: float = 0.0,
        max_tokens: int = 4096,
        timeout_s: float = 60.0,
        max_retries: int = 2,
    ) -> None:
        self.model = model
        self.base_url = base_url
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.timeout_s = timeout_s
        self.max_retries = max_retries
        self.usage = Usage()
        self._api_key = api_key
        self._speaks_schema = True
        self._client: tuple[asyncio.AbstractEventLoop, ChatOpenAI] | None = None

    @override
    def __repr__(self) -> str:
        return f"OpenAIProvider(model={self.model!r}, base_url={self.base_url!r})"

    @override
    async def complete(self, system_prompt: str, user_message: str) -> str:
        return await self._text(system_prompt, user_message, None)

    @override
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        prompt = f"{system_prompt}\n\n{_format_request(schema)}"
        if self._speaks_schema:
            try:
                text = await self._text(prompt, user_message, _response_format(schema))
            except _UnsupportedFormatError:
                _log.info("%r takes no response_format; the schema goes into the prompt", self)
                self._speaks_schema = False
            else:
                return json_object(text)
        return json_object(await self._text(prompt, user_message, None))

    async def _text(
        self, system_prompt: str, user_message: str, response_format: dict[str, Any] | None
    ) -> str:
        """Return the text of one answer.

        Errors are raised outside of the `except` block, so that no traceback carries the
        server's own words, which may hold the key.
        """
        self.usage.calls += 1
        messages = [("system", system_prompt), ("human", user_message)]
        options: dict[str, Any] = (
            {} if response_format is None else {"response_format": response_format}
        )
        failure: LLMError
        try:
            async with asyncio.timeout(self.timeout_s * (self.max_retries + 1)):
                message = await self._chat().ainvoke(messages, **options)
        except Exception as error:  # noqa: BLE001  # every failure of the client gets our name
            self._count_failed(error)
            if response_format is not None and _is_about_format(error):
                failure = _UnsupportedFormatError("response_format is not supported")
            else:
                failure = translated(error, self._api_key)
        else:
            self._count(message)
            return self._checked(message)
        raise failure

    def _chat(self) -> ChatOpenAI:
        """Return the client of the running event loop: connections do not outlive their loop."""
        import openai  # noqa: PLC0415  # heavy: only a program that uses a model pays for it
        from langchain_openai import ChatOpenAI  # noqa: PLC0415  # as above
        from pydantic import SecretStr  # noqa: PLC0415  # kept beside its only use

        loop = asyncio.get_running_loop()
        if self._client is None or self._client[0] is not loop:
            chat = ChatOpenAI(
                model=self.model,
                api_key=SecretStr(self._api_key),
                base_url=self.base_url or OPENAI_URL,
                temperature=self.temperature,
                max_completion_tokens=self.max_tokens,
                timeout=self.timeout_s,
                max_retries=self.max_retries,
                use_responses_api=False,
                http_async_client=openai.DefaultAsyncHttpxClient(),
            )
            self._client = (loop, chat)
        return self._client[1]

    def _checked(self, message: BaseMessage) -> str:
        reason = message.response_metadata.get("finish_reason")
        refusal = message.additional_kwargs.get("refusal")
        if refusal or reason == "content_filter":
            told = redacted(str(refusal or "content filter"), self._api_key)
            raise LLMRefusalError(f"the model declined to answer: {told}")
        if reason == "length":
            raise LLMLengthError(f"the model's answer was cut off at {self.max_tokens} tokens")
        text = str(message.text)
        if not text.strip():
            raise LLMResponseError("the model's answer is empty")
        return text

    def _count(self, message: BaseMessage) -> None:
        spent = getattr(message, "usage_metadata", None) or {}
        self.usage.add(spent.get("input_tokens", 0), spent.get("output_tokens", 0))

    def _count_failed(self, error: Exception) -> None:
        """Count an answer that was paid for and then thrown away by the client."""
        spent = getattr(getattr(error, "completion", None), "usage", None)
        if spent is not None:
            self.usage.add(spent.prompt_tokens or 0, spent.completion_tokens or 0)


class _UnsupportedFormatError(LLMError):
    """The server knows no `response_format`."""


def _is_about_format(error: Exception) -> bool:
    status = getattr(error, "status_code", None)
    return status in {400, 422} and "response_format" in str(error)


def _response_format(schema: dict[str, Any] | None) -> dict[str, Any]:
    """Return the wish for JSON; not strict, because strict servers refuse optional fields."""
    if schema is None:
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def _format_request(schema: dict[str, Any] | None) -> str:
    wish = "Answer with exactly one JSON object and nothing else."
    if schema is None:
        return wish
    return f"{wish} It follows this JSON schema:\n{json.dumps(schema, ensure_ascii=False)}"


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
