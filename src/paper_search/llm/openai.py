"""Any server that speaks OpenAI's chat completions, through langchain-openai."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from paper_search.llm.chat import ChatProvider

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

OPENAI_URL = "https://api.openai.com/v1"


class OpenAIProvider(ChatProvider):
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

    provider = "openai"
    speaks_schema = True

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
        super().__init__(
            model=model,
            api_key=api_key,
            max_tokens=max_tokens,
            timeout_s=timeout_s,
            max_retries=max_retries,
        )
        self.base_url = base_url
        self.temperature = temperature

    @override
    def __repr__(self) -> str:
        return f"OpenAIProvider(model={self.model!r}, base_url={self.base_url!r})"

    @override
    def create_client(self) -> BaseChatModel:
        import openai  # noqa: PLC0415  # heavy: only a program that uses a model pays for it
        from langchain_openai import ChatOpenAI  # noqa: PLC0415  # as above
        from pydantic import SecretStr  # noqa: PLC0415  # kept beside its only use

        return ChatOpenAI(
            model=self.model,
            api_key=SecretStr(self._api_key),
            base_url=self.base_url or OPENAI_URL,
            temperature=self.temperature,
            max_completion_tokens=self.max_tokens,
            timeout=self.timeout_s,
            max_retries=0,
            use_responses_api=False,
            http_async_client=openai.DefaultAsyncHttpxClient(),
        )
