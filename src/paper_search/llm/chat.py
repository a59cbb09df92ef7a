"""Any chat model of langchain-core as the provider of the skills."""

from __future__ import annotations

import asyncio
import json
import logging
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from paper_search.errors import (
    LLMError,
    LLMFailure,
    LLMLengthError,
    LLMRefusalError,
    LLMResponseError,
)
from paper_search.llm.failures import Failure, failure_of, redacted, status_of
from paper_search.llm.json_text import json_object
from paper_search.llm.metering import counted_call, tokens_in
from paper_search.llm.provider import LLMProvider, Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
"""A server that asks to wait longer is not waited for."""
_CUT = frozenset({"length", "max_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "blocklist", "prohibited_content", "recitation"})
_STOP_NAMES = ("finish_reason", "stop_reason", "done_reason")
"""What OpenAI, Anthropic and Ollama call the reason for which an answer ends."""

_log = logging.getLogger(__name__)


class ChatProvider(LLMProvider):
    """A chat model that is made once per event loop: connections do not outlive their loop.

    Args:
        model: its name, for people.
        api_key: never part of a repr, an error or a log line.
        max_tokens: the longest answer, in tokens.
        timeout_s: seconds per attempt; all attempts together may take (max_retries + 1) times it.
        max_retries: of what may pass by itself: 429 with a short wait, 5xx, dropped connections.
    """

    provider = ""
    """What the provider is called, in the log of usage and in the price table."""
    speaks_schema = False
    """Whether the server takes `response_format`; the schema is in the prompt in any case."""

    def __init__(
        self,
        *,
        model: str,
        api_key: str = "",
        max_tokens: int = 4096,
        timeout_s: float = 60.0,
        max_retries: int = 2,
    ) -> None:
        self.model = model
        self.max_tokens = max_tokens
        self.timeout_s = timeout_s
        self.max_retries = max_retries
        self.usage = Usage()
        self._api_key = api_key
        self._client: tuple[asyncio.AbstractEventLoop, BaseChatModel] | None = None

    @abstractmethod
    def create_client(self) -> BaseChatModel:
        """Return the chat model, which repeats no request by itself.

        Raises:
            ConfigError: it lacks a setting.
        """

    @override
    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r})"

    @override
    async def complete(self, system_prompt: str, user_message: str) -> str:
        return await self._text(system_prompt, user_message, {})

    @override
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        prompt = f"{system_prompt}\n\n{_format_request(schema)}"
        if self.speaks_schema:
            try:
                options = {"response_format": _response_format(schema)}
                text = await self._text(prompt, user_message, options)
            except _UnsupportedFormatError:
                _log.info("%r takes no response_format; the schema goes into the prompt", self)
                self.speaks_schema = False
            else:
                return json_object(text)
        return json_object(await self._text(prompt, user_message, {}))

    async def _text(self, system_prompt: str, user_message: str, options: dict[str, Any]) -> str:
        """Return the text of one answer; what may pass by itself is asked again.

        Raises:
            LLMError: or one of its kinds. Not raised where the client's own error is handled, so
                that no traceback carries the server's words, which may hold the key.
        """
        self.usage.calls += 1
        messages = [("system", system_prompt), ("human", user_message)]
        loop = asyncio.get_running_loop()
        chat = self._chat(loop)  # before the clock starts: importing a client takes seconds
        deadline = loop.time() + self.timeout_s * (self.max_retries + 1)
        attempt = 0
        while True:
            answer = await self._attempt(chat, messages, options, deadline - loop.time())
            if not isinstance(answer, Failure):
                return answer
            wait_s = _FIRST_WAIT_S * 2**attempt if answer.wait_s is None else answer.wait_s
            attempt += 1
            may_wait = wait_s <= _LONGEST_WAIT_S and loop.time() + wait_s < deadline
            if attempt > self.max_retries or not answer.is_passing or not may_wait:
                raise answer.error
            _log.info("%r is asked again in %.1f s: %s", self, wait_s, answer.error)
            await asyncio.sleep(wait_s)

    async def _attempt(
        self, chat: BaseChatModel, messages: Any, options: dict[str, Any], left_s: float
    ) -> str | Failure:
        """Ask once, within the budget of whatever work this is.

        Raises:
            ModelCallLimitError: the budget does not cover it; nothing is sent.
        """
        asked = tokens_in(*(text for _, text in messages), json.dumps(options))
        name = f"{self.provider}:{self.model}"
        async with counted_call(name, asked, self.max_tokens) as call:
            try:
                async with asyncio.timeout(left_s):
                    message = await chat.ainvoke(messages, **options)
            except Exception as error:  # noqa: BLE001  # every failure of the client gets our name
                failure = failure_of(error, self._api_key)
                if options and _is_about_format(error):
                    failure = Failure(_UnsupportedFormatError("no response_format"))
                call.failure = failure.error.reason
                is_cut = call.failure is LLMFailure.TIMEOUT  # it may have to be paid for
                call.input_tokens, call.output_tokens = _paid_for(error) or (asked * is_cut, 0)
                self.usage.add(call.input_tokens, call.output_tokens)
                return failure
            call.input_tokens, call.output_tokens = _spent(message, asked)
            self.usage.add(call.input_tokens, call.output_tokens)
            problem = self._problem(message)
            call.failure = problem.reason if problem else None
        return Failure(problem) if problem else str(message.text)

    def _chat(self, loop: asyncio.AbstractEventLoop) -> BaseChatModel:
        if self._client is None or self._client[0] is not loop:
            self._client = (loop, self.create_client())
        return self._client[1]

    def _problem(self, message: BaseMessage) -> LLMError | None:
        """Return why an answer that came is none; None: it is one."""
        said = message.response_metadata
        ended = str(next((said[name] for name in _STOP_NAMES if said.get(name)), "")).lower()
        refusal = message.additional_kwargs.get("refusal")
        if refusal or ended == "refusal":
            told = redacted(str(refusal or "it gave no reason"), self._api_key)
            return LLMRefusalError(f"the model declined to answer: {told}")
        if ended in _FILTERED:
            filtered = "a content filter stopped the answer"
            return LLMRefusalError(filtered, reason=LLMFailure.CONTENT_FILTER)
        if ended in _CUT:
            cut = f"the model's answer was cut off at {self.max_tokens} tokens"
            return LLMLengthError(cut, reason=LLMFailure.ANSWER_TOO_LONG)
        is_empty = not str(message.text).strip()
        return LLMResponseError("the model's answer is empty") if is_empty else None


def _spent(message: BaseMessage, asked: int) -> tuple[int, int]:
    """Return the tokens of question and answer, estimated where the server does not say."""
    spent = getattr(message, "usage_metadata", None) or {}
    answered = tokens_in(str(message.text))
    return spent.get("input_tokens") or asked, spent.get("output_tokens") or answered


def _paid_for(error: Exception) -> tuple[int, int] | None:
    """Return the tokens of an answer that came and was thrown away by the client."""
    spent = getattr(getattr(error, "completion", None), "usage", None)
    return (spent.prompt_tokens or 0, spent.completion_tokens or 0) if spent else None


class _UnsupportedFormatError(LLMError):
    """The server knows no `response_format`."""


def _is_about_format(error: Exception) -> bool:
    return status_of(error) in {400, 422} and "response_format" in str(error)


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
