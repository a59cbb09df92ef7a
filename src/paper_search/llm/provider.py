"""What a language model is to the skills: text or a typed answer for two messages."""

from abc import ABC, abstractmethod
from typing import Any


class LLMProvider(ABC):
    """A language model; its failures are `LLMError` or one of its kinds."""

    deadline_s: float = 180.0
    """Seconds that one question may take, with all attempts."""

    @abstractmethod
    async def complete(self, system_prompt: str, user_message: str) -> str:
        """Return the model's answer as text."""

    @abstractmethod
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the model's answer as a JSON object.

        `system_prompt` never holds text from papers. `schema`: JSON schema to follow.
        """


def name_of(llm: LLMProvider | None) -> str | None:
    return None if llm is None else str(getattr(llm, "model", type(llm).__name__))
