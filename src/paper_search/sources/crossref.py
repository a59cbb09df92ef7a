"""Crossref (https://www.crossref.org/documentation/retrieve-metadata/rest-api/): all its DOIs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import Node
from paper_search.sources import values
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.crossref_record import TYPES, read_item
from paper_search.sources.errors import ServiceError
from paper_search.sources.free_text import to_free_text, to_ranked_text
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.ranked_text import author_names, words_of

if TYPE_CHECKING:
    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer

ENDPOINT = "https://api.crossref.org/works"
_SMALLEST_PAGE = 25


@dataclass(frozen=True, slots=True)
class CrossrefQuery(Translated):
    """What to send.

    Attributes:
        words: for titles, names and venues.
        authors: for names alone; empty: any.
        doi: of the one work that is wanted; empty: any.
    """

    words: str = ""
    authors: str = ""
    doi: str = ""


class Crossref(Adapter):
    """The works of Crossref: found by any of the words, then checked for the query.

    Args:
        is_polite: a contact address is sent along, so that Crossref allows more.
        endpoint: where the works are.
    """

    name: ClassVar[str] = "crossref"
    title: ClassVar[str] = "Crossref"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 1000
    """Any word is enough to be found: what is far down has nothing to do with the query."""

    def __init__(self, *, is_polite: bool = False, endpoint: str = ENDPOINT) -> None:
        self._endpoint = endpoint
        self.interval_s = 0.34 if is_polite else 1.0

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the words of all that is wanted."""
        return to_free_text(tree, filters, service=self.title, is_any_word_enough=True)

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[CrossrefQuery, ...]:
        """Return the words of the question, and the authors that its condition names."""
        names = author_names(query)
        found = to_ranked_text(words_of(query) or names, query, filters)
        authors = " ".join(names)
        shown = f"{found.text} author:{authors}" if authors else found.text
        given = {each.name: getattr(found, each.name) for each in fields(Translated)}
        return (CrossrefQuery(**{**given, "text": shown}, words=found.text, authors=authors),)

    def translate_work(self, kind: str, value: str) -> CrossrefQuery | None:
        """Return the filter for a DOI; other identifiers are not Crossref's."""
        if kind != "doi" or "," in value:  # a comma would begin the next filter
            return None
        return CrossrefQuery(f"doi:{value}", doi=value)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches, by relevance."""
        wanted_types = [name for name, csl in TYPES.items() if filters.allows_type(csl)]
        limits = [f"type:{name}" for name in wanted_types]
        if query.year_from is not None:
            limits.append(f"from-pub-date:{query.year_from}-01-01")
        if query.year_to is not None:
            limits.append(f"until-pub-date:{query.year_to}-12-31")
        size = min(self.page_size, max(wanted, _SMALLEST_PAGE))
        wanted_words = {"query": query.text}
        if isinstance(query, CrossrefQuery) and query.doi:
            return Request(self._endpoint, {"filter": query.text, "rows": 1})
        if isinstance(query, CrossrefQuery):
            wanted_words = {"query": query.words}
            wanted_words |= {"query.author": query.authors} if query.authors else {}
        return Request(
            self._endpoint,
            {**wanted_words, "filter": ",".join(limits), "rows": size, "cursor": "*"},
        )

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the works of a page."""
        return read_page(answer.json(), request, self.name)


def read_page(body: Any, request: Request, source: str) -> Page:
    """Return the works of a list, or the one work that an answer holds.

    Raises:
        ServiceError: it holds neither.
    """
    if body is None:
        return Page()
    message = values.mapping(body).get("message")
    answer = values.mapping(message)
    if not answer or values.text(values.mapping(body).get("status")) in {"failed", "error"}:
        raise ServiceError(f"Crossref: {_said(message) or 'the response has no works'}")
    entries = values.items(answer["items"]) if "items" in answer else [answer]
    papers = [paper for each in entries if (paper := read_item(each, source))]
    cursor = values.text(answer.get("next-cursor"))
    return Page(
        papers=papers,
        dropped=len(entries) - len(papers),
        hits=values.number(answer.get("total-results")),
        # The cursor never ends: a page without entries is the last one.
        next=request.turned(cursor=cursor) if cursor and entries else None,
    )


def _said(message: Any) -> str:
    told = [values.text(each.get("message")) for each in values.mappings(message)]
    return "; ".join(filter(None, told))[:500]


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Return the source made from its settings."""
    return open_source(Crossref(is_polite=bool(config.contact)), config, settings)
