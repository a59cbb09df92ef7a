"""Crossref (https://www.crossref.org/documentation/retrieve-metadata/rest-api/): all its DOIs.

Fields: https://api.crossref.org/swagger-ui/index.html
`select` is not used: an answer would be 37 % as long, but `language` and `institution`, the venue
of a preprint, cannot be selected (https://github.com/CrossRef/rest-api-doc/issues/302).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_of
from paper_search.bibliography.text import normalised_title
from paper_search.http.body import HttpAnswer
from paper_search.models import Author, RankedQuery, RawPaper, SearchConstraints
from paper_search.query import Node
from paper_search.sources import values
from paper_search.sources.adapter import SMALLEST_PAGE, Adapter, Page, Request, Translated
from paper_search.sources.errors import ServiceError
from paper_search.sources.free_text import to_free_text, to_ranked_text
from paper_search.sources.ranked_text import author_names, words_of

ENDPOINT = "https://api.crossref.org/works"
TYPES = {
    "book": "book",
    "book-chapter": "chapter",
    "book-part": "chapter",
    "book-section": "chapter",
    "dataset": "dataset",
    "dissertation": "thesis",
    "edited-book": "book",
    "journal-article": "article-journal",
    "monograph": "book",
    "other": None,
    "posted-content": "article",
    "proceedings-article": "paper-conference",
    "reference-book": "book",
    "reference-entry": "entry",
    "report": "report",
    "standard": "standard",
}
"""What is a work of its own, to the types of CSL; figures, issues and journals are none."""
_DATES = ("issued", "published", "published-print", "published-online", "posted")
_WITHDRAWN = {"retraction", "withdrawal", "removal", "retracted"}
_RETRACTED_TITLE = re.compile(
    r"\[?\s*(?:retracted|withdrawn)\b(?:\s+article)?\s*[\]:–-]", re.IGNORECASE
)
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")


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

    With a contact, which is sent along, Crossref allows more.
    """

    name: ClassVar[str] = "crossref"
    title: ClassVar[str] = "Crossref"
    contact_param: ClassVar[str | None] = "mailto"

    ranks_text: ClassVar[bool] = True
    page_size = 1000
    most_results = 1000
    """Any word is enough to be found: what is far down has nothing to do with the query."""

    endpoint = ENDPOINT
    says_open: ClassVar[bool] = True
    first_look: ClassVar[int] = 2

    def __init__(
        self, key: str = "", *, contact: str | None = None, endpoint: str | None = None
    ) -> None:
        super().__init__(key, contact=contact, endpoint=endpoint)
        self.interval_s = 0.34 if self.contact else 1.0

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the words of all that is wanted."""
        return to_free_text(tree, filters, service=self.title)

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[CrossrefQuery, ...]:
        """Return the words of the question, and the authors that its condition names."""
        names = author_names(query)
        found = to_ranked_text(words_of(query) or names, query, filters)
        authors = " ".join(names)
        shown = f"{found.text} author:{authors}" if authors else found.text
        given = {field.name: getattr(found, field.name) for field in fields(Translated)}
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
        size = min(self.page_size, max(wanted, SMALLEST_PAGE))
        wanted_words = {"query": query.text}
        if isinstance(query, CrossrefQuery) and query.doi:
            return Request(self.endpoint, {"filter": query.text, "rows": 1})
        if isinstance(query, CrossrefQuery):
            wanted_words = {"query": query.words}
            wanted_words |= {"query.author": query.authors} if query.authors else {}
        return Request(
            self.endpoint,
            {
                **wanted_words,
                "filter": ",".join(limits),
                "rows": size,
                "cursor": "*",
            },
        )

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the works of a page."""
        return read_page(answer.json(), request, self.name)


def read_page(body: Any, request: Request, source: str) -> Page:
    """Return the works of a list, or the one work that an answer holds.

    Raises:
        ServiceError: it holds neither.
    """
    message = values.mapping(body).get("message")
    answer = values.mapping(message)
    if not answer or values.text(values.mapping(body).get("status")) in {"failed", "error"}:
        raise ServiceError(f"Crossref: {_said(message) or 'the response has no works'}")
    entries = values.items(answer["items"]) if "items" in answer else [answer]
    cursor = values.text(answer.get("next-cursor"))
    return Page.of(
        entries,
        lambda entry: read_item(entry, source),
        hits=values.number(answer.get("total-results")),
        # The cursor never ends: a page without entries is the last one.
        next=request.turned(cursor=cursor) if cursor and entries else None,
    )


def _said(message: Any) -> str:
    told = [values.text(fault.get("message")) for fault in values.mappings(message)]
    return "; ".join(filter(None, told))[:500]


def read_item(item: Any, source: str) -> RawPaper | None:
    """Return the record of an entry of `items`, of whatever types; None: it has no title."""
    entry = values.mapping(item)
    title = _title(entry)
    if not title:
        return None
    doi = parse_doi(values.text(entry.get("DOI")))
    paper = RawPaper(
        title=title,
        doi=doi,
        authors=list(_authors(entry)),
        abstract=plain_abstract(values.text(entry.get("abstract"))),
        year=_year(entry),
        venue=_venue(entry),
        publisher=_words(entry.get("publisher")),
        volume=values.text(entry.get("volume")) or None,
        issue=values.text(entry.get("issue")) or None,
        pages=values.text(entry.get("page")) or values.text(entry.get("article-number")) or None,
        isbn=values.first_read(parse_isbn, entry.get("ISBN")),
        issn=values.first_read(parse_issn, entry.get("ISSN")),
        arxiv_id=parse_arxiv_id(doi) if doi and "arxiv" in doi else None,
        citation_count=values.count(entry.get("is-referenced-by-count")),
        full_text_url=_free_text(entry),
        url=_address(entry),
        language=language_code(values.text(entry.get("language"))),
        publication_type=TYPES.get(values.text(entry.get("type"))),
        is_retracted=_is_retracted(entry, title),
        keywords=keywords_of(values.items(entry.get("subject"))),
        source=source,
    )
    paper.id = f"crossref:{doi or content_key(paper)}"
    return paper


def _title(entry: dict[str, Any]) -> str | None:
    title = _words(values.first_text(entry.get("title")))
    subtitle = _words(values.first_text(entry.get("subtitle")))
    if not title or not subtitle or normalised_title(subtitle) in normalised_title(title):
        return title
    return f"{title.rstrip(' :')}: {subtitle}"


def _words(value: Any) -> str | None:
    """Return the text, with entities decoded that were encoded twice (`&amp;amp;`)."""
    given = values.text(value)
    return values.words(html.unescape(given) if "&amp;" in given else given)


def _authors(entry: dict[str, Any]) -> Iterator[Author]:
    """Yield people and organisations; editors where a book has no author."""
    listed = list(values.mappings(entry.get("author"))) or list(
        values.mappings(entry.get("editor"))
    )
    for person in listed:
        orcid = _ORCID.search(values.text(person.get("ORCID")))
        author = author_of(
            family=_words(person.get("family")),
            given=_words(person.get("given")),
            suffix=_words(person.get("suffix")),
            literal=_words(person.get("name")) or _words(person.get("literal")),
            author_id=orcid[0] if orcid else None,
        )
        if author:
            yield author


def _year(entry: dict[str, Any]) -> int | None:
    for name in _DATES:
        parts = values.items(values.mapping(entry.get(name)).get("date-parts"))
        first = values.items(parts[0]) if parts else []
        if first and (found := values.year(first[0])):
            return found
    return None


def _venue(entry: dict[str, Any]) -> str | None:
    """Return the journal, the book, or where a preprint was posted."""
    event = values.mapping(entry.get("event"))
    names = [
        values.mapping(institution).get("name")
        for institution in values.items(entry.get("institution"))
    ]
    given = [values.first_text(entry.get("container-title")), event.get("name")]
    if values.text(entry.get("type")) == "posted-content":
        given += [*names, entry.get("group-title")]
    return next((found for value in given if (found := _words(value))), None)


def _address(entry: dict[str, Any]) -> str | None:
    primary = values.mapping(values.mapping(entry.get("resource")).get("primary"))
    return values.address(entry.get("URL")) or values.address(primary.get("URL"))


def _free_text(entry: dict[str, Any]) -> str | None:
    """Return the link to the text if its licence is open: most links lead to a till."""
    licences = [values.text(terms.get("URL")) for terms in values.mappings(entry.get("license"))]
    if not any("creativecommons.org" in licence for licence in licences):
        return None
    links = [
        (values.text(link.get("content-type")) != "application/pdf", url)
        for link in values.mappings(entry.get("link"))
        if (url := values.address(link.get("URL")))
    ]
    return min(links, default=(True, None))[1]


def _is_retracted(entry: dict[str, Any], title: str) -> bool | None:
    """Return True for what was withdrawn, None if nothing is said; a notice of it is neither."""
    updates = {
        values.text(update.get("type")).lower()
        for update in values.mappings(entry.get("updated-by"))
    }
    if updates & _WITHDRAWN or _RETRACTED_TITLE.match(title):
        return True
    return None


create_source = Crossref.source
