"""The settings of chat models and embedding models, from variables that are given.

Nothing is read from the environment here; `paper_search.config` does that.
"""

from __future__ import annotations

from collections.abc import Mapping

from paper_search.errors import ConfigError
from paper_search.models.language_models import CHAT_MODELS_GROUP, CHAT_PACKAGES, EMBEDDINGS_GROUP
from paper_search.resources import EntryPoints


def llm_settings(env: Mapping[str, str], given: dict[str, str]) -> dict[str, object]:
    """Return the settings of the model, with the keys of the providers that its names need.

    A provider that is neither shipped nor installed names no variable.

    Args:
        env: all variables.
        given: what they say of the model, by the names of the settings.
    """
    provider = given.get("provider", "").strip().lower() or "openai"
    names = [name for setting, name in given.items() if setting.endswith("model")]
    wanted = {provider, *(name.partition(":")[0].strip().lower() for name in names if ":" in name)}
    keys = {}
    known = {*CHAT_PACKAGES, *EntryPoints(CHAT_MODELS_GROUP, "chat model").names()}
    for name in wanted & known:
        variable = key_variable(name)
        if variable and (key := env.get(variable, "").strip()):
            keys[name] = key
    return {**given, "provider": provider, "api_key": keys.pop(provider, ""), "api_keys": keys}


def key_variable(provider: str) -> str:
    """Return the variable of a provider's key; empty: it has none."""
    package = CHAT_PACKAGES.get(provider)
    return f"{provider.upper()}_API_KEY" if package is None else package.key_variable


def embeddings_settings(
    env: Mapping[str, str], given: dict[str, str], *, may_import: bool
) -> dict[str, str]:
    """Return the settings of the embedding model.

    Args:
        env: all variables.
        given: what they say of the model, by the names of the settings.
        may_import: whether the name may be that of a module: a `.env` cannot say which code runs.

    Raises:
        ConfigError: the name is that of a module, and may not be.
    """
    provider = given.get("name", "").partition(":")[0]
    installed: EntryPoints[object] = EntryPoints(EMBEDDINGS_GROUP, "embedding model")
    if provider and not may_import and provider not in installed.names():
        raise ConfigError(
            "PAPER_SEARCH_EMBEDDINGS: a module is taken from the environment only, not from .env"
        )
    key = env.get("OPENAI_API_KEY", "").strip()
    if provider == "openai" and "base_url" not in given and key:
        given = {"api_key": key} | given
    return given
