"""Language models: one provider interface, typed answers, and what they cost."""

from __future__ import annotations

from collections.abc import Callable

from paper_search.config import LLMConfig
from paper_search.errors import (
    ConfigError,
    LLMAuthError,
    LLMError,
    LLMLengthError,
    LLMRateLimitError,
    LLMRefusalError,
    LLMResponseError,
)
from paper_search.llm.openai import OpenAIProvider
from paper_search.llm.provider import LLMProvider, Usage
from paper_search.llm.structured import ask

__all__ = [
    "LLMAuthError",
    "LLMConfig",
    "LLMError",
    "LLMLengthError",
    "LLMProvider",
    "LLMRateLimitError",
    "LLMRefusalError",
    "LLMResponseError",
    "OpenAIProvider",
    "Usage",
    "ask",
    "create_provider",
]


def _openai(config: LLMConfig) -> LLMProvider:
    return OpenAIProvider(
        model=config.model,
        api_key=config.api_key,
        base_url=config.base_url,
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        timeout_s=config.timeout_s,
    )


_FACTORIES: dict[str, Callable[[LLMConfig], LLMProvider]] = {"openai": _openai}


def create_provider(config: LLMConfig) -> LLMProvider:
    """Return the provider that the settings name; nothing is sent yet.

    Raises:
        ConfigError: the provider is unknown, or it has no key or no model name.
    """
    factory = _FACTORIES.get(config.provider.strip().lower())
    if factory is None:
        known = ", ".join(sorted(_FACTORIES))
        raise ConfigError(f"Unknown LLM provider {config.provider!r}; known: {known}")
    if not config.api_key.strip():
        variable = f"{config.provider.strip().upper()}_API_KEY"
        raise ConfigError(f"API key required: set {variable}, or name no model to work without one")
    if not config.model.strip():
        raise ConfigError("Model name required: set LLM_MODEL")
    return factory(config)
