"""Read articles and books in PubMed's XML.

Elements: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
"""

from typing import Any
from xml.etree.ElementTree import Element  # for its type only

from paper_search.bibliography.identifiers import parse_doi, parse_pmcid, parse_pmid
from paper_search.bibliography.text import join_abstract
from paper_search.models import Author, RawPaper
from paper_search.sources.record import (
    Entry,
    People,
    Reader,
    Table,
    cleaned,
    first,
    first_of,
    keywords,
    orcid,
    texts,
    values_at,
)
from paper_search.sources.values import YEAR_IN_TEXT, local_name, text, without_brackets, year

NAME = "pubmed"

_NO_TITLE = frozenset({"", "not available", "in process citation"})
_TYPES = {"preprint": "article", "dataset": "dataset", "book": "book"}
_CITATION = "MedlineCitation"
_ARTICLE = f"{_CITATION}.Article"
_ISSUE = f"{_ARTICLE}.Journal.JournalIssue"
_KINDS = f"{_ARTICLE}.PublicationTypeList.PublicationType"
_MESH = f"{_CITATION}.MeshHeadingList.MeshHeading.DescriptorName"
_CORRECTIONS = f"{_CITATION}.CommentsCorrectionsList.CommentsCorrections"
_ID = "ArticleIdList.ArticleId"
_BOOK = "BookDocument.Book"


def _title(paths: str) -> Reader:
    def parse(value: Any) -> str | None:
        title = without_brackets(cleaned(value) or "")
        return None if title.lower().strip(" .") in _NO_TITLE else title

    return lambda entry: first(entry, paths, parse)


_PEOPLE = People(
    "Author",
    family="LastName",
    given="ForeName|Initials",
    suffix="Suffix",
    literal="CollectiveName",
    id=("Identifier[@Source=ORCID]", orcid),
    read=text,
    leave_out="@ValidYN=N",
)
"""Entries with ValidYN=N are superseded names."""


def _authors(*paths: str) -> Reader:
    """Return a reader of the first list of people; editors come last."""

    def parse(entry: Entry) -> list[Author]:
        lists = [listing for path in paths for listing in values_at(entry, path)]
        lists.sort(key=lambda listing: listing.get("Type") == "editors")
        return next(filter(None, map(_PEOPLE, lists)), [])

    return parse


def _abstract(paths: str) -> Reader:
    def parse(value: Element) -> str | None:
        parts = values_at(value, "AbstractText")
        return join_abstract([(part.get("Label"), text(part)) for part in parts])

    return lambda entry: first(entry, paths, parse)


def _year(paths: str) -> Reader:
    def parse(date: Element) -> int | None:
        if own_year := first(date, "Year", year):
            return int(own_year)
        spelled = YEAR_IN_TEXT.search(first(date, "MedlineDate") or "")
        return int(spelled[1]) if spelled else None

    return lambda entry: first(entry, paths, parse)


def _type(entry: Entry) -> str:
    kinds = (kind.lower() for kind in texts(entry, _KINDS))
    return next((_TYPES[kind] for kind in kinds if kind in _TYPES), "article-journal")


def _is_retracted(entry: Entry) -> bool:
    corrections = texts(entry, f"{_CORRECTIONS}.@RefType")
    return "Retracted Publication" in texts(entry, _KINDS) or "RetractionIn" in corrections


def _doi(entry: Entry) -> str:
    """Return the DOI among the article's locations, unless it is marked as invalid."""
    locations = values_at(entry, f"{_ARTICLE}.ELocationID[@EIdType=doi]")
    return next((text(one) for one in locations if one.get("ValidYN") != "N"), "")


def _page(pmid: str) -> str:
    return f"https://pubmed.ncbi.nlm.nih.gov/{parse_pmid(pmid)}/"


def _full_text(pmcid: str) -> str | None:
    own = parse_pmcid(pmcid)
    return f"https://pmc.ncbi.nlm.nih.gov/articles/{own}/" if own else None


_CITED = Table(
    prefix=NAME,
    key=(f"{_CITATION}.PMID", parse_pmid),
    fields={
        "title": _title(f"{_ARTICLE}.ArticleTitle|{_ARTICLE}.VernacularTitle"),
        "authors": _authors(f"{_ARTICLE}.AuthorList"),
        "abstract": _abstract(f"{_ARTICLE}.Abstract|{_CITATION}.OtherAbstract"),
        "year": _year(f"{_ISSUE}.PubDate|{_ARTICLE}.ArticleDate|PubmedData.History.PubMedPubDate"),
        "venue": (f"{_ARTICLE}.Journal.Title|{_ARTICLE}.Journal.ISOAbbreviation", cleaned),
        # References have id lists, too; those directly in PubmedData are the article's own.
        "doi": lambda entry: parse_doi(
            first(entry, f"PubmedData.{_ID}[@IdType=doi]") or _doi(entry)
        ),
        "pmid": f"{_CITATION}.PMID",
        "pmcid": f"PubmedData.{_ID}[@IdType=pmc]",
        "issn": (f"{_ARTICLE}.Journal.ISSN", cleaned),
        "volume": (f"{_ISSUE}.Volume", cleaned),
        "issue": (f"{_ISSUE}.Issue", cleaned),
        "pages": (f"{_ARTICLE}.Pagination.MedlinePgn", cleaned),
        "language": f"{_ARTICLE}.Language",
        "publication_type": _type,
        "is_retracted": _is_retracted,
        "url": (f"{_CITATION}.PMID", _page),
        "full_text_url": (f"PubmedData.{_ID}[@IdType=pmc]", _full_text),
        "keywords": keywords(_MESH, f"{_CITATION}.KeywordList.Keyword"),
    },
)

_CHAPTER, _WHOLE = _title("BookDocument.ArticleTitle"), _title(f"{_BOOK}.BookTitle")


def _is_chapter(entry: Entry) -> bool:
    chapter, whole = _CHAPTER(entry), _WHOLE(entry)
    return bool(chapter and whole and chapter != whole)


_COLLECTED = Table(
    prefix=NAME,
    key=("BookDocument.PMID", parse_pmid),
    fields={
        "title": first_of(_CHAPTER, _WHOLE),
        "authors": _authors("BookDocument.AuthorList", f"{_BOOK}.AuthorList"),
        "abstract": _abstract("BookDocument.Abstract"),
        "year": _year(f"{_BOOK}.PubDate|BookDocument.ContributionDate"),
        "venue": lambda entry: (
            _WHOLE(entry)
            if _is_chapter(entry)
            else first(entry, f"{_BOOK}.CollectionTitle", cleaned)
        ),
        "doi": f"BookDocument.{_ID}[@IdType=doi]",
        "pmid": "BookDocument.PMID",
        "isbn": f"{_BOOK}.Isbn",
        "publisher": (f"{_BOOK}.Publisher.PublisherName", cleaned),
        "language": "BookDocument.Language",
        "publication_type": lambda entry: "chapter" if _is_chapter(entry) else "book",
        "url": ("BookDocument.PMID", _page),
    },
)


def citation_of(element: Element) -> RawPaper | None:
    is_book = local_name(element) == "PubmedBookArticle"
    return (_COLLECTED if is_book else _CITED).read(element)
