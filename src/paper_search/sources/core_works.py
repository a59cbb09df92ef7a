"""CORE, open access works of repositories and journals (https://core.ac.uk); a key is optional.

Queries and fields: https://api.core.ac.uk/docs/v3
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.identifiers import parse_arxiv_id
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import normalised_title, plain
from paper_search.http.body import HttpAnswer
from paper_search.models import Author, SearchConstraints
from paper_search.query import Node, Phrase, Term, YearRange
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.dialect import LUCENE_OPERATORS, Dialect, Written, bare_or_quoted, quoted
from paper_search.sources.errors import ServiceError
from paper_search.sources.record import Entry, Table, every, first, listed
from paper_search.sources.values import (
    address,
    items,
    mapping,
    number,
    text,
    words,
)

ENDPOINT = "https://api.core.ac.uk/v3/search/works"
_FIELDS = {"title": "title:", "abstract": "abstract:", "author": "authors:", None: ""}
_BARE = re.compile(r"\w+")
NAME = "core"
_COMMENT = re.compile(r"(?:\.\s{0,20}|(?<!\s)\s{0,20})Comment:\s[^\n]{0,400}$", re.IGNORECASE)
"""What repositories copy from arXiv behind an abstract: "...Comment: 32 pages, 12 figures"."""
_ISSN = re.compile(r"\d{4}-?\d{3}[\dXx]")
_TYPES = {"thesis": "thesis", "book": "book", "dataset": "dataset", "slides": "speech"}


class Core(Adapter):
    """Full texts of repositories; slow: forty seconds without a byte have been seen."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "CORE"
    longest_line: ClassVar[int] = 8190
    key_variable: ClassVar[str | None] = "CORE_API_KEY"
    key_page: ClassVar[str | None] = "https://core.ac.uk/services/api"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 9900
    interval_s = 2.0
    """Five in ten seconds, without a key."""
    endpoint = ENDPOINT
    says_open: ClassVar[bool] = True
    key_header = ("Authorization", "Bearer {}")

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query for `q`, years and language in it."""
        language = "language.code:{}"
        return CoreDialect().limited(tree, filters, name_of=language_code, language=language)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for a DOI or an arXiv id."""
        field = {"doi": "doi", "arxiv": "arxivId"}.get(kind)
        return Translated(f"{field}:{quoted(value)}") if field else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches, without their full texts."""
        del filters  # all of them are in the query
        size = min(wanted, self.page_size) if query.remainder is None else self.page_size
        body = {"q": query.text, "limit": size, "offset": 0, "exclude": ["fullText"]}
        return Request(self.endpoint, json=body)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `results`."""
        body = mapping(answer.json())
        if body.get("results") is None:
            said = text(body.get("message")) or text(body.get("error"))
            reason = f": {said[:300]}" if said else " without a list of results"
            raise ServiceError(f"CORE answered{reason}")
        entries = items(body["results"])
        asked = mapping(request.json)
        start = (number(asked.get("offset")) or 0) + len(entries)
        total = number(body.get("totalHits"))
        has_more = bool(entries) and start < min(total or 0, self.most_results)
        following = replace(request, json={**asked, "offset": start})
        return Page.of(entries, read_work, hits=total, next=following if has_more else None)


class CoreDialect(Dialect):
    """`word`, `title:"a phrase"`, AND, OR, NOT, `yearPublished>=2019`.

    A NOT is written as AND NOT: without the AND, Lucene's language could read OR.
    """

    service: ClassVar[str] = "CORE"

    def leaf(self, leaf: Term | Phrase) -> Written:
        """Return a word or phrase in its field; `*` has no meaning inside quotes."""
        if leaf.field == "venue":
            self.note(
                "venue: is searched anywhere and checked in the results: CORE has no such field"
            )
        is_exact = leaf.field != "venue"
        field = _FIELDS.get(leaf.field, "")
        if isinstance(leaf, Term):
            return Written(f"{field}{self._word(leaf)}", is_exact)
        if not any(word.endswith("*") for word in leaf.words):
            return Written(f"{field}{quoted(' '.join(leaf.words))}", is_exact)
        return self.word_by_word(leaf)

    def _word(self, term: Term) -> str:
        return bare_or_quoted(term.text, LUCENE_OPERATORS, is_prefix=term.is_prefix, bare=_BARE)

    def years(self, years: YearRange) -> Written:
        """Return the years as one or two comparisons."""
        sides = [
            f"yearPublished{sign}{year}"
            for sign, year in ((">=", years.first), ("<=", years.last))
            if year is not None
        ]
        return Written(self.both(sides) if len(sides) > 1 else sides[0])

    def without(self, wanted: str, unwanted: str) -> str:
        """Return the one AND NOT the other."""
        return f"({wanted} AND NOT {unwanted})"


def _names(entry: Entry) -> list[Author]:
    """Return each author once.

    Repositories list a name as often as they found it, and family names alone beside full ones.
    """
    names = [name for one in every(entry, "authors.name") if (name := words(one))]
    distinct = {normalised_title(name): name for name in reversed(names)}
    names = list(dict.fromkeys(distinct[normalised_title(name)] for name in names))
    parts = {part for name in names for part in _parts(name) if len(_parts(name)) > 1}
    once = [name for name in names if len(_parts(name)) > 1 or not parts & _parts(name)]
    return [author_named(name) for name in once]


def _parts(name: str) -> set[str]:
    return {normalised_title(part) for part in re.split(r"[\s,]+", name) if part}


def _issn(identifier: str) -> str | None:
    return identifier.upper() if _ISSN.fullmatch(identifier) else None


def _full_text(entry: Entry) -> str | None:
    """Return where to download the text; of a page about it on arXiv, the text itself."""
    url: str | None = first(entry, "downloadUrl|sourceFulltextUrls", address)
    if url and "arxiv.org/abs/" in url and (arxiv_id := parse_arxiv_id(url)):
        return f"https://arxiv.org/pdf/{arxiv_id}"
    return url


_WORK = Table(
    prefix=NAME,
    key="id",
    fields={
        "title": "title",
        "authors": _names,
        "abstract": ("abstract", lambda said: plain_abstract(_COMMENT.sub(".", said))),
        "year": "yearPublished|publishedDate",
        "venue": "journals.title",
        "issn": ("journals.identifiers", _issn),
        # CORE puts quotes around the publishers of Crossref.
        "publisher": ("publisher", lambda name: plain(name).strip("'\" ")),
        "doi": "doi",
        "arxiv_id": "arxivId",
        "pmid": "pubmedId",
        "language": "language.code",
        "citation_count": "citationCount",
        "publication_type": ("documentType", lambda kind: _TYPES.get(kind.lower())),
        "url": "links[type=display].url",
        "full_text_url": _full_text,
    },
    details={
        "oai_ids": listed("oaiIds"),
        "document_type": "documentType",
        "field_of_study": "fieldOfStudy",
        "published_date": "publishedDate",
    },
)
read_work = _WORK.read


create_source = Core.source
