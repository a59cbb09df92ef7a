"""The interface of a language model."""

from abc import ABC, abstractmethod
from typing import Any


class LLMProvider(ABC):
    """A language model; its failures are `LLMError`s."""

    deadline_s: float = 180.0
    """For one question with all attempts."""

    @abstractmethod
    async def complete(self, system_prompt: str, user_message: str) -> str: ...

    @abstractmethod
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the answer as a JSON object that follows `schema`, a JSON schema.

        `system_prompt` must not hold text from papers.
        """


def name_of(llm: LLMProvider | None) -> str | None:
    return None if llm is None else str(getattr(llm, "model", type(llm).__name__))
