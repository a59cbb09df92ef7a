"""Tavily, a web search for programs (https://tavily.com); needs a key."""

from typing import Any, ClassVar

from paper_search.http.errors import HttpStatusError
from paper_search.models import SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources.adapter import Request, Translated
from paper_search.sources.free_text import to_free_text
from paper_search.sources.web import WebAdapter, as_ranked, page_table

NAME = "tavily"
ENDPOINT = "https://api.tavily.com/search"
_PLAN_USED_UP = {432, 433}


class Tavily(WebAdapter):
    """Pages for plain words, at most twenty."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Tavily"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "TAVILY_API_KEY"
    key_page: ClassVar[str | None] = "https://app.tavily.com"

    longest_text: ClassVar[int | None] = 400
    page_size = 20
    most_results = 20
    interval_s = 0.6
    endpoint = ENDPOINT
    key_header = ("Authorization", "Bearer {}")
    faults: ClassVar[str] = "|".join(
        f"{name}{inside}"
        for name in ("detail", "error")
        for inside in (".error", ".message", ".code", "")
    )
    record = staticmethod(page_table(NAME, published="published_date").read)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the words; Tavily has no operators."""
        return as_ranked(to_free_text(tree, filters, service=self.title))

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        """Return the only request: there are no further pages."""
        del filters
        body: dict[str, Any] = {
            "query": query.text,
            "max_results": limit,
            "search_depth": "basic",
            "topic": "general",
            "include_answer": False,
            "include_raw_content": False,
        }
        if query.year_from is not None:
            body["start_date"] = f"{query.year_from}-01-01"
        if query.year_to is not None:
            body["end_date"] = f"{query.year_to}-12-31"
        return Request(self.endpoint, json=body)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        return SourceStatus.EXHAUSTED if error.status in _PLAN_USED_UP else None
