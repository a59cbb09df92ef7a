"""Reads a record from a Crossref work.

Fields: https://api.crossref.org/swagger-ui/index.html
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

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
from paper_search.bibliography.text import normalised_title
from paper_search.models import Author, RawPaper
from paper_search.sources import values

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


def read_item(item: Any, source: str) -> RawPaper | None:
    """Return the record of one work; None: it has no title.

    Args:
        item: an entry of `items`; fields may be missing, null or of any type.
        source: which source found it.
    """
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
        isbn=next(
            (i for each in values.items(entry.get("ISBN")) if (i := parse_isbn(values.text(each)))),
            None,
        ),
        issn=next(
            (i for each in values.items(entry.get("ISSN")) if (i := parse_issn(values.text(each)))),
            None,
        ),
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
    for each in listed:
        given, family = _words(each.get("given")), _words(each.get("family"))
        name = " ".join(part for part in (given, family, _words(each.get("suffix"))) if part)
        name = name or _words(each.get("name")) or _words(each.get("literal")) or ""
        orcid = _ORCID.search(values.text(each.get("ORCID")))
        if name:
            yield Author(name=name, author_id=orcid[0] if orcid else None)


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
    places = [values.mapping(each).get("name") for each in values.items(entry.get("institution"))]
    given = [values.first_text(entry.get("container-title")), event.get("name")]
    if values.text(entry.get("type")) == "posted-content":
        given += [*places, entry.get("group-title")]
    return next((found for each in given if (found := _words(each))), None)


def _address(entry: dict[str, Any]) -> str | None:
    primary = values.mapping(values.mapping(entry.get("resource")).get("primary"))
    return values.address(entry.get("URL")) or values.address(primary.get("URL"))


def _free_text(entry: dict[str, Any]) -> str | None:
    """Return the link to the text if its licence is open: most links lead to a till."""
    licences = [values.text(each.get("URL")) for each in values.mappings(entry.get("license"))]
    if not any("creativecommons.org" in licence for licence in licences):
        return None
    links = [
        (values.text(each.get("content-type")) != "application/pdf", url)
        for each in values.mappings(entry.get("link"))
        if (url := values.address(each.get("URL")))
    ]
    return min(links, default=(True, None))[1]


def _is_retracted(entry: dict[str, Any], title: str) -> bool | None:
    """Return True for what was withdrawn, None if nothing is said; a notice of it is neither."""
    updates = {
        values.text(each.get("type")).lower() for each in values.mappings(entry.get("updated-by"))
    }
    if updates & _WITHDRAWN or _RETRACTED_TITLE.match(title):
        return True
    return None
