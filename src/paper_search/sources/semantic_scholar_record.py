"""Reads a record from a paper of Semantic Scholar's graph.

Fields: https://api.semanticscholar.org/api-docs/graph
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    parse_arxiv_id,
    parse_doi,
    parse_issn,
    parse_pmcid,
    parse_pmid,
)
from paper_search.models import Author, RawPaper
from paper_search.sources import values

FIELDS = (
    "title",
    "abstract",
    "year",
    "venue",
    "publicationVenue",
    "journal",
    "authors",
    "externalIds",
    "citationCount",
    "isOpenAccess",
    "openAccessPdf",
    "publicationTypes",
    "publicationDate",
    "url",
)

_TYPES = {
    "Book": "book",
    "BookSection": "chapter",
    "Conference": "paper-conference",
    "Dataset": "dataset",
    "Thesis": "thesis",
    "JournalArticle": "article-journal",
    "LettersAndComments": "article-journal",
    "Editorial": "article-journal",
    "Review": "article-journal",
}
"""To the types of CSL, the telling ones first."""

_KEPT = ("MAG", "CorpusId", "DBLP", "ACL")
"""Identifiers without a field of their own."""


def read_paper(paper: Any, source: str) -> RawPaper | None:
    """Return the record of one paper; None: it has no title.

    Args:
        paper: an entry of `data`, or a citing or cited paper; fields may be missing, null or of
            any type, and `paperId` is null for works that the graph only knows from references.
        source: which source found it.
    """
    entry = values.mapping(paper)
    title = values.words(entry.get("title"))
    if not title:
        return None
    ids = values.mapping(entry.get("externalIds"))
    place = values.mapping(entry.get("publicationVenue"))
    journal = values.mapping(entry.get("journal"))
    doi = parse_doi(values.text(ids.get("DOI")))
    s2_id = values.text(entry.get("paperId")).lower() or None
    record = RawPaper(
        title=title,
        doi=doi,
        authors=list(_authors(entry)),
        abstract=plain_abstract(values.text(entry.get("abstract"))),
        snippet=values.words(values.mapping(entry.get("tldr")).get("text")),
        year=values.year(entry.get("year")) or values.year(entry.get("publicationDate")),
        venue=values.words(entry.get("venue"))
        or values.words(journal.get("name"))
        or values.words(place.get("name")),
        issn=parse_issn(values.text(place.get("issn"))),
        volume=values.text(journal.get("volume")) or None,
        pages="".join(values.text(journal.get("pages")).split()) or None,
        citation_count=values.count(entry.get("citationCount")),
        full_text_url=values.address(values.mapping(entry.get("openAccessPdf")).get("url")),
        url=values.address(entry.get("url")),
        arxiv_id=parse_arxiv_id(values.text(ids.get("ArXiv")))
        or (parse_arxiv_id(doi) if doi else None),
        pmid=parse_pmid(values.text(ids.get("PubMed")) or None),
        pmcid=parse_pmcid(values.text(ids.get("PubMedCentral")) or None),
        s2_id=s2_id,
        publication_type=_type(entry),
        source=source,
        raw_data={name.lower(): given for name in _KEPT if (given := values.text(ids.get(name)))},
    )
    record.id = f"s2:{s2_id or doi or content_key(record)}"
    return record


def _authors(entry: dict[str, Any]) -> Iterator[Author]:
    for each in values.mappings(entry.get("authors")):
        if name := values.words(each.get("name")):
            yield Author(name=name, author_id=values.text(each.get("authorId")) or None)


def _type(entry: dict[str, Any]) -> str | None:
    given = {values.text(each) for each in values.items(entry.get("publicationTypes"))}
    return next((csl for name, csl in _TYPES.items() if name in given), None)
