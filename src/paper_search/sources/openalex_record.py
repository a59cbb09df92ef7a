"""Read works of OpenAlex (https://docs.openalex.org/api-entities/works/work-object)."""

import re
from collections.abc import Iterable
from typing import Any

from paper_search.bibliography.identifiers import parse_arxiv_id
from paper_search.bibliography.text import indexed_abstract
from paper_search.sources.record import (
    OTHER_TEXTS,
    Entry,
    People,
    Table,
    first,
    first_of,
    keywords,
    span,
    values_at,
)
from paper_search.sources.values import address, mapping, text

FIELDS = (
    "id", "doi", "title", "display_name", "publication_year", "ids", "type", "language",
    "authorships", "primary_location", "best_oa_location", "locations", "open_access", "biblio",
    "cited_by_count", "is_retracted", "abstract_inverted_index", "keywords", "topics",
)  # fmt: skip
"""Fields to request; a whole work is several times as long."""

_TYPES = {
    "article": "article-journal", "book": "book", "book-chapter": "chapter",
    "book-review": "review-book", "conference-abstract": "paper-conference",
    "conference-paper": "paper-conference", "data-paper": "article-journal", "dataset": "dataset",
    "dissertation": "thesis", "editorial": "article-journal", "letter": "article-journal",
    "preprint": "article", "reference-entry": "entry", "report": "report",
    "review": "article-journal", "software": "software", "software-paper": "article-journal",
    "standard": "standard",
}  # fmt: skip
"""CSL types (https://help.openalex.org/data/work-types/, August 2026)."""
_CONFERENCE = re.compile(r"\b(?:conference|symposium|workshop)\b", re.IGNORECASE)
_VENUE = "primary_location.source.display_name|primary_location.raw_source_name"


def own_types(types: Iterable[str]) -> list[str]:
    """Return OpenAlex's types for CSL types.

    OpenAlex is moving conference papers from articles to a type of their own: both are included.
    """
    csl_types = set(types)
    csl_types |= {"article-journal"} if "paper-conference" in csl_types else set()
    return [name for name, csl in _TYPES.items() if csl in csl_types]


def short_id(value: Any) -> str | None:
    last = text(value).rstrip("/").rpartition("/")[2].upper()
    return last if last[:1].isalpha() and last[1:].isdigit() else None


def _open_pdfs(entry: Entry) -> dict[str, list[str]]:
    """Return open copies besides the best one, because publishers often block programs."""
    best = first(entry, "best_oa_location.pdf_url", address)
    urls = map(address, values_at(entry, "locations[is_oa=true].pdf_url"))
    others = [url for url in dict.fromkeys(urls) if url and url != best]
    return {OTHER_TEXTS: others} if others else {}


def _arxiv_address(entry: Entry) -> str | None:
    for path in ("locations.landing_page_url", "locations.pdf_url"):
        for url in filter(None, map(address, values_at(entry, path))):
            if "arxiv.org/" in url and (arxiv_id := parse_arxiv_id(url)):
                return arxiv_id
    return None


def _type(entry: Entry) -> str | None:
    own = first(entry, "type")
    kind = first(entry, "primary_location.source.type")
    is_of_conference = (
        kind == "conference"
        or first(entry, "primary_location.raw_type") == "proceedings-article"
        or (kind != "journal" and _CONFERENCE.search(first(entry, _VENUE) or "") is not None)
    )
    is_paper = is_of_conference and own in {"article", "review"}
    return "paper-conference" if is_paper else _TYPES.get(own)


read_work = Table(
    prefix="openalex",
    key=("id|ids.openalex", short_id),
    fields={
        "title": "title|display_name",
        "doi": "doi|ids.doi",
        "authors": People(
            "authorships", name="author.display_name|raw_author_name", id=("author.id", short_id)
        ),
        "abstract": lambda entry: indexed_abstract(mapping(entry).get("abstract_inverted_index")),
        "year": "publication_year|publication_date",
        "venue": _VENUE,
        "publisher": "primary_location.source.host_organization_name",
        "issn": "primary_location.source.issn_l|primary_location.source.issn",
        "volume": "biblio.volume",
        "issue": "biblio.issue",
        "pages": span("biblio.first_page", "biblio.last_page"),
        "citation_count": "cited_by_count",
        "full_text_url": first_of(
            "best_oa_location.pdf_url",
            "primary_location[is_oa=true].pdf_url",
            "open_access.oa_url|best_oa_location.landing_page_url",
            reader=address,
        ),
        "url": "primary_location.landing_page_url|doi",
        "arxiv_id": first_of(("doi|ids.doi", parse_arxiv_id), _arxiv_address),
        "pmid": "ids.pmid",
        "pmcid": "ids.pmcid",
        "openalex_id": ("id|ids.openalex", short_id),
        "language": "language",
        "publication_type": _type,
        "is_retracted": "is_retracted",
        "keywords": keywords("keywords", "topics"),
    },
    details=_open_pdfs,
).read
