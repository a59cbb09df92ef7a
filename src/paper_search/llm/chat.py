"""Chat models of langchain-core as LLM providers, with their failures as `LLMError`s."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import re
from abc import abstractmethod
from dataclasses import InitVar, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from typing_extensions import override

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
from paper_search.http.errors import parse_retry_after
from paper_search.http.redaction import REDACTED, SHORTEST_SECRET, redact, redact_logs
from paper_search.llm.metering import count_call, expected_tokens, tokens_in
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import format_request, json_object, response_format

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

_F = LLMFailure

_MEANINGS: dict[LLMFailure, tuple[type[LLMError], str]] = {
    _F.KEY: (LLMAuthError, "the model's server refused the key"),
    _F.QUOTA: (LLMRateLimitError, "the quota of the model's account is used up"),
    _F.UNKNOWN_MODEL: (
        LLMError,
        "the model's server has no such model, or its address is wrong",
    ),
    _F.RATE_LIMIT: (LLMRateLimitError, "the model's server received too many requests"),
    _F.TIMEOUT: (LLMTimeoutError, "the model did not answer in time; LLM_TIMEOUT_S gives it more"),
    _F.UNREACHABLE: (LLMError, "the model's server cannot be reached"),
    _F.SERVER: (LLMError, "the model's server answered with an error"),
    _F.REQUEST: (LLMError, "the model's server refused the question"),
    _F.CONTENT_FILTER: (LLMRefusalError, "a content filter refused the question"),
    _F.ANSWER_TOO_LONG: (LLMLengthError, "the answer was cut off; LLM_MAX_TOKENS allows more"),
    _F.QUESTION_TOO_LONG: (LLMLengthError, "the question is too long for the model"),
    _F.UNREADABLE: (LLMResponseError, "the model's answer cannot be read; is LLM_BASE_URL right?"),
}


def _by_word(words_of: dict[LLMFailure, str]) -> dict[str, LLMFailure]:
    return {word: failure for failure, words in words_of.items() for word in words.split()}


_BY_CODE = _by_word({
    _F.KEY: "account_deactivated invalid_api_key",
    _F.QUOTA: "billing_hard_limit_reached insufficient_quota",
    _F.CONTENT_FILTER: "content_filter content_policy_violation data_inspection_failed",
    _F.QUESTION_TOO_LONG: "context_length_exceeded exceed_context_size_error",
    _F.UNKNOWN_MODEL: "deploymentnotfound model_decommissioned model_not_found",
})  # fmt: skip
"""https://platform.openai.com/docs/guides/error-codes, with additions of Azure,
Groq, llama.cpp and Qwen."""

_BY_CLASS = _by_word({
    _F.ANSWER_TOO_LONG: "LengthFinishReasonError",
    _F.CONTENT_FILTER: "ContentFilterFinishReasonError",
    _F.QUESTION_TOO_LONG: "ContextOverflowError",
    _F.TIMEOUT: "ModelTimeoutError APITimeoutError TimeoutException TimeoutError",
    _F.UNREACHABLE: "ModelConnectionError APIConnectionError TransportError ConnectionError",
    _F.KEY: "ModelAuthenticationError ModelPermissionDeniedError",
    _F.UNKNOWN_MODEL: "ModelNotFoundError",
    _F.RATE_LIMIT: "ModelRateLimitError",
})  # fmt: skip
"""Classes of langchain-core, of the clients made by Stainless (openai, anthropic, groq) and of
httpx, by name, so that unused clients are not imported. Time-outs come first: they are also
connection errors."""

_BY_STATUS = {
    401: _F.KEY, 402: _F.QUOTA, 403: _F.KEY, 404: _F.UNKNOWN_MODEL, 408: _F.TIMEOUT,
    413: _F.QUESTION_TOO_LONG, 429: _F.RATE_LIMIT, 504: _F.TIMEOUT,
}  # fmt: skip

_BY_PROSE = (
    ("context length", _F.QUESTION_TOO_LONG),
    ("prompt is too long", _F.QUESTION_TOO_LONG),
    ("credit balance", _F.QUOTA),
    ("api key not valid", _F.KEY),
    ("requires moderation", _F.CONTENT_FILTER),
)
"""Phrases in errors of status 400 and 403: vLLM and LM Studio, Anthropic (twice), Google,
OpenRouter."""

_SERVER_ERROR = 500
_BAD_REQUEST = 400
_RETRIED = frozenset({_F.RATE_LIMIT, _F.TIMEOUT, _F.UNREACHABLE, _F.SERVER})


@dataclass(frozen=True)
class Failure:
    """A failed call: the error to raise, and whether to retry first."""

    error: LLMError
    is_retryable: bool = False
    wait_s: float | None = None
    """How long the server asks to wait; None if it does not say."""
    unsupported: frozenset[str] = frozenset()
    """Options without which the call may succeed."""


def failure_of(error: Exception, *secrets: str) -> Failure:
    """Classify an exception of a chat model; secrets are removed from its text."""
    reason = _reason(error)
    text = redacted(f"{type(error).__name__}: {_words(error)}", *secrets)
    kind, words = _MEANINGS[reason]
    if reason is not _F.ANSWER_TOO_LONG:  # whose text adds nothing for a person
        words = f"{words}: {text}"
    return Failure(kind(words, reason=reason), reason in _RETRIED, _retry_after(error))


def _reason(error: Exception) -> LLMFailure:
    for code in (getattr(error, "code", None), getattr(error, "type", None)):
        if isinstance(code, str) and (by_code := _BY_CODE.get(code.lower())):
            return by_code
    status = status_of(error)
    if status in {_BAD_REQUEST, 403}:
        prose = _words(error).lower()
        for words, reason in _BY_PROSE:
            if words in prose:
                return reason
    names = {kind.__name__ for kind in type(error).__mro__}
    for name, reason in _BY_CLASS.items():
        if name in names:
            return reason
    if status is None or status < _BAD_REQUEST:
        return LLMFailure.UNREADABLE
    usual = LLMFailure.SERVER if status >= _SERVER_ERROR else LLMFailure.REQUEST
    return _BY_STATUS.get(status, usual)


def _words(error: Exception) -> str:
    """Return an error's text; openai's client hides a message that is not in OpenAI's format."""
    if str(error) != f"Error code: {status_of(error)}":
        return str(error)
    body = str(getattr(getattr(error, "response", None), "text", "")).strip()
    return f"{error} - {body}" if body and not body.startswith("<") else str(error)


def status_of(error: Exception) -> int | None:
    """Return the HTTP status in an exception of any client; None without an answer."""
    response = getattr(error, "response", None)
    for holder, name in ((error, "status_code"), (response, "status_code"), (error, "code")):
        status = getattr(holder, name, None)
        if isinstance(status, int):
            return status
    return None


def _retry_after(error: Exception) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    in_ms = str(headers.get("retry-after-ms", ""))
    return int(in_ms) / 1000 if in_ms.isdecimal() else parse_retry_after(headers.get("retry-after"))


_KEY_LIKE = re.compile(r"\b(?:sk|pk|key)-[\w*-]{6,}|(?i:bearer)\s+[\w.*~+/=-]{6,}")
_LIMIT = 500


def redacted(text: str, *secrets: str) -> str:
    """Return `text`, shortened, without secrets and anything that looks like a key."""
    text = redact(text, (secret for secret in secrets if len(secret) >= SHORTEST_SECRET))
    text = _KEY_LIKE.sub(REDACTED, text)
    return text if len(text) <= _LIMIT else text[:_LIMIT] + " ..."


_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
"""If a server asks to wait longer, the call fails."""
_CUT = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "blocklist", "prohibited_content", "recitation"})
_STOP_NAMES = ("finish_reason", "stop_reason", "done_reason")
"""Names of the stop reason at OpenAI, Anthropic and Ollama."""

_log = logging.getLogger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class ChatProvider(LLMProvider):
    """A chat model, created once per event loop: connections do not outlive their loop."""

    provider = ""
    """Name in the usage log and the price table."""
    options = frozenset({"temperature", "max_tokens", "system"})
    """Options to send, unless the server has refused them; names of `_OPTIONS`."""

    model: str
    api_key: InitVar[str] = ""
    temperature: float = 0.0
    max_tokens: int = 4096
    timeout_s: float = 60.0
    max_retries: int = 2
    _tuned: dict[tuple[float | None, int | None], ChatProvider] = field(
        default_factory=dict, init=False
    )
    _client: tuple[asyncio.AbstractEventLoop, BaseChatModel] | None = field(
        default=None, init=False
    )

    def __post_init__(self, api_key: str) -> None:
        self._api_key = api_key
        self.deadline_s = self.timeout_s * (self.max_retries + 1)
        redact_logs((api_key,))

    def tuned(self, temperature: float | None, max_tokens: int | None) -> ChatProvider:
        """Return the model with another temperature and limit; None keeps the present one."""
        other = self._tuned.get((temperature, max_tokens))
        if other is None:
            other = self._tuned[temperature, max_tokens] = copy.copy(self)
            other._client = None  # noqa: SLF001  # of the same class
            other.temperature = self.temperature if temperature is None else temperature
            other.max_tokens = max_tokens or self.max_tokens
        return other

    @abstractmethod
    def create_client(self) -> BaseChatModel:
        """Return the chat model, which must not retry requests itself."""

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r})"

    @override
    async def complete(self, system_prompt: str, user_message: str) -> str:
        return await self._text(user_message, lambda: (system_prompt, {}))

    @override
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        return json_object(
            await self._text(user_message, lambda: self._with_schema(system_prompt, schema))
        )

    def _with_schema(
        self, prompt: str, schema: dict[str, Any] | None
    ) -> tuple[str, dict[str, Any]]:
        """Return prompt and options for JSON; without the option, the schema is in the prompt."""
        if "response_format" not in self.options:
            return f"{prompt}\n\n{format_request(schema)}", {}
        return f"{prompt}\n\n{format_request()}", {"response_format": response_format(schema)}

    async def _text(
        self, user_message: str, prompt_and_options: Callable[[], tuple[str, dict[str, Any]]]
    ) -> str:
        """Return the text of one answer; temporary failures are retried.

        `prompt_and_options` is called before each attempt, as the server may refuse options.

        Raises:
            LLMError: outside the handler of the client's own error, so that no traceback shows the
                server's words, which may hold the key.
        """
        loop = asyncio.get_running_loop()
        self._chat(loop)  # before the deadline is set: importing a client takes seconds
        deadline = loop.time() + self.deadline_s
        attempt = 0
        while True:
            system_prompt, options = prompt_and_options()
            messages = self._messages(system_prompt, user_message)
            left_s = deadline - loop.time()
            answer = await self._attempt(self._chat(loop), messages, options, left_s)
            if not isinstance(answer, Failure):
                return answer
            if answer.unsupported:
                _log.info("%r: retry without %s", self, ", ".join(sorted(answer.unsupported)))
                self.options -= answer.unsupported
                self._client = None
                continue
            wait_s = _FIRST_WAIT_S * 2**attempt if answer.wait_s is None else answer.wait_s
            attempt += 1
            may_wait = wait_s <= _LONGEST_WAIT_S and loop.time() + wait_s < deadline
            if attempt > self.max_retries or not answer.is_retryable or not may_wait:
                raise answer.error
            _log.info("%r: retry in %.1f s: %s", self, wait_s, answer.error)
            await asyncio.sleep(wait_s)

    def _messages(self, system_prompt: str, user_message: str) -> list[tuple[str, str]]:
        if "system" not in self.options:
            return [("human", f"{system_prompt}\n\n{user_message}")]
        return [("system", system_prompt), ("human", user_message)]

    async def _attempt(
        self,
        chat: BaseChatModel,
        messages: list[tuple[str, str]],
        options: dict[str, Any],
        left_s: float,
    ) -> str | Failure:
        """Ask once, within the budget of the current step."""
        form = tokens_in(json.dumps(options)) if options else 0
        length = tokens_in(*(text for _, text in messages)) + form
        name, in_use = f"{self.provider}:{self.model}", self.options
        async with count_call(name, length, self.max_tokens, form) as call:
            try:
                async with asyncio.timeout(left_s):
                    message = await chat.ainvoke(messages, **options)
            except Exception as error:  # noqa: BLE001  # every failure of the client is translated
                failure = failure_of(error, self._api_key)
                call.fail(error, failure.error.reason)
                return replace(failure, unsupported=_unsupported(error, in_use))
            call.answer(message)
            problem = self._problem(message)
            call.failure = problem.reason if problem else None
        if problem:
            return Failure(problem, problem.reason in _RETRIED)
        return str(message.text)

    def _chat(self, loop: asyncio.AbstractEventLoop) -> BaseChatModel:
        if self._client is None or self._client[0] is not loop:
            self._client = (loop, self.create_client())
        return self._client[1]

    def _problem(self, message: BaseMessage) -> LLMError | None:
        metadata = message.response_metadata
        end = str(next((metadata[name] for name in _STOP_NAMES if metadata.get(name)), "")).lower()
        refusal = message.additional_kwargs.get("refusal")
        if refusal or end == "refusal":
            text = redacted(str(refusal or "it gave no reason"), self._api_key).strip()
            return LLMRefusalError(f"the model declined to answer: {text}")
        if end in _FILTERED:
            filtered = "a content filter stopped the answer"
            return LLMRefusalError(filtered, reason=LLMFailure.CONTENT_FILTER)
        if end in _CUT:
            message_text = f"the model's answer was cut off at {self.max_tokens} tokens"
            return LLMLengthError(message_text, reason=LLMFailure.ANSWER_TOO_LONG)
        if end == "error":  # of OpenRouter, with a part of the answer
            return LLMError("the model's server broke off its answer", reason=LLMFailure.SERVER)
        is_empty = not str(message.text).strip()
        return LLMResponseError("the model's answer is empty") if is_empty else None


_OPTIONS = {
    "temperature": re.compile(r"temperature|sampling param", re.IGNORECASE),
    "max_completion_tokens": re.compile(r"max\w*[ _]tokens", re.IGNORECASE),
    "max_tokens": re.compile(r"max\w*[ _]tokens", re.IGNORECASE),
    "system": re.compile(
        r"\bsystem\b|\broles?\b|\bdeveloper\b|\bmessages\W+0\b|\buser\W+(?:or|and)\W+(?:assistant|model)\b",
        re.IGNORECASE,
    ),
    "response_format": re.compile(
        r"response.?format|json.?(?:schema|object|mode)|structured.?output", re.IGNORECASE
    ),
}
"""Options that a server may refuse, and how its message names them."""
_MESSAGE_CHARS = 2000


def _unsupported(error: Exception, in_use: frozenset[str]) -> frozenset[str]:
    if status_of(error) not in {400, 422} or _reason(error) is not LLMFailure.REQUEST:
        return frozenset()
    words = f"{error} {getattr(getattr(error, 'response', None), 'text', '')}"[:_MESSAGE_CHARS]
    names = {name for name in in_use if _OPTIONS[name].search(words)}
    names = names or set(in_use & {"response_format"})  # the least common, if none is named
    if "max_completion_tokens" in names:
        names.discard("max_tokens")  # the older name is sent next
    return frozenset(names)


def form_tokens(answer: type[BaseModel]) -> int:
    """Estimate the tokens of an answer's schema."""
    return expected_tokens(len(json.dumps(response_format(answer.model_json_schema()))))


def instruction_tokens(prompt: str, answer: type[BaseModel]) -> int:
    """Estimate the tokens of a prompt with its answer's schema."""
    return expected_tokens(len(prompt) + len(format_request())) + form_tokens(answer)
