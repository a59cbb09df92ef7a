"""CORE: open access works of repositories and journals (https://core.ac.uk); a key is optional.

Queries and fields: https://api.core.ac.uk/docs/v3
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from paper_search.bibliography.identifiers import parse_arxiv_id
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import normalised_title, plain, plain_abstract
from paper_search.models import Author
from paper_search.query import YearRange
from paper_search.sources.adapter import Adapter, Paging
from paper_search.sources.dialect import Expression, FieldDialect
from paper_search.sources.record import Entry, Table, first, values_at, words
from paper_search.sources.values import address

NAME = "core"
_COMMENT = re.compile(r"(?:\.\s{0,20}|(?<!\s)\s{0,20})Comment:\s[^\n]{0,400}$")
"""The comment that repositories copy from arXiv: "...Comment: 32 pages, 12 figures"."""
_ISSN = re.compile(r"\d{4}-?\d{3}[\dXx]")
_TYPES = {"thesis": "thesis", "book": "book", "dataset": "dataset", "slides": "speech"}


def _names(entry: Entry) -> list[Author]:
    """Return each author once: repositories repeat names, some as family names alone."""
    names = [name for one in values_at(entry, "authors.name") if (name := words(one))]
    distinct = {normalised_title(name): name for name in reversed(names)}
    names = list(dict.fromkeys(distinct[normalised_title(name)] for name in names))
    parts = {part for name in names for part in _parts(name) if len(_parts(name)) > 1}
    once = [name for name in names if len(_parts(name)) > 1 or not parts & _parts(name)]
    return [author_named(name) for name in once]


def _parts(name: str) -> set[str]:
    return {normalised_title(part) for part in re.split(r"[\s,]+", name) if part}


def _abstract(entry: Entry) -> str | None:
    """Return the abstract, of an arXiv work without the comment."""
    own = first(entry, "abstract") or ""
    return plain_abstract(_COMMENT.sub(".", own) if first(entry, "arxivId") else own)


def _full_text(entry: Entry) -> str | None:
    """Return the download URL; for an abstract page of arXiv, that of the PDF."""
    url: str | None = first(entry, "downloadUrl|sourceFulltextUrls", address)
    if url and "arxiv.org/abs/" in url and (arxiv_id := parse_arxiv_id(url)):
        return f"https://arxiv.org/pdf/{arxiv_id}"
    return url


read_work = Table(
    prefix=NAME,
    key="id",
    fields={
        "title": "title",
        "authors": _names,
        "abstract": _abstract,
        "year": "yearPublished|publishedDate",
        "venue": "journals.title",
        "issn": (
            "journals.identifiers",
            lambda name: name.upper() if _ISSN.fullmatch(name) else None,
        ),
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
).read


class CoreDialect(FieldDialect):
    """`word`, `title:"a phrase"`, AND, OR, NOT, `yearPublished>=2019`.

    A NOT is written as AND NOT, because Lucene could read OR without the AND.
    """

    compares_stems: bool = True
    service: ClassVar[str] = "CORE"
    fields: ClassVar[Mapping[str | None, str]] = {
        "title": "title:",
        "abstract": "abstract:",
        "author": "authors:",
    }
    unsearched: ClassVar[Collection[str]] = ("venue",)
    entered: ClassVar[str] = "(createdDate>={} AND createdDate<={})"
    negation: ClassVar[str] = "AND NOT "
    language: ClassVar[str] = "language.code:{}"

    def years(self, years: YearRange) -> Expression:
        ends = ((">=", years.first), ("<=", years.last))
        sides = [f"yearPublished{sign}{year}" for sign, year in ends if year is not None]
        return Expression(self.both(sides) if len(sides) > 1 else sides[0])


class Core(Adapter):
    """Full texts of repositories; slow: forty seconds until the first byte have occurred."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "CORE"
    longest_line: ClassVar[int] = 8190
    key_variable: ClassVar[str | None] = "CORE_API_KEY"
    key_page: ClassVar[str | None] = "https://core.ac.uk/services/api"

    ranks_text: ClassVar[bool] = True
    most_results = 9900
    timeout_s: ClassVar[float] = 50.0
    interval_s = 2.0
    """Five requests in ten seconds without a key."""
    endpoint = "https://api.core.ac.uk/v3/search/works"
    says_open: ClassVar[bool] = True
    key_header = ("Authorization", "Bearer {}")
    dialect = CoreDialect
    works: ClassVar[Mapping[str, str]] = {"doi": "doi:{}", "arxiv": "arxivId:{}"}
    hits: ClassVar[str] = "totalHits"
    paging: ClassVar[Paging | None] = Paging("offset")
    size_param = "limit"
    usual_params: ClassVar[Mapping[str, Any]] = {"offset": 0, "exclude": ["fullText"]}
    is_posted = True
    record = staticmethod(read_work)
