"""Looks up works at OpenAlex by DOI or PMID, fifty per request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from paper_search.bibliography.identifiers import parse_doi, parse_pmid
from paper_search.models import RawPaper
from paper_search.sources.adapter import Request
from paper_search.sources.enrichment.lookup import (
    Batch,
    HttpEnricher,
    LookupAdapter,
    enricher_of,
    in_batches,
)
from paper_search.sources.openalex import ENDPOINT, SEPARATORS, OpenAlex, read_page
from paper_search.sources.openalex_record import FIELDS

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.http.body import HttpAnswer

_BATCH = 50


class OpenAlexLookup(LookupAdapter):
    """OpenAlex: abstracts, DOIs and open texts; a filter costs a tenth of a search.

    Args:
        key: of OpenAlex; empty: ask without.
        endpoint: where the works are.
    """

    fields: ClassVar[tuple[str, ...]] = ("abstract", "doi", "full_text_url")

    def __init__(self, key: str = "", *, endpoint: str = ENDPOINT) -> None:
        self.service = OpenAlex(key, endpoint=endpoint)
        self._endpoint = endpoint

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        """Yield works by DOI, then those without one by PMID."""
        with_doi = [work for work in works if _askable(parse_doi(work.doi))]
        rest = [work for work in works if work not in with_doi and parse_pmid(work.pmid)]
        for batch in in_batches(with_doi, _BATCH):
            yield Batch(self._request("doi", [parse_doi(work.doi) or "" for work in batch]), batch)
        for batch in in_batches(rest, _BATCH):
            numbers = [parse_pmid(work.pmid) or "" for work in batch]
            yield Batch(self._request("pmid", numbers), batch)

    def read(self, answer: HttpAnswer) -> list[RawPaper]:
        """Return the works of a page."""
        return read_page(answer.json(), Request(self._endpoint), self.service.name).papers

    def _request(self, kind: str, values: list[str]) -> Request:
        params: dict[str, str | int] = {
            "filter": f"{kind}:{'|'.join(values)}",
            "per_page": 2 * _BATCH,
            "select": ",".join(FIELDS),
        }
        return Request(self._endpoint, params)


def _askable(doi: str | None) -> bool:
    return bool(doi) and not SEPARATORS & set(doi or "")


def create_enricher(config: AppConfig) -> HttpEnricher:
    """Make the enricher from the settings."""
    settings = config.sources.get("openalex")
    return enricher_of(OpenAlexLookup(settings.api_key if settings else ""), config)
