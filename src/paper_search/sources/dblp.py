"""DBLP (https://dblp.org/faq/How+to+use+the+dblp+search+API.html); needs no key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from paper_search.models import SourceStatus
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.dblp_query import to_dblp
from paper_search.sources.dblp_record import NAME, read_hit
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.ranked_text import all_words, content_words, telling_words
from paper_search.sources.values import items, mapping, number, text

if TYPE_CHECKING:
    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer
    from paper_search.models import RankedQuery, SearchConstraints
    from paper_search.query import Node

ENDPOINT = "https://dblp.org/search/publ/api"
_MOST_WORDS = 3
"""Words of a question that are asked: all of them have to occur in a title or name."""
_TOO_MANY = "429"
_BROAD_PAGE = 500
"""Records on a page of which many will be left out."""


class Dblp(Adapter):
    """Computer science: titles, authors and venues, neither abstracts nor citations."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "DBLP"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 10_000
    interval_s = 1.0

    def __init__(self, *, endpoint: str = ENDPOINT) -> None:
        self._endpoint = endpoint

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query for `q`, the rest to be checked in the answers."""
        said = to_dblp(tree, filters)
        if not filters.language:
            return said
        note = "DBLP has no language filter and does not state languages"
        return replace(said, notes=(*said.notes, note))

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return the most telling words of the question, all of them wanted, then one fewer."""
        tries = telling_words(content_words(query.text), _MOST_WORDS)
        return tuple(self.translate(all_words(words, query), filters) for words in tries)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches."""
        del filters  # none of them can be said
        size = min(wanted, self.page_size) if query.remainder is None else _BROAD_PAGE
        return Request(
            self._endpoint, {"q": query.text, "format": "json", "h": size, "f": 0, "c": 0}
        )

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `hits`; there is no list when there are none."""
        given = answer.json()
        if given is None:
            return Page()
        result = mapping(mapping(given).get("result"))
        status = mapping(result.get("status"))
        code = text(status.get("@code"))
        if code and code != "200":
            kind = SourceStatus.RATE_LIMITED if code == _TOO_MANY else SourceStatus.BAD_RESPONSE
            said = text(status.get("text"))[:300]
            raise ServiceError(f"DBLP could not answer the query: {code} {said}", status=kind)
        if "hits" not in result:
            raise ServiceError("DBLP answered without a list of hits")
        hits = mapping(result["hits"])
        entries = items(hits.get("hit"))
        papers = [paper for entry in entries if (paper := read_hit(entry))]
        total = number(hits.get("@total"))
        start = (number(hits.get("@first")) or 0) + len(entries)
        has_more = bool(entries) and start < min(total or 0, self.most_results)
        return Page(
            papers,
            dropped=len(entries) - len(papers),
            hits=total,
            next=request.turned(f=start) if has_more else None,
        )


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Make the source from its settings."""
    return open_source(Dblp(), config, settings)
