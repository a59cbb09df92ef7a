"""Looks up works at Crossref: thirty per request by DOI, one by title."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from paper_search.bibliography.identifiers import family_name, parse_doi
from paper_search.bibliography.text import normalised_title
from paper_search.models import RawPaper
from paper_search.sources.adapter import Request
from paper_search.sources.crossref import ENDPOINT, Crossref, read_page
from paper_search.sources.enrichment.lookup import (
    Batch,
    HttpEnricher,
    LookupAdapter,
    enricher_of,
    in_batches,
)

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.http.body import HttpAnswer

_BATCH = 30
_CANDIDATES = 3
_SHORTEST_TITLE = 20
"""Letters of a title that can be told from others; "Editorial" cannot."""
_LONGEST_QUERY = 400


class CrossrefLookup(LookupAdapter):
    """Crossref: DOIs for titles, some abstracts, few open texts.

    Args:
        is_polite: a contact address is sent along.
        endpoint: where the works are.
    """

    fields: ClassVar[tuple[str, ...]] = ("abstract", "doi", "full_text_url")

    def __init__(self, *, is_polite: bool = False, endpoint: str = ENDPOINT) -> None:
        self.service = Crossref(is_polite=is_polite, endpoint=endpoint)
        self._endpoint = endpoint

    def batches(self, works: Sequence[RawPaper]) -> Iterator[Batch]:
        """Yield works by DOI, then one by one those that lack one; arXiv's DOIs are not there."""
        dois = {work.id: doi for work in works if (doi := _doi(work))}
        named = [
            work for work in works if work.id in dois and not (work.abstract and work.full_text_url)
        ]
        for batch in in_batches(named, _BATCH):
            wanted = ",".join(f"doi:{dois[work.id]}" for work in batch)
            yield Batch(Request(self._endpoint, {"filter": wanted, "rows": 2 * _BATCH}), batch)
        for work in works:
            if not parse_doi(work.doi) and len(normalised_title(work.title)) >= _SHORTEST_TITLE:
                yield Batch(self._by_title(work), (work,), is_by_title=True)

    def read(self, answer: HttpAnswer) -> list[RawPaper]:
        """Return the works of a page."""
        return read_page(answer.json(), Request(self._endpoint), self.service.name).papers

    def _by_title(self, work: RawPaper) -> Request:
        first = family_name(work.authors[0].name) if work.authors else ""
        said = f"{work.title} {first}".strip()[:_LONGEST_QUERY]
        return Request(self._endpoint, {"query.bibliographic": said, "rows": _CANDIDATES})


def _doi(work: RawPaper) -> str | None:
    """Return the DOI if Crossref can be asked for it; a comma would begin another filter."""
    doi = parse_doi(work.doi)
    return doi if doi and "," not in doi and not doi.startswith("10.48550/") else None


def create_enricher(config: AppConfig) -> HttpEnricher:
    """Make the enricher from the settings."""
    return enricher_of(CrossrefLookup(is_polite=bool(config.contact)), config)
