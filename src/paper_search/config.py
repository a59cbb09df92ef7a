"""Settings: the only module that reads the environment and `.env`.

Later wins: defaults, then `.env`, then the environment, then arguments.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
from dotenv import dotenv_values
from pydantic import BaseModel, Field, ValidationError

from paper_search.errors import ConfigError

LLM_PROVIDERS = ("openai",)
"""Providers whose `<PROVIDER>_API_KEY` is read; no other name reaches the environment."""


class LLMConfig(BaseModel):
    """Which language model to use; without a model name, none is used."""

    provider: str = "openai"
    model: str = ""
    api_key: str = Field(default="", repr=False)
    base_url: str | None = None
    """Any server that speaks OpenAI's chat completions."""
    temperature: float = 0.0
    max_tokens: int = 4096
    timeout_s: float = 60.0

    @property
    def is_wanted(self) -> bool:
        """Whether a model was named; a key alone does not spend anybody's money."""
        return bool(self.model)


class SearchSourceConfig(BaseModel):
    """Settings of one source."""

    name: str
    api_key: str = Field(default="", repr=False)
    enabled: bool = True
    rate_limit: float = 1.0
    """Requests per second."""
    max_calls: int | None = None
    """Requests per run; None: no limit, 0: none at all."""


def default_home() -> Path:
    """Return the platform's directory for user data."""
    return Path(platformdirs.user_data_dir("paper-search", appauthor=False))


class AppConfig(BaseModel):
    """All settings of the program."""

    llm: LLMConfig = Field(default_factory=LLMConfig)
    sources: dict[str, SearchSourceConfig] = Field(default_factory=dict)
    default_max_results: int = Field(default=100, ge=1)
    max_results_ceiling: int = Field(default=1000, ge=1)
    """What a strategy may ask for at most."""
    domain: str = "general"
    relevance_batch_size: int = Field(default=10, ge=1)
    relevance_max_concurrency: int = Field(default=5, ge=1)
    dedup_enable_llm_pass: bool = True
    dedup_llm_max_candidates: int = Field(default=60, ge=0)
    home: Path = Field(default_factory=default_home)
    """Where threads and the library live."""
    database_url: str | None = Field(default=None, repr=False)
    """Where threads live instead; None: SQLite in `home`."""
    keep_found: bool = False
    """Whether what live sources find is added to the library."""
    editor: str | None = None
    """The command that opens a form; None: forms are asked field by field."""

    @property
    def persistence_url(self) -> str:
        """The URL to give to `paper_search.persistence.open_persistence`."""
        return self.database_url or f"sqlite:///{self.home / 'threads.db'}"


def load_config(env_path: Path | str | None = None, *, home: Path | str | None = None) -> AppConfig:
    """Return the settings found in `.env` and the environment.

    Args:
        env_path: the `.env` to read; by default the one in the working directory, if any.
        home: overrides `PAPER_SEARCH_HOME`.

    Raises:
        ConfigError: a value cannot be used, or `env_path` is not a file.
    """
    env = _environment(env_path)
    provider = env.get("LLM_PROVIDER", "").strip().lower() or "openai"
    is_known = provider in LLM_PROVIDERS
    key = env.get(f"{provider.upper()}_API_KEY", "").strip() if is_known else ""
    llm = {
        "provider": provider,
        "api_key": key,
        **_picked(env, LLM_MODEL="model", LLM_BASE_URL="base_url", LLM_TIMEOUT_S="timeout_s"),
        **_picked(env, LLM_TEMPERATURE="temperature", LLM_MAX_TOKENS="max_tokens"),
    }
    settings = _picked(
        env,
        DEFAULT_MAX_RESULTS="default_max_results",
        MAX_RESULTS_CEILING="max_results_ceiling",
        DOMAIN="domain",
        RELEVANCE_BATCH_SIZE="relevance_batch_size",
        RELEVANCE_MAX_CONCURRENCY="relevance_max_concurrency",
        DEDUP_ENABLE_LLM_PASS="dedup_enable_llm_pass",  # noqa: S106  # not a password
        DEDUP_LLM_MAX_CANDIDATES="dedup_llm_max_candidates",
        PAPER_SEARCH_HOME="home",
        DATABASE_URL="database_url",
        PAPER_SEARCH_KEEP="keep_found",
    )
    if home is not None:
        settings["home"] = str(home)
    # Not from `.env`: a file in a working directory must not say which program runs.
    settings.update(_picked(dict(os.environ), EDITOR="editor"))  # noqa: TID251  # the one module that may
    settings.update(_picked(dict(os.environ), VISUAL="editor"))  # noqa: TID251  # the one module that may
    try:
        return AppConfig.model_validate({"llm": llm, "sources": _sources(env), **settings})
    except ValidationError as error:
        fields = "; ".join(
            f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}"
            for each in error.errors(include_input=False)
        )
        raise ConfigError(f"settings cannot be used: {fields}") from None


def _environment(env_path: Path | str | None) -> dict[str, str]:
    path = Path(env_path) if env_path is not None else Path(".env")
    if env_path is not None and not path.is_file():
        raise ConfigError(f"no such settings file: {str(path)!r}")
    from_file = dotenv_values(path) if path.is_file() else {}
    merged = {**from_file, **os.environ}  # noqa: TID251  # the one module that may
    return {name: value for name, value in merged.items() if value is not None}


def _picked(env: dict[str, str], **names: str) -> dict[str, str]:
    """Return the non-empty variables among `names`, under their field names."""
    return {field: env[name] for name, field in names.items() if env.get(name, "").strip()}


def _sources(env: dict[str, str]) -> dict[str, dict[str, object]]:
    sources: dict[str, dict[str, object]] = {
        "library": {"name": "library"},
        "sample": {"name": "sample", "enabled": False},
    }
    if env.get("SERPAPI_API_KEY", "").strip():
        sources["serpapi_scholar"] = {
            "name": "serpapi_scholar",
            "api_key": env["SERPAPI_API_KEY"].strip(),
            **_picked(env, SERPAPI_MAX_CALLS="max_calls"),
        }
    return sources
