"""Maps bibliographic fields, under their many names, to a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from paper_search.bibliography.identifiers import (
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
    parse_pmcid,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.names import PersonName, fields_of, split_name
from paper_search.bibliography.text import clean
from paper_search.models import RawPaper

SOURCE = "library"
"""Where imported records say that they come from, unless they say so themselves."""

_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_AND = re.compile(r"(?<!\s)\s+and\s+|(?:(?<!\s)\s+)?;\s*", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_DOI_ADDRESS = re.compile(r"https?://(?:dx\.)?doi\.org/", re.IGNORECASE)
_PAGES = re.compile(r"(?:(?<!\s)\s+)?(?:--+|[‐-―−])\s*")
_MOST_CITATIONS = 10_000_000

_NAMES = {
    "title": ("title", "display_name", "article_title", "primary_title", "paper_title"),
    "author": ("authors", "author", "creators", "authorships", "author_names"),
    "year": ("year", "publication_year", "pub_year", "published", "publication_date", "date",
             "issued", "pubdate", "publicationDate", "published_date"),
    "venue": ("venue", "journal", "container-title", "journal_name", "booktitle", "journaltitle",
              "publication", "source_title", "secondary_title", "conference", "journal_title"),
    "abstract": ("abstract", "abstractText", "summary", "abstract_text", "description"),
    "doi": ("doi", "DOI"),
    "url": ("url", "URL", "link", "landing_page_url", "URLs"),
    "full_text_url": ("full_text_url", "pdf_url", "pdf", "open_access_url", "oa_url"),
    "citations": ("citation_count", "citations", "cited_by_count", "citationCount", "times_cited",
                  "is-referenced-by-count", "n_citation", "citedby"),
    "pmid": ("pmid", "PMID", "pubmed_id"),
    "pmcid": ("pmcid", "PMCID", "pmc"),
    "arxiv_id": ("arxiv_id", "arxiv", "arXiv", "eprint"),
    "openalex_id": ("openalex_id",),
    "s2_id": ("s2_id", "paperId"),
    "isbn": ("isbn", "ISBN"),
    "issn": ("issn", "ISSN"),
    "volume": ("volume",),
    "issue": ("issue", "number"),
    "pages": ("pages", "page"),
    "publisher": ("publisher",),
    "language": ("language", "lang"),
    "snippet": ("snippet",),
    "publication_type": ("publication_type",),
    "keywords": ("keywords", "keyword", "topics", "subjects", "subject"),
}  # fmt: skip
_FIELDS = {
    name: (field, rank) for field, names in _NAMES.items() for rank, name in enumerate(names)
}
_LANGUAGES = {
    "english": "en", "eng": "en", "american": "en", "british": "en", "german": "de", "ger": "de",
    "deu": "de", "ngerman": "de", "french": "fr", "fre": "fr", "fra": "fr", "spanish": "es",
    "spa": "es", "chinese": "zh", "chi": "zh", "zho": "zh", "japanese": "ja", "jpn": "ja",
    "portuguese": "pt", "por": "pt", "italian": "it", "ita": "it", "russian": "ru", "rus": "ru",
    "korean": "ko", "kor": "ko",
}  # fmt: skip
_LANGUAGE_CODE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?")
_TEXTS = {
    "abstract", "venue", "volume", "issue", "pages", "publisher", "snippet", "openalex_id",
    "s2_id", "publication_type",
}  # fmt: skip
_ADDRESSES = {"url", "full_text_url"}
_IDENTIFIERS: dict[str, Callable[[str], str | None]] = {
    "doi": parse_doi,
    "arxiv_id": parse_arxiv_id,
    "pmid": parse_pmid,
    "pmcid": parse_pmcid,
    "isbn": parse_isbn,
    "issn": parse_issn,
}


def record_of(given: Mapping[str, Any], *, is_inverted: bool = False) -> RawPaper:
    """Return the record of a mapping whose fields go by any of their common names.

    Authors may be a list of names, of mappings, or one string with `;` or `and`; keywords the
    same, or one string with commas. A field that cannot be read is left out; only the title is
    indispensable.

    Args:
        given: the fields.
        is_inverted: the text before a comma is an author's family name, whatever follows.

    Raises:
        ValueError: the title is missing.
    """
    found = _by_field(given)
    title = clean(_text(found.get("title")))
    if not title:
        raise ValueError("the title is missing")
    values: dict[str, Any] = {"id": "", "title": title}
    for name in _IDENTIFIERS.keys() & found.keys():
        values[name] = _IDENTIFIERS[name](_text(found[name]))
    for name in _TEXTS & found.keys():
        values[name] = clean(_text(found[name])) or None
    for name in _ADDRESSES & found.keys():
        address = _ADDRESS.search(_text(found[name]))
        values[name] = address.group() if address else None
    if not values.get("doi") and _DOI_ADDRESS.match(values.get("url") or ""):
        values["doi"] = parse_doi(values["url"])
    if values.get("pages"):
        values["pages"] = _PAGES.sub("-", values["pages"])
    return RawPaper.model_validate(
        values
        | {
            "authors": list(_authors(found.get("author"), is_inverted=is_inverted)),
            "year": year_of(found.get("year")),
            "citation_count": count_of(found.get("citations")),
            "language": _language(_text(found.get("language"))),
            "keywords": keywords_of(found["keywords"]) if "keywords" in found else [],
            "source": clean(_text(given.get("database")) or _text(given.get("source"))) or SOURCE,
        }
    )


def year_of(given: Any) -> int | None:
    """Return the year in a number, a date, or CSL's date parts, or None."""
    if isinstance(given, dict):
        given = given.get("date-parts") or given.get("raw") or given.get("literal")
    found = _YEAR.search(str(given)) if given is not None else None
    return int(found.group()) if found else None


def count_of(given: Any) -> int | None:
    """Return the number of citations, None for what is not a number of them."""
    try:
        count = int(float(given))
    except (TypeError, ValueError, OverflowError):
        return None
    return count if 0 <= count <= _MOST_CITATIONS else None


def _authors(given: Any, *, is_inverted: bool) -> Iterator[dict[str, str | None]]:
    """Yield the authors of a list of names or mappings, or of one string.

    As mappings: validated together with their record, they cost a third of what they do alone.
    """
    if isinstance(given, str):
        given = [author for author in _AND.split(given) if author and author.lower() != "others"]
    for author in given if isinstance(given, list) else []:
        name, identifier = clean(_author_name(author)), None
        if isinstance(author, dict):
            identifier = _text(author.get("author_id") or author.get("authorId")) or None
        parts = _parts(author) or split_name(name, is_inverted=is_inverted)
        if is_inverted and name.endswith(","):  # how RIS and EndNote close what has no given name
            name = name.rstrip(", ")
            parts = PersonName(name, is_literal=True)
        if name:
            yield {"name": name, "author_id": identifier, **fields_of(parts)}


def _parts(given: Any) -> PersonName | None:
    """Return the parts of a name in CSL's words; None: there are none."""
    if not isinstance(given, dict):
        return None
    if literal := clean(_text(given.get("literal"))):
        return PersonName(literal, is_literal=True)
    family, first = clean(_text(given.get("family"))), clean(_text(given.get("given")))
    if not family:
        return PersonName(first) if first else None
    particles = ("dropping-particle", "non-dropping-particle")
    particle = " ".join(filter(None, (clean(_text(given.get(part))) for part in particles)))
    return PersonName(family, first, particle, clean(_text(given.get("suffix"))))


def _by_field(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that say something by field; of several names of one, the first listed."""
    found: dict[str, tuple[int, Any]] = {}
    for name, value in given.items():
        place = _FIELDS.get(name)
        if place is None or value is None or value in ("", [], {}):
            continue
        field, rank = place
        if field not in found or rank < found[field][0]:
            found[field] = (rank, value)
    return {field: value for field, (_, value) in found.items()}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if isinstance(value, dict):
        return _text(value.get("name") or value.get("raw") or value.get("value") or "")
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _author_name(given: Any) -> str:
    if isinstance(given, dict):
        inner = given.get("author")
        if isinstance(inner, dict):  # OpenAlex
            given = inner
        family, first = _text(given.get("family")), _text(given.get("given"))
        if particle := _text(given.get("non-dropping-particle")):
            family = f"{particle} {family}"
        joined = f"{family}, {first}" if family and first else family or first
        named = ("display_name", "literal", "fullName", "full_name")
        rest = (_text(given[key]) for key in named if given.get(key))
        return _text(given.get("name")) or joined or next(rest, "")
    return _text(given)


def _language(given: str) -> str | None:
    code = given.strip().lower()
    if code in _LANGUAGES:
        return _LANGUAGES[code]
    return code[:2] if _LANGUAGE_CODE.fullmatch(code) else None
