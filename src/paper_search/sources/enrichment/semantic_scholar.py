"""Looks up works at Semantic Scholar by any identifier, two hundred per request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi, parse_pmid
from paper_search.models import RawPaper
from paper_search.sources.adapter import Request
from paper_search.sources.enrichment.lookup import (
    Batch,
    HttpEnricher,
    LookupAdapter,
    enricher_of,
    in_batches,
)
from paper_search.sources.errors import ServiceError
from paper_search.sources.semantic_scholar import ENDPOINT, SemanticScholar
from paper_search.sources.semantic_scholar_record import FIELDS, read_paper
from paper_search.sources.values import mapping, text

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.http.body import HttpAnswer

_BATCH = 200


class SemanticScholarLookup(LookupAdapter):
    """Semantic Scholar: abstracts that publishers let it show, DOIs, open texts.

    Args:
        key: of Semantic Scholar; empty: ask without.
        endpoint: where the graph is.
    """

    fields: ClassVar[tuple[str, ...]] = ("abstract", "doi", "full_text_url")

    def __init__(self, key: str = "", *, endpoint: str = ENDPOINT) -> None:
        self.service = SemanticScholar(key, endpoint=endpoint)
        self._endpoint = endpoint

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        """Yield the works that have any identifier."""
        ids = {work.id: name for work in works if (name := _id(work))}
        for batch in in_batches([work for work in works if work.id in ids], _BATCH):
            body = {"ids": [ids[work.id] for work in batch]}
            request = Request(
                f"{self._endpoint}/paper/batch", {"fields": ",".join(FIELDS)}, json=body
            )
            yield Batch(request, batch)

    def read(self, answer: HttpAnswer) -> list[RawPaper]:
        """Return the papers of a batch; what is unknown is null there."""
        body = answer.json()
        if body is None:
            return []
        if not isinstance(body, list):
            said = text(mapping(body).get("error")) or text(mapping(body).get("message"))
            raise ServiceError(f"Semantic Scholar: {(said or 'the response has no papers')[:300]}")
        return [paper for each in body if (paper := read_paper(each, self.service.name))]


def _id(work: RawPaper) -> str | None:
    named = {
        "DOI": parse_doi(work.doi),
        "ARXIV": parse_arxiv_id(work.arxiv_id),
        "PMID": parse_pmid(work.pmid),
    }
    found = next((f"{kind}:{value}" for kind, value in named.items() if value), None)
    return work.s2_id or found


def create_enricher(config: AppConfig) -> HttpEnricher:
    """Make the enricher from the settings."""
    settings = config.sources.get("semantic_scholar")
    return enricher_of(SemanticScholarLookup(settings.api_key if settings else ""), config)
