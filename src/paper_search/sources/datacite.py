"""DataCite (https://support.datacite.org/docs/api): preprints, theses, reports, data, software."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from paper_search.bibliography.identifiers import doi_of_arxiv
from paper_search.bibliography.languages import language_code
from paper_search.models import SearchConstraints
from paper_search.query import Node
from paper_search.sources import values
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.datacite_record import read_doi
from paper_search.sources.dialect import quoted
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.lucene import LuceneDialect

if TYPE_CHECKING:
    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer

ENDPOINT = "https://api.datacite.org/dois"
_NO_WORKS = (
    "types.resourceTypeGeneral:"
    "(Audiovisual OR Collection OR Event OR Image OR PhysicalObject OR Sound)"
)
_SMALLEST_PAGE = 25


class DataciteDialect(LuceneDialect):
    """The fields of DataCite's schema."""

    service: ClassVar[str] = "DataCite"
    fields: ClassVar[Mapping[str, str]] = {
        "title": "titles.title",
        "abstract": "descriptions.description",
        "author": "creators.name",
        "venue": "container.title",
    }
    year_field: ClassVar[str] = "publicationYear"


class Datacite(Adapter):
    """The DOIs of DataCite, without pictures, sound, films and things.

    Args:
        endpoint: where the DOIs are.
    """

    name: ClassVar[str] = "datacite"
    title: ClassVar[str] = "DataCite"
    accept: ClassVar[str] = "application/vnd.api+json, application/json"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 10_000
    interval_s = 0.5

    def __init__(self, *, endpoint: str = ENDPOINT) -> None:
        self._endpoint = endpoint

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query, with years and language in it."""
        found = DataciteDialect().translate(tree, filters)
        limits = f"({found.text} AND NOT {_NO_WORKS})"
        notes = (*found.notes, "images, sound, films and physical objects are excluded")
        if code := language_code(filters.language):
            limits = f"({limits} AND language:{code})"
        return Translated(limits, notes, found.remainder, found.year_from, found.year_to)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for a DOI; an arXiv id is asked for as its DOI."""
        doi = {"doi": value, "arxiv": doi_of_arxiv(value)}.get(kind)
        return Translated(f"doi:{quoted(doi)}") if doi else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches."""
        del filters  # all of them are in the query
        size = min(self.page_size, max(wanted, _SMALLEST_PAGE))
        return Request(
            self._endpoint,
            {
                "query": query.text,
                "page[size]": size,
                # By cursor, DataCite would give the oldest first whatever is asked for.
                "page[number]": 1,
                "sort": "relevance",
                "disable-facets": "true",
            },
        )

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the DOIs of a page."""
        body = answer.json()
        if body is None:
            return Page()
        given = values.mapping(body)
        if "data" not in given:
            told = [values.text(each.get("title")) for each in values.mappings(given.get("errors"))]
            said = "; ".join(filter(None, told))[:500]
            raise ServiceError(f"DataCite: {said or 'the response has no data'}")
        entries = values.items(given["data"])
        papers = [paper for each in entries if (paper := read_doi(each, self.name))]
        page, size = int(request.params["page[number]"]), int(request.params["page[size]"])
        is_last = not values.text(values.mapping(given.get("links")).get("next"))
        has_more = bool(entries) and not is_last and (page + 1) * size <= self.most_results
        return Page(
            papers=papers,
            dropped=len(entries) - len(papers),
            hits=values.number(values.mapping(given.get("meta")).get("total")),
            next=request.turned(**{"page[number]": page + 1}) if has_more else None,
        )


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Return the source made from its settings."""
    return open_source(Datacite(), config, settings)
