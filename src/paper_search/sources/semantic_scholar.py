"""Semantic Scholar (https://api.semanticscholar.org/api-docs/graph): by relevance, and in bulk.

Without a key all callers of the world share one pool, and it is mostly empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from paper_search.bibliography.languages import language_code
from paper_search.models import RankedQuery, SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources import values
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.errors import ServiceError
from paper_search.sources.free_text import to_free_text, to_ranked_text
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.ranked_text import author_names, content_words, telling_words
from paper_search.sources.semantic_scholar_query import BulkDialect
from paper_search.sources.semantic_scholar_record import FIELDS, read_paper

if TYPE_CHECKING:
    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer
    from paper_search.http.errors import HttpStatusError

ENDPOINT = "https://api.semanticscholar.org/graph/v1"
_MOST_WORDS = 5
"""Words of a question that are asked: most of them have to occur, so more find less."""


class SemanticScholarAdapter(Adapter):
    """What both ways to search have in common.

    Args:
        key: from https://www.semanticscholar.org/product/api; empty: ask without.
        endpoint: where the graph is.
    """

    key_variable: ClassVar[str | None] = "SEMANTIC_SCHOLAR_API_KEY"
    key_page: ClassVar[str | None] = "https://www.semanticscholar.org/product/api#api-key-form"

    interval_s = 1.0
    """Over all of its paths together, as a key allows."""

    def __init__(self, key: str = "", *, endpoint: str = ENDPOINT) -> None:
        self.key = key.strip()
        self._endpoint = endpoint

    @property
    def headers(self) -> Mapping[str, str]:
        """The key, if there is one."""
        return {"x-api-key": self.key} if self.key else {}

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Tell what 403 means: without a key it is a refusal for now, not a wrong key."""
        if error.status == 403 and not self.key:  # noqa: PLR2004  # Forbidden
            return SourceStatus.RATE_LIMITED
        return None


class SemanticScholar(SemanticScholarAdapter):
    """The search by relevance, for plain words; at most the first 1000 papers."""

    name: ClassVar[str] = "semantic_scholar"
    title: ClassVar[str] = "Semantic Scholar"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 1000

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the words of the query, of alternatives the first."""
        return to_free_text(tree, filters, service=self.title, is_any_word_enough=False)

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return the most telling words of the question, then one fewer."""
        words = content_words(query.text) or author_names(query)
        tries = telling_words(words, _MOST_WORDS)
        return tuple(to_ranked_text(words, query, filters) for words in tries)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the most relevant papers."""
        del filters  # the years are in the query; a filter on types would drop what has none
        size = self.page_size if query.remainder else min(self.page_size, wanted)
        return Request(
            f"{self._endpoint}/paper/search",
            {"query": query.text, **_limits(query), "offset": 0, "limit": size},
        )

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the papers of a page; an empty answer has no `data`."""
        body = checked(answer.json())
        entries, papers = _papers(body, self.name)
        offset, size = values.number(body.get("next")), int(request.params["limit"])
        has_more = offset is not None and entries and offset < self.most_results
        return Page(
            papers=papers,
            dropped=len(entries) - len(papers),
            hits=values.number(body.get("total")),
            next=request.turned(offset=offset, limit=min(size, self.most_results - offset))
            if has_more and offset is not None
            else None,
        )


class SemanticScholarBulk(SemanticScholarAdapter):
    """The bulk search: boolean and unranked, the most cited first."""

    name: ClassVar[str] = "semantic_scholar_bulk"
    title: ClassVar[str] = "Semantic Scholar in bulk"

    page_size = 1000
    most_results = 10_000

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the boolean query."""
        found = BulkDialect().translate(tree, filters)
        return replace(found, language=language_code(filters.language))

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the most cited papers, as many as the service sends at once."""
        del filters, wanted
        return Request(
            f"{self._endpoint}/paper/search/bulk",
            {"query": query.text, **_limits(query), "sort": "citationCount:desc"},
        )

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the papers of a page; the last one has no token."""
        body = checked(answer.json())
        entries, papers = _papers(body, self.name)
        token = values.text(body.get("token"))
        return Page(
            papers=papers,
            dropped=len(entries) - len(papers),
            hits=values.number(body.get("total")),
            next=request.turned(token=token) if token and entries else None,
        )


def checked(body: Any) -> dict[str, Any]:
    """Return the object that an answer is; an empty one is empty.

    Raises:
        ServiceError: it only says what went wrong, or is no object.
    """
    answer = values.mapping(body)
    said = values.text(answer.get("error")) or values.text(answer.get("message"))
    if body is not None and (said or not isinstance(body, dict)) and "data" not in answer:
        raise ServiceError(f"Semantic Scholar: {said[:500] or 'the answer is no object'}")
    return answer


def _papers(body: Mapping[str, Any], source: str) -> tuple[list[Any], list[Any]]:
    entries = values.items(body.get("data"))
    return entries, [paper for each in entries if (paper := read_paper(each, source))]


def _limits(query: Translated) -> dict[str, str | int]:
    limits: dict[str, str | int] = {"fields": ",".join(FIELDS)}
    first, last = query.year_from, query.year_to
    if first is not None or last is not None:
        limits["year"] = str(first) if first == last else f"{first or ''}-{last or ''}"
    return limits


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Return the search by relevance, made from its settings."""
    return open_source(SemanticScholar(settings.api_key), config, settings)


def create_bulk_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Return the search in bulk, made from its settings."""
    return open_source(SemanticScholarBulk(settings.api_key), config, settings)
