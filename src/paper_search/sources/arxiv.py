"""arXiv, through its Atom API (https://info.arxiv.org/help/api/user-manual.html); needs no key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from paper_search.models import SourceStatus
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.arxiv_query import ArxivDialect
from paper_search.sources.arxiv_record import NAME, read_entry
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.markup import every, inner_text, local_name
from paper_search.sources.values import number

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # for its type only

    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer
    from paper_search.models import SearchConstraints
    from paper_search.query import Node

ENDPOINT = "https://export.arxiv.org/api/query"
_LONGEST_IN_URL = 1500
"""Characters of a query; longer ones are posted."""
_ERRORS = "arxiv.org/api/errors"
_RATE_EXCEEDED = b"rate exceeded"


@dataclass(frozen=True, slots=True)
class ArxivWork(Translated):
    """One preprint.

    Attributes:
        arxiv_id: without its version.
    """

    arxiv_id: str = ""


class Arxiv(Adapter):
    """Preprints. One request every three seconds and one at a time, as its terms of use ask."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "arXiv"
    accept: ClassVar[str] = "application/atom+xml"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 10_000
    interval_s = 3.0

    def __init__(self, *, endpoint: str = ENDPOINT) -> None:
        self._endpoint = endpoint

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query for `search_query`, years in it."""
        dialect = ArxivDialect()
        if filters.language:
            dialect.note("arXiv has no language filter; nearly all of it is in English")
        return dialect.translate(tree, filters)

    def translate_work(self, kind: str, value: str) -> ArxivWork | None:
        """Return the preprint with an arXiv id."""
        return ArxivWork(f"id:{value}", arxiv_id=value) if kind == "arxiv" else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches."""
        del filters  # years are in the query
        if isinstance(query, ArxivWork):
            return Request(self._endpoint, {"id_list": query.arxiv_id, "max_results": 1})
        is_all_wanted = query.remainder is None
        params: dict[str, str | int] = {
            "search_query": query.text,
            "start": 0,
            "max_results": min(wanted, self.page_size) if is_all_wanted else self.page_size,
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        if len(query.text) > _LONGEST_IN_URL:
            return Request(self._endpoint, form=params)
        return Request(self._endpoint, params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of a feed."""
        feed = self._feed(answer)
        if feed is None:
            return Page()
        entries = list(every(feed, "entry"))
        papers = [paper for entry in entries if (paper := read_entry(entry))]
        hits = number(inner_text(feed, "totalResults"))
        asked = request.form or request.params
        start = (number(asked.get("start")) or 0) + (number(asked.get("max_results")) or 1)
        more = min(hits or 0, self.most_results)
        return Page(
            papers,
            dropped=len(entries) - len(papers),
            hits=hits,
            next=_turned(request, start) if start < more else None,
        )

    @staticmethod
    def _feed(answer: HttpAnswer) -> Element | None:
        if answer.content[:100].strip().lower().startswith(_RATE_EXCEEDED):
            raise ServiceError(
                "too many requests to arXiv (it allows one every three seconds from all programs"
                " on this network together): try again in a few minutes",
                status=SourceStatus.RATE_LIMITED,
            )
        feed = answer.xml()
        if feed is None:
            return None
        if local_name(feed) != "feed":
            raise ServiceError(f"arXiv answered with <{local_name(feed)[:40]}> instead of a feed")
        for entry in every(feed, "entry"):
            if _ERRORS in inner_text(entry, "id"):
                reason = inner_text(entry, "summary")[:300]
                raise ServiceError(
                    f"arXiv could not answer the query: {reason or 'no reason given'}"
                )
        return feed


def _turned(request: Request, start: int) -> Request:
    if request.form is not None:
        return replace(request, form={**request.form, "start": start})
    return request.turned(start=start)


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Make the source from its settings."""
    return open_source(Arxiv(), config, settings)
