"""Tavily, a web search for programs (https://tavily.com); needs a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
from paper_search.models import RawPaper, SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources.adapter import Page, Request, Translated
from paper_search.sources.errors import ServiceError
from paper_search.sources.values import items, mapping, text
from paper_search.sources.web.base import WebAdapter, page_record, plain_query

NAME = "tavily"
ENDPOINT = "https://api.tavily.com/search"
_PLAN_USED_UP = {432, 433}
_LONGEST = 400
"""Characters of a query that Tavily takes."""


class Tavily(WebAdapter):
    """Pages for plain words, at most twenty."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Tavily"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "TAVILY_API_KEY"
    key_page: ClassVar[str | None] = "https://app.tavily.com"

    page_size = 20
    most_results = 20
    interval_s = 0.6
    endpoint = ENDPOINT
    key_header = ("Authorization", "Bearer {}")

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the words; Tavily has no operators."""
        return plain_query(tree, filters)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the only request: there are no further pages."""
        del filters
        body: dict[str, Any] = {
            "query": query.text[:_LONGEST],
            "max_results": wanted,
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

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `results`."""
        del request
        body = mapping(answer.json())
        if said := _error(body):
            raise ServiceError(f"Tavily could not answer: {self.shown(said)}")
        if "results" not in body:
            raise ServiceError("Tavily answered without a list of results")
        return Page.of(items(body.get("results")), _record)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Return that the plan is used up, which Tavily says with statuses of its own."""
        return SourceStatus.EXHAUSTED if error.status in _PLAN_USED_UP else None


def _record(entry: Any) -> RawPaper | None:
    entry = mapping(entry)
    return page_record(
        NAME,
        kind="web",
        url=entry.get("url"),
        title=entry.get("title"),
        snippet=entry.get("content"),
        published=entry.get("published_date"),
    )


def _error(body: Mapping[str, Any]) -> str:
    """Return what an answer says went wrong, in either of the two forms that were seen."""
    for name in ("detail", "error"):
        given = body.get(name)
        inside = mapping(given)
        said = text(inside.get("error")) or text(inside.get("message")) or text(inside.get("code"))
        if said or text(given):
            return said or text(given)
    return ""


create_search = Tavily.source
