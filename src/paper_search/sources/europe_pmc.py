"""Europe PMC (https://europepmc.org/RestfulWebService); needs no key.

Queries: https://europepmc.org/searchsyntax
Fields: https://europepmc.org/docs/EBI_Europe_PMC_Web_Service_Reference.pdf
"""

import re
from collections.abc import Collection, Mapping
from typing import ClassVar

from paper_search.bibliography.identifiers import parse_pmcid
from paper_search.bibliography.languages import library_code
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import clean, plain_abstract
from paper_search.models import Author
from paper_search.query import HEADINGS, OPERATORS
from paper_search.sources.adapter import Adapter, Paging
from paper_search.sources.dialect import HYPHENATED, FieldDialect
from paper_search.sources.record import (
    Entry,
    People,
    Table,
    cleaned,
    first,
    keywords,
    texts,
    values_at,
)
from paper_search.sources.values import address, without_brackets

NAME = "europe_pmc"
_OPEN = ("OA", "F")
"""Availability codes: open access, free."""
_RETRACTED = frozenset({"retracted publication", "retracted"})


_PEOPLE = People(
    "authorList.author",
    name="fullName",
    family="lastName",
    given="firstName",
    suffix="suffix",
    literal="collectiveName",
    id="authorId[type=ORCID].value",
    read=cleaned,
)


def _authors(entry: Entry) -> list[Author]:
    line = clean(first(entry, "authorString") or "").rstrip(".")
    return _PEOPLE(entry) or [
        author_named(name) for part in line.split(",") if (name := part.strip())
    ]


def _kinds(entry: Entry) -> list[str]:
    kinds = texts(entry, "pubTypeList.pubType") or texts(entry, "pubType")
    return [kind for entry in kinds for kind in entry.split("; ") if kind]


def _type(entry: Entry) -> str:
    where = (first(entry, "source") or "").upper()
    kinds = {kind.lower() for kind in _kinds(entry)}
    if where == "PPR" or "preprint" in kinds:
        return "article"
    if where == "PAT":
        return "patent"
    if kinds & {"book", "books"}:
        return "book"
    return "thesis" if kinds & {"thesis", "theses"} or where == "ETH" else "article-journal"


def _is_retracted(entry: Entry) -> bool | None:
    """Return None (unknown) if the service gives no types."""
    kinds = {kind.lower() for kind in _kinds(entry)}
    corrections = texts(entry, "commentCorrectionList.commentCorrection.type")
    is_said = any(kind.lower() == "retraction in" for kind in corrections)
    return is_said or bool(kinds & _RETRACTED) or (False if kinds else None)


def _full_text(entry: Entry) -> str | None:
    links = {
        (first(link, "documentStyle") or "").lower(): where
        for link in values_at(entry, "fullTextUrlList.fullTextUrl")
        if first(link, "availabilityCode") in _OPEN and (where := first(link, "url", address))
    }
    if best := next((links[style] for style in ("pdf", "html", "doi") if style in links), None):
        return str(best)
    pmcid = parse_pmcid(first(entry, "pmcid"))
    is_here = first(entry, "inEPMC") == first(entry, "isOpenAccess") == "Y"
    return f"https://europepmc.org/articles/{pmcid}?pdf=render" if pmcid and is_here else None


def _key(entry: Entry) -> str | None:
    where, own_id = (first(entry, "source") or "").upper(), first(entry, "id")
    return f"{where}/{own_id}" if where and own_id else None


_VENUES = (
    "journalInfo.journal.title", "journalInfo.journal.medlineAbbreviation", "journalTitle",
    "bookOrReportDetails.publisher",
)  # fmt: skip
_ISSNS = (
    *(f"journalInfo.journal.{name}" for name in ("issn", "ISSN", "essn", "ESSN")),
    "journalIssn",
)
read_result = Table(
    prefix=NAME,
    key=_key,
    fields={
        "title": ("title", lambda title: without_brackets(clean(title))),
        "authors": _authors,
        "abstract": ("abstractText", lambda text: plain_abstract(text, has_latex=False)),
        "year": "pubYear|journalInfo.yearOfPublication",
        "venue": ("|".join(_VENUES), clean),
        "doi": "doi",
        "pmid": "pmid",
        "pmcid": "pmcid",
        "isbn": "bookOrReportDetails.isbn13|bookOrReportDetails.isbn10",
        "issn": ("|".join(_ISSNS), clean),
        "volume": "journalInfo.volume|journalVolume",
        "issue": "journalInfo.issue|issue",
        "pages": "pageInfo",
        "publisher": "bookOrReportDetails.publisher",
        "language": "language",
        "citation_count": "citedByCount",
        "publication_type": _type,
        "is_retracted": _is_retracted,
        "full_text_url": _full_text,
        "url": lambda entry: (
            f"https://europepmc.org/article/{key}" if (key := _key(entry)) else None
        ),
        "keywords": keywords("meshHeadingList.meshHeading.descriptorName", "keywordList.keyword"),
    },
).read


class EuropePmcDialect(FieldDialect):
    """`TITLE_ABS:word`, `AUTH:"a phrase"`, AND, OR, NOT, `PUB_YEAR:[2019 TO 2022]`.

    Words without a field would also match full texts and find far too much. Headings are keywords
    (`KW:`).
    """

    compares_stems: bool = True
    service: ClassVar[str] = "Europe PMC"
    known_fields: ClassVar[Collection[str]] = ("tiab", "keyword", "type", *HEADINGS)
    fields: ClassVar[Mapping[str | None, str]] = {
        "title": "TITLE:",
        "abstract": "ABSTRACT:",
        "author": "AUTH:",
        "venue": "JOURNAL:",
        "tiab": "TITLE_ABS:",
        "type": "PUB_TYPE:",
        **dict.fromkeys(("keyword", *HEADINGS), "KW:"),
        None: "TITLE_ABS:",
    }
    operators: ClassVar[frozenset[str]] = OPERATORS
    bare: ClassVar[re.Pattern[str]] = HYPHENATED
    year: ClassVar[str] = "PUB_YEAR:[{} TO {}]"
    entered: ClassVar[str] = "CREATION_DATE:[{} TO {}]"
    language: ClassVar[str] = "LANG:{}"
    preprints: ClassVar[str] = "SRC:PPR"

    def language_name(self, language: str) -> str | None:
        return library_code(language)


class EuropePmc(Adapter):
    """Life sciences: PubMed, PubMed Central, preprints, theses, guidelines, patents."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Europe PMC"
    longest_line: ClassVar[int] = 8190
    form_suffix: ClassVar[str | None] = "POST"
    """Of `searchPOST`."""

    ranks_text: ClassVar[bool] = True
    most_results = 10_000
    interval_s = 0.2
    endpoint = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    says_open: ClassVar[bool] = True
    count_rank: ClassVar[int] = 4
    first_look: ClassVar[int] = 3
    has_headings: ClassVar[bool] = True
    dialect = EuropePmcDialect
    works: ClassVar[Mapping[str, str]] = {
        "doi": "DOI:{}",
        "pmid": "(EXT_ID:{} AND SRC:MED)",
        "pmcid": "PMCID:{}",
    }
    entries: ClassVar[str] = "resultList.result"
    answered: ClassVar[str] = "resultList|hitCount"
    hits: ClassVar[str] = "hitCount"
    faults: ClassVar[str] = "errMsg|errCode"
    paging: ClassVar[Paging | None] = Paging("cursorMark", cursor="nextCursorMark")
    path = "/search"
    query_param = "query"
    size_param = "pageSize"
    usual_params: ClassVar[Mapping[str, str]] = {
        "format": "json", "resultType": "core", "cursorMark": "*",
    }  # fmt: skip
    record = staticmethod(read_result)
