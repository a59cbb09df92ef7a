"""What a language model is to the skills: text or a typed answer for two messages, counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any


@dataclass
class Usage:
    """Running totals of one provider."""

    calls: int = 0
    """Questions asked; the client's own retries are not counted."""
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, input_tokens: int, output_tokens: int) -> None:
        """Add the tokens of one answer."""
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens


class LLMProvider(ABC):
    """A language model. A test double may subclass it without calling `super().__init__()`."""

    @abstractmethod
    async def complete(self, system_prompt: str, user_message: str) -> str:
        """Return the model's answer as text.

        Raises:
            LLMError: or one of its kinds.
        """

    @abstractmethod
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the model's answer as a JSON object.

        `system_prompt` never holds text from papers. `schema`: JSON schema to follow.

        Raises:
            LLMError: or one of its kinds.
        """


def name_of(llm: LLMProvider | None) -> str | None:
    """Return what a model is called, or None."""
    return None if llm is None else str(getattr(llm, "model", type(llm).__name__))
