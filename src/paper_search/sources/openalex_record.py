"""Reads a record from an OpenAlex work.

Fields: https://docs.openalex.org/api-entities/works/work-object
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from paper_search.bibliography.abstracts import indexed_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    parse_arxiv_id,
    parse_doi,
    parse_issn,
    parse_pmcid,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_named
from paper_search.models import Author, RawPaper
from paper_search.sources import values

FIELDS = (
    "id", "doi", "title", "display_name", "publication_year", "ids", "type", "language",
    "authorships", "primary_location", "best_oa_location", "locations", "open_access", "biblio",
    "cited_by_count", "is_retracted", "abstract_inverted_index", "keywords", "topics",
    "referenced_works",
)  # fmt: skip
"""What to ask for: the rest of a work is several times as long."""

MAX_REFERENCES = 500
"""Of one work: reviews cite more than a picture of citations can show."""

_TYPES = {
    "article": "article-journal",
    "book": "book",
    "book-chapter": "chapter",
    "book-review": "review-book",
    "conference-abstract": "paper-conference",
    "conference-paper": "paper-conference",
    "data-paper": "article-journal",
    "dataset": "dataset",
    "dissertation": "thesis",
    "editorial": "article-journal",
    "letter": "article-journal",
    "preprint": "article",
    "reference-entry": "entry",
    "report": "report",
    "review": "article-journal",
    "software": "software",
    "software-paper": "article-journal",
    "standard": "standard",
}
"""To the types of CSL (https://help.openalex.org/data/work-types/, August 2026)."""
_CONFERENCE = re.compile(r"\b(?:conference|symposium|workshop)\b", re.IGNORECASE)


def read_work(work: Any, source: str) -> RawPaper | None:
    """Return the record of an entry of `results`, of whatever types; None: it has no title."""
    entry = values.mapping(work)
    title = values.words(entry.get("title")) or values.words(entry.get("display_name"))
    if not title:
        return None
    ids = values.mapping(entry.get("ids"))
    location = values.mapping(entry.get("primary_location"))
    venue = values.mapping(location.get("source"))
    biblio = values.mapping(entry.get("biblio"))
    doi = parse_doi(values.text(entry.get("doi")) or values.text(ids.get("doi")))
    openalex_id = short_id(entry.get("id")) or short_id(ids.get("openalex"))
    mag = values.text(ids.get("mag"))
    paper = RawPaper(
        title=title,
        doi=doi,
        authors=list(_authors(entry)),
        abstract=indexed_abstract(entry.get("abstract_inverted_index")),
        year=_year(entry),
        venue=values.words(venue.get("display_name"))
        or values.words(location.get("raw_source_name")),
        publisher=values.words(venue.get("host_organization_name")),
        issn=parse_issn(values.text(venue.get("issn_l")) or values.first_text(venue.get("issn"))),
        volume=values.text(biblio.get("volume")) or None,
        issue=values.text(biblio.get("issue")) or None,
        pages=values.pages(biblio.get("first_page"), biblio.get("last_page")),
        citation_count=values.count(entry.get("cited_by_count")),
        full_text_url=_full_text(entry),
        url=values.address(location.get("landing_page_url")) or values.address(entry.get("doi")),
        arxiv_id=_arxiv_id(doi, entry),
        pmid=parse_pmid(values.text(ids.get("pmid")) or None),
        pmcid=parse_pmcid(values.text(ids.get("pmcid")) or None),
        openalex_id=openalex_id,
        language=language_code(values.text(entry.get("language"))),
        publication_type=_type(entry, location, venue),
        is_retracted=values.flag(entry.get("is_retracted")),
        keywords=_keywords(entry),
        source=source,
        raw_data=_details(entry, mag),
    )
    paper.id = f"openalex:{openalex_id or doi or content_key(paper)}"
    return paper


def own_types(wanted: Iterable[str]) -> list[str]:
    """Return OpenAlex's types for those of CSL.

    Papers of conferences were articles to it, and are becoming a type of their own: both are asked
    for.
    """
    given = set(wanted)
    given |= {"article-journal"} if "paper-conference" in given else set()
    return [name for name, csl in _TYPES.items() if csl in given]


def short_id(value: Any) -> str | None:
    """Return the last part of an OpenAlex address (`W123` of `https://openalex.org/W123`)."""
    last = values.text(value).rstrip("/").rpartition("/")[2].upper()
    return last if last[:1].isalpha() and last[1:].isdigit() else None


def _authors(entry: dict[str, Any]) -> Iterator[Author]:
    for authorship in values.mappings(entry.get("authorships")):
        author = values.mapping(authorship.get("author"))
        name = values.words(author.get("display_name")) or values.words(
            authorship.get("raw_author_name")
        )
        if name:
            yield author_named(name, short_id(author.get("id")))


def _details(entry: dict[str, Any], mag: str) -> dict[str, Any]:
    """Return what duplicates are known by, and what the work cites, by the ids of OpenAlex."""
    cited = [short_id(value) for value in values.items(entry.get("referenced_works"))]
    details = {"mag": mag, "references": [work for work in cited if work][:MAX_REFERENCES]}
    return {name: given for name, given in details.items() if given}


def _year(entry: dict[str, Any]) -> int | None:
    return values.year(entry.get("publication_year")) or values.year(entry.get("publication_date"))


def _keywords(entry: dict[str, Any]) -> list[str]:
    return keywords_of(values.items(entry.get("keywords")) + values.items(entry.get("topics")))


def _full_text(entry: dict[str, Any]) -> str | None:
    """Return where it can be read for free, a PDF if there is one."""
    best = values.mapping(entry.get("best_oa_location"))
    primary = values.mapping(entry.get("primary_location"))
    access = values.mapping(entry.get("open_access"))
    free = [best.get("pdf_url"), primary.get("pdf_url") if primary.get("is_oa") is True else None]
    free += [access.get("oa_url"), best.get("landing_page_url")]
    return next((found for url in free if (found := values.address(url))), None)


def _arxiv_id(doi: str | None, entry: dict[str, Any]) -> str | None:
    if doi and (found := parse_arxiv_id(doi)):
        return found
    for location in values.mappings(entry.get("locations")):
        for name in ("landing_page_url", "pdf_url"):
            url = values.address(location.get(name)) or ""
            if "arxiv.org/" in url and (found := parse_arxiv_id(url)):
                return found
    return None


def _type(entry: dict[str, Any], location: dict[str, Any], venue: dict[str, Any]) -> str | None:
    given = values.text(entry.get("type"))
    name = values.text(venue.get("display_name")) or values.text(location.get("raw_source_name"))
    is_of_conference = (
        venue.get("type") == "conference"
        or location.get("raw_type") == "proceedings-article"
        or (venue.get("type") != "journal" and _CONFERENCE.search(name) is not None)
    )
    if is_of_conference and given in {"article", "review"}:
        return "paper-conference"
    return _TYPES.get(given)
