"""A SearXNG server (https://docs.searxng.org); needs its URL, no key."""

from __future__ import annotations

from typing import Any, ClassVar

from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import ConfigError
from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
from paper_search.models import RawPaper, SearchConstraints, SourceStatus
from paper_search.query import Node, YearRange
from paper_search.sources.adapter import Page, Request, Translated
from paper_search.sources.base import SearchSource
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import open_source
from paper_search.sources.values import items, mapping, number, text
from paper_search.sources.web.base import WebAdapter, engine_query, page_record

NAME = "searxng"
_FORBIDDEN = 403


class Searxng(WebAdapter):
    """Whatever engines the server asks, merged by it.

    The address is the person's own setting, like that of a model: it may be on this machine.
    """

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "SearXNG"

    page_size = 10
    most_results = 50
    interval_s = 1.0

    @classmethod
    def source(cls, config: AppConfig, settings: SearchSourceConfig) -> SearchSource:
        """Return the search that asks the server whose address is set."""
        if not settings.url:
            raise ConfigError(
                "searxng needs the URL of a server: set SEARXNG_URL, such as http://localhost:8888"
            )
        return open_source(cls(endpoint=f"{settings.url.rstrip('/')}/search"), config, settings)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query as most engines understand it; years are checked locally."""
        query = engine_query(tree, filters)
        first, last = query.year_from, query.year_to
        if first is None and last is None:
            return query
        return Translated(query.text, (), YearRange(first, last), first, last, query.language)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the first page."""
        del filters, wanted
        language = {"language": query.language} if query.language else {}
        return Request(self.endpoint, {"q": query.text, "format": "json", "pageno": 1, **language})

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `results`.

        Raises:
            ServiceError: there are none, because the engines behind it did not answer.
        """
        body = mapping(answer.json())
        if "results" not in body:
            raise ServiceError("SearXNG answered without a list of results")
        entries = items(body.get("results"))
        engines = items(body.get("unresponsive_engines"))
        silent = [text(next(iter(items(engine)), "")) for engine in engines]
        page = number(request.params.get("pageno")) or 1
        if not entries and silent and page == 1:
            named = ", ".join(filter(None, silent))[:200]
            raise ServiceError(
                f"SearXNG's engines did not answer: {named}", status=SourceStatus.UNREACHABLE
            )
        following = request.turned(pageno=page + 1) if entries else None
        return Page.of(entries, _record, next=following)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Return that a refusal is one of the server's settings: there are no keys."""
        return SourceStatus.BAD_RESPONSE if error.status == _FORBIDDEN else None

    def advice_on(self, error: HttpStatusError) -> str | None:
        """Return what to change on the server."""
        if error.status != _FORBIDDEN:
            return None
        return "it returns JSON only if `json` is in `search.formats` of its settings.yml"


def _record(entry: Any) -> RawPaper | None:
    entry = mapping(entry)
    authors = [text(author) for author in items(entry.get("authors")) if text(author)]
    return page_record(
        NAME,
        kind="web",
        url=entry.get("url"),
        title=entry.get("title"),
        snippet=entry.get("content"),
        published=entry.get("publishedDate"),
        authors=authors,
        raw={"engine": text(entry.get("engine"))},
    )


create_search = Searxng.source
