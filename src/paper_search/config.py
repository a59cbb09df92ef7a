"""Settings: the only module that reads the environment and `.env`.

Later wins: defaults, then `.env`, then the environment, then arguments.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

import platformdirs
from dotenv import dotenv_values
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from paper_search.errors import ConfigError

LLM_PROVIDERS = ("openai",)
"""Providers whose `<PROVIDER>_API_KEY` is read; no other name reaches the environment."""

_PREFIXES = {
    "serpapi_scholar": "serpapi",
    "semantic_scholar_bulk": "semantic_scholar",
    "serper_scholar": "serper",
    "opencitations": "opencitations",
}
"""Services to what their variables begin with, where that is not the name of an installed source.

The variables of a service are `..._API_KEY`, `..._MAX_CALLS` and `..._RATE_LIMIT`.
"""
_WITH_KEY = {"serpapi_scholar", "openalex", "semantic_scholar", "core"}
"""Those that are searched as soon as there is a key; Serper's also serves web searches."""


WEB_SOURCES = (
    "openalex",
    "crossref",
    "semantic_scholar",
    "arxiv",
    "pubmed",
    "europe_pmc",
    "dblp",
    "doaj",
    "datacite",
)
"""Services that answer without a key; together they are called `web`."""


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


def _names(given: object) -> object:
    """Return the names in a text with commas; anything else as it is."""
    if not isinstance(given, str):
        return given
    return [name for each in given.split(",") if (name := each.strip())]


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
    contact: str | None = None
    """An e-mail address that services may write to; they ask for one, and answer faster with it."""
    source_deadline_s: float = Field(default=55.0, gt=0)
    """What one source may take for all queries of a strategy."""
    enrich: bool = False
    """Whether what merged works lack (abstract, DOI, open text) is looked up."""
    enrichers: Annotated[list[str], BeforeValidator(_names)] = Field(
        default_factory=lambda: ["openalex", "semantic_scholar", "crossref", "unpaywall"]
    )
    """Where, in this order."""
    enrich_max_calls: int = Field(default=20, ge=0)
    """Requests that each of them may send for one search round."""
    http_cache: bool = True
    """Whether answers of services are kept on disk, so that asking again costs nothing."""
    home: Path = Field(default_factory=default_home)
    """Where threads and the library live."""
    database_url: str | None = Field(default=None, repr=False)
    """Where threads live instead; None: SQLite in `home`."""
    editor: str | None = None
    """The command that opens a form; None: forms are asked field by field."""

    @property
    def http_cache_path(self) -> Path | None:
        """The file that answers of services are kept in; None: none are kept."""
        return self.home / "cache" / "http.db" if self.http_cache else None

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
    settings = _picked(
        env,
        DEFAULT_MAX_RESULTS="default_max_results",
        MAX_RESULTS_CEILING="max_results_ceiling",
        DOMAIN="domain",
        RELEVANCE_BATCH_SIZE="relevance_batch_size",
        RELEVANCE_MAX_CONCURRENCY="relevance_max_concurrency",
        DEDUP_ENABLE_LLM_PASS="dedup_enable_llm_pass",  # noqa: S106  # not a password
        DEDUP_LLM_MAX_CANDIDATES="dedup_llm_max_candidates",
        PAPER_SEARCH_CONTACT="contact",
        PAPER_SEARCH_HTTP_CACHE="http_cache",
        SOURCE_DEADLINE_S="source_deadline_s",
        PAPER_SEARCH_ENRICH="enrich",
        PAPER_SEARCH_ENRICHERS="enrichers",
        PAPER_SEARCH_ENRICH_MAX_CALLS="enrich_max_calls",
        PAPER_SEARCH_HOME="home",
        DATABASE_URL="database_url",
    )
    if home is not None:
        settings["home"] = str(home)
    # Not from `.env`: a file in a working directory must not say which program runs.
    settings.update(_picked(dict(os.environ), EDITOR="editor"))  # noqa: TID251  # the one module that may
    settings.update(_picked(dict(os.environ), VISUAL="editor"))  # noqa: TID251  # the one module that may
    try:
        return AppConfig.model_validate({"llm": _llm(env), "sources": _sources(env), **settings})
    except ValidationError as error:
        fields = "; ".join(
            f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}"
            for each in error.errors(include_input=False)
        )
        raise ConfigError(f"settings cannot be used: {fields}") from None


def _llm(env: dict[str, str]) -> dict[str, str]:
    """Return the settings of the model; no provider that is unknown names a variable."""
    provider = env.get("LLM_PROVIDER", "").strip().lower() or "openai"
    is_known = provider in LLM_PROVIDERS
    key = env.get(f"{provider.upper()}_API_KEY", "").strip() if is_known else ""
    return {
        "provider": provider,
        "api_key": key,
        **_picked(env, LLM_MODEL="model", LLM_BASE_URL="base_url", LLM_TIMEOUT_S="timeout_s"),
        **_picked(env, LLM_TEMPERATURE="temperature", LLM_MAX_TOKENS="max_tokens"),
    }


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
    """Return the settings of sources; what is neither named nor set is left to its defaults."""
    sources: dict[str, dict[str, object]] = {
        "library": {"name": "library"},
        "sample": {"name": "sample", "enabled": False},
    }
    for name, prefix in service_prefixes().items():
        given = _picked(
            env,
            **{f"{prefix}_API_KEY": "api_key"},
            **{f"{prefix}_MAX_CALLS": "max_calls", f"{prefix}_RATE_LIMIT": "rate_limit"},
        )
        if given and name not in sources:
            # A key is only got on purpose; without one, a search goes to nobody unasked.
            sources[name] = {"name": name, "enabled": name in _WITH_KEY and "api_key" in given}
            sources[name] |= {field: value.strip() for field, value in given.items()}
    chosen = expand_sources(env.get("PAPER_SEARCH_SOURCES", "").split(","))
    if chosen:
        for settings in sources.values():
            settings["enabled"] = False
        for name in chosen:
            # Taken out and put in again: the order of the variable is the order of searching.
            sources[name] = sources.pop(name, {"name": name}) | {"enabled": True}
    return sources


def expand_sources(names: Iterable[str]) -> list[str]:
    """Return the names of sources, each once; `web` stands for those that need no key."""
    stripped = (name.strip() for name in names)
    expanded = (each for name in stripped for each in (WEB_SOURCES if name == "web" else (name,)))
    return list(dict.fromkeys(filter(None, expanded)))


def service_prefixes() -> dict[str, str]:
    """Return what the variables of each service begin with: its name, with few exceptions."""
    installed = {point.name: point.name for point in entry_points(group="paper_search.sources")}
    given = dict(sorted(installed.items())) | _PREFIXES
    return {name: prefix.upper().replace("-", "_") for name, prefix in given.items()}
