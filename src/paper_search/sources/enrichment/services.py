"""Services that look up works, and how many works one request covers.

Crossref: thirty by DOI, one by title. OpenAlex: fifty by DOI or PMID. Semantic Scholar: two hundred
by any identifier. Europe PMC, CORE: twenty-five by all identifiers that they take. Unpaywall
(https://unpaywall.org/products/api): one by DOI.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar
from urllib.parse import quote

from paper_search.bibliography.identifiers import family_name, identifiers_of, parse_doi, parse_pmid
from paper_search.bibliography.text import normalised_title
from paper_search.http.body import HttpAnswer
from paper_search.models import RawPaper, SearchConstraints
from paper_search.sources import core_works, crossref, europe_pmc, openalex, semantic_scholar
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.enrichment import Batch, Lookup, in_batches
from paper_search.sources.errors import ServiceError
from paper_search.sources.openalex_record import FIELDS
from paper_search.sources.record import OTHER_TEXTS, first, values_at, words
from paper_search.sources.values import address, flag, mapping, text, year

_CROSSREF_BATCH = 30
_CANDIDATES = 3
_SHORTEST_TITLE = 20
"""Letters of a distinctive title; "Editorial" is not one."""
_LONGEST_QUERY = 400
_OPENALEX_BATCH = 50
_SEMANTIC_SCHOLAR_BATCH = 200
_SEARCH_BATCH = 25
_MOST_RECORDS = 100
"""Records of such a batch: preprint, article and copies are records of one work."""
NAME = "unpaywall"
_UNKNOWN = ("10.48550/", "10.5281/", "10.4230/")
"""Prefixes of DataCite's DOIs, which Unpaywall does not cover."""


class CrossrefLookup(crossref.Crossref, Lookup):
    """Crossref: DOIs for titles, some abstracts, few open texts."""

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        """Yield works by DOI, then those without one by title; arXiv's DOIs are not in Crossref."""
        dois = {work.id: doi for work in works if (doi := _crossref_doi(work))}
        incomplete = [
            work for work in works if work.id in dois and not (work.abstract and work.full_text_url)
        ]
        for batch in in_batches(incomplete, _CROSSREF_BATCH):
            filters = ",".join(f"doi:{dois[work.id]}" for work in batch)
            request = Request(self.endpoint, {"filter": filters, "rows": 2 * _CROSSREF_BATCH})
            yield Batch(request, batch)
        for work in works:
            if not parse_doi(work.doi) and len(normalised_title(work.title)) >= _SHORTEST_TITLE:
                yield Batch(self._by_title(work), (work,), is_by_title=True)

    def _by_title(self, work: RawPaper) -> Request:
        family = family_name(work.authors[0].name) if work.authors else ""
        query = f"{work.title} {family}".strip()[:_LONGEST_QUERY]
        return Request(self.endpoint, {"query.bibliographic": query, "rows": _CANDIDATES})


def _crossref_doi(work: RawPaper) -> str | None:
    """Return the DOI if Crossref can look it up; a comma would begin another filter."""
    doi = parse_doi(work.doi)
    return doi if doi and "," not in doi and not doi.startswith("10.48550/") else None


class OpenAlexLookup(openalex.OpenAlex, Lookup):
    """OpenAlex: abstracts, DOIs and open texts; a filter costs a tenth of a search."""

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        dois = {work.id: doi for work in works if (doi := parse_doi(work.doi))}
        with_doi = [w for w in works if w.id in dois and not openalex.SEPARATORS & set(dois[w.id])]
        rest = [work for work in works if work not in with_doi and parse_pmid(work.pmid)]
        for batch in in_batches(with_doi, _OPENALEX_BATCH):
            yield Batch(self._request("doi", [dois[work.id] for work in batch]), batch)
        for batch in in_batches(rest, _OPENALEX_BATCH):
            numbers = [parse_pmid(work.pmid) or "" for work in batch]
            yield Batch(self._request("pmid", numbers), batch)

    def _request(self, kind: str, values: list[str]) -> Request:
        params = {"filter": f"{kind}:{'|'.join(values)}", "select": ",".join(FIELDS)}
        return Request(self.endpoint, {**params, "per_page": 2 * _OPENALEX_BATCH})


class _SearchLookup(Adapter, Lookup):
    """A service whose search takes the identifiers of many works, joined by OR."""

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        texts = {work.id: text for work in works if (text := self._text(work))}
        for batch in in_batches([work for work in works if work.id in texts], _SEARCH_BATCH):
            query = Translated(" OR ".join(texts[work.id] for work in batch))
            yield Batch(self.first(query, SearchConstraints(), _MOST_RECORDS), batch)

    def _text(self, work: RawPaper) -> str:
        names = ((kind, name) for kind, name in identifiers_of(work).items() if name)
        terms = (self.translate_work(kind, name) for kind, name in names)
        return " OR ".join(term.text for term in terms if term)


class EuropePmcLookup(europe_pmc.EuropePmc, _SearchLookup):
    """Europe PMC: abstracts and open texts of the life sciences."""


class CoreLookup(core_works.Core, _SearchLookup):
    """CORE: copies in repositories."""


class SemanticScholarLookup(semantic_scholar.SemanticScholar, Lookup):
    """Semantic Scholar: abstracts that publishers let it show, DOIs, open texts."""

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        ids = {work.id: name for work in works if (name := _semantic_scholar_id(work))}
        named = [work for work in works if work.id in ids]
        for batch in in_batches(named, _SEMANTIC_SCHOLAR_BATCH):
            params = {"fields": ",".join(semantic_scholar.FIELDS)}
            body = {"ids": [ids[work.id] for work in batch]}
            url = f"{self.endpoint}/paper/batch"
            yield Batch(Request(url, params, json=body), batch)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the papers of a batch; unknown ones are null."""
        del request
        body = answer.json()
        if not isinstance(body, list):
            message = first(body, "error|message") or "the response has no papers"
            raise ServiceError(f"Semantic Scholar: {message[:300]}")
        return Page.of(body, semantic_scholar.read_paper)


def _semantic_scholar_id(work: RawPaper) -> str | None:
    ids = {kind: identifiers_of(work)[kind] for kind in ("doi", "arxiv", "pmid")}
    return semantic_scholar.graph_name(work.s2_id, **ids)


class UnpaywallLookup(Lookup):
    """Unpaywall: open texts only; it requires an e-mail address."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Unpaywall"
    fields: ClassVar[tuple[str, ...]] = ("full_text_url",)
    interval_s = 0.2
    contact_param: ClassVar[str | None] = "email"
    endpoint = "https://api.unpaywall.org/v2"
    says_open: ClassVar[bool] = True

    @property
    def obstacle(self) -> str | None:
        if self.contact:
            return None
        return "not asked: Unpaywall requires an e-mail address (PAPER_SEARCH_CONTACT)"

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        for work in works:
            doi = parse_doi(work.doi)
            if doi and not doi.startswith(_UNKNOWN):
                url = f"{self.endpoint}/{quote(doi, safe='/')}"
                yield Batch(Request(url), (work,))

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        del request
        body = answer.json()
        if mapping(body).get("error") is True or not mapping(body).get("doi"):
            message = text(mapping(body).get("message")) or "the response has no DOI"
            raise ServiceError(f"Unpaywall: {message[:300]}")
        return Page([open_text_of(mapping(body))])


def open_text_of(body: dict[str, Any]) -> RawPaper:
    """Return a record with the best location that has a PDF.

    Other locations are in `raw_data`: repositories allow programs where publishers block them.
    """
    places = ("best_oa_location.url_for_pdf", "oa_locations.url_for_pdf")
    urls = [address(url) for place in places for url in values_at(body, place)]
    pdfs = list(dict.fromkeys(filter(None, urls))) if flag(body.get("is_oa")) else []
    doi = parse_doi(text(body.get("doi")))
    return RawPaper(
        id=f"{NAME}:{doi}",
        doi=doi,
        title=words(body.get("title")) or "",
        year=year(body.get("year")),
        full_text_url=pdfs[0] if pdfs else None,
        raw_data={OTHER_TEXTS: pdfs[1:]} if pdfs[1:] else {},
        source=NAME,
    )
