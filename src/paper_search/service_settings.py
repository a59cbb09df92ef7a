"""The settings of services and models from variables, which `paper_search.config` reads."""

from collections.abc import Collection, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from paper_search.errors import ConfigError
from paper_search.models.settings import (
    CHAT_MODELS_GROUP,
    CHAT_PACKAGES,
    EMBEDDINGS_GROUP,
    EmbeddingsConfig,
    split_list,
)
from paper_search.resources import EntryPoints, minilm_weights

_PREFIXES = {
    "serpapi_scholar": "serpapi",
    "serper_scholar": "serper",
    "opencitations": "opencitations",
}
"""Prefixes of the variables of services, unless that is the name of an installed source.

The variables of a service are `..._API_KEY`, `..._MAX_CALLS`, `..._RATE_LIMIT`, and for web
searches also `..._URL`.
"""
OTHER_KEYS = {
    "pubmed": ("NCBI_API_KEY",),
    "semantic_scholar": ("S2_API_KEY",),
    "serpapi": ("SERPAPI_KEY",),
    "news": ("NEWSAPI_API_KEY", "NEWSAPI_KEY"),
}
"""Names of keys of services in other programs; ours has priority."""
_WITH_KEY = {"serpapi_scholar", "openalex", "semantic_scholar", "core"}
"""Services that a key enables; not Serper, whose key is also for web searches."""
SOURCES = "paper_search.sources"
WEB_SEARCHES = "paper_search.web_searches"
_WEB_PREFIXES = {"serper": "serper", "tavily": "tavily", "searxng": "searxng", "newsapi": "news"}
"""Prefixes of the variables of searches of web and news, in the order of searching."""

WEB_SOURCES = (
    "openalex", "crossref", "arxiv", "pubmed", "europe_pmc", "doaj", "datacite", "core",
)  # fmt: skip
"""Services that answer without a key; together they are called `web`."""
WEB_WITH_KEY = ("semantic_scholar",)
"""Services that belong to `web` if there is a key: without one they mostly refuse."""

_FIELDS = ("api_key", "max_calls", "rate_limit")
Settings = dict[str, object]


def source_settings(
    env: Mapping[str, str], chosen_names: str, usual_names: str = ""
) -> dict[str, Settings]:
    """Return the settings of sources that are named or set.

    `chosen_names`: the sources to search, in order; empty for the usual ones and each with a key.
    `usual_names`: empty for the library.
    """
    services = _services(env, service_prefixes())
    keyed = [name for name, settings in services.items() if "api_key" in settings]
    usual = expand_sources((usual_names or "library").split(","), keyed)
    sources: dict[str, Settings] = {name: {"name": name} for name in usual}
    for name in ("library", "sample"):
        sources.setdefault(name, {"name": name, "enabled": False})
    for name, settings in services.items():
        # A key shows that the person wants the service; others are searched only if chosen.
        is_ready = name in _WITH_KEY and "api_key" in settings
        sources[name] = {"enabled": name in usual or is_ready, **sources.get(name, {}), **settings}
    selected = expand_sources(chosen_names.split(","), keyed)
    return _only(sources, selected) if selected else sources


def web_settings(env: Mapping[str, str], chosen_names: str) -> dict[str, Settings]:
    """Return the settings of searches of web and news.

    `chosen_names`: the searches to use, in order; `none` for none of them; empty for those with a
    key or a URL.
    """
    searches = {
        name: {"enabled": "api_key" in settings or "url" in settings, **settings}
        for name, settings in _services(env, web_prefixes(), "url").items()
    }
    selected = split_list(chosen_names)
    return _only(searches, [] if selected == ["none"] else selected) if selected else searches


def _only(services: Mapping[str, Settings], selected: Iterable[str]) -> dict[str, Settings]:
    """Return the services with the chosen ones enabled and first, in their order."""
    first = {name: {"name": name, **services.get(name, {}), "enabled": True} for name in selected}
    return first | {
        name: {**settings, "enabled": False}
        for name, settings in services.items()
        if name not in first
    }


def _services(
    env: Mapping[str, str], prefixes: Mapping[str, str], *more: str
) -> dict[str, Settings]:
    """Return the services with at least one variable, and the fields that are set."""
    services: dict[str, Settings] = {}
    for name, prefix in prefixes.items():
        variables = {field: _variable(prefix, field, env) for field in (*_FIELDS, *more)}
        texts = {field: env.get(name, "").strip() for field, name in variables.items()}
        if any(texts.values()):
            services[name] = {"name": name, **{f: text for f, text in texts.items() if text}}
    return services


def expand_sources(names: Iterable[str], keyed: Collection[str] = ()) -> list[str]:
    """Return the names of sources; `web` stands for public services, with `keyed` ones too."""
    web = [*WEB_SOURCES, *(name for name in WEB_WITH_KEY if name in keyed)]
    stripped = (name.strip() for name in names)
    expanded = (source for name in stripped for source in (web if name == "web" else (name,)))
    return list(dict.fromkeys(filter(None, expanded)))


def service_prefixes() -> dict[str, str]:
    """Return the prefix of each service's variables: its name, with few exceptions."""
    return _prefixes({}, SOURCES, _PREFIXES)


def web_prefixes() -> dict[str, str]:
    """Return the prefix of each web or news search's variables, in the order of searching."""
    return _prefixes(_WEB_PREFIXES, WEB_SEARCHES, _WEB_PREFIXES)


def variable_of(service: str, field: str, env: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the variable of a field of a service: for a key, the alternative that is set."""
    prefix = {**service_prefixes(), **web_prefixes()}.get(service, service.upper())
    return _variable(prefix, field, env)


def _variable(prefix: str, field: str, env: Mapping[str, str]) -> str:
    own = f"{prefix}_{field.upper()}"
    names = (own, *(OTHER_KEYS.get(prefix.lower(), ()) if field == "api_key" else ()))
    return next((name for name in names if env.get(name, "").strip()), own)


def _prefixes(first: Mapping[str, str], group: str, own: Mapping[str, str]) -> dict[str, str]:
    names = EntryPoints[object](group, "service").names()
    prefixes = {**first, **{name: name for name in names}, **own}
    return {name: prefix.upper().replace("-", "_") for name, prefix in prefixes.items()}


def key_variable(provider: str) -> str:
    """Return the variable of the key of a model provider; empty if it has none."""
    package = CHAT_PACKAGES.get(provider)
    return f"{provider.upper()}_API_KEY" if package is None else package.key_variable


def check_urls(lines: Mapping[str, str], system: Mapping[str, str]) -> None:
    """Raise ConfigError if a line of `.env` selects where a key of the environment is sent."""
    env = {**lines, **system}
    provider = env.get("LLM_PROVIDER", "").strip().lower() or "openai"
    keys = {
        "LLM_BASE_URL": key_variable(provider),
        "PAPER_SEARCH_EMBEDDINGS_BASE_URL": "PAPER_SEARCH_EMBEDDINGS_API_KEY",
        "ZOTERO_URL": "ZOTERO_API_KEY",
        **{variable_of(n, "url"): variable_of(n, "api_key", env) for n in web_prefixes()},
    }
    for url, key in keys.items():
        if lines.get(url) and url not in system and system.get(key, "").strip():
            raise ConfigError(
                f"{url} is set in .env, but {key} in the environment. A key is not sent to a URL "
                f"of .env: set {url} in the environment, too, or {key} in .env only"
            )


def llm_settings(env: Mapping[str, str], texts: Mapping[str, str]) -> Settings:
    """Return the settings of the model, with the keys of the providers in model names.

    Only known or installed providers can select a variable. `texts`: the values of the variables,
    by the names of the settings.
    """
    provider = texts.get("provider", "").lower() or "openai"
    names = [name for setting, name in texts.items() if setting.endswith("model")]
    providers = {provider, *(n.partition(":")[0].strip().lower() for n in names if ":" in n)}
    providers &= {*CHAT_PACKAGES, *EntryPoints[object](CHAT_MODELS_GROUP, "chat model").names()}
    keys = {name: env.get(key_variable(name), "").strip() for name in providers}
    own = keys.pop(provider, "")
    others = {name: key for name, key in keys.items() if key}
    return {**texts, "provider": provider, "api_key": own, "api_keys": others}


def embeddings_settings(env: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the embedding model: `minilm` if none is named and it can run."""
    cache = Path(texts.get("huggingface") or EmbeddingsConfig().huggingface)
    if not texts.get("name") and find_spec("numpy") and minilm_weights(cache):
        return {**texts, "name": "minilm"}
    key = env.get("OPENAI_API_KEY", "").strip()
    is_openai = texts.get("name", "").partition(":")[0] == "openai" and "base_url" not in texts
    return {"api_key": key, **texts} if is_openai and key else dict(texts)


def is_installed_embedding(name: str) -> bool:
    providers = EntryPoints[object](EMBEDDINGS_GROUP, "embedding model").names()
    return name.partition(":")[0] in {"none", *providers}
