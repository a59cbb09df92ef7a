"""Reads a record from an article or book in PubMed's XML.

Elements: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from paper_search.bibliography.abstracts import joined_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    parse_doi,
    parse_isbn,
    parse_pmcid,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_of
from paper_search.models import Author, RawPaper
from paper_search.sources.values import (
    YEAR_IN_TEXT,
    clean_text,
    every,
    first,
    inner_text,
    local_name,
    without_brackets,
    year,
)

NAME = "pubmed"

_ORCID = re.compile(r"(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\s*$")
_NO_TITLE = frozenset({"", "not available", "in process citation"})
_TYPES = {"preprint": "article", "dataset": "dataset", "book": "book"}


def read_citation(element: Element) -> RawPaper | None:
    """Return the record of a `PubmedArticle` or `PubmedBookArticle`; None: it has no title."""
    if local_name(element) == "PubmedBookArticle":
        paper = _book(first(element, "BookDocument"))
    else:
        paper = _article(element)
    if paper is not None:
        paper.id = f"{NAME}:{paper.pmid or content_key(paper)}"
    return paper


def _article(element: Element) -> RawPaper | None:
    citation = first(element, "MedlineCitation")
    article = first(citation, "Article")
    title = _title(article, "ArticleTitle") or _title(article, "VernacularTitle")
    if not title:
        return None
    kinds = _texts(article, "PublicationTypeList/PublicationType")
    corrections = {correction.get("RefType") for correction in _corrections(citation)}
    pmid = parse_pmid(inner_text(citation, "PMID"))
    pmcid = parse_pmcid(_id(element, "pmc"))
    journal, issue = first(article, "Journal"), first(article, "Journal/JournalIssue")
    return RawPaper(
        title=title,
        authors=_authors(first(article, "AuthorList")),
        abstract=_abstract(article) or _abstract(citation, "OtherAbstract"),
        year=_article_year(element, article),
        venue=clean_text(article, "Journal/Title")
        or clean_text(article, "Journal/ISOAbbreviation"),
        doi=parse_doi(_id(element, "doi") or _location(article)),
        pmid=pmid,
        pmcid=pmcid,
        issn=clean_text(journal, "ISSN"),
        volume=clean_text(issue, "Volume"),
        issue=clean_text(issue, "Issue"),
        pages=clean_text(article, "Pagination/MedlinePgn"),
        language=language_code(inner_text(article, "Language")),
        publication_type=_kind(kinds, "article-journal"),
        is_retracted="Retracted Publication" in kinds or "RetractionIn" in corrections,
        url=_page(pmid),
        full_text_url=_full_text(pmcid),
        source=NAME,
        keywords=_keywords(citation),
        raw_data=_details(citation, article, kinds),
    )


def _book(document: Element | None) -> RawPaper | None:
    book = first(document, "Book")
    chapter, whole = _title(document, "ArticleTitle"), _title(book, "BookTitle")
    if not (title := chapter or whole):
        return None
    lists = [*every(document, "AuthorList"), *every(book, "AuthorList")]
    lists.sort(key=lambda listing: listing.get("Type") == "editors")
    pmid = parse_pmid(inner_text(document, "PMID"))
    is_chapter = bool(chapter and whole and chapter != whole)
    return RawPaper(
        title=title,
        authors=next((found for listing in lists if (found := _authors(listing))), []),
        abstract=_abstract(document),
        year=_year_in(first(book, "PubDate")) or _year_in(first(document, "ContributionDate")),
        venue=whole if is_chapter else clean_text(book, "CollectionTitle"),
        doi=parse_doi(_listed_id(document, "doi")),
        pmid=pmid,
        isbn=parse_isbn(inner_text(book, "Isbn")),
        publisher=clean_text(book, "Publisher/PublisherName"),
        language=language_code(inner_text(document, "Language")),
        publication_type="chapter" if is_chapter else "book",
        url=_page(pmid),
        source=NAME,
        raw_data={"publication_types": _texts(document, "PublicationType")},
    )


def _keywords(citation: Element | None) -> list[str]:
    """Return the subject headings, then the authors' keywords."""
    headings = _texts(citation, "MeshHeadingList/MeshHeading/DescriptorName")
    return keywords_of([*headings, *_texts(citation, "KeywordList/Keyword")])


def _title(element: Element | None, path: str) -> str | None:
    """Return a title without the full stop, and without the brackets of a translated one."""
    text = without_brackets(clean_text(element, path) or "")
    return None if text.lower().strip(" .") in _NO_TITLE else text


def _authors(listed: Element | None) -> list[Author]:
    """Return people and groups, without those whose name was corrected (`ValidYN="N"`)."""
    authors = []
    for author in every(listed, "Author"):
        named = author_of(
            family=inner_text(author, "LastName"),
            given=inner_text(author, "ForeName") or inner_text(author, "Initials"),
            suffix=inner_text(author, "Suffix"),
            literal=inner_text(author, "CollectiveName"),
            author_id=_orcid(author),
        )
        if named and author.get("ValidYN") != "N":
            authors.append(named)
    return authors


def _orcid(author: Element) -> str | None:
    for identifier in every(author, "Identifier"):
        if identifier.get("Source") == "ORCID" and (found := _ORCID.search(inner_text(identifier))):
            return found[1]
    return None


def _abstract(element: Element | None, name: str = "Abstract") -> str | None:
    """Return the first abstract that says something, its parts with their labels."""
    for child in every(element, name):
        parts = [(part.get("Label"), inner_text(part)) for part in every(child, "AbstractText")]
        if found := joined_abstract(parts):
            return found
    return None


def _article_year(element: Element, article: Element | None) -> int | None:
    issue = first(article, "Journal/JournalIssue/PubDate")
    return (
        _year_in(issue)
        or _year_in(first(article, "ArticleDate"))
        or _year_in(first(element, "PubmedData/History/PubMedPubDate"))
    )


def _year_in(date: Element | None) -> int | None:
    """Return the year of a date, or the first one of a span (`2000 Spring`, `1998-1999`)."""
    if found := year(inner_text(date, "Year")):
        return found
    spelled = YEAR_IN_TEXT.search(inner_text(date, "MedlineDate"))
    return int(spelled[1]) if spelled else None


def _id(element: Element, kind: str) -> str | None:
    """Return an identifier of the article itself: its references have such lists, too."""
    return _listed_id(first(element, "PubmedData"), kind)


def _listed_id(element: Element | None, kind: str) -> str | None:
    for identifier in every(element, "ArticleIdList/ArticleId"):
        if identifier.get("IdType") == kind and (found := inner_text(identifier)):
            return found
    return None


def _location(article: Element | None) -> str | None:
    for location in every(article, "ELocationID"):
        if location.get("EIdType") == "doi" and location.get("ValidYN") != "N":
            return inner_text(location)
    return None


def _corrections(citation: Element | None) -> list[Element]:
    return list(every(citation, "CommentsCorrectionsList/CommentsCorrections"))


def _texts(element: Element | None, path: str) -> list[str]:
    return [text for child in every(element, path) if (text := inner_text(child))]


def _kind(kinds: list[str], usual: str) -> str:
    return next((_TYPES[kind.lower()] for kind in kinds if kind.lower() in _TYPES), usual)


def _page(pmid: str | None) -> str | None:
    return f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else None


def _full_text(pmcid: str | None) -> str | None:
    return f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/" if pmcid else None


def _details(citation: Element | None, article: Element | None, kinds: list[str]) -> dict[str, Any]:
    """Return what the record has no field for."""
    details = {
        "publication_types": kinds,
        "mesh": _texts(citation, "MeshHeadingList/MeshHeading/DescriptorName"),
        "vernacular_title": clean_text(article, "VernacularTitle"),
        "corrections": [
            {"type": correction.get("RefType"), "pmid": parse_pmid(inner_text(correction, "PMID"))}
            for correction in _corrections(citation)
        ],
    }
    return {name: value for name, value in details.items() if value}
