"""CORE, open access works of repositories and journals (https://core.ac.uk); needs a key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from paper_search.bibliography.languages import language_code
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.core_query import CoreDialect
from paper_search.sources.core_record import NAME, read_work
from paper_search.sources.dialect import quoted
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.values import items, mapping, number, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer
    from paper_search.models import SearchConstraints
    from paper_search.query import Node

ENDPOINT = "https://api.core.ac.uk/v3/search/works"


class Core(Adapter):
    """Full texts of repositories. About ten requests a minute with a free key.

    Args:
        key: from https://core.ac.uk/services/api.
        endpoint: where works are searched.
    """

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "CORE"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "CORE_API_KEY"
    key_page: ClassVar[str | None] = "https://core.ac.uk/services/api"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 9900
    interval_s = 6.0

    def __init__(self, key: str, *, endpoint: str = ENDPOINT) -> None:
        self.key = key
        self._endpoint = endpoint

    @property
    def headers(self) -> Mapping[str, str]:
        """The key."""
        return {"Authorization": f"Bearer {self.key}"}

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query for `q`, years and language in it."""
        dialect = CoreDialect()
        language = language_code(filters.language)
        if filters.language and not language:
            dialect.note(
                f"the language {filters.language!r} is unknown: results in all languages are kept"
            )
        said = dialect.translate(tree, filters)
        text_of_both = f"({said.text} AND language.code:{language})"
        return replace(said, text=text_of_both) if language else said

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for a DOI or an arXiv id."""
        field = {"doi": "doi", "arxiv": "arxivId"}.get(kind)
        return Translated(f"{field}:{quoted(value)}") if field else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches, without their full texts."""
        del filters  # all of them are in the query
        size = min(wanted, self.page_size) if query.remainder is None else self.page_size
        body = {"q": query.text, "limit": size, "offset": 0, "exclude": ["fullText"]}
        return Request(self._endpoint, json=body)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `results`."""
        given = answer.json()
        if given is None:
            return Page()
        body = mapping(given)
        if "results" not in body:
            said = text(body.get("message")) or text(body.get("error"))
            reason = f": {said[:300]}" if said else " without a list of results"
            raise ServiceError(f"CORE answered{reason}")
        entries = items(body["results"])
        papers = [paper for entry in entries if (paper := read_work(entry))]
        asked = mapping(request.json)
        start = (number(asked.get("offset")) or 0) + len(entries)
        total = number(body.get("totalHits"))
        has_more = bool(entries) and start < min(total or 0, self.most_results)
        following = replace(request, json={**asked, "offset": start})
        return Page(
            papers,
            dropped=len(entries) - len(papers),
            hits=total,
            next=following if has_more else None,
        )


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Make the source from its settings.

    Raises:
        ConfigError: there is no key.
    """
    return open_source(Core(settings.api_key.strip()), config, settings)
