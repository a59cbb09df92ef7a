"""Reads a record from a Europe PMC result.

Fields: https://europepmc.org/docs/EBI_Europe_PMC_Web_Service_Reference.pdf
"""

from __future__ import annotations

from typing import Any

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    parse_doi,
    parse_isbn,
    parse_pmcid,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.text import clean
from paper_search.models import Author, RawPaper
from paper_search.sources.values import address, count, items, mapping, mappings, text, year

NAME = "europe_pmc"

_OPEN = ("OA", "F")
"""Codes of what anybody may read: open access, free."""
_STYLES = ("pdf", "html", "doi")
"""The best first."""
_RETRACTED = frozenset({"retracted publication", "retracted"})


def read_result(entry: Any) -> RawPaper | None:
    """Return the record of an entry of `resultList.result`, core or lite; None: it has no title."""
    entry = mapping(entry)
    title = _without_stop(clean(text(entry.get("title"))))
    if not title:
        return None
    journal_info = mapping(entry.get("journalInfo"))
    journal = mapping(journal_info.get("journal"))
    book = mapping(entry.get("bookOrReportDetails"))
    kinds = _kinds(entry)
    where = text(entry.get("source")).upper()
    paper = RawPaper(
        title=title,
        authors=_authors(entry),
        abstract=plain_abstract(text(entry.get("abstractText")), has_latex=False),
        year=year(entry.get("pubYear")) or year(journal_info.get("yearOfPublication")),
        venue=_first(journal, "title", "medlineAbbreviation")
        or _first(entry, "journalTitle")
        or _first(book, "publisher"),
        doi=parse_doi(text(entry.get("doi"))),
        pmid=parse_pmid(text(entry.get("pmid"))),
        pmcid=parse_pmcid(text(entry.get("pmcid"))),
        isbn=parse_isbn(_first(book, "isbn13", "isbn10")),
        issn=_first(journal, "issn", "ISSN", "essn", "ESSN") or _first(entry, "journalIssn"),
        volume=_first(journal_info, "volume") or _first(entry, "journalVolume"),
        issue=_first(journal_info, "issue") or _first(entry, "issue"),
        pages=_first(entry, "pageInfo"),
        publisher=_first(book, "publisher"),
        language=language_code(text(entry.get("language"))),
        citation_count=count(entry.get("citedByCount")),
        publication_type=_publication_type(where, kinds),
        is_retracted=_is_retracted(entry, kinds),
        full_text_url=_full_text(entry),
        keywords=_keywords(entry),
        source=NAME,
        raw_data=_details(entry, kinds),
    )
    own_id = text(entry.get("id"))
    paper.url = f"https://europepmc.org/article/{where}/{own_id}" if where and own_id else None
    paper.id = f"{NAME}:{where}/{own_id}" if where and own_id else f"{NAME}:{content_key(paper)}"
    return paper


def _without_stop(title: str) -> str:
    """Return a title without its full stop, and without the brackets of a translated one."""
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1].rstrip()
    if title.startswith("[") and title.endswith("]") and title.count("[") == 1:
        title = title[1:-1].strip()
    return title


def _authors(entry: dict[str, Any]) -> list[Author]:
    """Return the listed authors in full, else the names of the one line that there is."""
    listed = [
        Author(name=name, author_id=_orcid(each))
        for each in mappings(mapping(entry.get("authorList")).get("author"))
        if (name := _name(each))
    ]
    if listed:
        return listed
    line = clean(text(entry.get("authorString"))).rstrip(".")
    return [Author(name=name) for each in line.split(",") if (name := each.strip())]


def _name(author: dict[str, Any]) -> str:
    parts = [clean(text(author.get(part))) for part in ("firstName", "lastName", "suffix")]
    if parts[1]:
        return " ".join(filter(None, parts))
    return clean(text(author.get("fullName"))) or clean(text(author.get("collectiveName")))


def _orcid(author: dict[str, Any]) -> str | None:
    identifier = mapping(author.get("authorId"))
    is_orcid = text(identifier.get("type")).upper() == "ORCID"
    return text(identifier.get("value")) or None if is_orcid else None


def _first(entry: dict[str, Any], *names: str) -> str | None:
    return next((found for name in names if (found := clean(text(entry.get(name))))), None)


def _kinds(entry: dict[str, Any]) -> list[str]:
    listed = items(mapping(entry.get("pubTypeList")).get("pubType")) or items(entry.get("pubType"))
    return [kind for each in listed for kind in text(each).split("; ") if kind]


def _keywords(entry: dict[str, Any]) -> list[str]:
    """Return the subject headings, then the authors' keywords."""
    headings = mappings(mapping(entry.get("meshHeadingList")).get("meshHeading"))
    named = [text(each.get("descriptorName")) for each in headings]
    return keywords_of([*named, *items(mapping(entry.get("keywordList")).get("keyword"))])


def _publication_type(where: str, kinds: list[str]) -> str:
    known = {kind.lower() for kind in kinds}
    if where == "PPR" or "preprint" in known:
        return "article"
    if where == "PAT":
        return "patent"
    if known & {"book", "books"}:
        return "book"
    return "thesis" if known & {"thesis", "theses"} or where == "ETH" else "article-journal"


def _is_retracted(entry: dict[str, Any], kinds: list[str]) -> bool | None:
    """Return None where the service gives no types: unknown."""
    corrections = mappings(mapping(entry.get("commentCorrectionList")).get("commentCorrection"))
    is_said = any(text(each.get("type")).lower() == "retraction in" for each in corrections)
    if is_said or any(kind.lower() in _RETRACTED for kind in kinds):
        return True
    return False if kinds else None


def _full_text(entry: dict[str, Any]) -> str | None:
    """Return the best address that anybody may read."""
    listed = mappings(mapping(entry.get("fullTextUrlList")).get("fullTextUrl"))
    found = {
        text(each.get("documentStyle")).lower(): where
        for each in listed
        if text(each.get("availabilityCode")) in _OPEN and (where := address(each.get("url")))
    }
    if best := next((found[style] for style in _STYLES if style in found), None):
        return best
    pmcid = parse_pmcid(text(entry.get("pmcid")))
    is_here = text(entry.get("inEPMC")) == text(entry.get("isOpenAccess")) == "Y"
    return f"https://europepmc.org/articles/{pmcid}?pdf=render" if pmcid and is_here else None


def _details(entry: dict[str, Any], kinds: list[str]) -> dict[str, Any]:
    """Return what the record has no field for."""
    details = {
        "publication_types": kinds,
        "is_open_access": text(entry.get("isOpenAccess")),
        "first_publication_date": text(entry.get("firstPublicationDate")),
    }
    return {name: value for name, value in details.items() if value}
