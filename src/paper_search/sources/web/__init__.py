"""The installed web and news searches: entry points of the group `paper_search.web_searches`."""

from collections.abc import Callable

from paper_search.config import WEB_SEARCHES, AppConfig, SearchSourceConfig
from paper_search.resources import EntryPoints
from paper_search.sources.adapter import Adapter
from paper_search.sources.base import adapter_of
from paper_search.sources.http_source import HttpSource

SearchFactory = Callable[[AppConfig, SearchSourceConfig], HttpSource]

_REGISTRY: EntryPoints[SearchFactory] = EntryPoints(WEB_SEARCHES, "web search")


def web_search_names() -> list[str]:
    return _REGISTRY.names()


def web_service_of(name: str) -> type[Adapter] | None:
    """Return the adapter of the installed search of a name; None: it has none."""
    return adapter_of(_REGISTRY.read(name))


def create_web_search(name: str, config: AppConfig) -> HttpSource:
    """Return the search of that name, made from its settings.

    Raises:
        UnknownNameError: nothing is installed under the name.
        ConfigError: it lacks a setting that it needs.
    """
    factory = _REGISTRY.read(name)
    return factory(config, config.web.get(name, SearchSourceConfig(name=name)))


def create_web_searches(config: AppConfig) -> list[HttpSource]:
    enabled = [name for name, settings in config.web.items() if settings.enabled]
    return [create_web_search(name, config) for name in enabled]


def kind_of(search: HttpSource) -> str:
    """Return which queries of a report a search is asked: web or news."""
    return str(getattr(search.adapter, "kind", "web"))
