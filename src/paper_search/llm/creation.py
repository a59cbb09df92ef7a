"""From the name of a model to what asks it."""

from __future__ import annotations

from paper_search.config import LLMConfig
from paper_search.errors import ConfigError
from paper_search.llm.installed import REGISTERED, InstalledProvider
from paper_search.llm.openai import OpenAIProvider
from paper_search.llm.provider import LLMProvider
from paper_search.model_settings import key_variable
from paper_search.models.language_models import CHAT_PACKAGES
from paper_search.models.settings import Skill


def create_provider(config: LLMConfig) -> LLMProvider:
    """Return the model that `config.model` names; nothing is sent and no client is imported yet.

    What stands before the first colon is a provider if one is called that; else it belongs to the
    name, as in `llama3:8b`, and the provider is the one of the settings.

    Raises:
        ConfigError: the provider is unknown or not installed, or there is no key or model name.
    """
    chosen = _resolved(config)
    if chosen.provider not in CHAT_PACKAGES and chosen.provider not in REGISTERED.names():
        known = ", ".join(sorted({*CHAT_PACKAGES, *REGISTERED.names()}))
        raise ConfigError(f"Unknown LLM provider {config.provider!r}; known: {known}")
    needs_key = chosen.provider in CHAT_PACKAGES and key_variable(chosen.provider)
    if needs_key and not chosen.api_key.strip():
        raise ConfigError(
            f"API key required: set {needs_key}, or name no model to work without one"
        )
    if not chosen.model.strip():
        raise ConfigError("Model name required: set LLM_MODEL")
    if chosen.provider != "openai":
        return InstalledProvider(chosen)
    return OpenAIProvider(
        model=chosen.model,
        api_key=chosen.api_key,
        base_url=chosen.base_url,
        temperature=chosen.temperature,
        max_tokens=chosen.max_tokens,
        timeout_s=chosen.timeout_s,
    )


def create_models(config: LLMConfig) -> dict[Skill, LLMProvider | None]:
    """Return the model of each skill, the same object where they share one; None: it has none.

    Raises:
        ConfigError: as `create_provider` does.
    """
    names = {skill: config.of(skill) for skill in Skill}
    made = {
        name: create_provider(config.model_copy(update={"model": name}))
        for name in {*names.values()}
        if name
    }
    return {skill: made.get(name) for skill, name in names.items()}


def _resolved(config: LLMConfig) -> LLMConfig:
    """Return the settings with the bare name of the model, its provider and that one's key.

    The address is that of the settings' own provider.
    """
    usual = config.provider.strip().lower()
    prefix, colon, rest = config.model.partition(":")
    named = prefix.strip().lower()
    if not colon or (named not in CHAT_PACKAGES and named not in REGISTERED.names()):
        return config.model_copy(update={"provider": usual})
    update: dict[str, object] = {"provider": named, "model": rest.strip()}
    if named != usual:
        update |= {"api_key": config.api_keys.get(named, ""), "base_url": None}
    return config.model_copy(update=update)
