"""NewsAPI, articles of newspapers and magazines (https://newsapi.org); needs a key."""

from collections.abc import Mapping
from typing import ClassVar

from paper_search.bibliography.names import author_named
from paper_search.models import Author, RawPaper, SearchConstraints, SourceStatus
from paper_search.query import Phrase, Term
from paper_search.sources.adapter import Paging, RefusalSign, Request, Translated
from paper_search.sources.dialect import Dialect, Expression
from paper_search.sources.record import Entry, cleaned, first
from paper_search.sources.values import quoted
from paper_search.sources.web import WebAdapter, page_table

NAME = "newsapi"
_LANGUAGES = frozenset(
    {"ar", "de", "en", "es", "fr", "he", "it", "nl", "no", "pt", "ru", "sv", "ud", "zh"}
)
_REMOVED = "[removed]"


def _names(entry: Entry) -> list[Author]:
    """Return the people in a by-line, but no URL and at most ten names."""
    line = first(entry, "author", cleaned) or ""
    parts = () if "http" in line or "@" in line else line.split(",")
    return [author_named(part.strip()) for part in parts if part.strip()][:10]


_ARTICLE = page_table(
    NAME,
    snippet="description",
    published="publishedAt",
    authors=_names,
    site="source.name",
    kind="article-newspaper",
)


def article_of(entry: Entry) -> RawPaper | None:
    is_gone = (first(entry, "title", cleaned) or "").lower() == _REMOVED
    return None if is_gone else _ARTICLE.read(entry)


class NewsDialect(Dialect):
    """AND, OR, NOT, parentheses and phrases; no truncation."""

    service: ClassVar[str] = "NewsAPI"
    has_year_parameters: ClassVar[bool] = True

    def leaf(self, leaf: Term | Phrase) -> Expression:
        words = (leaf.text,) if isinstance(leaf, Term) else leaf.words
        text = " ".join(word.rstrip("*") for word in words)
        if isinstance(leaf, Term) and text.isalnum() and text not in {"AND", "OR", "NOT"}:
            return Expression(text)
        return Expression(quoted(text))


class NewsApi(WebAdapter):
    """Articles by relevance; a free key covers only the last month."""

    kind: ClassVar[str] = "news"
    name: ClassVar[str] = NAME
    title: ClassVar[str] = "NewsAPI"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "NEWS_API_KEY"
    key_page: ClassVar[str | None] = "https://newsapi.org/account"

    longest_text: ClassVar[int | None] = 500
    page_size = 20
    most_results = 100
    endpoint = "https://newsapi.org/v2/everything"
    key_header = ("X-Api-Key", "{}")
    dialect = NewsDialect
    entries: ClassVar[str] = "articles"
    hits: ClassVar[str] = "totalResults"
    faults: ClassVar[str] = "message|code"
    paging: ClassVar[Paging | None] = Paging("page", size="pageSize", is_numbered=True)
    size_param = "pageSize"
    usual_params: ClassVar[Mapping[str, str | int]] = {"sortBy": "relevancy", "page": 1}
    refusals = (
        RefusalSign(SourceStatus.UNAUTHORISED, "apikeydisabled"),
        RefusalSign(SourceStatus.UNAUTHORISED, "apikeyinvalid"),
        RefusalSign(SourceStatus.UNAUTHORISED, "apikeymissing"),
        RefusalSign(SourceStatus.EXHAUSTED, "apikeyexhausted"),
        RefusalSign(SourceStatus.RATE_LIMITED, "ratelimited"),
        RefusalSign(SourceStatus.EXHAUSTED, "maximumresultsreached"),
    )
    record = staticmethod(article_of)

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        own = {"language": str(filters.language)} if filters.language in _LANGUAGES else {}
        limits = own | query.dates("from", "to")
        return super().first(query, filters, limit).turned(**limits)
