"""DataCite (https://support.datacite.org/docs/api): preprints, theses, reports, data, software.

Fields: https://datacite-metadata-schema.readthedocs.io
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    doi_of_arxiv,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_named, author_of
from paper_search.http.body import HttpAnswer
from paper_search.models import Author, RawPaper, SearchConstraints
from paper_search.query import Node
from paper_search.sources import values
from paper_search.sources.adapter import SMALLEST_PAGE, Adapter, Page, Request, Translated
from paper_search.sources.dialect import LuceneDialect, quoted
from paper_search.sources.errors import ServiceError

ENDPOINT = "https://api.datacite.org/dois"
_NO_WORKS = (
    "types.resourceTypeGeneral:"
    "(Audiovisual OR Collection OR Event OR Image OR PhysicalObject OR Sound)"
)
_TYPES = {
    "book": "book",
    "bookchapter": "chapter",
    "conferencepaper": "paper-conference",
    "conferenceproceeding": "book",
    "datapaper": "article-journal",
    "dataset": "dataset",
    "dissertation": "thesis",
    "journalarticle": "article-journal",
    "preprint": "article",
    "report": "report",
    "software": "software",
    "standard": "standard",
}
_CITEPROC = frozenset(
    {"article", "article-journal", "book", "chapter", "dataset", "thesis", "report"}
)
_VERSION_OF = {"IsVersionOf", "IsIdenticalTo", "IsPreprintOf"}


class DataciteDialect(LuceneDialect):
    """The fields of DataCite's schema."""

    service: ClassVar[str] = "DataCite"
    fields: ClassVar[Mapping[str, str]] = {
        "title": "titles.title",
        "abstract": "descriptions.description",
        "author": "creators.name",
        "venue": "container.title",
    }
    year_field: ClassVar[str] = "publicationYear"


class Datacite(Adapter):
    """The DOIs of DataCite, without pictures, sound, films and things."""

    name: ClassVar[str] = "datacite"
    title: ClassVar[str] = "DataCite"
    longest_line: ClassVar[int] = 8190
    accept: ClassVar[str] = "application/vnd.api+json, application/json"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 10_000
    interval_s = 0.5
    endpoint = ENDPOINT

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query, with years and language in it."""
        found = DataciteDialect().translate(tree, filters)
        limits = f"({found.text} AND NOT {_NO_WORKS})"
        notes = (*found.notes, "images, sound, films and physical objects are excluded")
        # Most records say no language: a filter would lose them.
        code = language_code(filters.language)
        return Translated(limits, notes, found.remainder, found.year_from, found.year_to, code)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for a DOI; an arXiv id is asked for as its DOI."""
        doi = {"doi": value, "arxiv": doi_of_arxiv(value)}.get(kind)
        return Translated(f"doi:{quoted(doi)}") if doi else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches."""
        del filters  # all of them are in the query
        size = min(self.page_size, max(wanted, SMALLEST_PAGE))
        return Request(
            self.endpoint,
            {
                "query": query.text,
                "page[size]": size,
                # By cursor, DataCite would give the oldest first whatever is asked for.
                "page[number]": 1,
                "sort": "relevance",
                "disable-facets": "true",
            },
        )

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the DOIs of a page."""
        given = values.mapping(answer.json())
        if given.get("data") is None:
            told = [
                values.text(fault.get("title")) for fault in values.mappings(given.get("errors"))
            ]
            said = "; ".join(filter(None, told))[:500]
            raise ServiceError(f"DataCite: {said or 'the response has no data'}")
        entries = values.items(given["data"])
        page, size = int(request.params["page[number]"]), int(request.params["page[size]"])
        is_last = not values.text(values.mapping(given.get("links")).get("next"))
        has_more = bool(entries) and not is_last and (page + 1) * size <= self.most_results
        return Page.of(
            entries,
            lambda entry: read_doi(entry, self.name),
            hits=values.number(values.mapping(given.get("meta")).get("total")),
            next=request.turned(**{"page[number]": page + 1}) if has_more else None,
        )


def read_doi(item: Any, source: str) -> RawPaper | None:
    """Return the record of an entry of `data`, of whatever types; None: it has no title."""
    entry = values.mapping(item)
    given = values.mapping(entry.get("attributes"))
    title = _title(given)
    if not title:
        return None
    doi = parse_doi(values.text(given.get("doi")) or values.text(entry.get("id")))
    ids = _identifiers(given)
    container = values.mapping(given.get("container"))
    publisher = given.get("publisher")
    name = values.words(values.mapping(publisher).get("name")) or values.words(publisher)
    kind = _type(values.mapping(given.get("types")), doi)
    url = values.address(given.get("url"))
    paper = RawPaper(
        title=title,
        doi=doi,
        authors=list(_authors(given)),
        abstract=_abstract(given),
        year=values.year(given.get("publicationYear")),
        venue=values.words(container.get("title")) or (name if kind == "article" else None),
        publisher=name,
        volume=values.text(container.get("volume")) or None,
        issue=values.text(container.get("issue")) or None,
        pages=values.pages(container.get("firstPage"), container.get("lastPage")),
        isbn=parse_isbn(ids.get("isbn")),
        issn=parse_issn(ids.get("issn")) or parse_issn(values.text(container.get("identifier"))),
        pmid=parse_pmid(ids.get("pmid")),
        arxiv_id=(parse_arxiv_id(doi) if doi else None) or parse_arxiv_id(ids.get("arxiv")),
        citation_count=values.count(given.get("citationCount")),
        full_text_url=values.address(values.first_text(given.get("contentUrl"))),
        url=url or (f"https://doi.org/{doi}" if doi else None),
        language=language_code(values.text(given.get("language"))),
        publication_type=kind,
        keywords=keywords_of(values.items(given.get("subjects"))),
        source=source,
    )
    paper.id = f"datacite:{doi or content_key(paper)}"
    return paper


def _title(given: dict[str, Any]) -> str | None:
    """Return the main title, with its subtitle."""
    titles = list(values.mappings(given.get("titles")))
    plain = [title for title in titles if not values.text(title.get("titleType"))] or titles[:1]
    main = next((found for title in plain if (found := values.words(title.get("title")))), None)
    sub = next(
        (
            found
            for title in titles
            if values.text(title.get("titleType")) == "Subtitle"
            and (found := values.words(title.get("title")))
        ),
        None,
    )
    return f"{main}: {sub}" if main and sub and sub != main else main


def _authors(given: dict[str, Any]) -> Iterator[Author]:
    for creator in values.mappings(given.get("creators")):
        forename = values.words(creator.get("givenName"))
        family = values.words(creator.get("familyName"))
        name = values.words(creator.get("name"))
        is_organisation = values.text(creator.get("nameType")) == "Organizational"
        orcid = next(
            (
                values.text(one.get("nameIdentifier")).rstrip("/").rpartition("/")[2]
                for one in values.mappings(creator.get("nameIdentifiers"))
                if values.text(one.get("nameIdentifierScheme")).upper() == "ORCID"
            ),
            None,
        )
        if forename and family:
            author = author_of(family=family, given=forename, author_id=orcid or None)
        elif is_organisation:
            author = author_of(literal=name, author_id=orcid or None)
        else:
            author = author_named(name, orcid or None) if name else None
        if author:
            yield author


def _abstract(given: dict[str, Any]) -> str | None:
    texts = [
        values.text(description.get("description"))
        for description in values.mappings(given.get("descriptions"))
        if values.text(description.get("descriptionType")) == "Abstract"
    ]
    return next((found for text in texts if (found := plain_abstract(text))), None)


def _identifiers(given: dict[str, Any]) -> dict[str, str]:
    """Return the identifiers of the work itself by kind, in lower case."""
    found: dict[str, str] = {}
    for identifier in (
        *values.items(given.get("identifiers")),
        *values.items(given.get("alternateIdentifiers")),
    ):
        one = values.mapping(identifier)
        kind = one.get("identifierType") or one.get("alternateIdentifierType")
        value = one.get("identifier") or one.get("alternateIdentifier")
        found.setdefault(values.text(kind).lower(), values.text(value))
    for related in values.mappings(given.get("relatedIdentifiers")):
        if values.text(related.get("relationType")) in _VERSION_OF:
            kind = values.text(related.get("relatedIdentifierType")).lower()
            if kind in {"arxiv", "pmid"}:
                found.setdefault(kind, values.text(related.get("relatedIdentifier")))
    return found


def _type(types: dict[str, Any], doi: str | None) -> str | None:
    general = values.text(types.get("resourceTypeGeneral")).lower()
    if doi and doi.startswith("10.48550/arxiv."):
        return "article"
    if general in _TYPES:
        return _TYPES[general]
    citeproc = values.text(types.get("citeproc"))
    return citeproc if citeproc in _CITEPROC else None


create_source = Datacite.source
