"""Settings: the only module that reads the environment and `.env`.

Later wins: defaults, then `.env`, then the environment, then arguments.
"""

from __future__ import annotations

import getpass
import os
import socket
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import platformdirs
from dotenv import dotenv_values
from pydantic import BaseModel, BeforeValidator, Field, ValidationError, field_validator

from paper_search.errors import ConfigError
from paper_search.models.embeddings import EMBEDDINGS_GROUP, EmbeddingsConfig
from paper_search.service_settings import (
    WEB_SEARCHES,
    WEB_SOURCES,
    expand_sources,
    listed,
    picked,
    service_prefixes,
    source_settings,
    web_prefixes,
    web_settings,
)

__all__ = [
    "LLM_PROVIDERS",
    "MIN_TOKEN_CHARS",
    "STUDIO",
    "WEB_SEARCHES",
    "WEB_SOURCES",
    "AppConfig",
    "LLMConfig",
    "SearchSourceConfig",
    "ServerConfig",
    "current_person",
    "default_home",
    "encryption_keys",
    "expand_sources",
    "load_config",
    "service_prefixes",
    "settings_elsewhere",
    "web_prefixes",
]

LLM_PROVIDERS = ("openai",)
"""Providers whose `<PROVIDER>_API_KEY` is read; no other name reaches the environment."""

STUDIO = "https://smith.langchain.com"
"""Where LangGraph Studio's pages come from."""
MIN_TOKEN_CHARS = 16


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

    @field_validator("base_url")
    @classmethod
    def _check_address(cls, base_url: str | None) -> str | None:
        """An address is logged and traced, so no key may be in it."""
        parts = urlsplit(base_url or "")
        if parts.query or parts.fragment or "@" in parts.netloc:
            raise ValueError("is more than an address; give the key in <PROVIDER>_API_KEY")
        return base_url

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
    url: str | None = None
    """Where it is, for a service that everybody runs for themselves."""

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str | None) -> str | None:
        """An address is logged, so no password may be in it."""
        parts = urlsplit(url or "http://")
        if parts.scheme not in {"http", "https"} or parts.query or "@" in parts.netloc:
            raise ValueError("is not an address like http://localhost:8888")
        return url


class ServerConfig(BaseModel):
    """Who may use the server, and from where."""

    tokens: dict[str, str] = Field(default_factory=dict, repr=False)
    """Token by name of its owner; none: everybody on this machine, and nobody else."""
    hosts: list[str] = Field(default_factory=list)
    """Names that the server answers to besides those of the loopback."""
    origins: list[str] = Field(default_factory=lambda: [STUDIO])
    """Pages that may use it from a browser."""

    @field_validator("tokens", mode="before")
    @classmethod
    def _split_tokens(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [each.partition("=") for each in listed(value)]
        if any(not (owner.strip() and token.strip()) for owner, _, token in pairs):
            raise ValueError("is not a list NAME=TOKEN, NAME=TOKEN")
        if len({owner.strip() for owner, _, _ in pairs}) < len(pairs):
            raise ValueError("names an owner twice")
        return {owner.strip(): token.strip() for owner, _, token in pairs}

    @field_validator("tokens")
    @classmethod
    def _check_tokens(cls, tokens: dict[str, str]) -> dict[str, str]:
        if any(len(token) < MIN_TOKEN_CHARS for token in tokens.values()):
            raise ValueError(f"holds a token of less than {MIN_TOKEN_CHARS} characters")
        if len(set(tokens.values())) < len(tokens):
            raise ValueError("gives two owners the same token")
        return tokens

    @field_validator("hosts", "origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return listed(value) if isinstance(value, str) else value

    @field_validator("origins")
    @classmethod
    def _check_origins(cls, origins: list[str]) -> list[str]:
        if any("*" in each or "://" not in each for each in origins):
            raise ValueError("takes origins like https://example.org, and no *")
        return [each.rstrip("/") for each in origins]


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
    web: dict[str, SearchSourceConfig] = Field(default_factory=dict)
    """Searches of web and news, for reports."""
    report_pages: int = Field(default=10, ge=0, le=100)
    """Web pages and open-access papers that a report fetches at most; 0: none."""
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
    scope_deadline_s: float = Field(default=5.0, ge=0)
    """What all sources together may take to count hits before a strategy is asked; 0: no counts."""
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
    server: ServerConfig = Field(default_factory=ServerConfig)
    keep_found: bool = False
    """Whether what live sources find is added to the library."""
    embeddings: EmbeddingsConfig = Field(default_factory=EmbeddingsConfig)
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

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be written anywhere: keys, tokens, the password of the database."""
        password = urlsplit(self.database_url or "").password
        services = (*self.sources.values(), *self.web.values())
        keys = [
            self.llm.api_key,
            self.embeddings.api_key,
            *(each.api_key for each in services),
        ]
        return tuple(filter(None, [*keys, *self.server.tokens.values(), password]))


def load_config(env_path: Path | str | None = None, *, home: Path | str | None = None) -> AppConfig:
    """Return the settings found in `.env` and the environment.

    Args:
        env_path: the `.env` to read; by default the one in the working directory, if any.
        home: overrides `PAPER_SEARCH_HOME`.

    Raises:
        ConfigError: a value cannot be used, or `env_path` is not a file.
    """
    env = _environment(env_path)
    settings = picked(
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
        SCOPE_DEADLINE_S="scope_deadline_s",
        PAPER_SEARCH_ENRICH="enrich",
        PAPER_SEARCH_ENRICHERS="enrichers",
        PAPER_SEARCH_ENRICH_MAX_CALLS="enrich_max_calls",
        PAPER_SEARCH_HOME="home",
        DATABASE_URL="database_url",
        PAPER_SEARCH_KEEP="keep_found",
        PAPER_SEARCH_PAGES="report_pages",
    )
    if home is not None:
        settings["home"] = str(home)
    # Not from `.env`: a file in a working directory must not say which program runs.
    settings.update(picked(dict(os.environ), EDITOR="editor"))  # noqa: TID251  # the one module that may
    settings.update(picked(dict(os.environ), VISUAL="editor"))  # noqa: TID251  # the one module that may
    try:
        return AppConfig.model_validate({**_parts(env), **settings})
    except ValidationError as error:
        fields = "; ".join(
            f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}"
            for each in error.errors(include_input=False)
        )
        raise ConfigError(f"settings cannot be used: {fields}") from None


def _parts(env: dict[str, str]) -> dict[str, object]:
    """Return the settings that are objects of their own."""
    return {
        "llm": _llm(env),
        "sources": source_settings(env, env.get("PAPER_SEARCH_SOURCES", "")),
        "web": web_settings(env, env.get("PAPER_SEARCH_WEB", "")),
        "server": _server(env),
        "embeddings": _embeddings(env),
    }


def encryption_keys(env_path: Path | str | None = None) -> list[str]:
    """Return the keys that threads are encrypted with, the present one first; empty: they are not.

    Raises:
        ConfigError: there are old keys and no present one, or `env_path` is not a file.
    """
    env = _environment(env_path)
    present = env.get("PAPER_SEARCH_ENCRYPTION_KEY", "").strip()
    old = env.get("PAPER_SEARCH_ENCRYPTION_OLD_KEYS", "").replace(",", " ").split()
    if old and not present:
        raise ConfigError(
            "PAPER_SEARCH_ENCRYPTION_OLD_KEYS is set without PAPER_SEARCH_ENCRYPTION_KEY: "
            "set the key that new rows are written with"
        )
    return [present, *old] if present else []


def current_person() -> str:
    """Return who runs the program: `user@host`, as the operating system says."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = "somebody"
    return f"{user}@{socket.gethostname()}"


def settings_elsewhere(config: AppConfig) -> dict[str, str]:
    """Return the variables with which a process in another directory has the same settings."""
    url = config.persistence_url
    place, scheme = url.removeprefix("sqlite:///"), "sqlite:///"
    if url.startswith(scheme):
        url = f"{scheme}{Path(place).absolute()}"
    return {
        **_environment(None),
        "PAPER_SEARCH_HOME": str(config.home.absolute()),
        "DATABASE_URL": url,
    }


def _llm(env: dict[str, str]) -> dict[str, str]:
    """Return the settings of the model; no provider that is unknown names a variable."""
    provider = env.get("LLM_PROVIDER", "").strip().lower() or "openai"
    is_known = provider in LLM_PROVIDERS
    key = env.get(f"{provider.upper()}_API_KEY", "").strip() if is_known else ""
    return {
        "provider": provider,
        "api_key": key,
        **picked(env, LLM_MODEL="model", LLM_BASE_URL="base_url", LLM_TIMEOUT_S="timeout_s"),
        **picked(env, LLM_TEMPERATURE="temperature", LLM_MAX_TOKENS="max_tokens"),
    }


def _embeddings(env: dict[str, str]) -> dict[str, str]:
    """Return the settings of the embedding model; a `.env` cannot say which code is imported."""
    given = picked(
        env,
        PAPER_SEARCH_EMBEDDINGS="name",
        PAPER_SEARCH_EMBEDDINGS_API_KEY="api_key",
        PAPER_SEARCH_EMBEDDINGS_BASE_URL="base_url",
        PAPER_SEARCH_EMBEDDINGS_BATCH_SIZE="batch_size",
        PAPER_SEARCH_EMBEDDINGS_TIMEOUT_S="timeout_s",
    )
    provider = given.get("name", "").partition(":")[0]
    is_installed = bool(entry_points(group=EMBEDDINGS_GROUP, name=provider)) if provider else True
    name = "PAPER_SEARCH_EMBEDDINGS"
    if not is_installed and name not in os.environ:  # noqa: TID251  # the one module that may
        raise ConfigError(f"{name}: a module is taken from the environment only, not from .env")
    if provider == "openai" and "base_url" not in given:
        given = picked(env, OPENAI_API_KEY="api_key") | given
    return given


def _server(env: dict[str, str]) -> dict[str, str]:
    """Return who may use the server."""
    return picked(
        env,
        PAPER_SEARCH_TOKENS="tokens",
        PAPER_SEARCH_HOSTS="hosts",
        PAPER_SEARCH_ORIGINS="origins",
    )


def _environment(env_path: Path | str | None) -> dict[str, str]:
    path = Path(env_path) if env_path is not None else Path(".env")
    if env_path is not None and not path.is_file():
        raise ConfigError(f"no such settings file: {str(path)!r}")
    from_file = dotenv_values(path) if path.is_file() else {}
    merged = {**from_file, **os.environ}  # noqa: TID251  # the one module that may
    return {name: value for name, value in merged.items() if value is not None}
