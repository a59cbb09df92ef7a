"""Reads a record from one of CORE's works (https://api.core.ac.uk/docs/v3#tag/Works)."""

from __future__ import annotations

import re
from typing import Any

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    parse_arxiv_id,
    parse_doi,
    parse_pmid,
)
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.text import normalised_title
from paper_search.models import Author, RawPaper
from paper_search.sources.values import (
    address,
    count,
    first_text,
    items,
    mapping,
    mappings,
    text,
    words,
    year,
)

NAME = "core"

_COMMENT = re.compile(r"(?:\.\s{0,20}|(?<!\s)\s{0,20})Comment:\s[^\n]{0,400}$", re.IGNORECASE)
"""What repositories copy from arXiv behind an abstract: "...Comment: 32 pages, 12 figures"."""
_ISSN = re.compile(r"\d{4}-?\d{3}[\dXx]")
_TYPES = {"thesis": "thesis", "book": "book", "dataset": "dataset", "slides": "speech"}


def read_work(work: Any) -> RawPaper | None:
    """Return the record of an entry of `results`; None: it has no title."""
    work = mapping(work)
    title = words(work.get("title"))
    if not title:
        return None
    journal = next(mappings(work.get("journals")), {})
    paper = RawPaper(
        title=title,
        authors=[Author(name=name) for name in _names(work)],
        abstract=plain_abstract(_COMMENT.sub(".", text(work.get("abstract")))),
        year=year(work.get("yearPublished")) or year(work.get("publishedDate")),
        venue=words(journal.get("title")),
        issn=_issn(journal),
        publisher=_publisher(work),
        doi=parse_doi(text(work.get("doi"))),
        arxiv_id=parse_arxiv_id(text(work.get("arxivId"))),
        pmid=parse_pmid(text(work.get("pubmedId"))),
        language=language_code(text(mapping(work.get("language")).get("code"))),
        citation_count=count(work.get("citationCount")),
        publication_type=_TYPES.get(text(work.get("documentType")).lower()),
        url=_page(work),
        full_text_url=_full_text(work),
        source=NAME,
        raw_data=_details(work),
    )
    paper.id = f"{NAME}:{text(work.get('id')) or content_key(paper)}"
    return paper


def _names(work: dict[str, Any]) -> list[str]:
    """Return each author once.

    Repositories list a name as often as they found it, and family names alone beside full ones.
    """
    given = [words(each.get("name")) for each in mappings(work.get("authors"))]
    distinct = {normalised_title(name): name for name in reversed(given) if name}
    names = list(dict.fromkeys(distinct[normalised_title(name)] for name in given if name))
    parts = {part for name in names for part in _parts(name) if len(_parts(name)) > 1}
    return [name for name in names if len(_parts(name)) > 1 or not parts & _parts(name)]


def _parts(name: str) -> set[str]:
    return {normalised_title(part) for part in re.split(r"[\s,]+", name) if part}


def _issn(journal: dict[str, Any]) -> str | None:
    found = (_ISSN.fullmatch(text(each)) for each in items(journal.get("identifiers")))
    return next((issn[0].upper() for issn in found if issn), None)


def _publisher(work: dict[str, Any]) -> str | None:
    """Return the publisher without the quotes that CORE puts around those of Crossref."""
    name = words(work.get("publisher")) or ""
    return name.strip("'\" ") or None


def _page(work: dict[str, Any]) -> str | None:
    for link in mappings(work.get("links")):
        if text(link.get("type")) == "display":
            return address(link.get("url"))
    return None


def _full_text(work: dict[str, Any]) -> str | None:
    """Return where to download the text; of a page about it on arXiv, the text itself."""
    copies = (address(each) for each in items(work.get("sourceFulltextUrls")))
    found = address(work.get("downloadUrl")) or next(filter(None, copies), None)
    if found and "arxiv.org/abs/" in found and (arxiv_id := parse_arxiv_id(found)):
        return f"https://arxiv.org/pdf/{arxiv_id}"
    return found


def _details(work: dict[str, Any]) -> dict[str, Any]:
    """Return what the record has no field for."""
    details = {
        "oai_ids": [said for each in items(work.get("oaiIds")) if (said := text(each))],
        "document_type": text(work.get("documentType")),
        "field_of_study": first_text(work.get("fieldOfStudy")),
        "published_date": text(work.get("publishedDate")),
    }
    return {name: value for name, value in details.items() if value}
