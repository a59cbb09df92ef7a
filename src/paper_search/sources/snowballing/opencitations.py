"""Citations by OpenCitations (https://api.opencitations.net): first ids, then records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from paper_search.bibliography.identifiers import (
    content_key,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
    parse_pmid,
)
from paper_search.models import Author, RawPaper, SearchConstraints, Seed
from paper_search.sources import values
from paper_search.sources.adapter import Page, Request
from paper_search.sources.errors import ServiceError
from paper_search.sources.openalex_record import short_id
from paper_search.sources.snowballing.tracker import SOURCE, Tracker, Trail, distinct

if TYPE_CHECKING:
    from paper_search.http.body import HttpAnswer

ENDPOINT = "https://api.opencitations.net"
_AT_ONCE = 50
"""Records of one request; its address must not become too long."""
_WAYS = (("references", "cited"), ("citations", "citing"))
_BRACKETED = re.compile(r"(?<!\s)\s*\[([^\[\]]*)\]")
_TYPES = {
    "book": "book",
    "book chapter": "chapter",
    "dataset": "dataset",
    "dissertation": "thesis",
    "journal article": "article-journal",
    "posted content": "article",
    "proceedings article": "paper-conference",
    "reference entry": "entry",
    "report": "report",
}


@dataclass(frozen=True, slots=True)
class MetadataRequest(Request):
    """The question for some works, and which ones are to be asked for after them."""

    later: tuple[str, ...] = ()


class OpenCitationsTracker(Tracker):
    """The index of citations by DOI, and the metadata of the works it names.

    Args:
        key: from https://opencitations.net/accesstoken; empty: ask without.
        endpoint: where index and metadata are.
    """

    name: ClassVar[str] = SOURCE
    title: ClassVar[str] = "OpenCitations"
    key_variable: ClassVar[str | None] = "OPENCITATIONS_API_KEY"
    key_page: ClassVar[str | None] = "https://opencitations.net/accesstoken"

    interval_s = 0.34
    """180 requests a minute."""

    def __init__(self, key: str = "", *, endpoint: str = ENDPOINT) -> None:
        self.key = key.strip()
        self._endpoint = endpoint

    @property
    def headers(self) -> Mapping[str, str]:
        """The token, if there is one."""
        return {"authorization": self.key} if self.key else {}

    def trails(self, seeds: Sequence[Seed], filters: SearchConstraints, wanted: int) -> list[Trail]:
        """Return two trails for every seed with a DOI or a PubMed id."""
        del filters, wanted
        known = [(seed, name) for seed in seeds if (name := _name(seed))]
        return [
            Trail(
                f"OpenCitations {way} of {name}",
                Request(f"{self._endpoint}/index/v2/{way}/{quote(name, safe=':/()')}"),
                (seed,),
            )
            for seed, name in known
            for way, _ in _WAYS
        ]

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the records of works, or the way to them if the answer only has their ids."""
        body = answer.json()
        if body is not None and not isinstance(body, list):
            said = values.text(values.mapping(body).get("error")) or "the answer is no list"
            raise ServiceError(f"OpenCitations: {said[:500]}")
        if "/index/" in request.url:
            return self._of_ids(body or [], request)
        entries = values.items(body)
        papers = [paper for each in entries if (paper := read_metadata(each, SOURCE))]
        later = request.later if isinstance(request, MetadataRequest) else ()
        return Page(
            papers=papers,
            dropped=len(entries) - len(papers),
            next=self._metadata(later) if later else None,
        )

    def _of_ids(self, rows: list[Any], request: Request) -> Page:
        side = next(name for way, name in _WAYS if f"/{way}/" in request.url)
        names = distinct(_known_as(values.text(each.get(side))) for each in values.mappings(rows))
        return Page(hits=len(rows), next=self._metadata(names) if names else None)

    def _metadata(self, names: Sequence[str]) -> Request:
        now = "__".join(quote(name, safe=":/()") for name in names[:_AT_ONCE])
        return MetadataRequest(
            f"{self._endpoint}/meta/v1/metadata/{now}", later=tuple(names[_AT_ONCE:])
        )


def read_metadata(item: Any, source: str) -> RawPaper | None:
    """Return the record of one work of OpenCitations Meta; None: it has no title."""
    entry = values.mapping(item)
    title = values.words(entry.get("title"))
    if not title:
        return None
    ids = dict(each.split(":", 1) for each in values.text(entry.get("id")).split() if ":" in each)
    venue = values.text(entry.get("venue"))
    venue_ids = " ".join(_BRACKETED.findall(venue))
    doi = parse_doi(ids.get("doi"))
    paper = RawPaper(
        title=title,
        doi=doi,
        authors=list(_people(values.text(entry.get("author")))),
        year=values.year(entry.get("pub_date")),
        venue=values.words(_BRACKETED.sub("", venue)),
        publisher=values.words(_BRACKETED.sub("", values.text(entry.get("publisher")))),
        volume=values.text(entry.get("volume")) or None,
        issue=values.text(entry.get("issue")) or None,
        pages=values.text(entry.get("page")) or None,
        isbn=parse_isbn(ids.get("isbn")),
        issn=parse_issn(venue_ids),
        pmid=parse_pmid(ids.get("pmid")),
        openalex_id=short_id(ids.get("openalex")),
        arxiv_id=parse_arxiv_id(doi) if doi else None,
        url=f"https://doi.org/{doi}" if doi else None,
        publication_type=_TYPES.get(values.text(entry.get("type")).lower()),
        source=source,
    )
    paper.id = f"opencitations:{ids.get('omid') or doi or content_key(paper)}"
    return paper


def _people(text: str) -> Iterator[Author]:
    """Yield the names of "Peroni, Silvio [orcid:0000-0003-0530-4305 omid:ra/1]; ..."."""
    for each in text.split(";"):
        name = values.words(_BRACKETED.sub("", each))
        orcid = re.search(r"orcid:([^\s\]:]{1,40})", each)
        if name:
            yield Author(name=name, author_id=orcid[1] if orcid else None)


def _known_as(ids: str) -> str | None:
    """Return the id to ask the metadata for, of "omid:br/1 doi:10.1/x pmid:7"."""
    given = ids.split()
    kinds = ("doi:", "pmid:", "omid:")
    return next((each for kind in kinds for each in given if each.startswith(kind)), None)


def _name(seed: Seed) -> str | None:
    if seed.doi:
        return f"doi:{seed.doi}"
    return f"pmid:{seed.pmid}" if seed.pmid else None
