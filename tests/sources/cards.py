"""A small service for tests of what all services share: words only, pages with a `next`."""

from collections.abc import Callable
from typing import Any

import httpx

from paper_search.http.body import HttpAnswer
from paper_search.models import RawPaper, SearchConstraints, SearchStrategy, SourceStatus
from paper_search.query import And, Node, Not, Phrase, Term, render
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.client import SourceSettings
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource
from paper_search.sources.values import count, number, year
from paper_search.testing.skills import fake_strategy

KEY = "CANARY-cards-key"
URL = "https://cards.example/search"


class Cards(Adapter):
    """Asks for words; phrases and NOT are left for our side."""

    name = "cards"
    title = "Card catalogue"
    key_variable = "CARDS_API_KEY"
    key_page = "https://cards.example/keys"
    page_size = 10
    most_results = 1000
    interval_s = 0.0

    def __init__(self, url: str, *, key: str = KEY, params: dict[str, str] | None = None) -> None:
        self.url = url
        self.key = key
        self.params = dict(params or {})

    @property
    def headers(self) -> dict[str, str]:
        return {"x-api-key": self.key} if self.key else {}

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        del filters
        parts = tree.children if isinstance(tree, And) else (tree,)
        rest = tuple(part for part in parts if isinstance(part, Not | Phrase))
        words = [part for part in parts if isinstance(part, Term)]
        text = " ".join(map(render, words))
        remainder = And(rest) if len(rest) > 1 else next(iter(rest), None)
        return Translated(text, ("no phrases",) if rest else (), remainder)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        del filters, wanted
        return Request(self.url, {"q": query.text, **self.params})

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        body = answer.json()
        if not isinstance(body, dict):
            raise ServiceError(f"Card catalogue answered with {type(body).__name__}")
        if "error" in body:
            raise ServiceError(f"Card catalogue: {body['error']}", status=SourceStatus.EXHAUSTED)
        listed = body.get("papers", body.get("organic_results"))
        entries = listed if isinstance(listed, list) else []
        papers = [paper for entry in entries if (paper := read_card(entry))]
        following = body.get("next")
        return Page(
            papers,
            len(entries) - len(papers),
            number(body.get("total")),
            request.turned(page=following) if isinstance(following, int) else None,
        )


class XmlCards(Cards):
    """The same as XML."""

    name = "xml_cards"
    accept = "application/xml"

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        del request
        root = answer.xml()
        if root is None or root.tag != "cards":
            raise ServiceError("Card catalogue answered with something else than cards")
        return Page([RawPaper(id=item.text or "", title="T", source=self.name) for item in root])


def read_card(entry: Any) -> RawPaper | None:
    """Return the record of a card; None: it has no title."""
    if not isinstance(entry, dict) or not isinstance(entry.get("title"), str):
        return None
    key = entry.get("id") or entry.get("result_id") or entry["title"]
    return RawPaper(
        id=f"cards:{key}",
        title=entry["title"],
        abstract=entry.get("abstract"),
        year=year(entry.get("year")),
        doi=entry.get("doi"),
        citation_count=count(entry.get("cited")),
        source="cards",
    )


def source_of(
    answer: Callable[[httpx.Request], Any],
    adapter: Adapter | None = None,
    settings: SourceSettings | None = None,
    **options: Any,
) -> HttpSource:
    """Return a source whose requests are answered by a function; the card catalogue by default."""
    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return HttpSource(adapter or Cards(URL), settings, client=client, **options)


def strategy(*queries: str, **filters: Any) -> SearchStrategy:
    """Return a strategy of these queries for whoever is asked."""
    return fake_strategy(*queries, sources=(), **filters)
