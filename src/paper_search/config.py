"""Settings: the only module that reads the environment, `.env` and what the home remembers.

Later wins: defaults, then `config.toml` in the home, then `.env`, then the environment, then
arguments.
"""

from __future__ import annotations

import getpass
import os
import socket
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import platformdirs
from dotenv import dotenv_values
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from paper_search.errors import ConfigError
from paper_search.model_settings import embeddings_settings, llm_settings
from paper_search.models.language_models import CHAT_PACKAGES, EmbeddingsConfig
from paper_search.models.network import NetworkConfig
from paper_search.models.settings import (
    MIN_TOKEN_CHARS,
    STUDIO,
    Contact,
    LLMConfig,
    NamedValues,
    SearchSourceConfig,
    ServerConfig,
)
from paper_search.models.usage import Budget
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
from paper_search.settings_file import FILE, read_settings, require_name, write_settings

__all__ = [
    "LLM_PROVIDERS",
    "MIN_TOKEN_CHARS",
    "REMEMBERED",
    "SETTINGS",
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
    "forget_setting",
    "load_config",
    "remember_setting",
    "service_prefixes",
    "setting_origins",
    "settings_elsewhere",
    "web_prefixes",
]

LLM_PROVIDERS = tuple(CHAT_PACKAGES)
"""Providers whose keys are read, besides installed ones; no other name reaches the environment."""

SETTINGS = {
    "PAPER_SEARCH_HOME": "home",
    "DATABASE_URL": "database_url",
    "PAPER_SEARCH_SOURCES": "sources",
    "PAPER_SEARCH_CONTACT": "contact",
    "PAPER_SEARCH_KEEP": "keep_found",
    "PAPER_SEARCH_ENRICH": "enrich",
    "PAPER_SEARCH_ENRICHERS": "enrichers",
    "PAPER_SEARCH_ENRICH_MAX_CALLS": "enrich_max_calls",
    "PAPER_SEARCH_HTTP_CACHE": "http_cache",
    "SOURCE_DEADLINE_S": "source_deadline_s",
    "SCOPE_DEADLINE_S": "scope_deadline_s",
    "DEFAULT_MAX_RESULTS": "default_max_results",
    "MAX_RESULTS_CEILING": "max_results_ceiling",
    "DOMAIN": "domain",
    "PAPER_SEARCH_PAGES": "report_pages",
    "PAPER_SEARCH_REPORT": "report",
    "RELEVANCE_BATCH_SIZE": "relevance_batch_size",
    "RELEVANCE_MAX_CONCURRENCY": "relevance_max_concurrency",
    "DEDUP_ENABLE_LLM_PASS": "dedup_enable_llm_pass",
    "DEDUP_LLM_MAX_CANDIDATES": "dedup_llm_max_candidates",
    "LLM_PROVIDER": "llm.provider",
    "LLM_MODEL": "llm.model",
    "LLM_MODEL_INTENT": "llm.intent_model",
    "LLM_MODEL_STRATEGY": "llm.strategy_model",
    "LLM_MODEL_DUPLICATES": "llm.duplicates_model",
    "LLM_MODEL_JUDGE": "llm.judge_model",
    "LLM_PRICES": "llm.prices",
    "PAPER_SEARCH_BUDGET": "budget",
    "LLM_BASE_URL": "llm.base_url",
    "LLM_TEMPERATURE": "llm.temperature",
    "LLM_MAX_TOKENS": "llm.max_tokens",
    "LLM_TIMEOUT_S": "llm.timeout_s",
    "PAPER_SEARCH_EMBEDDINGS": "embeddings.name",
    "PAPER_SEARCH_EMBEDDINGS_BASE_URL": "embeddings.base_url",
    "PAPER_SEARCH_EMBEDDINGS_API_KEY": "embeddings.api_key",
    "PAPER_SEARCH_EMBEDDINGS_BATCH_SIZE": "embeddings.batch_size",
    "PAPER_SEARCH_EMBEDDINGS_TIMEOUT_S": "embeddings.timeout_s",
    "PAPER_SEARCH_TOKENS": "server.tokens",
    "PAPER_SEARCH_HOSTS": "server.hosts",
    "PAPER_SEARCH_ORIGINS": "server.origins",
    "PAPER_SEARCH_MCP": "server.is_mcp_open",
}
"""Variables to the settings that they set; keys and limits of services are beside."""

REMEMBERED = {
    name: variable
    for variable, name in SETTINGS.items()
    if "." not in name and name not in {"home", "database_url"}
}
"""Settings that the home may remember: nothing secret, and nothing that says which code runs."""


_NAMES = BeforeValidator(lambda given: listed(given) if isinstance(given, str) else given)


def default_home() -> Path:
    """Return the platform's directory for user data."""
    return Path(platformdirs.user_data_dir("paper-search", appauthor=False))


class AppConfig(BaseModel):
    """All settings of the program."""

    llm: LLMConfig = Field(default_factory=LLMConfig)
    sources: dict[str, SearchSourceConfig] = Field(default_factory=dict)
    remembered_sources: list[str] = Field(default_factory=list)
    """Those of them that are searched only because the home remembers it."""
    web: dict[str, SearchSourceConfig] = Field(default_factory=dict)
    """Searches of web and news, for reports."""
    report_pages: int = Field(default=10, ge=0, le=100)
    """Web pages and open-access papers that a report fetches at most; 0: none."""
    report: NamedValues = {}  # of every report, by name, such as writer_model
    default_max_results: int = Field(default=100, ge=1)
    max_results_ceiling: int = Field(default=1000, ge=1)
    """What a strategy may ask for at most."""
    domain: str = "general"
    budget: Budget | None = None
    """What a thread may spend on models at most; None: no limit."""
    relevance_batch_size: int = Field(default=1, ge=1)
    relevance_max_concurrency: int = Field(default=5, ge=1)
    dedup_enable_llm_pass: bool = True
    dedup_llm_max_candidates: int = Field(default=60, ge=0)
    contact: Contact = None
    """An e-mail address that services may write to; they ask for one, and answer faster with it."""
    source_deadline_s: float = Field(default=55.0, gt=0)
    """What one source may take for all queries of a strategy."""
    scope_deadline_s: float = Field(default=5.0, ge=0)
    """What all sources together may take to count hits before a strategy is asked; 0: no counts."""
    enrich: bool = False
    """Whether what merged works lack (abstract, DOI, open text) is looked up."""
    enrichers: Annotated[list[str], _NAMES] = ["openalex", "crossref"]
    """Where, in this order. Unpaywall has the same data as OpenAlex, in an older form."""
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
    network: NetworkConfig = Field(default_factory=NetworkConfig)
    editor: str | None = None
    """The command that opens a form; None: forms are asked field by field."""

    @property
    def keyed_sources(self) -> list[str]:
        """The sources that there is a key for."""
        return [name for name, source in self.sources.items() if source.api_key]

    @property
    def http_cache_path(self) -> Path | None:
        """The file that answers of services are kept in; None: none are kept."""
        return self.home / "cache" / "http.db" if self.http_cache else None

    @property
    def usage_path(self) -> Path:
        """The directory of the logs of what threads spent on models."""
        return self.home / "usage"

    @property
    def http_limits_path(self) -> Path:
        """The file in which all processes keep turns, slots and refusals of services."""
        return self.home / "cache" / "limits.db"

    @property
    def persistence_url(self) -> str:
        """The URL to give to `paper_search.persistence.open_persistence`."""
        return self.database_url or f"sqlite:///{self.home / 'threads.db'}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be written anywhere: keys, tokens, the password of the database."""
        password = urlsplit(self.database_url or "").password
        services = (*self.sources.values(), *self.web.values())
        models = [self.llm.api_key, *self.llm.api_keys.values(), self.embeddings.api_key]
        keys = [*models, *(service.api_key for service in services)]
        tokens = self.server.tokens.values()
        return tuple(filter(None, [*keys, *tokens, password, *self.network.secrets]))


def load_config(env_path: Path | str | None = None, *, home: Path | str | None = None) -> AppConfig:
    """Return the settings found in `.env` and the environment.

    Args:
        env_path: the `.env` to read; by default the one in the working directory, if any.
        home: overrides `PAPER_SEARCH_HOME`.

    Raises:
        ConfigError: a value cannot be used, or `env_path` is not a file.
    """
    env = _environment(env_path)
    remembered = read_settings(_home(env, home), REMEMBERED)
    usual = remembered.pop("sources", "")
    for name, value in remembered.items():
        if not env.get(REMEMBERED[name], "").strip():
            env[REMEMBERED[name]] = value
    settings: dict[str, object] = dict(_section(env, ""))
    settings.pop("sources", None)
    settings["remembered_sources"] = _only_remembered(env, usual)
    if home is not None:
        settings["home"] = str(home)
    # Not from `.env`: a file in a working directory must not say which program runs, or which way
    # requests take.
    system = dict(os.environ)  # noqa: TID251  # the one module that may
    settings.update(picked(system, EDITOR="editor") | picked(system, VISUAL="editor"))
    settings["network"] = NetworkConfig.of(system)
    return _checked({**_parts(env, usual), **settings})


def _checked(settings: dict[str, object]) -> AppConfig:
    """Return the settings.

    Raises:
        ConfigError: some cannot be used; their values are not shown.
    """
    try:
        return AppConfig.model_validate(settings)
    except ValidationError as error:
        faults = error.errors(include_input=False)
        fields = "; ".join(f"{'.'.join(map(str, said['loc']))}: {said['msg']}" for said in faults)
        raise ConfigError(f"settings cannot be used: {fields}") from None


def _section(env: dict[str, str], section: str) -> dict[str, str]:
    """Return the settings of a section that are given, by their names in it; "": of none."""
    names = {variable: name.rpartition(".") for variable, name in SETTINGS.items()}
    return picked(
        env, **{variable: name for variable, (of, _, name) in names.items() if of == section}
    )


def _home(env: dict[str, str], home: Path | str | None) -> Path:
    given = home if home is not None else env.get("PAPER_SEARCH_HOME", "").strip()
    return Path(given) if given else default_home()


def _only_remembered(env: dict[str, str], usual: str) -> list[str]:
    """Return the sources that are searched for no other reason than that the home says so."""
    if env.get("PAPER_SEARCH_SOURCES", "").strip():
        return []
    otherwise = _searched(source_settings(env, ""))
    return [name for name in _searched(source_settings(env, "", usual)) if name not in otherwise]


def _searched(sources: dict[str, dict[str, object]]) -> list[str]:
    return [name for name, source in sources.items() if source.get("enabled", True)]


def setting_origins(
    env_path: Path | str | None = None, *, home: Path | str | None = None
) -> dict[str, str]:
    """Return where each setting comes from: a variable, `.env`, the home's file, or `default`.

    Raises:
        ConfigError: a file cannot be read.
    """
    system = {name for name, value in os.environ.items() if value.strip()}  # noqa: TID251  # the one module that may
    env = _environment(env_path)
    remembered = read_settings(_home(env, home), REMEMBERED)
    origins = {}
    for variable, name in SETTINGS.items():
        if variable in system:
            origins[name] = f"environment: {variable}"
        elif env.get(variable, "").strip():
            origins[name] = f".env: {variable}"
        else:
            origins[name] = FILE if name in remembered else "default"
    if home is not None:
        origins["home"] = "--home"
    return origins


def remember_setting(name: str, value: str, *, home: Path) -> Path:
    """Have the home remember a setting, if it can be used; return the file.

    Raises:
        UnknownNameError: the home does not remember a setting of that name.
        ConfigError: the value cannot be used, or the home cannot be written.
    """
    require_name(name, REMEMBERED)
    if not value.strip():
        raise ConfigError(
            f"{name}: the value is empty; `paper-search config unset {name}` forgets it"
        )
    if name != "sources":
        _checked({name: value})
    return write_settings(home, {**read_settings(home, REMEMBERED), name: value.strip()})


def forget_setting(name: str, *, home: Path) -> Path:
    """Have the home forget a setting, so that it has its default; return the file.

    Raises:
        UnknownNameError: the home does not remember a setting of that name.
        ConfigError: the home cannot be written.
    """
    require_name(name, REMEMBERED)
    kept = read_settings(home, REMEMBERED)
    kept.pop(name, None)
    return write_settings(home, kept)


def _parts(env: dict[str, str], usual_sources: str) -> dict[str, object]:
    """Return the settings that are objects of their own."""
    return {
        "llm": llm_settings(env, _section(env, "llm")),
        "sources": source_settings(env, env.get("PAPER_SEARCH_SOURCES", ""), usual_sources),
        "web": web_settings(env, env.get("PAPER_SEARCH_WEB", "")),
        "server": _section(env, "server"),
        "embeddings": embeddings_settings(
            env,
            _section(env, "embeddings"),
            may_import="PAPER_SEARCH_EMBEDDINGS" in os.environ,  # noqa: TID251  # the one module that may
        ),
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
        missing = "PAPER_SEARCH_ENCRYPTION_OLD_KEYS is set without PAPER_SEARCH_ENCRYPTION_KEY"
        raise ConfigError(f"{missing}: set the key that new rows are written with")
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
    scheme, url = "sqlite:///", config.persistence_url
    if url.startswith(scheme):
        url = f"{scheme}{Path(url.removeprefix(scheme)).absolute()}"
    return {
        **_environment(None),
        "PAPER_SEARCH_HOME": str(config.home.absolute()),
        "DATABASE_URL": url,
    }


def _environment(env_path: Path | str | None) -> dict[str, str]:
    path = Path(".env") if env_path is None else Path(env_path)
    if env_path is not None and not path.is_file():
        raise ConfigError(f"no such settings file: {str(path)!r}")
    from_file = dotenv_values(path) if path.is_file() else {}
    given = {name: value for name, value in from_file.items() if value is not None}
    return given | dict(os.environ)  # noqa: TID251  # the one module that may
