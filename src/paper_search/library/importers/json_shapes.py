"""Maps records of OpenAlex, arXiv, Semantic Scholar and Crossref to common names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from paper_search.bibliography.arxiv_categories import category_names

_JOURNAL_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ARXIV_AND = re.compile(r",\s+(?:and\s+)?|(?<!\s)\s+and\s+")
_AFFILIATION = re.compile(r"(?<!\s)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)")


def common(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the record under the names that `fields` knows, whatever service shaped it."""
    for is_meant, flatten in _SHAPES:
        if is_meant(given):
            return {**given, **{name: value for name, value in flatten(given).items() if value}}
    return given


def _is_openalex(given: Mapping[str, Any]) -> bool:
    return "abstract_inverted_index" in given or "primary_location" in given


def _openalex(given: Mapping[str, Any]) -> dict[str, Any]:
    """https://docs.openalex.org/api-entities/works/work-object."""
    place = _mapping(given.get("primary_location"))
    ids, biblio = _mapping(given.get("ids")), _mapping(given.get("biblio"))
    access = _mapping(given.get("best_oa_location")) or _mapping(given.get("open_access"))
    first, last = biblio.get("first_page"), biblio.get("last_page")
    return {
        "abstract": given.get("abstract") or _in_order(given.get("abstract_inverted_index")),
        "venue": _mapping(place.get("source")).get("display_name"),
        "openalex_id": str(given.get("id") or ids.get("openalex") or "").rpartition("/")[2],
        "pmid": ids.get("pmid"),
        "pmcid": ids.get("pmcid"),
        "volume": biblio.get("volume"),
        "issue": biblio.get("issue"),
        "pages": f"{first}-{last}" if first and last and first != last else first,
        "url": place.get("landing_page_url") or given.get("doi"),
        "pdf_url": access.get("pdf_url") or access.get("oa_url"),
        "keywords": [*_listed(given.get("keywords")), *_listed(given.get("topics"))],
    }


def _in_order(index: Any) -> str | None:
    """Return the text of an inverted index: the positions of every word."""
    if not isinstance(index, dict):
        return None
    placed = [
        (place, word)
        for word, places in index.items()
        if isinstance(places, list)
        for place in places
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(placed)) or None


def _is_arxiv(given: Mapping[str, Any]) -> bool:
    return "authors_parsed" in given or ("categories" in given and "journal-ref" in given)


def _arxiv(given: Mapping[str, Any]) -> dict[str, Any]:
    """One line of the metadata snapshot: https://info.arxiv.org/help/bulk_data.html."""
    journal = given.get("journal-ref")
    found = _JOURNAL_YEAR.findall(journal) if isinstance(journal, str) else []
    versions = given.get("versions")
    first = _mapping(versions[0]).get("created") if isinstance(versions, list) and versions else ""
    parsed = given.get("authors_parsed")
    names: list[Any] = [
        dict(zip(("family", "given", "suffix"), item, strict=False))
        for item in (parsed if isinstance(parsed, list) else [])
        if isinstance(item, list) and item and all(isinstance(part, str) for part in item)
    ]
    written = given.get("authors")
    if not names and isinstance(written, str):
        names = _ARXIV_AND.split(_AFFILIATION.sub("", " ".join(written.split())))
    created = _JOURNAL_YEAR.findall(first or "") or found[-1:]
    return {
        "authors": names,
        "arxiv_id": given.get("id"),
        "venue": journal,
        "year": (created or [str(given.get("update_date") or "")[:4]])[0],
        "url": f"https://arxiv.org/abs/{given['id']}" if given.get("id") else None,
        "keywords": category_names(str(given.get("categories") or "")),
    }


def _is_semantic_scholar(given: Mapping[str, Any]) -> bool:
    return "externalIds" in given or "paperId" in given


def _semantic_scholar(given: Mapping[str, Any]) -> dict[str, Any]:
    """https://api.semanticscholar.org/api-docs/graph."""
    ids, journal = _mapping(given.get("externalIds")), _mapping(given.get("journal"))
    return {
        "doi": ids.get("DOI"),
        "arxiv_id": ids.get("ArXiv"),
        "pmid": ids.get("PubMed"),
        "pmcid": ids.get("PubMedCentral"),
        "venue": given.get("venue") or journal.get("name"),
        "volume": journal.get("volume"),
        "pages": journal.get("pages"),
        "pdf_url": _mapping(given.get("openAccessPdf")).get("url"),
        "keywords": given.get("fieldsOfStudy"),
    }


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


_SHAPES: tuple[
    tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], dict[str, Any]]], ...
] = (
    (_is_openalex, _openalex),
    (_is_arxiv, _arxiv),
    (_is_semantic_scholar, _semantic_scholar),
)
