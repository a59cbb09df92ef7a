"""DataCite (https://support.datacite.org/docs/api): preprints, theses, reports, data, software.

Fields: https://datacite-metadata-schema.readthedocs.io
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from paper_search.bibliography.identifiers import doi_of_arxiv
from paper_search.bibliography.names import author_named, author_of
from paper_search.models import RawPaper, SearchConstraints
from paper_search.query import Node, Phrase, Term
from paper_search.sources.adapter import Adapter, Paging, Translated
from paper_search.sources.dialect import Expression, FieldDialect
from paper_search.sources.record import (
    Entry,
    Table,
    first,
    first_of,
    keywords,
    last_part,
    span,
    values_at,
    words,
)
from paper_search.sources.values import address, mapping, mappings, text

_NO_WORKS = (
    "types.resourceTypeGeneral:"
    "(Audiovisual OR Collection OR Event OR Image OR PhysicalObject OR Sound)"
)
_LEFT_OUT = "images, sound, films, physical objects, events and collections are excluded"
_TYPES = {
    "book": "book", "bookchapter": "chapter", "conferencepaper": "paper-conference",
    "conferenceproceeding": "book", "datapaper": "article-journal", "dataset": "dataset",
    "dissertation": "thesis", "journalarticle": "article-journal", "preprint": "article",
    "report": "report", "software": "software", "standard": "standard",
}  # fmt: skip
_CITEPROC = frozenset(
    {"article", "article-journal", "book", "chapter", "dataset", "thesis", "report"}
)
_VERSION_OF = ("IsVersionOf", "IsIdenticalTo", "IsPreprintOf")


def _title(entry: Entry) -> str | None:
    titles = list(mappings(mapping(entry).get("titles")))
    plain = [title for title in titles if not text(title.get("titleType"))] or titles
    main = first(plain, "title", words)
    sub = first(entry, "titles[titleType=Subtitle].title", words)
    return ": ".join(dict.fromkeys(filter(None, (main, sub)))) or None


def _person(person: Entry) -> Any:
    author_id = first(person, "nameIdentifiers[nameIdentifierScheme=ORCID].nameIdentifier")
    author_id = last_part(author_id or "") or None
    parts = ("givenName", "familyName", "name")
    forename, family, name = (first(person, part, words) for part in parts)
    if forename and family:
        return author_of(family=family, given=forename, author_id=author_id)
    if first(person, "nameType") == "Organizational":
        return author_of(literal=name, author_id=author_id)
    return author_named(name, author_id) if name else None


def _type(entry: Entry) -> str | None:
    general = (first(entry, "types.resourceTypeGeneral") or "").lower()
    if (first(entry, "doi") or "").lower().startswith("10.48550/arxiv."):
        return "article"
    citeproc = first(entry, "types.citeproc")
    return _TYPES.get(general) or (citeproc if citeproc in _CITEPROC else None)


def _venue(entry: Entry) -> str | None:
    """Return the venue; for a preprint, its server."""
    is_preprint = _type(entry) == "article"
    paths = "container.title|publisher.name|publisher" if is_preprint else "container.title"
    return str(first(entry, paths, words) or "") or None


def _own(kind: str) -> str:
    related = f"relatedIdentifiers[relatedIdentifierType={kind}]"
    same = (f"{related}[relationType={relation}].relatedIdentifier" for relation in _VERSION_OF)
    return "|".join(
        (
            f"identifiers[identifierType={kind}].identifier",
            f"alternateIdentifiers[alternateIdentifierType={kind}].alternateIdentifier",
            *(same if kind in {"arxiv", "pmid"} else ()),
        )
    )


_DOI = Table(
    prefix="datacite",
    key="",
    fields={
        "title": _title,
        "doi": "doi",
        "authors": lambda entry: [*filter(None, map(_person, values_at(entry, "creators")))],
        "abstract": "descriptions[descriptionType=Abstract].description",
        "year": "publicationYear",
        "venue": _venue,
        "publisher": "publisher.name|publisher",
        "volume": "container.volume",
        "issue": "container.issue",
        "pages": span("container.firstPage", "container.lastPage"),
        "isbn": _own("isbn"),
        "issn": f"{_own('issn')}|container.identifier",
        "pmid": _own("pmid"),
        "arxiv_id": f"doi|{_own('arxiv')}",
        "citation_count": "citationCount",
        "full_text_url": "contentUrl",
        "url": first_of("url", ("doi", "https://doi.org/{}".format), reader=address),
        "language": "language",
        "publication_type": _type,
        "keywords": keywords("subjects"),
    },
)


def record_of_doi(item: Entry) -> RawPaper | None:
    entry = mapping(item)
    attributes = mapping(entry.get("attributes"))
    return _DOI.read({"doi": entry.get("id"), **attributes})


class DataciteDialect(FieldDialect):
    service: ClassVar[str] = "DataCite"
    fields: ClassVar[Mapping[str | None, str]] = {
        "title": "titles.title:",
        "abstract": "descriptions.description:",
        "author": "creators.name:",
        "venue": "container.title:",
    }
    year: ClassVar[str] = "publicationYear:[{} TO {}]"
    entered: ClassVar[str] = "created:[{} TO {}]"
    negation: ClassVar[str] = "AND NOT "

    def translate_within(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Exclude pictures, sound, films and objects.

        There is no language filter, because most records state no language.
        """
        translation = super().translate_within(tree, filters)
        notes = (*translation.notes, _LEFT_OUT)
        return replace(translation, text=f"({translation.text} AND NOT {_NO_WORKS})", notes=notes)

    def leaf(self, leaf: Term | Phrase) -> Expression:
        """Return a word or phrase; without `~0`, DataCite allows other words in a phrase."""
        expression = super().leaf(leaf)
        is_phrase = expression.text is not None and expression.text.endswith('"')
        return replace(expression, text=f"{expression.text}~0") if is_phrase else expression


class Datacite(Adapter):
    name: ClassVar[str] = "datacite"
    title: ClassVar[str] = "DataCite"
    longest_line: ClassVar[int] = 8190
    accept: ClassVar[str] = "application/vnd.api+json, application/json"

    ranks_text: ClassVar[bool] = True
    most_results = 10_000
    interval_s = 0.6
    """500 in five minutes, 1000 with a contact."""
    interval_with_contact: ClassVar[float | None] = 0.3
    endpoint = "https://api.datacite.org/dois"
    dialect = DataciteDialect
    entries: ClassVar[str] = "data"
    hits: ClassVar[str] = "meta.total"
    faults: ClassVar[str] = "errors.title"
    paging: ClassVar[Paging | None] = Paging("page[number]", size="page[size]", is_numbered=True)
    query_param = "query"
    size_param = "page[size]"
    # With cursors, DataCite ignores the sort order and returns the oldest first.
    usual_params: ClassVar[Mapping[str, str | int]] = {
        "page[number]": 1, "sort": "relevance", "disable-facets": "true",
    }  # fmt: skip
    record = staticmethod(record_of_doi)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        doi = {"doi": value, "arxiv": doi_of_arxiv(value)}.get(kind)
        return Translated(f'doi:"{doi}"') if doi else None
