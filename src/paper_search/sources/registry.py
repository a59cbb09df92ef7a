"""The installed sources: entry points of the group `paper_search.sources`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import UnknownNameError
from paper_search.sources.base import SearchSource

GROUP = "paper_search.sources"

SourceFactory = Callable[[AppConfig, SearchSourceConfig], SearchSource]


def known_sources() -> dict[str, EntryPoint]:
    """Return the entry points of all installed sources by name, sorted."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    return dict(sorted(found.items()))


def create_source(name: str, config: AppConfig) -> SearchSource:
    """Return the source of that name, made from its settings.

    Raises:
        UnknownNameError: nothing is installed under the name.
        ConfigError: the source lacks a setting that it needs.
    """
    known = known_sources()
    if name not in known:
        raise UnknownNameError("source", name, list(known))
    factory: SourceFactory = known[name].load()
    return factory(config, config.sources.get(name, SearchSourceConfig(name=name)))


def create_sources(config: AppConfig) -> list[SearchSource]:
    """Return all enabled sources of the settings, in their order."""
    return [create_source(name, config) for name, each in config.sources.items() if each.enabled]
