"""Services with citations.

OpenAlex: one request for all seeds in each direction. Semantic Scholar: two requests for every
seed. OpenCitations (https://api.opencitations.net): first ids, then records.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import quote

from paper_search.bibliography.identifiers import (
    doi_of_arxiv,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
    parse_pmid,
)
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import plain
from paper_search.config import AppConfig, SearchSourceConfig
from paper_search.http.body import HttpAnswer
from paper_search.models import Author, SearchConstraints, Seed
from paper_search.sources import openalex, openalex_record, semantic_scholar, values
from paper_search.sources.adapter import SMALLEST_PAGE, Page, Request
from paper_search.sources.client import SourceSettings
from paper_search.sources.errors import ServiceError
from paper_search.sources.record import Entry, Table, first
from paper_search.sources.snowballing import (
    CitationRequest,
    CitationService,
    SnowballSource,
    distinct,
)
from paper_search.sources.values import mapping, number

_LARGEST_PAGE = 1000
_AT_ONCE = 10
"""Records of one request, whose URL must not become too long."""
_BRACKETED = re.compile(r"(?<!\s)\s*\[([^\[\]]*)\]")
_TYPES = {
    "book": "book", "book chapter": "chapter", "dataset": "dataset", "dissertation": "thesis",
    "journal article": "article-journal", "posted content": "article",
    "proceedings article": "paper-conference", "reference entry": "entry", "report": "report",
}  # fmt: skip


class OpenAlexCitations(openalex.OpenAlex, CitationService):
    """The filters `cites:` and `cited_by:` of OpenAlex, most cited first."""

    def lookup(self, seeds: Sequence[Seed]) -> Request | None:
        nameless = [seed for seed in seeds if not seed.openalex_id]
        dois = distinct(_openalex_doi(seed) for seed in nameless)
        pmids = distinct(seed.pmid for seed in nameless if not _openalex_doi(seed))
        filters = f"doi:{'|'.join(dois)}" if dois else f"pmid:{'|'.join(pmids)}" if pmids else None
        if filters is None:
            return None
        return Request(self.endpoint, {"filter": filters, "per_page": 100, "select": "id,doi,ids"})

    def with_ids(self, answer: HttpAnswer, seeds: Sequence[Seed]) -> list[Seed]:
        work_ids: dict[str, str] = {}
        for work in self.entries_of(answer.json()):
            work_id = openalex_record.short_id(work.get("id"))
            doi = parse_doi(values.text(work.get("doi")))
            pmid = parse_pmid(values.text(values.mapping(work.get("ids")).get("pmid")))
            work_ids |= {name: work_id for name in (doi, pmid) if name and work_id}

        def work_of(seed: Seed) -> str | None:
            return work_ids.get(_openalex_doi(seed) or "") or work_ids.get(seed.pmid or "")

        return [
            seed if seed.openalex_id else seed.model_copy(update={"openalex_id": work_of(seed)})
            for seed in seeds
        ]

    def citation_requests(
        self, seeds: Sequence[Seed], filters: SearchConstraints, limit: int
    ) -> list[CitationRequest]:
        followable = tuple(seed for seed in seeds if seed.openalex_id)
        works = "|".join(distinct(seed.openalex_id for seed in followable))
        limits = openalex.limits_of(filters.year_from, filters.year_to, filters.language)
        size = min(100, max(limit, SMALLEST_PAGE))
        return [
            CitationRequest(
                f"OpenAlex {way}",
                Request(
                    self.endpoint,
                    {
                        "filter": ",".join([way, *limits]),
                        "sort": "cited_by_count:desc",
                        "per_page": size,
                        "cursor": "*",
                        "select": ",".join(openalex_record.FIELDS),
                    },
                ),
                followable,
            )
            for way in ((f"cited_by:{works}", f"cites:{works}") if works else ())
        ]


def _openalex_doi(seed: Seed) -> str | None:
    """Return the DOI of a seed, unless it would break the filter."""
    doi = seed.doi or (doi_of_arxiv(seed.arxiv_id) if seed.arxiv_id else None)
    return doi if doi and not openalex.SEPARATORS & set(doi) else None


class PerSeedService(CitationService):
    """A service with two requests for each seed; years are checked locally."""

    @abstractmethod
    def name_of(self, seed: Seed) -> str | None:
        """Return the identifier of a seed at the service, or None."""

    @abstractmethod
    def request(self, name: str, way: str, limit: int) -> Request: ...

    def citation_requests(
        self, seeds: Sequence[Seed], filters: SearchConstraints, limit: int
    ) -> list[CitationRequest]:
        del filters
        return [
            CitationRequest(
                f"{self.title} {way} of {name}", self.request(name, way, limit), (seed,)
            )
            for seed in seeds
            if (name := self.name_of(seed))
            for way in ("references", "citations")
        ]


class SemanticScholarCitations(semantic_scholar.SemanticScholar, PerSeedService):
    """References and citations, newest first."""

    def name_of(self, seed: Seed) -> str | None:
        ids = {"doi": seed.doi, "arxiv": seed.arxiv_id, "pmid": seed.pmid}
        return semantic_scholar.graph_name(seed.s2_id, **ids)

    def request(self, name: str, way: str, limit: int) -> Request:
        fields = ",".join(semantic_scholar.FIELDS)
        page = {"offset": 0, "limit": min(_LARGEST_PAGE, max(limit, 1))}
        url = f"{self.endpoint}/paper/{quote(name, safe=':')}/{way}"
        return Request(url, {"fields": fields, **page})

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the papers of a page; references without a title are common, and counted."""
        body = answer.json()
        inner = "citedPaper" if request.url.endswith("references") else "citingPaper"
        if isinstance(body, dict) and "data" in body and body["data"] is None:
            return Page(notes=("not available: their publisher withholds them",))
        entries = self.entries_of(body)
        offset = first(body, "next", number)
        return Page.of(
            [mapping(entry).get(inner) for entry in entries],
            semantic_scholar.read_paper,
            next=request.turned(offset=offset) if offset and entries else None,
        )


class OpenCitations(PerSeedService):
    """Citations by DOI and PMID, and metadata of the works; an access token is optional."""

    name: ClassVar[str] = "opencitations"
    title: ClassVar[str] = "OpenCitations"
    key_variable: ClassVar[str | None] = "OPENCITATIONS_API_KEY"
    key_page: ClassVar[str | None] = "https://opencitations.net/accesstoken"
    key_header = ("authorization", "{}")
    longest_line: ClassVar[int] = 8190
    endpoint = "https://api.opencitations.net"
    interval_s = 0.34
    """180 requests a minute."""

    def name_of(self, seed: Seed) -> str | None:
        names = (
            f"doi:{seed.doi}" if seed.doi else None,
            f"pmid:{seed.pmid}" if seed.pmid else None,
        )
        return next(filter(None, names), None)

    def request(self, name: str, way: str, limit: int) -> Request:
        del limit
        return Request(f"{self.endpoint}/index/v2/{way}/{quote(name, safe=':/()')}")

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        body = answer.json()
        if not isinstance(body, list):
            message = values.text(values.mapping(body).get("error")) or "the answer is not a list"
            raise ServiceError(f"OpenCitations: {message[:500]}")
        if "/index/" in request.url:
            side = "cited" if "/references/" in request.url else "citing"
            rows = values.mappings(body)
            names = distinct(_id_to_ask(values.text(row.get(side))) for row in rows)
            return Page(hits=len(body), next=self._metadata(names) if names else None)
        return Page.of(
            body,
            read_metadata,
            next=self._metadata(request.later) if request.later else None,
        )

    def _metadata(self, names: Sequence[str]) -> Request:
        now = "__".join(quote(name, safe=":/()") for name in names[:_AT_ONCE])
        return Request(f"{self.endpoint}/meta/v1/metadata/{now}", later=tuple(names[_AT_ONCE:]))


def _ids(entry: Entry) -> dict[str, str]:
    words = (first(entry, "id") or "").split()
    return dict(word.split(":", 1) for word in words if ":" in word)


def _people(entry: Entry) -> list[Author]:
    """Parse "Peroni, Silvio [orcid:0000-0003-0530-4305 omid:ra/1]; ..."."""
    people = []
    for part in (first(entry, "author") or "").split(";"):
        orcid = re.search(r"orcid:([^\s\]:]{1,40})", part)
        if name := _unbracketed(part):
            people.append(author_named(name, orcid[1] if orcid else None, is_inverted=True))
    return people


def _unbracketed(name: str) -> str:
    return plain(_BRACKETED.sub("", name))


def _doi(entry: Entry) -> str | None:
    return parse_doi(_ids(entry).get("doi"))


read_metadata = Table(
    prefix="opencitations",
    key=lambda entry: _ids(entry).get("omid"),
    fields={
        "title": "title",
        "doi": _doi,
        "authors": _people,
        "year": "pub_date",
        "venue": ("venue", _unbracketed),
        "publisher": ("publisher", _unbracketed),
        "volume": "volume",
        "issue": "issue",
        "pages": "page",
        "isbn": lambda entry: parse_isbn(_ids(entry).get("isbn")),
        "issn": ("venue", lambda said: parse_issn(" ".join(_BRACKETED.findall(said)))),
        "pmid": lambda entry: parse_pmid(_ids(entry).get("pmid")),
        "openalex_id": lambda entry: openalex_record.short_id(_ids(entry).get("openalex")),
        "arxiv_id": lambda entry: parse_arxiv_id(_doi(entry)),
        "url": lambda entry: f"https://doi.org/{doi}" if (doi := _doi(entry)) else None,
        "publication_type": ("type", lambda kind: _TYPES.get(kind.lower())),
    },
).read


def _id_to_ask(ids: str) -> str | None:
    """Return the id for the metadata, from "omid:br/1 doi:10.1/x pmid:7"."""
    names = ids.split()
    kinds = ("doi:", "pmid:", "omid:")
    return next((value for kind in kinds for value in names if value.startswith(kind)), None)


_SERVICES = (OpenAlexCitations, SemanticScholarCitations, OpenCitations)


def create_source(config: AppConfig, settings: SearchSourceConfig) -> SnowballSource:
    keys = {name: service.api_key for name, service in config.sources.items()}
    return SnowballSource(
        [service(keys.get(service.name, "")) for service in _SERVICES],
        SourceSettings.of(config, max_calls=settings.max_calls),
    )
