"""Settings: the only module that reads the environment, `.env` and the settings file of the home.

In order of increasing priority: defaults, `config.toml` in the home, `.env`, the environment,
arguments. The fields are the one table of settings: `Variable` names the variable that sets each.
"""

import getpass
import json
import os
import secrets
import socket
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlsplit

import platformdirs
from dotenv import dotenv_values
from pydantic import BaseModel, Field, ValidationError

from paper_search.errors import ConfigError, InputError, PaperSearchError, UnknownNameError
from paper_search.models.settings import (
    STUDIO,
    Contact,
    EmbeddingsConfig,
    LLMConfig,
    NamedValues,
    Names,
    NetworkConfig,
    SearchSourceConfig,
    ServerConfig,
    Variable,
    ZoteroConfig,
)
from paper_search.models.usage import Budget
from paper_search.private_files import private_file
from paper_search.service_settings import (
    WEB_SEARCHES,
    WEB_SOURCES,
    check_urls,
    embeddings_settings,
    expand_sources,
    is_installed_embedding,
    llm_settings,
    source_settings,
    variable_of,
    web_settings,
)

__all__ = [
    "STUDIO",
    "WEB_SEARCHES",
    "WEB_SOURCES",
    "EmbeddingsConfig",
    "LLMConfig",
    "SearchSourceConfig",
    "ServerConfig",
    "expand_sources",
]  # in addition to names defined here

_ENV_FILE = "PAPER_SEARCH_ENV_FILE"
"""Tells a server, which runs in another directory, where `.env` is. Its lines never enter the
environment, where other programs would read variables such as BROWSER and LD_PRELOAD."""
FILE = "config.toml"
"""The settings file of the home, with one `name = value` per line."""


def default_home() -> Path:
    return Path(platformdirs.user_data_dir("paper-search", appauthor=False))


class AppConfig(BaseModel):
    """All settings of the program."""

    home: Annotated[Path, Variable("PAPER_SEARCH_HOME")] = Field(default_factory=default_home)
    """The directory of threads and the library."""
    database_url: Annotated[str | None, Variable("DATABASE_URL")] = Field(default=None, repr=False)
    """The database of threads; None for SQLite in `home`."""
    sources: Annotated[dict[str, SearchSourceConfig], Variable("PAPER_SEARCH_SOURCES")] = {}
    remembered_sources: list[str] = []
    """Sources that are enabled only by the settings file of the home."""
    web: dict[str, SearchSourceConfig] = {}
    """Searches of web and news, for reports."""
    contact: Annotated[Contact, Variable("PAPER_SEARCH_CONTACT")] = None
    """An e-mail address for services; they ask for one, and answer faster with it."""
    keep_found: Annotated[bool, Variable("PAPER_SEARCH_KEEP")] = False
    """Whether records of live sources are added to the library."""
    enrich: Annotated[bool, Variable("PAPER_SEARCH_ENRICH")] = False
    """Whether missing fields of merged works (abstract, DOI, open text) are looked up."""
    enrichers: Annotated[Names, Variable("PAPER_SEARCH_ENRICHERS")] = ["openalex", "crossref"]
    """The services for that, in order. Unpaywall has OpenAlex's data in an older form."""
    enrich_max_calls: Annotated[int, Variable("PAPER_SEARCH_ENRICH_MAX_CALLS"), Field(ge=0)] = 20
    """Requests to each of them in one search round."""
    http_cache: Annotated[bool, Variable("PAPER_SEARCH_HTTP_CACHE")] = True
    """Whether answers of services are cached on disk."""
    source_deadline_s: Annotated[float, Variable("SOURCE_DEADLINE_S"), Field(gt=0)] = 55.0
    """Time for one source to answer all queries of a strategy."""
    scope_deadline_s: Annotated[float, Variable("SCOPE_DEADLINE_S"), Field(ge=0)] = 5.0
    """Time for all sources to count hits before a strategy is shown; 0 for no counts."""
    default_max_results: Annotated[int, Variable("DEFAULT_MAX_RESULTS"), Field(ge=1)] = 100
    max_results_ceiling: Annotated[int, Variable("MAX_RESULTS_CEILING"), Field(ge=1)] = 1000
    """The largest limit of results that a strategy may have."""
    domain: Annotated[str, Variable("DOMAIN")] = "general"
    report_pages: Annotated[int, Variable("PAPER_SEARCH_PAGES"), Field(ge=0, le=100)] = 10
    """Web pages and open-access papers that a report fetches at most."""
    report: Annotated[NamedValues, Variable("PAPER_SEARCH_REPORT")] = {}
    """Settings of every report, by name, such as writer_model."""
    relevance_batch_size: Annotated[int, Variable("RELEVANCE_BATCH_SIZE"), Field(ge=1)] = 1
    relevance_max_concurrency: Annotated[
        int, Variable("RELEVANCE_MAX_CONCURRENCY"), Field(ge=1)
    ] = 5
    dedup_enable_llm_pass: Annotated[bool, Variable("DEDUP_ENABLE_LLM_PASS")] = True
    dedup_llm_max_candidates: Annotated[int, Variable("DEDUP_LLM_MAX_CANDIDATES"), Field(ge=0)] = 60
    budget: Annotated[Budget | None, Variable("PAPER_SEARCH_BUDGET")] = None
    """What a thread may spend on models at most; None for no limit."""
    llm: LLMConfig = Field(default_factory=LLMConfig)
    embeddings: EmbeddingsConfig = Field(default_factory=EmbeddingsConfig)
    server: ServerConfig = Field(default_factory=ServerConfig)
    network: NetworkConfig = Field(default_factory=NetworkConfig)
    zotero: ZoteroConfig = Field(default_factory=ZoteroConfig)
    editor: str | None = None
    """The command that opens a form; None to ask field by field."""

    @property
    def keyed_sources(self) -> list[str]:
        return [name for name, source in self.sources.items() if source.api_key]

    @property
    def http_cache_path(self) -> Path | None:
        return self.home / "cache" / "http.db" if self.http_cache else None

    @property
    def usage_path(self) -> Path:
        return self.home / "usage"

    @property
    def http_limits_path(self) -> Path:
        """The file with turns, slots and refusals of services, shared by all processes."""
        return self.home / "cache" / "limits.db"

    @property
    def persistence_url(self) -> str:
        return self.database_url or f"sqlite:///{self.home / 'threads.db'}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Keys, tokens and the password of the database, which must never be written anywhere."""
        password = urlsplit(self.database_url or "").password
        services = (*self.sources.values(), *self.web.values())
        models = [self.llm.api_key, *self.llm.api_keys.values(), self.embeddings.api_key]
        keys = [*models, self.zotero.api_key, *(service.api_key for service in services)]
        tokens = self.server.tokens.values()
        return tuple(filter(None, [*keys, *tokens, password, *self.network.secrets]))


def _variables(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        yield from (
            (f"{prefix}{name}", note.name) for note in field.metadata if isinstance(note, Variable)
        )
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _variables(field.annotation, f"{name}.")


SETTINGS = dict(_variables(AppConfig))
"""The variable of each setting, without keys and limits of services."""
REMEMBERED = tuple(
    name for name in SETTINGS if "." not in name and name not in {"home", "database_url"}
)
"""Settings that the file of the home may have: no secrets, and none that select code to run."""


class _Value(NamedTuple):
    text: str
    origin: str
    """A variable of the environment or of `.env`, the settings file, or an option."""


def load_config(env_path: Path | str | None = None, *, home: Path | str | None = None) -> AppConfig:
    """Return the settings in `.env`, the environment and the settings file of the home.

    Args:
        env_path: the `.env` to read; by default the one in the working directory, if any.
        home: overrides `PAPER_SEARCH_HOME`.

    Raises:
        ConfigError: a value is invalid, or a file cannot be read.
    """
    env = read_environment(env_path)
    values = _values(env, home)
    sections: dict[str, dict[str, str]]
    sections = {name: {} for name in ("", "llm", "server", "embeddings", "zotero")}
    for name, value in values.items():
        section, _, field = name.rpartition(".")
        sections[section][field] = value.text
    settings: dict[str, object] = dict(sections.pop(""))
    embedding = values.get("embeddings.name", _Value("", ""))
    if embedding.origin.startswith(".env") and not is_installed_embedding(embedding.text):
        raise ConfigError(
            "PAPER_SEARCH_EMBEDDINGS: a module can be set only in the environment, not in .env"
        )
    names = str(settings.pop("sources", ""))
    is_remembered = "sources" in values and values["sources"].origin == FILE
    selected, usual = ("", names) if is_remembered else (names, "")
    sources = source_settings(env, selected, usual)
    unasked = source_settings(env, "") if is_remembered else sources
    # Not from `.env`: a file in a working directory must not select programs to run, or a proxy.
    system = dict(os.environ)  # noqa: TID251  # the one module that may
    return _validate(
        {
            **settings,
            "sources": sources,
            "remembered_sources": [n for n in _enabled(sources) if n not in _enabled(unasked)],
            "web": web_settings(env, env.get("PAPER_SEARCH_WEB", "")),
            "llm": llm_settings(env, sections["llm"]),
            "embeddings": embeddings_settings(env, sections["embeddings"]),
            **{name: sections[name] for name in ("server", "zotero")},
            "network": NetworkConfig.of(system),
            "editor": system.get("VISUAL", "").strip() or system.get("EDITOR", "").strip() or None,
        }
    )


def _enabled(sources: Mapping[str, Mapping[str, object]]) -> list[str]:
    return [name for name, source in sources.items() if source.get("enabled", True)]


def _validate(
    settings: Mapping[str, object], refusal: type[PaperSearchError] = ConfigError
) -> AppConfig:
    try:
        return AppConfig.model_validate(settings)
    except ValidationError as error:
        faults = (
            f"{_label(fault['loc'])}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors(include_input=False)
        )
        raise refusal(f"invalid settings: {'; '.join(faults)}") from None


def _label(place: tuple[int | str, ...]) -> str:
    """Return the name of a setting, with its variable."""
    name = ".".join(map(str, place))
    match place:
        case ("sources" | "web", str(service), str(field)):
            variable = variable_of(service, field)
        case _:
            variable = SETTINGS.get(name, "")
    return f"{name} ({variable})" if variable else name


def _values(env: Mapping[str, str], home: Path | str | None) -> dict[str, _Value]:
    """Return the settings that are set, with their origins."""
    own = env.get(SETTINGS["home"], "").strip()
    remembered = _read_file(Path(home or own or default_home()))
    values = {name: _Value(text, FILE) for name, text in remembered.items()}
    for name, variable in SETTINGS.items():
        if text := env.get(variable, "").strip():
            place = "environment" if variable in os.environ else ".env"  # noqa: TID251  # the one module that may
            values[name] = _Value(text, f"{place}: {variable}")
    if home is not None:
        values["home"] = _Value(str(home), "--home")
    return values


def setting_origins(
    env_path: Path | str | None = None, *, home: Path | str | None = None
) -> dict[str, str]:
    """Return the origin of each setting: a variable, `.env`, the settings file, or `default`."""
    values = _values(read_environment(env_path), home)
    return {name: values[name].origin if name in values else "default" for name in SETTINGS}


def _read_file(home: Path) -> dict[str, str]:
    """Return the settings in the file of a home as text; none if there is no file."""
    path = home / FILE
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{str(path)!r} cannot be read: {error}; correct it, or delete it to reset all settings"
        ) from error
    for name, value in settings.items():
        if name not in REMEMBERED or not isinstance(value, str | bool | int | float | list):
            accepted = ", ".join(REMEMBERED)
            raise ConfigError(f"{str(path)!r}: {name!r} is not a setting; accepted are {accepted}")
    return {
        name: ",".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in settings.items()
    }


def remember_setting(name: str, value: str, *, home: Path) -> Path:
    """Write a valid setting to the settings file of the home; return the file.

    Raises:
        UnknownNameError: the file cannot have a setting of this name.
        InputError: the value is invalid.
        ConfigError: the file cannot be written.
    """
    parse_setting(name, value)
    return _change_file(home, name, value.strip())


def parse_setting(name: str, text: str) -> Any:
    """Return the value of a setting from text. Raises the errors of `remember_setting`."""
    if name not in REMEMBERED:
        raise UnknownNameError("setting", name, list(REMEMBERED))
    if not text.strip(" ,"):
        raise InputError(
            f"{name}: the value is empty; `paper-search config unset {name}` removes the setting"
        )
    if name == "sources":
        return expand_sources(text.split(","))
    return getattr(_validate({name: text}, InputError), name)


def forget_setting(name: str, *, home: Path) -> Path:
    """Remove a setting from the settings file of the home; return the file."""
    return _change_file(home, name, "")


def _change_file(home: Path, name: str, text: str) -> Path:
    """Change one setting atomically; an empty text removes it."""
    if name not in REMEMBERED:
        raise UnknownNameError("setting", name, list(REMEMBERED))
    path = home / FILE
    settings = {n: t for n, t in (_read_file(home) | {name: text}).items() if t}
    lines = [f"{n} = {json.dumps(t)}\n" for n, t in sorted(settings.items())]
    draft = home / f".{secrets.token_hex(8)}.tmp"
    try:
        try:
            private_file(draft).write_text("".join(lines), "utf-8")
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{str(path)!r} cannot be written: {error.strerror or error}; "
            "choose a writable directory with --home"
        ) from error
    return path


def encryption_keys() -> list[str]:
    """Return the encryption keys of threads, the current one first; empty without encryption."""
    env = read_environment()
    current = env.get("PAPER_SEARCH_ENCRYPTION_KEY", "").strip()
    old = env.get("PAPER_SEARCH_ENCRYPTION_OLD_KEYS", "").replace(",", " ").split()
    if old and not current:
        missing = "PAPER_SEARCH_ENCRYPTION_OLD_KEYS is set without PAPER_SEARCH_ENCRYPTION_KEY"
        raise ConfigError(f"{missing}: set the key for new rows")
    return [current, *old] if current else []


def current_person() -> str:
    """Return the user of the program, `user@host`, from the operating system."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = "somebody"
    return f"{user}@{socket.gethostname()}"


def settings_elsewhere(config: AppConfig) -> dict[str, str]:
    """Return the variables that give a process in another directory the same settings."""
    scheme, url = "sqlite:///", config.persistence_url
    if url.startswith(scheme):
        url = f"{scheme}{Path(url.removeprefix(scheme)).absolute()}"
    home = {"PAPER_SEARCH_HOME": str(config.home.absolute())}
    return {_ENV_FILE: str(_env_file().absolute()), **home, "DATABASE_URL": url}


def _env_file() -> Path:
    return Path(os.environ.get(_ENV_FILE, ".env"))  # noqa: TID251  # the one module that may


def read_environment(env_path: Path | str | None = None) -> dict[str, str]:
    path = _env_file() if env_path is None else Path(env_path)
    if env_path is not None and not path.is_file():
        raise ConfigError(f"no such settings file: {str(path)!r}")
    lines = dotenv_values(path) if path.is_file() else {}
    values = {name: value for name, value in lines.items() if value is not None}
    system = dict(os.environ)  # noqa: TID251  # the one module that may
    check_urls(values, system)
    return values | system


def use_one_blas_thread() -> None:
    """Make numpy multiply with one thread, unless the environment says otherwise.

    A second thread saves no time, and costs a search 1.3 s of CPU. Call it before numpy is
    imported.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # noqa: TID251  # the one module that may
