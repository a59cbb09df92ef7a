"""The installed web and news searches: entry points of the group `paper_search.web_searches`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from paper_search.config import WEB_SEARCHES, AppConfig, SearchSourceConfig
from paper_search.errors import UnknownNameError
from paper_search.sources.http_source import HttpSource

SearchFactory = Callable[[AppConfig, SearchSourceConfig], HttpSource]


def known_web_searches() -> dict[str, EntryPoint]:
    """Return the entry points of all installed searches by name, sorted."""
    found = {point.name: point for point in entry_points(group=WEB_SEARCHES)}
    return dict(sorted(found.items()))


def create_web_search(name: str, config: AppConfig) -> HttpSource:
    """Return the search of that name, made from its settings.

    Raises:
        UnknownNameError: nothing is installed under the name.
        ConfigError: it lacks a setting that it needs.
    """
    known = known_web_searches()
    if name not in known:
        raise UnknownNameError("web search", name, list(known))
    factory: SearchFactory = known[name].load()
    return factory(config, config.web.get(name, SearchSourceConfig(name=name)))


def create_web_searches(config: AppConfig) -> list[HttpSource]:
    """Return all enabled searches of the settings, in their order."""
    return [create_web_search(name, config) for name, each in config.web.items() if each.enabled]


def kind_of(search: HttpSource) -> str:
    """Return which queries of a report a search is asked: web or news."""
    return str(getattr(search.adapter, "kind", "web"))
