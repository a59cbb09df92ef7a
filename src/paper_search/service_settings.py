"""The settings of services, from variables that are given: which there are, which are asked.

Nothing is read from the environment here; `paper_search.config` does that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from paper_search.resources import EntryPoints

_PREFIXES = {
    "serpapi_scholar": "serpapi",
    "semantic_scholar_bulk": "semantic_scholar",
    "serper_scholar": "serper",
    "opencitations": "opencitations",
}
"""Services to what their variables begin with, where that is not the name of an installed source.

The variables of a service are `..._API_KEY`, `..._MAX_CALLS` and `..._RATE_LIMIT`.
"""
OTHER_KEYS = {
    "pubmed": ("NCBI_API_KEY",),
    "semantic_scholar": ("S2_API_KEY",),
    "serpapi": ("SERPAPI_KEY",),
    "news": ("NEWSAPI_API_KEY", "NEWSAPI_KEY"),
}
"""Names that other programs give to the keys of services; ours goes first."""
_WITH_KEY = {"serpapi_scholar", "openalex", "semantic_scholar", "core"}
"""Those that are searched as soon as there is a key; Serper's also serves web searches."""
SOURCES = "paper_search.sources"
"""The entry points of sources."""
WEB_SEARCHES = "paper_search.web_searches"
"""The entry points of searches of web and news."""
_WEB_PREFIXES = {"serper": "serper", "tavily": "tavily", "searxng": "searxng", "newsapi": "news"}
"""Searches of web and news to what their variables begin with, in the order of asking."""

WEB_SOURCES = (
    "openalex",
    "crossref",
    "arxiv",
    "pubmed",
    "europe_pmc",
    "doaj",
    "datacite",
    "core",
)
"""Services that answer without a key; together they are called `web`."""
WEB_WITH_KEY = ("semantic_scholar",)
"""Services that belong to `web` where there is a key: without one they mostly refuse."""

USUAL_SOURCES = "library"
"""What is searched where nobody says anything."""


def picked(env: Mapping[str, str], **names: str) -> dict[str, str]:
    """Return the non-empty variables among `names`, under their field names."""
    return {field: env[name] for name, field in names.items() if env.get(name, "").strip()}


def listed(text: str) -> list[str]:
    """Return what stands between the commas of a text, without what is empty."""
    return [part.strip() for part in text.split(",") if part.strip()]


def source_settings(
    env: Mapping[str, str], chosen_names: str, usual_names: str = ""
) -> dict[str, dict[str, object]]:
    """Return the settings of sources; what is neither named nor set is left to its defaults.

    Args:
        env: the variables.
        chosen_names: which sources are searched, in which order; empty: the usual ones, and each
            that has a key.
        usual_names: the usual ones; empty: the library.
    """
    prefixes = service_prefixes()
    keyed = [name for name, prefix in prefixes.items() if _key(env, prefix)]
    usual = expand_sources((usual_names or USUAL_SOURCES).split(","), keyed)
    sources: dict[str, dict[str, object]] = {name: {"name": name} for name in usual}
    for name in ("library", "sample"):
        sources.setdefault(name, {"name": name, "enabled": False})
    for name, prefix in prefixes.items():
        given = _key(env, prefix) | picked(
            env,
            **{f"{prefix}_MAX_CALLS": "max_calls", f"{prefix}_RATE_LIMIT": "rate_limit"},
        )
        if given:
            # A key is only got on purpose; without one, a search goes to nobody unasked.
            is_ready = name in _WITH_KEY and "api_key" in given
            sources.setdefault(name, {"name": name, "enabled": is_ready})
            sources[name] |= {field: value.strip() for field, value in given.items()}
    chosen = expand_sources(chosen_names.split(","), keyed)
    if chosen:
        for settings in sources.values():
            settings["enabled"] = False
        for name in chosen:
            # Taken out and put in again: the order of the variable is the order of searching.
            sources[name] = sources.pop(name, {"name": name}) | {"enabled": True}
    return sources


def web_settings(env: Mapping[str, str], chosen_names: str) -> dict[str, dict[str, object]]:
    """Return the settings of searches of web and news.

    Args:
        env: the variables.
        chosen_names: which are asked, in which order; `none`: none of them; empty: those that have
            a key or an address.
    """
    found: dict[str, dict[str, object]] = {}
    for name, first in web_prefixes().items():
        given = _key(env, first) | picked(
            env,
            **{f"{first}_URL": "url"},
            **{f"{first}_MAX_CALLS": "max_calls", f"{first}_RATE_LIMIT": "rate_limit"},
        )
        is_ready = "api_key" in given or "url" in given
        if given:
            found[name] = {"name": name, "enabled": is_ready}
            found[name] |= {field: value.strip() for field, value in given.items()}
    chosen = listed(chosen_names)
    if not chosen:
        return found
    named = [] if chosen == ["none"] else chosen
    rest = {
        name: settings | {"enabled": False} for name, settings in found.items() if name not in named
    }
    return {name: found.get(name, {"name": name}) | {"enabled": True} for name in named} | rest


def expand_sources(names: Iterable[str], keyed: Collection[str] = ()) -> list[str]:
    """Return the names of sources, each once; `web` stands for those that answer.

    Args:
        names: of sources, or `web`.
        keyed: sources that there is a key for.
    """
    web = [*WEB_SOURCES, *(name for name in WEB_WITH_KEY if name in keyed)]
    stripped = (name.strip() for name in names)
    expanded = (source for name in stripped for source in (web if name == "web" else (name,)))
    return list(dict.fromkeys(filter(None, expanded)))


def _key(env: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the key of the services whose variables begin so, by the name of its field."""
    names = (f"{prefix}_API_KEY", *OTHER_KEYS.get(prefix.lower(), ()))
    found = next((env[name] for name in names if env.get(name, "").strip()), None)
    return {} if found is None else {"api_key": found}


def service_prefixes() -> dict[str, str]:
    """Return what the variables of each service begin with: its name, with few exceptions."""
    given = {name: name for name in _installed(SOURCES)} | _PREFIXES
    return {name: prefix.upper().replace("-", "_") for name, prefix in given.items()}


def web_prefixes() -> dict[str, str]:
    """Return what the variables of each search of web and news begin with, in order of asking."""
    given = _WEB_PREFIXES | {name: name for name in _installed(WEB_SEARCHES)} | _WEB_PREFIXES
    return {name: prefix.upper().replace("-", "_") for name, prefix in given.items()}


def _installed(group: str) -> list[str]:
    registered: EntryPoints[object] = EntryPoints(group, "service")
    return registered.names()
