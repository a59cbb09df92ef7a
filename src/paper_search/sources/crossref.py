"""Crossref (https://www.crossref.org/documentation/retrieve-metadata/rest-api/): all its DOIs.

Fields: https://api.crossref.org/swagger-ui/index.html
`select` would shorten answers to 37 %, but cannot include `language` and `institution`, the venue
of a preprint (https://github.com/CrossRef/rest-api-doc/issues/302).
"""

import html
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from paper_search.bibliography.identifiers import parse_arxiv_id
from paper_search.bibliography.text import normalised_title
from paper_search.models import RankedQuery, SearchConstraints
from paper_search.query import Node
from paper_search.sources.adapter import Adapter, Paging, Request, Translated
from paper_search.sources.free_text import to_free_text, to_ranked_text
from paper_search.sources.ranked_text import author_names, words_of
from paper_search.sources.record import (
    Entry,
    People,
    Table,
    first,
    keywords,
    orcid,
    texts,
    values_at,
    words,
)
from paper_search.sources.values import address, text, year

TYPES = {
    "book": "book", "book-chapter": "chapter", "book-part": "chapter", "book-section": "chapter",
    "dataset": "dataset", "dissertation": "thesis", "edited-book": "book",
    "journal-article": "article-journal", "monograph": "book", "other": None,
    "posted-content": "article", "proceedings-article": "paper-conference",
    "reference-book": "book", "reference-entry": "entry", "report": "report",
    "standard": "standard",
}  # fmt: skip
"""CSL types of works; figures, issues and journals are not works."""
_DATES = ("issued", "published", "published-print", "published-online", "posted")
_WITHDRAWN = {"retraction", "withdrawal", "removal", "retracted"}
_RETRACTED_TITLE = re.compile(
    r"\[?\s*(?:retracted|withdrawn)\b(?:\s+article)?\s*[\]:–-]", re.IGNORECASE
)


def _words(value: Any) -> str | None:
    """Return the text, decoding entities that were encoded twice (`&amp;amp;`)."""
    raw = text(value)
    return words(html.unescape(raw) if "&amp;" in raw else raw)


def _title(entry: Entry) -> str | None:
    title, subtitle = (_words(first(entry, name)) for name in ("title", "subtitle"))
    if not title or not subtitle or normalised_title(subtitle) in normalised_title(title):
        return title
    return f"{title.rstrip(' :')}: {subtitle}"


def _year(entry: Entry) -> int | None:
    dates = (values_at(entry, f"{name}.date-parts") for name in _DATES)
    starts = (parts[0][0] for parts in dates if parts and isinstance(parts[0], list) and parts[0])
    return next(filter(None, map(year, starts)), None)


def _venue(entry: Entry) -> str | None:
    is_posted = first(entry, "type") == "posted-content"
    posted = "|institution.name|group-title" if is_posted else ""
    return str(first(entry, f"container-title|event.name{posted}", _words) or "") or None


def _free_text(entry: Entry) -> str | None:
    """Return the link to the text if its licence is open; most links lead to a paywall."""
    if not any("creativecommons.org" in licence for licence in texts(entry, "license.URL")):
        return None
    for path in ("link[content-type=application/pdf].URL", "link.URL"):
        if links := [*filter(None, map(address, values_at(entry, path)))]:
            return min(links)
    return None


def _is_retracted(entry: Entry) -> bool | None:
    """Return True for a withdrawn work, else None; retraction notices are not withdrawn."""
    updates = {kind.lower() for kind in texts(entry, "updated-by.type")}
    return True if updates & _WITHDRAWN or _RETRACTED_TITLE.match(_title(entry) or "") else None


read_item = Table(
    prefix="crossref",
    key="",
    fields={
        "title": _title,
        "doi": "DOI",
        "authors": People(
            "author|editor",
            family="family",
            given="given",
            suffix="suffix",
            literal="name|literal",
            id=("ORCID", orcid),
            read=_words,
        ),
        "abstract": "abstract",
        "year": _year,
        "venue": _venue,
        "publisher": lambda entry: first(entry, "publisher", _words),
        "volume": "volume",
        "issue": "issue",
        "pages": "page|article-number",
        "isbn": "ISBN",
        "issn": "ISSN",
        "arxiv_id": ("DOI", lambda doi: parse_arxiv_id(doi) if "arxiv" in doi.lower() else None),
        "citation_count": "is-referenced-by-count",
        "full_text_url": _free_text,
        "url": "URL|resource.primary.URL",
        "language": "language",
        "publication_type": ("type", TYPES.get),
        "is_retracted": _is_retracted,
        "keywords": keywords("subject"),
    },
).read


class Crossref(Adapter):
    """Crossref ranks works with any of the words; the results are checked against the query.

    It allows more requests with a contact address.
    """

    name: ClassVar[str] = "crossref"
    title: ClassVar[str] = "Crossref"
    contact_param: ClassVar[str | None] = "mailto"
    interval_with_contact: ClassVar[float | None] = 0.34

    ranks_text: ClassVar[bool] = True
    truncates: ClassVar[bool] = False
    page_size = 1000
    most_results = 1000
    """Any word is a match: low ranks have nothing to do with the query."""

    most_parts: ClassVar[int] = 8
    entries: ClassVar[str] = "message.items|message"
    hits: ClassVar[str] = "message.total-results"
    faults: ClassVar[str] = "fault"
    # The cursor never ends: a page without entries is the last one.
    paging: ClassVar[Paging | None] = Paging("cursor", cursor="message.next-cursor")
    query_param = "query"
    size_param = "rows"
    usual_params: ClassVar[Mapping[str, str]] = {"cursor": "*"}
    record = staticmethod(read_item)
    endpoint = "https://api.crossref.org/works"
    says_open: ClassVar[bool] = True
    first_look: ClassVar[int] = 2

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        return to_free_text(tree, filters, service=self.title)

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        names = author_names(filters)
        translation = to_ranked_text(words_of(query) or names, query, filters)
        authors = " ".join(names)
        text = f"{translation.text} query.author={authors}" if authors else translation.text
        params = {"query": translation.text} | ({"query.author": authors} if authors else {})
        return (replace(translation, text=text, params=params),)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        if kind != "doi" or "," in value:  # a comma would begin the next filter
            return None
        return Translated(f"doi:{value}", params={"filter": f"doi:{value}"})

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        if "filter" in query.params:
            return Request(self.endpoint, {**query.params, "rows": 1})
        wanted_types = [name for name, csl in TYPES.items() if filters.allows_type(csl)]
        dates = query.dates("from-pub-date", "until-pub-date")
        limits = [f"type:{name}" for name in wanted_types]
        limits += [f"{name}:{day}" for name, day in dates.items()]
        return super().first(query, filters, limit).turned(**query.params, filter=",".join(limits))

    def entries_of(self, body: Any) -> list[Any]:
        if first(body, "status") in {"failed", "error"}:
            body = {"message": {"fault": "; ".join(texts(body, "message.message"))}}
        return super().entries_of(body if first(body, "message.fault") is None else body["message"])
