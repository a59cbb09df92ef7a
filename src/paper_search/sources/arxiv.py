"""arXiv, through its Atom API (https://info.arxiv.org/help/api/user-manual.html); needs no key.

arXiv has no operator precedence and associates to the right, so every group gets parentheses. A
missing operator means OR, and a NOT needs a left side.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar
from xml.etree.ElementTree import Element  # for its type only

from paper_search.bibliography.identifiers import parse_arxiv_id
from paper_search.bibliography.keywords import category_names
from paper_search.bibliography.text import plain
from paper_search.http.body import HttpAnswer
from paper_search.models import SearchConstraints, SourceStatus
from paper_search.query import YearRange
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.dialect import HYPHENATED, Expression, FieldDialect
from paper_search.sources.errors import ServiceError
from paper_search.sources.record import Entry, People, Table, first, texts, values_at, words
from paper_search.sources.values import address, local_name, number

_FIELDS = {"title": "ti:", "abstract": "abs:", "author": "au:", "venue": "jr:", None: "all:"}
_FIRST_YEAR, _LAST_YEAR = 1900, 2999
NAME = "arxiv"
_WITHDRAWN = re.compile(
    r"^\W{0,5}(?:this (?:paper|article|submission|manuscript|preprint|work) (?:has been|is|was) )?"
    r"(?:temporarily )?withdrawn\b",
    re.IGNORECASE,
)
_JOURNAL = re.compile(r"(?!in\b|proc)[^\d(,;:]{3,}", re.IGNORECASE)


def _venue(entry: Entry) -> str:
    """Return the journal: the part of a free-text reference before its first number."""
    reference = first(entry, "journal_ref", words)
    if reference is None:
        return "arXiv"
    journal = _JOURNAL.match(reference)
    return journal[0].strip(" .@-(") if journal else str(reference)


read_entry = Table(
    prefix=NAME,
    key=("id", parse_arxiv_id),
    fields={
        "title": "title",
        "authors": People("author", name="name"),
        "abstract": "summary",
        "year": "published|updated",
        "venue": _venue,
        "doi": "doi",
        "arxiv_id": "id",
        "url": "link[@rel=alternate].@href|id",
        "full_text_url": (
            "link[@title=pdf].@href",
            lambda url: url.replace("http://", "https://") if address(url) else None,
        ),
        "publication_type": lambda entry: (
            "article-journal" if first(entry, "journal_ref", words) else "article"
        ),
        "is_retracted": (
            "comment|summary",
            lambda text: True if _WITHDRAWN.match(plain(text)) else None,
        ),
        "keywords": lambda entry: category_names(" ".join(texts(entry, "category.@term"))),
    },
).read
"""The year is that of the first version."""


class ArxivDialect(FieldDialect):
    """`field:word`, `field:"a phrase"`, AND, OR, ANDNOT, and years as dates of submission."""

    compares_stems: bool = True
    service: ClassVar[str] = "arXiv"
    fields: ClassVar[Mapping[str | None, str]] = _FIELDS
    operators: ClassVar[frozenset[str]] = frozenset({"AND", "OR", "ANDNOT", "NOT", "TO"})
    bare: ClassVar[re.Pattern[str]] = HYPHENATED
    negation: ClassVar[str] = "ANDNOT "

    def language_name(self, language: str) -> str | None:
        self.note("arXiv has no language filter; nearly all of it is in English")
        return language

    def years(self, years: YearRange) -> Expression:
        self.note("years are those of the first version on arXiv")
        first, last = years.first or _FIRST_YEAR, years.last or _LAST_YEAR
        return Expression(f"submittedDate:[{first}01010000 TO {last}12312359]")


class Arxiv(Adapter):
    """Preprints; one request every three seconds and one at a time, by its terms of use."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "arXiv"
    accept: ClassVar[str] = "application/atom+xml"
    longest_line: ClassVar[int] = 8190
    form_suffix: ClassVar[str | None] = ""

    ranks_text: ClassVar[bool] = True
    most_results = 10_000
    interval_s = 3.0
    endpoint = "https://export.arxiv.org/api/query"
    says_open: ClassVar[bool] = True
    dialect = ArxivDialect
    query_param = "search_query"
    size_param = "max_results"
    usual_params: ClassVar[Mapping[str, str | int]] = {
        "start": 0, "sortBy": "relevance", "sortOrder": "descending",
    }  # fmt: skip
    record = staticmethod(read_entry)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        return Translated(f"id:{value}", params={"id_list": value}) if kind == "arxiv" else None

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        if query.params:
            return Request(self.endpoint, {**query.params, "max_results": 1})
        return super().first(query, filters, limit)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        feed = self._feed(answer)
        entries = list(values_at(feed, "entry"))
        hits = number(first(feed, "totalResults"))
        params = request.params
        start, size = number(params.get("start")) or 0, number(params.get("max_results")) or 1
        more = min(hits or 0, self.most_results)
        page = Page.of(
            entries,
            read_entry,
            hits=hits,
            next=request.turned(start=start + size) if start + size < more else None,
        )
        return replace(page, is_partial=len(entries) < min(size, more - start))

    @staticmethod
    def _feed(answer: HttpAnswer) -> Element:
        if answer.content[:100].strip().lower().startswith(b"rate exceeded"):
            raise ServiceError(
                "too many requests to arXiv (it allows one every three seconds from all programs"
                " on this network together): try again in a few minutes",
                status=SourceStatus.RATE_LIMITED,
            )
        feed = answer.xml()
        if local_name(feed) != "feed":
            raise ServiceError(f"arXiv answered with <{local_name(feed)[:40]}> instead of a feed")
        for entry in values_at(feed, "entry"):
            if "arxiv.org/api/errors" in (first(entry, "id") or ""):
                reason = (first(entry, "summary") or "")[:300]
                raise ServiceError(
                    f"arXiv could not answer the query: {reason or 'no reason given'}"
                )
        return feed
