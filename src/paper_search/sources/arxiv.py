"""arXiv, through its Atom API (https://info.arxiv.org/help/api/user-manual.html); needs no key.

arXiv has no precedence and binds to the right, so every group has its own parentheses; without an
operator it reads OR, and a NOT needs something before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar
from xml.etree.ElementTree import Element  # for its type only

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.arxiv_categories import category_names
from paper_search.bibliography.identifiers import content_key, parse_arxiv_id, parse_doi
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import plain
from paper_search.http.body import HttpAnswer
from paper_search.models import RawPaper, SearchConstraints, SourceStatus
from paper_search.query import Node, YearRange
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.dialect import FieldDialect, Written
from paper_search.sources.errors import ServiceError
from paper_search.sources.values import address, every, inner_text, local_name, number, year

ENDPOINT = "https://export.arxiv.org/api/query"
_ERRORS = "arxiv.org/api/errors"
_RATE_EXCEEDED = b"rate exceeded"
_FIELDS = {"title": "ti", "abstract": "abs", "author": "au", "venue": "jr", None: "all"}
_OPERATORS = frozenset({"AND", "OR", "ANDNOT", "NOT", "TO"})
_FIRST_YEAR, _LAST_YEAR = 1900, 2999
NAME = "arxiv"
_WITHDRAWN = re.compile(
    r"^\W{0,5}(?:this (?:paper|article|submission|manuscript|preprint|work) (?:has been|is|was) )?"
    r"(?:temporarily )?withdrawn\b",
    re.IGNORECASE,
)
_JOURNAL = re.compile(r"(?!in\b|proc)[^\d(,;:]{3,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ArxivWork(Translated):
    """One preprint, by its id without the version."""

    arxiv_id: str = ""


class Arxiv(Adapter):
    """Preprints. One request every three seconds and one at a time, as its terms of use ask."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "arXiv"
    accept: ClassVar[str] = "application/atom+xml"
    longest_line: ClassVar[int] = 8190
    form_suffix: ClassVar[str | None] = ""

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 10_000
    interval_s = 3.0
    endpoint = ENDPOINT
    says_open: ClassVar[bool] = True

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query for `search_query`, years in it."""
        dialect = ArxivDialect()
        if filters.language:
            dialect.note("arXiv has no language filter; nearly all of it is in English")
        return dialect.translate(tree, filters)

    def translate_work(self, kind: str, value: str) -> ArxivWork | None:
        """Return the preprint with an arXiv id."""
        return ArxivWork(f"id:{value}", arxiv_id=value) if kind == "arxiv" else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches."""
        del filters  # years are in the query
        if isinstance(query, ArxivWork):
            return Request(self.endpoint, {"id_list": query.arxiv_id, "max_results": 1})
        is_all_wanted = query.remainder is None
        params: dict[str, str | int] = {
            "search_query": query.text,
            "start": 0,
            "max_results": min(wanted, self.page_size) if is_all_wanted else self.page_size,
            "sortBy": "relevance",
            "sortOrder": "descending",
        }
        return Request(self.endpoint, params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of a feed."""
        feed = self._feed(answer)
        entries = list(every(feed, "entry"))
        hits = number(inner_text(feed, "totalResults"))
        asked = request.params
        start = (number(asked.get("start")) or 0) + (number(asked.get("max_results")) or 1)
        more = min(hits or 0, self.most_results)
        return Page.of(
            entries,
            read_entry,
            hits=hits,
            next=request.turned(start=start) if start < more else None,
        )

    @staticmethod
    def _feed(answer: HttpAnswer) -> Element:
        if answer.content[:100].strip().lower().startswith(_RATE_EXCEEDED):
            raise ServiceError(
                "too many requests to arXiv (it allows one every three seconds from all programs"
                " on this network together): try again in a few minutes",
                status=SourceStatus.RATE_LIMITED,
            )
        feed = answer.xml()
        if local_name(feed) != "feed":
            raise ServiceError(f"arXiv answered with <{local_name(feed)[:40]}> instead of a feed")
        for entry in every(feed, "entry"):
            if _ERRORS in inner_text(entry, "id"):
                reason = inner_text(entry, "summary")[:300]
                raise ServiceError(
                    f"arXiv could not answer the query: {reason or 'no reason given'}"
                )
        return feed


class ArxivDialect(FieldDialect):
    """`field:word`, `field:"a phrase"`, AND, OR, ANDNOT, and years as dates of submission."""

    service: ClassVar[str] = "arXiv"
    fields: ClassVar[Mapping[str | None, str]] = _FIELDS
    operators: ClassVar[frozenset[str]] = _OPERATORS

    def years(self, years: YearRange) -> Written:
        """Return the years as a span of dates; an open end is far away."""
        self.note("years are those of the first version on arXiv")
        first, last = years.first or _FIRST_YEAR, years.last or _LAST_YEAR
        return Written(f"submittedDate:[{first}01010000 TO {last}12312359]")

    def without(self, wanted: str, unwanted: str) -> str:
        """Return the one ANDNOT the other."""
        return f"({wanted} ANDNOT {unwanted})"


def read_entry(entry: Element) -> RawPaper | None:
    """Return the record of an `entry`; None: it has no title.

    The year is that of the first version. What the authors wrote as their journal reference is
    free text; the venue is the text before its first number.
    """
    title = plain(inner_text(entry, "title"))
    if not title:
        return None
    where = inner_text(entry, "id")
    reference = plain(inner_text(entry, "journal_ref")) or None
    comment = plain(inner_text(entry, "comment"))
    abstract = plain_abstract(inner_text(entry, "summary"))
    is_withdrawn = _WITHDRAWN.match(comment) or _WITHDRAWN.match(abstract or "")
    links = {link.get("title") or link.get("rel"): link.get("href") for link in _all(entry, "link")}
    pdf = address(links.get("pdf"))
    paper = RawPaper(
        title=title,
        authors=[author_named(name) for author in _all(entry, "author") if (name := _name(author))],
        abstract=abstract,
        year=year(inner_text(entry, "published")) or year(inner_text(entry, "updated")),
        venue=_venue(reference),
        doi=parse_doi(inner_text(entry, "doi")),
        arxiv_id=parse_arxiv_id(where),
        url=address(links.get("alternate")) or address(where),
        full_text_url=pdf.replace("http://", "https://") if pdf else None,
        publication_type="article-journal" if reference else "article",
        is_retracted=True if is_withdrawn else None,
        keywords=category_names(" ".join(_categories(entry))),
        source=NAME,
        raw_data=_details(entry, where, reference, comment),
    )
    paper.id = f"{NAME}:{paper.arxiv_id or content_key(paper)}"
    return paper


def _all(entry: Element, name: str) -> list[Element]:
    return entry.findall(f"{{*}}{name}")


def _name(author: Element) -> str:
    return plain(inner_text(author, "name"))


def _categories(entry: Element) -> list[str]:
    return [term for category in _all(entry, "category") if (term := category.get("term"))]


def _venue(reference: str | None) -> str:
    if reference is None:
        return "arXiv"
    journal = _JOURNAL.match(reference)
    return journal[0].strip(" .@-(") if journal else reference


def _details(
    entry: Element, where: str, reference: str | None, comment: str
) -> dict[str, str | list[str]]:
    """Return what the record has no field for."""
    details: dict[str, str | list[str] | None] = {
        "id_with_version": parse_arxiv_id(where, keep_version=True),
        "categories": _categories(entry),
        "journal_ref": reference,
        "comment": comment,
        "updated": inner_text(entry, "updated"),
    }
    return {name: value for name, value in details.items() if value}


create_source = Arxiv.source
