"""Tavily, a web search for programs (https://tavily.com); needs a key."""

from collections.abc import Mapping
from typing import Any, ClassVar

from paper_search.models import SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources.adapter import RefusalSign, Request, Translated
from paper_search.sources.free_text import to_free_text
from paper_search.sources.web import WebAdapter, as_ranked, page_table

NAME = "tavily"


class Tavily(WebAdapter):
    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Tavily"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "TAVILY_API_KEY"
    key_page: ClassVar[str | None] = "https://app.tavily.com"

    longest_text: ClassVar[int | None] = 400
    page_size = 20
    most_results = 20
    interval_s = 0.6
    endpoint = "https://api.tavily.com/search"
    key_header = ("Authorization", "Bearer {}")
    faults: ClassVar[str] = "|".join(
        f"{name}{inside}"
        for name in ("detail", "error")
        for inside in (".error", ".message", ".code", "")
    )
    query_param = "query"
    size_param = "max_results"
    usual_params: ClassVar[Mapping[str, Any]] = {
        "search_depth": "basic", "topic": "general",
        "include_answer": False, "include_raw_content": False,
    }  # fmt: skip
    is_posted = True
    refusals = tuple(RefusalSign(SourceStatus.EXHAUSTED, http_status=code) for code in (432, 433))
    """The plan's credits are used up."""
    record = staticmethod(page_table(NAME, published="published_date").read)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        return as_ranked(to_free_text(tree, filters, service=self.title))

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        dates = query.dates("start_date", "end_date")
        return super().first(query, filters, limit).turned(**dates)
