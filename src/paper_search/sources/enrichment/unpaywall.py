"""Looks up open-access texts at Unpaywall (https://unpaywall.org/products/api), one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from paper_search.bibliography.identifiers import parse_doi
from paper_search.models import RawPaper
from paper_search.sources.adapter import Request, Service
from paper_search.sources.enrichment.lookup import (
    Batch,
    HttpEnricher,
    LookupAdapter,
    enricher_of,
)
from paper_search.sources.errors import ServiceError
from paper_search.sources.values import address, flag, mapping, mappings, text, words, year

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.http.body import HttpAnswer

ENDPOINT = "https://api.unpaywall.org/v2"
NAME = "unpaywall"
_UNKNOWN = ("10.48550/", "10.5281/", "10.4230/")
"""Prefixes of DataCite, which Unpaywall does not cover."""


class Unpaywall(Service):
    """Where articles may be read by anybody."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Unpaywall"

    interval_s = 0.2


class UnpaywallLookup(LookupAdapter):
    """Unpaywall: open texts only.

    Args:
        contact: an e-mail address, without which Unpaywall does not answer.
        endpoint: where it is.
    """

    fields: ClassVar[tuple[str, ...]] = ("full_text_url",)

    def __init__(self, contact: str, *, endpoint: str = ENDPOINT) -> None:
        self.service = Unpaywall()
        self._contact = contact
        self._endpoint = endpoint

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        """Yield the works that have a DOI of Crossref, one by one."""
        for work in works:
            doi = parse_doi(work.doi)
            if doi and not doi.startswith(_UNKNOWN):
                url = f"{self._endpoint}/{quote(doi, safe='/')}"
                yield Batch(Request(url, {"email": self._contact}), (work,))

    def read(self, answer: HttpAnswer) -> list[RawPaper]:
        """Return the one record."""
        body = answer.json()
        if body is None:
            return []
        if mapping(body).get("error") is True or not mapping(body).get("doi"):
            said = text(mapping(body).get("message")) or "the response has no DOI"
            raise ServiceError(f"Unpaywall: {said[:300]}")
        return [read_record(mapping(body))]


def read_record(body: dict[str, Any]) -> RawPaper:
    """Return the record of an answer; of its places the best one that has a PDF."""
    places = [mapping(body.get("best_oa_location")), *mappings(body.get("oa_locations"))]
    pdf = next((url for each in places if (url := address(each.get("url_for_pdf")))), None)
    doi = parse_doi(text(body.get("doi")))
    return RawPaper(
        id=f"{NAME}:{doi}",
        doi=doi,
        title=words(body.get("title")) or "",
        year=year(body.get("year")),
        full_text_url=pdf if flag(body.get("is_oa")) else None,
        source=NAME,
    )


def create_enricher(config: AppConfig) -> HttpEnricher | None:
    """Make the enricher from the settings; None: there is no address to give to Unpaywall."""
    return enricher_of(UnpaywallLookup(config.contact), config) if config.contact else None
