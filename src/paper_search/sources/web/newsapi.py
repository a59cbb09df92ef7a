"""NewsAPI, articles of newspapers and magazines (https://newsapi.org); needs a key."""

from __future__ import annotations

from typing import Any, ClassVar

from paper_search.bibliography.text import clean
from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
from paper_search.models import RawPaper, SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources.adapter import Page, Request, Translated
from paper_search.sources.errors import ServiceError
from paper_search.sources.values import items, mapping, number, text
from paper_search.sources.web.base import NewsDialect, WebAdapter, page_record

NAME = "newsapi"
ENDPOINT = "https://newsapi.org/v2/everything"
_LONGEST = 500
"""Characters of a query that NewsAPI takes."""
_LANGUAGES = frozenset(
    {"ar", "de", "en", "es", "fr", "he", "it", "nl", "no", "pt", "ru", "sv", "ud", "zh"}
)
_REMOVED = "[removed]"
_STATUSES = {
    "apiKeyDisabled": SourceStatus.UNAUTHORISED,
    "apiKeyInvalid": SourceStatus.UNAUTHORISED,
    "apiKeyMissing": SourceStatus.UNAUTHORISED,
    "apiKeyExhausted": SourceStatus.EXHAUSTED,
    "rateLimited": SourceStatus.RATE_LIMITED,
    "maximumResultsReached": SourceStatus.EXHAUSTED,
}


class NewsApi(WebAdapter):
    """Articles, the most relevant first; a free key sees the last month only."""

    kind: ClassVar[str] = "news"
    name: ClassVar[str] = NAME
    title: ClassVar[str] = "NewsAPI"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "NEWS_API_KEY"
    key_page: ClassVar[str | None] = "https://newsapi.org/account"

    page_size = 20
    most_results = 100
    interval_s = 1.0
    endpoint = ENDPOINT
    key_header = ("X-Api-Key", "{}")

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query with its operators."""
        return NewsDialect().translate(tree, filters)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the first page."""
        params: dict[str, str | int] = {
            "q": query.text[:_LONGEST],
            "sortBy": "relevancy",
            "pageSize": min(wanted, self.page_size),
            "page": 1,
        }
        if query.year_from is not None:
            params["from"] = f"{query.year_from}-01-01"
        if query.year_to is not None:
            params["to"] = f"{query.year_to}-12-31"
        if filters.language in _LANGUAGES:
            params["language"] = str(filters.language)
        return Request(self.endpoint, params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `articles`; those that were taken down are counted."""
        body = mapping(answer.json())
        if text(body.get("status")) == "error" or "code" in body:
            said = text(body.get("message")) or text(body.get("code"))
            status = _STATUSES.get(text(body.get("code")), SourceStatus.BAD_RESPONSE)
            raise ServiceError(f"NewsAPI could not answer: {self.shown(said)}", status=status)
        if "articles" not in body:
            raise ServiceError("NewsAPI answered without a list of articles")
        entries = items(body.get("articles"))
        hits = number(body.get("totalResults"))
        page = number(request.params.get("page")) or 1
        size = number(request.params.get("pageSize")) or self.page_size
        has_more = bool(entries) and page * size < min(hits or 0, self.most_results)
        following = request.turned(page=page + 1) if has_more else None
        return Page.of(entries, _record, hits=hits, next=following)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Return what the code in the answer means."""
        return next((status for code, status in _STATUSES.items() if code in error.body), None)


def _record(entry: Any) -> RawPaper | None:
    entry = mapping(entry)
    if clean(text(entry.get("title"))).lower() == _REMOVED:
        return None
    author = clean(text(entry.get("author")))
    return page_record(
        NAME,
        kind="news",
        url=entry.get("url"),
        title=entry.get("title"),
        snippet=entry.get("description"),
        published=entry.get("publishedAt"),
        authors=_names(author),
        site=mapping(entry.get("source")).get("name"),
    )


def _names(author: str) -> list[str]:
    """Return the persons in a by-line; not a URL or an agency's long list."""
    if not author or "http" in author or "@" in author:
        return []
    return [part.strip() for part in author.split(",") if part.strip()][:10]


create_search = NewsApi.source
