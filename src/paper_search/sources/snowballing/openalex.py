"""Citations by OpenAlex: all seeds in one request for each direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from paper_search.bibliography.identifiers import parse_doi, parse_pmid
from paper_search.bibliography.languages import language_code
from paper_search.models import SearchConstraints, Seed, SourceStatus
from paper_search.sources import values
from paper_search.sources.adapter import Page, Request, Translated
from paper_search.sources.openalex import ENDPOINT, OpenAlex, read_page, span, status_of
from paper_search.sources.openalex_record import FIELDS, short_id
from paper_search.sources.snowballing.tracker import SOURCE, Tracker, Trail, distinct

if TYPE_CHECKING:
    from paper_search.http.body import HttpAnswer
    from paper_search.http.errors import HttpStatusError

_SMALLEST_PAGE = 25


class OpenAlexTracker(Tracker):
    """The filters `cites:` and `cited_by:` of OpenAlex, the most cited works first.

    Args:
        key: as for the source `openalex`; empty: ask without.
        endpoint: where the works are.
    """

    name: ClassVar[str] = SOURCE
    title: ClassVar[str] = "OpenAlex"
    key_variable: ClassVar[str | None] = OpenAlex.key_variable
    key_page: ClassVar[str | None] = OpenAlex.key_page

    def __init__(self, key: str = "", *, endpoint: str = ENDPOINT) -> None:
        self.key = key.strip()
        self._endpoint = endpoint
        self.interval_s = 0.2 if self.key else 1.0

    @property
    def headers(self) -> Mapping[str, str]:
        """The key, if there is one."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def lookup(self, seeds: Sequence[Seed]) -> Request | None:
        """Return the request for the works of the DOIs, or of PubMed ids where there is no DOI."""
        nameless = [seed for seed in seeds if not seed.openalex_id]
        dois = distinct(_doi(seed) for seed in nameless)
        pmids = distinct(seed.pmid for seed in nameless if not _doi(seed))
        wanted = f"doi:{'|'.join(dois)}" if dois else f"pmid:{'|'.join(pmids)}" if pmids else None
        if wanted is None:
            return None
        return Request(self._endpoint, {"filter": wanted, "per_page": 100, "select": "id,doi,ids"})

    def named(self, answer: HttpAnswer, seeds: Sequence[Seed]) -> list[Seed]:
        """Return the seeds with their works, where OpenAlex has them."""
        known: dict[str, str] = {}
        body = values.mapping(answer.json())
        for work in values.mappings(body.get("results")):
            found = short_id(work.get("id"))
            doi = parse_doi(values.text(work.get("doi")))
            pmid = parse_pmid(values.text(values.mapping(work.get("ids")).get("pmid")) or None)
            known |= {name: found for name in (doi, pmid) if name and found}
        return [
            seed
            if seed.openalex_id
            else seed.model_copy(
                update={"openalex_id": known.get(_doi(seed) or "") or known.get(seed.pmid or "")}
            )
            for seed in seeds
        ]

    def trails(self, seeds: Sequence[Seed], filters: SearchConstraints, wanted: int) -> list[Trail]:
        """Return one trail to what all seeds cite, and one to what cites them."""
        known = tuple(seed for seed in seeds if seed.openalex_id)
        works = "|".join(distinct(seed.openalex_id for seed in known))
        limits = [f"publication_year:{years}"] if (years := span(_years(filters))) else []
        if code := language_code(filters.language):
            limits.append(f"language:{code}")
        size = min(100, max(wanted, _SMALLEST_PAGE))
        return [
            Trail(
                f"OpenAlex {way}",
                Request(
                    self._endpoint,
                    {
                        "filter": ",".join([way, *limits]),
                        "sort": "cited_by_count:desc",
                        "per_page": size,
                        "cursor": "*",
                        "select": ",".join(FIELDS),
                    },
                ),
                known,
            )
            for way in ((f"cited_by:{works}", f"cites:{works}") if works else ())
        ]

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the works of a page."""
        return read_page(answer.json(), request, SOURCE)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Distinguish a used-up budget from a rate limit."""
        return status_of(error)


def _doi(seed: Seed) -> str | None:
    """Return the DOI of a seed, unless it would break the filter."""
    doi = seed.doi or (f"10.48550/arxiv.{seed.arxiv_id}" if seed.arxiv_id else None)
    return None if doi is None or "," in doi or "|" in doi else doi


def _years(filters: SearchConstraints) -> Translated:
    return Translated("", year_from=filters.year_from, year_to=filters.year_to)
