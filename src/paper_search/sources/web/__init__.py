"""Web and news searches (entry points `paper_search.web_searches`), and their base class."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from paper_search.bibliography.identifiers import host_of, parse_arxiv_id, parse_doi
from paper_search.bibliography.text import clean
from paper_search.config import WEB_SEARCHES, AppConfig, SearchSourceConfig
from paper_search.resources import EntryPoints
from paper_search.sources.adapter import Adapter, Translated
from paper_search.sources.base import adapter_of
from paper_search.sources.http_source import HttpSource
from paper_search.sources.record import Entry, Field, Reader, Table, cleaned, first, value_of
from paper_search.sources.values import address, year

SearchFactory = Callable[[AppConfig, SearchSourceConfig], HttpSource]

_REGISTRY: EntryPoints[SearchFactory] = EntryPoints(WEB_SEARCHES, "web search")


def web_search_names() -> list[str]:
    return _REGISTRY.names()


def web_service_of(name: str) -> type[Adapter] | None:
    return adapter_of(_REGISTRY.owner(name))


def create_web_search(name: str, config: AppConfig) -> HttpSource:
    settings = config.web.get(name, SearchSourceConfig(name=name))
    search: HttpSource = _REGISTRY.call(name, config, settings)
    return search


def create_web_searches(config: AppConfig) -> list[HttpSource]:
    enabled = [name for name, settings in config.web.items() if settings.enabled]
    return [create_web_search(name, config) for name in enabled]


def kind_of(search: HttpSource) -> str:
    return str(getattr(search.adapter, "kind", "web"))


_LONGEST_SNIPPET = 2000


class WebAdapter(Adapter):
    """A service that finds pages; `kind` is web or news."""

    kind: ClassVar[str] = "web"
    truncates: ClassVar[bool] = False

    def size(self, query: Translated, limit: int) -> int:
        del query
        return min(limit, self.page_size)


def page_table(  # noqa: PLR0913  # the parts of a result
    prefix: str,
    *,
    url: str = "url",
    snippet: str = "content",
    published: Field,
    authors: Reader | None = None,
    site: str = "",
    kind: str = "webpage",
) -> Table:
    """Return a table for pages: the date becomes `raw_data["published"]`, the site `venue`."""

    def link(entry: Entry) -> Any:
        return first(entry, url, address) or None

    def venue(entry: Entry) -> str | None:
        host = host_of(link(entry) or "") or ""
        name = first(entry, site, cleaned) if site else None
        return name or host.removeprefix("www.") or None

    def key(entry: Entry) -> str:
        return hashlib.sha256((link(entry) or "").encode("utf-8", "replace")).hexdigest()[:16]

    return Table(
        prefix=prefix,
        key=key,
        fields={
            "title": lambda entry: first(entry, "title", cleaned) if link(entry) else None,
            "authors": authors or (lambda _: []),
            "year": lambda entry: year(value_of(entry, published)) if published else None,
            "venue": venue,
            "doi": (url, lambda at: parse_doi(at) if "doi.org/" in at else None),
            "arxiv_id": (url, lambda at: parse_arxiv_id(at) if "arxiv.org/" in at else None),
            "snippet": (snippet, lambda text: clean(text)[:_LONGEST_SNIPPET]),
            "url": url,
            "publication_type": lambda _: kind,
        },
        details=lambda entry: {"published": (published and value_of(entry, published)) or ""},
    )


def as_ranked(query: Translated) -> Translated:
    """Return the query without a check of the results, because web search engines only rank."""
    return replace(query, notes=(), remainder=None)
