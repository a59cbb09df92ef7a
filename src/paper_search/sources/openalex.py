"""OpenAlex (https://docs.openalex.org): 300 million works; answers without a key, more with one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from paper_search.bibliography.identifiers import doi_of_arxiv
from paper_search.bibliography.languages import language_code
from paper_search.models import SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources import values
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.openalex_query import OpenAlexQuery, to_openalex
from paper_search.sources.openalex_record import FIELDS, own_types, read_work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer
    from paper_search.http.errors import HttpStatusError

ENDPOINT = "https://api.openalex.org/works"
SEPARATORS = frozenset(",|")
"""What separates filters and alternatives; a DOI that holds them cannot be asked for."""
_SMALLEST_PAGE = 25
"""A page costs the same whatever its size, and some of its records may be removed locally."""


class OpenAlex(Adapter):
    """The works of OpenAlex.

    Without a key about 100 pages a day and address are free; with a free one, 1000.

    Args:
        key: from https://openalex.org/settings/api; empty: ask without.
        endpoint: where the works are.
    """

    name: ClassVar[str] = "openalex"
    title: ClassVar[str] = "OpenAlex"
    key_variable: ClassVar[str | None] = "OPENALEX_API_KEY"
    key_page: ClassVar[str | None] = "https://openalex.org/settings/api"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 10_000

    def __init__(self, key: str = "", *, endpoint: str = ENDPOINT) -> None:
        self.key = key.strip()
        self._endpoint = endpoint
        # More than five operators: one request a second without a key, five with one.
        self.interval_s = 0.2 if self.key else 1.0

    @property
    def headers(self) -> Mapping[str, str]:
        """The key, if there is one: an empty one is refused."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def translate(self, tree: Node, filters: SearchConstraints) -> OpenAlexQuery:
        """Return the query for titles and abstracts, and the filter on authors."""
        return to_openalex(tree, filters)

    def translate_work(self, kind: str, value: str) -> OpenAlexQuery | None:
        """Return the filter for a DOI or PMID; an arXiv id is asked for as its DOI."""
        if kind == "arxiv":
            kind, value = "doi", doi_of_arxiv(value)
        if kind not in ("doi", "pmid") or SEPARATORS & set(value):
            return None
        work = f"{kind}:{value}"
        return OpenAlexQuery(work, work=work)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches, by relevance."""
        params: dict[str, str | int] = {}
        limits = [f"publication_year:{years}"] if (years := span(query)) else []
        if code := language_code(filters.language):
            limits.append(f"language:{code}")
        if types := own_types(filters.publication_types):
            limits.append(f"type:{'|'.join(types)}")
        if isinstance(query, OpenAlexQuery):
            limits += [f"raw_author_name.search:{query.authors}"] if query.authors else []
            limits += [query.work] if query.work else []
            params |= {query.scope: query.words} if query.words else {}
        if limits:
            params["filter"] = ",".join(limits)
        size = min(self.page_size, max(wanted, _SMALLEST_PAGE))
        params |= {"per_page": size, "cursor": "*", "select": ",".join(FIELDS)}
        return Request(self._endpoint, params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the works of a page."""
        return read_page(answer.json(), request, self.name)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Tell a spent budget from too much haste; both are 429."""
        return status_of(error)


def read_page(body: Any, request: Request, source: str) -> Page:
    """Return the works of a list of them.

    Raises:
        ServiceError: it is no list of works.
    """
    if body is None:
        return Page()
    answer = values.mapping(body)
    if "results" not in answer:
        said = values.text(answer.get("message")) or values.text(answer.get("error"))
        raise ServiceError(f"OpenAlex: {(said or 'the response has no results')[:500]}")
    entries = values.items(answer["results"])
    papers = [paper for each in entries if (paper := read_work(each, source))]
    meta = values.mapping(answer.get("meta"))
    cursor = values.text(meta.get("next_cursor"))
    cut = sum(values.mapping(each).get("is_authors_truncated") is True for each in entries)
    notes = (
        (f"{cut} works have more than 100 authors: OpenAlex lists the first 100",) if cut else ()
    )
    return Page(
        papers=papers,
        dropped=len(entries) - len(papers),
        hits=values.number(meta.get("count")),
        next=request.turned(cursor=cursor) if cursor and entries else None,
        notes=notes,
    )


def status_of(error: HttpStatusError) -> SourceStatus | None:
    """Return what a refusal of OpenAlex means, by its own words."""
    said = _parsed(error.body)
    reason = f"{said.get('message', '')} {said.get('reason', '')}".lower()
    if error.status == 429 and ("budget" in reason or "credits" in reason):  # noqa: PLR2004  # Too Many Requests
        return SourceStatus.EXHAUSTED
    if error.status == 429 and "plan upgrade" in reason:  # noqa: PLR2004  # Too Many Requests
        return SourceStatus.BAD_RESPONSE
    if "query_timeout" in reason:
        return SourceStatus.TIMEOUT
    if error.status == 503 and "temporarily unavailable" in reason:  # noqa: PLR2004  # Service Unavailable
        return SourceStatus.RATE_LIMITED
    return None


def _parsed(body: str) -> dict[str, Any]:
    try:
        return values.mapping(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def span(query: Translated) -> str:
    """Return the years of a query as the filter takes them; empty: there is no limit."""
    first, last = query.year_from, query.year_to
    if first is not None and last is not None:
        return str(first) if first == last else f"{first}-{last}"
    if first is not None:
        return f">{first - 1}"
    return f"<{last + 1}" if last is not None else ""


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Return the source made from its settings."""
    return open_source(OpenAlex(settings.api_key), config, settings)
