"""DOAJ (https://doaj.org/api/v4/docs): articles of open-access journals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from paper_search.bibliography.languages import language_code
from paper_search.http.body import HttpAnswer
from paper_search.models import SearchConstraints
from paper_search.query import Node
from paper_search.sources import values
from paper_search.sources.adapter import SMALLEST_PAGE, Adapter, Page, Request, Translated
from paper_search.sources.dialect import LuceneDialect, quoted
from paper_search.sources.errors import ServiceError
from paper_search.sources.record import People, Table, coalesced, keywords, last_part, only, span
from paper_search.sources.values import address

ENDPOINT = "https://doaj.org/api/search/articles"


class DoajDialect(LuceneDialect):
    """Lucene without wildcards: DOAJ refuses them."""

    service: ClassVar[str] = "DOAJ"
    fields: ClassVar[Mapping[str, str]] = {
        "title": "bibjson.title",
        "abstract": "bibjson.abstract",
        "author": "bibjson.author.name",
        "venue": "bibjson.journal.title",
    }
    year_field: ClassVar[str] = "bibjson.year"
    has_wildcards: ClassVar[bool] = False
    shortest_stem: ClassVar[int | None] = None


class Doaj(Adapter):
    """The articles of DOAJ; only the first 1000 of a query can be had."""

    name: ClassVar[str] = "doaj"
    title: ClassVar[str] = "DOAJ"
    refuses_in_agent: ClassVar[tuple[str, ...]] = ("bot", "spider")
    """Of its server's settings: https://github.com/DOAJ/doaj, deploy/nginx/production/doaj."""

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 1000
    interval_s = 0.5
    endpoint = ENDPOINT
    says_open: ClassVar[bool] = True
    count_rank: ClassVar[int] = 1

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query, with years and language in it."""
        found = DoajDialect().translate(tree, filters)
        code = language_code(filters.language)
        if code is None:
            return found
        text = f"({found.text} AND bibjson.journal.language:{code.upper()})"
        note = "DOAJ knows the language of journals, not of articles"
        return Translated(
            text, (*found.notes, note), found.remainder, found.year_from, found.year_to
        )

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for a DOI."""
        return Translated(f"doi:{quoted(value)}") if kind == "doi" else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches; the query is a part of the path."""
        del filters  # all of them are in the query
        size = min(self.page_size, max(wanted, SMALLEST_PAGE))
        return Request(
            f"{self.endpoint}/{quote(query.text, safe='():')}", {"page": 1, "pageSize": size}
        )

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the articles of a page."""
        given = values.mapping(answer.json())
        if given.get("results") is None:
            said = values.text(given.get("error")) or values.text(given.get("status"))
            raise ServiceError(f"DOAJ: {said[:500] or 'the response has no results'}")
        entries = values.items(given["results"])
        total = values.number(given.get("total"))
        page, size = int(request.params["page"]), int(request.params["pageSize"])
        # A page that begins at or beyond the thousandth record is refused.
        has_more = bool(entries) and page * size < min(
            self.most_results, self.most_results if total is None else total
        )
        return Page.of(
            entries,
            lambda entry: read_article(entry, self.name),
            hits=total,
            next=request.turned(page=page + 1) if has_more else None,
        )


ARTICLE = Table(
    prefix="doaj",
    key="id",
    fields={
        "title": "bibjson.title",
        "doi": "bibjson.identifier[type=doi].id",
        "authors": People("bibjson.author", name="name", id=("orcid_id", last_part)),
        "abstract": "bibjson.abstract",
        "year": "bibjson.year",
        "venue": "bibjson.journal.title",
        "publisher": "bibjson.journal.publisher",
        "issn": "bibjson.identifier[type=pissn].id|bibjson.identifier[type=eissn].id",
        "volume": "bibjson.journal.volume",
        "issue": "bibjson.journal.number",
        "pages": span(
            "bibjson.journal.start_page|bibjson.start_page",
            "bibjson.journal.end_page|bibjson.end_page",
        ),
        "full_text_url": "bibjson.link.url",
        "url": coalesced(
            ("id", "https://doaj.org/article/{}".format), "bibjson.link.url", read=address
        ),
        "language": only("bibjson.journal.language", language_code),
        "publication_type": lambda _: "article-journal",
        "keywords": keywords("bibjson.keywords", "bibjson.subject"),
    },
)
"""A journal of several languages does not say which one the article is in.

Fields: https://doaj.github.io/doaj-docs/master/data_models/OutgoingAPIArticle
"""
read_article = ARTICLE.read


create_source = Doaj.source
