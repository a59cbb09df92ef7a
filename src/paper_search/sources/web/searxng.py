"""A SearXNG server (https://docs.searxng.org); needs its URL, no key."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import ClassVar

from paper_search.bibliography.names import author_named
from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.errors import ConfigError
from paper_search.http.body import HttpAnswer
from paper_search.models import SearchConstraints, SourceStatus
from paper_search.query import Node, YearRange
from paper_search.sources.adapter import Page, Paging, RefusalSign, Request, Translated
from paper_search.sources.base import SearchSource
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import open_source
from paper_search.sources.record import texts, values_at
from paper_search.sources.scholar import GoogleDialect
from paper_search.sources.values import items, text
from paper_search.sources.web import WebAdapter, as_ranked, page_table

NAME = "searxng"
_PAGE = page_table(
    NAME,
    published="publishedDate",
    authors=lambda entry: [author_named(name) for name in texts(entry, "authors")],
)


class Searxng(WebAdapter):
    """Results of several engines, merged by the server, which may run on this machine."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "SearXNG"

    page_size = 10
    most_results = 50
    hits: ClassVar[str] = "number_of_hits"
    paging: ClassVar[Paging | None] = Paging("pageno", is_numbered=True)
    usual_params: ClassVar[Mapping[str, str | int]] = {"format": "json", "pageno": 1}
    # There are no keys: refusals come from the server's settings.
    refusals = (
        RefusalSign(
            SourceStatus.BAD_RESPONSE,
            http_status=HTTPStatus.FORBIDDEN,
            advice="it returns JSON only if `json` is in `search.formats` of its settings.yml",
        ),
    )
    record = staticmethod(_PAGE.read)

    @classmethod
    def source(cls, config: AppConfig, settings: SearchSourceConfig) -> SearchSource:
        if not settings.url:
            raise ConfigError(
                "searxng needs the URL of a server: set SEARXNG_URL, such as http://localhost:8888"
            )
        return open_source(cls(endpoint=f"{settings.url.rstrip('/')}/search"), config, settings)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query in the common syntax of engines; years are checked locally."""
        query = as_ranked(GoogleDialect().translate_within(tree, filters))
        first, last = query.year_from, query.year_to
        if first is None and last is None:
            return query
        return Translated(query.text, (), YearRange(first, last), first, last, query.language)

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        language = {"language": query.language} if query.language else {}
        return super().first(query, filters, limit).turned(**language)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the results of a page.

        Raises:
            ServiceError: there are no results because the server's engines did not answer.
        """
        page = super().read(answer, request)
        engines = values_at(answer.json(), "unresponsive_engines")
        silent = [text(next(iter(items(engine)), "")) for engine in engines]
        names = ", ".join(filter(None, silent))[:200]
        if not page.papers and not page.dropped and names and request.params["pageno"] == 1:
            message = f"SearXNG's engines did not answer: {names}"
            raise ServiceError(message, status=SourceStatus.UNREACHABLE)
        if not names:
            return page
        note = f"SearXNG's engines that did not answer: {names}"
        is_partial = bool(page.papers)  # an empty page after the last one is complete
        return replace(page, notes=(*page.notes, note), is_partial=is_partial)
