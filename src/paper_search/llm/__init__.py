"""Language models: one provider interface, typed answers, and what they cost."""

from paper_search.config import LLMConfig
from paper_search.errors import (
    LLMAuthError,
    LLMError,
    LLMFailure,
    LLMLengthError,
    LLMRateLimitError,
    LLMRefusalError,
    LLMResponseError,
)
from paper_search.llm.creation import OpenAIProvider, create_models, create_provider
from paper_search.llm.provider import LLMProvider
from paper_search.llm.structured import ask

__all__ = [
    "LLMAuthError", "LLMConfig", "LLMError", "LLMFailure", "LLMLengthError", "LLMProvider",
    "LLMRateLimitError", "LLMRefusalError", "LLMResponseError", "OpenAIProvider", "ask",
    "create_models", "create_provider",
]  # fmt: skip
