"""Reads a record from a DataCite DOI.

Fields: https://datacite-metadata-schema.readthedocs.io
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.models import Author, RawPaper
from paper_search.sources import values

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


def read_doi(item: Any, source: str) -> RawPaper | None:
    """Return the record of one DOI; None: it has no title.

    Args:
        item: an entry of `data`; fields may be missing, null or of any type.
        source: which source found it.
    """
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
    plain = [each for each in titles if not values.text(each.get("titleType"))] or titles[:1]
    main = next((found for each in plain if (found := values.words(each.get("title")))), None)
    sub = next(
        (
            found
            for each in titles
            if values.text(each.get("titleType")) == "Subtitle"
            and (found := values.words(each.get("title")))
        ),
        None,
    )
    return f"{main}: {sub}" if main and sub and sub != main else main


def _authors(given: dict[str, Any]) -> Iterator[Author]:
    for each in values.mappings(given.get("creators")):
        parts = (values.words(each.get("givenName")), values.words(each.get("familyName")))
        name = " ".join(part for part in parts if part) if all(parts) else ""
        name = name or values.words(each.get("name")) or ""
        orcid = next(
            (
                values.text(one.get("nameIdentifier")).rstrip("/").rpartition("/")[2]
                for one in values.mappings(each.get("nameIdentifiers"))
                if values.text(one.get("nameIdentifierScheme")).upper() == "ORCID"
            ),
            None,
        )
        if name:
            yield Author(name=name, author_id=orcid or None)


def _abstract(given: dict[str, Any]) -> str | None:
    texts = [
        values.text(each.get("description"))
        for each in values.mappings(given.get("descriptions"))
        if values.text(each.get("descriptionType")) == "Abstract"
    ]
    return next((found for each in texts if (found := plain_abstract(each))), None)


def _identifiers(given: dict[str, Any]) -> dict[str, str]:
    """Return the identifiers of the work itself by kind, in lower case."""
    found: dict[str, str] = {}
    for each in (
        *values.items(given.get("identifiers")),
        *values.items(given.get("alternateIdentifiers")),
    ):
        one = values.mapping(each)
        kind = one.get("identifierType") or one.get("alternateIdentifierType")
        value = one.get("identifier") or one.get("alternateIdentifier")
        found.setdefault(values.text(kind).lower(), values.text(value))
    for each in values.mappings(given.get("relatedIdentifiers")):
        if values.text(each.get("relationType")) in _VERSION_OF:
            kind = values.text(each.get("relatedIdentifierType")).lower()
            if kind in {"arxiv", "pmid"}:
                found.setdefault(kind, values.text(each.get("relatedIdentifier")))
    return found


def _type(types: dict[str, Any], doi: str | None) -> str | None:
    general = values.text(types.get("resourceTypeGeneral")).lower()
    if doi and doi.startswith("10.48550/arxiv."):
        return "article"
    if general in _TYPES:
        return _TYPES[general]
    citeproc = values.text(types.get("citeproc"))
    return citeproc if citeproc in _CITEPROC else None
