"""DOAJ (https://doaj.org/api/v4/docs): articles of open-access journals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import content_key, parse_doi, parse_issn
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_named
from paper_search.http.body import HttpAnswer
from paper_search.models import Author, RawPaper, SearchConstraints
from paper_search.query import Node
from paper_search.sources import values
from paper_search.sources.adapter import SMALLEST_PAGE, Adapter, Page, Request, Translated
from paper_search.sources.dialect import LuceneDialect, quoted
from paper_search.sources.errors import ServiceError

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


def read_article(article: Any, source: str) -> RawPaper | None:
    """Return the record of one article; None: it has no title.

    Fields: https://doaj.github.io/doaj-docs/master/data_models/OutgoingAPIArticle
    """
    entry = values.mapping(article)
    bib = values.mapping(entry.get("bibjson"))
    title = values.words(bib.get("title"))
    if not title:
        return None
    journal = values.mapping(bib.get("journal"))
    ids = {
        values.text(identifier.get("type")).lower(): values.text(identifier.get("id"))
        for identifier in values.mappings(bib.get("identifier"))
    }
    links = [values.address(link.get("url")) for link in values.mappings(bib.get("link"))]
    full_text = next(filter(None, links), None)
    doi = parse_doi(ids.get("doi"))
    doaj_id = values.text(entry.get("id"))
    languages = [language_code(values.text(name)) for name in values.items(journal.get("language"))]
    paper = RawPaper(
        title=title,
        doi=doi,
        authors=list(_authors(bib)),
        abstract=plain_abstract(values.text(bib.get("abstract"))),
        year=values.year(bib.get("year")),
        venue=values.words(journal.get("title")),
        publisher=values.words(journal.get("publisher")),
        issn=parse_issn(ids.get("pissn")) or parse_issn(ids.get("eissn")),
        volume=values.text(journal.get("volume")) or None,
        issue=values.text(journal.get("number")) or None,
        pages=values.pages(
            journal.get("start_page") or bib.get("start_page"),
            journal.get("end_page") or bib.get("end_page"),
        ),
        full_text_url=full_text,
        url=f"https://doaj.org/article/{doaj_id}" if doaj_id else full_text,
        # A journal of several languages does not say which one the article is in.
        language=languages[0] if len(languages) == 1 else None,
        publication_type="article-journal",
        keywords=keywords_of(values.items(bib.get("keywords")) + values.items(bib.get("subject"))),
        source=source,
    )
    paper.id = f"doaj:{doaj_id or doi or content_key(paper)}"
    return paper


def _authors(bib: dict[str, Any]) -> Iterator[Author]:
    for author in values.mappings(bib.get("author")):
        if name := values.words(author.get("name")):
            orcid = values.text(author.get("orcid_id")).rstrip("/").rpartition("/")[2]
            yield author_named(name, orcid or None)


create_source = Doaj.source
