"""Europe PMC (https://europepmc.org/RestfulWebService); needs no key.

Queries: https://europepmc.org/searchsyntax
Fields: https://europepmc.org/docs/EBI_Europe_PMC_Web_Service_Reference.pdf
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import (
    content_key,
    parse_doi,
    parse_isbn,
    parse_pmcid,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code, library_code
from paper_search.bibliography.names import author_named, author_of
from paper_search.bibliography.text import clean
from paper_search.http.body import HttpAnswer
from paper_search.models import Author, RawPaper, SearchConstraints
from paper_search.query import HEADINGS, OPERATORS, Node, YearRange
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.dialect import FIRST_YEAR, LAST_YEAR, FieldDialect, Written, quoted
from paper_search.sources.errors import ServiceError
from paper_search.sources.values import (
    address,
    count,
    items,
    mapping,
    mappings,
    number,
    text,
    without_brackets,
    year,
)

ENDPOINT = "https://www.ebi.ac.uk/europepmc/webservices/rest"
_FIELDS: dict[str | None, str] = {
    "title": "TITLE",
    "abstract": "ABSTRACT",
    "author": "AUTH",
    "venue": "JOURNAL",
    "tiab": "TITLE_ABS",
    "type": "PUB_TYPE",
    **dict.fromkeys(HEADINGS, "KW"),
    None: "TITLE_ABS",
}
NAME = "europe_pmc"
_OPEN = ("OA", "F")
"""Codes of what anybody may read: open access, free."""
_STYLES = ("pdf", "html", "doi")
"""The best first."""
_RETRACTED = frozenset({"retracted publication", "retracted"})


class EuropePmc(Adapter):
    """Life sciences: PubMed, PubMed Central, preprints, theses, guidelines, patents."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Europe PMC"
    longest_line: ClassVar[int] = 8190
    form_suffix: ClassVar[str | None] = "POST"
    """Of `searchPOST`."""

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 10_000
    interval_s = 0.2
    endpoint = ENDPOINT
    says_open: ClassVar[bool] = True
    count_rank: ClassVar[int] = 4
    first_look: ClassVar[int] = 3
    has_headings: ClassVar[bool] = True

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query for `query`, years, language and preprints in it."""
        clauses = {"language": "LANG:{}", "preprints": "SRC:PPR"}
        return EuropePmcDialect().limited(tree, filters, name_of=library_code, **clauses)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for a DOI, PMID or PMCID."""
        if kind == "pmid":
            return Translated(f"(EXT_ID:{value} AND SRC:MED)")
        field = {"doi": "DOI", "pmcid": "PMCID"}.get(kind)
        return Translated(f"{field}:{quoted(value)}") if field else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches."""
        del filters  # all of them are in the query
        is_all_wanted = query.remainder is None
        params: dict[str, str | int] = {
            "query": query.text,
            "format": "json",
            "resultType": "core",
            "pageSize": min(wanted, self.page_size) if is_all_wanted else self.page_size,
            "cursorMark": "*",
        }
        return Request(f"{self.endpoint}/search", params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `resultList`."""
        body = mapping(answer.json())
        if wrong := text(body.get("errMsg")) or text(body.get("errCode")):
            raise ServiceError(f"Europe PMC could not answer the query: {wrong[:300]}")
        if "resultList" not in body and "hitCount" not in body:
            raise ServiceError("Europe PMC answered without a list of results")
        entries = items(mapping(body.get("resultList")).get("result"))
        cursor = text(body.get("nextCursorMark"))
        is_last = not entries or not cursor or cursor == request.params.get("cursorMark")
        return Page.of(
            entries,
            read_result,
            hits=number(body.get("hitCount")),
            next=None if is_last else request.turned(cursorMark=cursor),
        )


class EuropePmcDialect(FieldDialect):
    """`TITLE_ABS:word`, `AUTH:"a phrase"`, AND, OR, NOT, `PUB_YEAR:[2019 TO 2022]`.

    A word without a field would be looked for in full texts, too, and find far too much. Headings
    are among the keywords (`KW:`).
    """

    service: ClassVar[str] = "Europe PMC"
    known_fields: ClassVar[Collection[str]] = ("tiab", "type", *HEADINGS)
    fields: ClassVar[Mapping[str | None, str]] = _FIELDS
    operators: ClassVar[frozenset[str]] = OPERATORS

    def years(self, years: YearRange) -> Written:
        """Return the years as a span; an open end is far away."""
        return Written(f"PUB_YEAR:[{years.first or FIRST_YEAR} TO {years.last or LAST_YEAR}]")

    def without(self, wanted: str, unwanted: str) -> str:
        """Return the one NOT the other."""
        return f"({wanted} NOT {unwanted})"


def read_result(entry: Any) -> RawPaper | None:
    """Return the record of an entry of `resultList.result`, core or lite; None: it has no title."""
    entry = mapping(entry)
    title = without_brackets(clean(text(entry.get("title"))))
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


def _authors(entry: dict[str, Any]) -> list[Author]:
    """Return the listed authors in full, else the names of the one line that there is."""
    listed = [
        author
        for given in mappings(mapping(entry.get("authorList")).get("author"))
        if (author := _author(given))
    ]
    if listed:
        return listed
    line = clean(text(entry.get("authorString"))).rstrip(".")
    return [author_named(name) for part in line.split(",") if (name := part.strip())]


def _author(author: dict[str, Any]) -> Author | None:
    family, given, suffix, full_name, collective = (
        clean(text(author.get(part)))
        for part in ("lastName", "firstName", "suffix", "fullName", "collectiveName")
    )
    if full_name and not family:
        return author_named(full_name, _orcid(author))
    return author_of(
        family=family,
        given=given if family else None,
        suffix=suffix,
        literal=collective,
        author_id=_orcid(author),
    )


def _orcid(author: dict[str, Any]) -> str | None:
    identifier = mapping(author.get("authorId"))
    is_orcid = text(identifier.get("type")).upper() == "ORCID"
    return text(identifier.get("value")) or None if is_orcid else None


def _first(entry: dict[str, Any], *names: str) -> str | None:
    return next((found for name in names if (found := clean(text(entry.get(name))))), None)


def _kinds(entry: dict[str, Any]) -> list[str]:
    listed = items(mapping(entry.get("pubTypeList")).get("pubType")) or items(entry.get("pubType"))
    return [kind for entry in listed for kind in text(entry).split("; ") if kind]


def _keywords(entry: dict[str, Any]) -> list[str]:
    """Return the subject headings, then the authors' keywords."""
    headings = mappings(mapping(entry.get("meshHeadingList")).get("meshHeading"))
    named = [text(heading.get("descriptorName")) for heading in headings]
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
    is_said = any(
        text(correction.get("type")).lower() == "retraction in" for correction in corrections
    )
    if is_said or any(kind.lower() in _RETRACTED for kind in kinds):
        return True
    return False if kinds else None


def _full_text(entry: dict[str, Any]) -> str | None:
    """Return the best address that anybody may read."""
    listed = mappings(mapping(entry.get("fullTextUrlList")).get("fullTextUrl"))
    found = {
        text(entry.get("documentStyle")).lower(): where
        for entry in listed
        if text(entry.get("availabilityCode")) in _OPEN and (where := address(entry.get("url")))
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


create_source = EuropePmc.source
