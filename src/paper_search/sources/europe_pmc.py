"""Europe PMC (https://europepmc.org/RestfulWebService); needs no key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from paper_search.bibliography.languages import library_code
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.dialect import quoted
from paper_search.sources.errors import ServiceError
from paper_search.sources.europe_pmc_query import EuropePmcDialect
from paper_search.sources.europe_pmc_record import NAME, read_result
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.values import items, mapping, number, text

if TYPE_CHECKING:
    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer
    from paper_search.models import SearchConstraints
    from paper_search.query import Node

ENDPOINT = "https://www.ebi.ac.uk/europepmc/webservices/rest"
_LONGEST_IN_URL = 1500
"""Characters of a query; longer ones are posted."""


_PREPRINT = "article"
"""CSL's type; other types are checked in the answers."""


class EuropePmc(Adapter):
    """Life sciences: PubMed, PubMed Central, preprints, theses, guidelines, patents."""

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Europe PMC"

    ranks_text: ClassVar[bool] = True
    page_size = 100
    most_results = 10_000
    interval_s = 0.2

    def __init__(self, *, endpoint: str = ENDPOINT) -> None:
        self._endpoint = endpoint

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query for `query`, years, language and preprints in it."""
        dialect = EuropePmcDialect()
        language = library_code(filters.language) if filters.language else None
        if filters.language and not language:
            dialect.note(
                f"the language {filters.language!r} is unknown: results in all languages are kept"
            )
        said = dialect.translate(tree, filters)
        text_of_all = f"({said.text} AND LANG:{language})" if language else said.text
        if filters.publication_types == [_PREPRINT]:
            text_of_all = f"({text_of_all} AND SRC:PPR)"
        elif filters.publication_types and _PREPRINT not in filters.publication_types:
            text_of_all = f"({text_of_all} NOT SRC:PPR)"
        return replace(said, text=text_of_all)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for a DOI, PMID or PMCID."""
        if kind == "pmid":
            return Translated(f"(EXT_ID:{value} AND SRC:MED)")
        field = {"doi": "DOI", "pmcid": "PMCID"}.get(kind)
        return Translated(f"{field}:{quoted(value)}") if field else None

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the best matches."""
        del filters  # all of them are in the query
        is_all_wanted = query.remainder is None
        params: dict[str, str | int] = {
            "query": query.text,
            "format": "json",
            "resultType": "core",
            "pageSize": min(wanted, self.page_size) if is_all_wanted else self.page_size,
            "cursorMark": "*",
        }
        if len(query.text) > _LONGEST_IN_URL:
            return Request(f"{self._endpoint}/searchPOST", form=params)
        return Request(f"{self._endpoint}/search", params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `resultList`."""
        given = answer.json()
        if given is None:
            return Page()
        body = mapping(given)
        if wrong := text(body.get("errMsg")) or text(body.get("errCode")):
            raise ServiceError(f"Europe PMC could not answer the query: {wrong[:300]}")
        if "resultList" not in body and "hitCount" not in body:
            raise ServiceError("Europe PMC answered without a list of results")
        entries = items(mapping(body.get("resultList")).get("result"))
        papers = [paper for entry in entries if (paper := read_result(entry))]
        asked = request.form or request.params
        cursor = text(body.get("nextCursorMark"))
        is_last = not entries or not cursor or cursor == asked.get("cursorMark")
        return Page(
            papers,
            dropped=len(entries) - len(papers),
            hits=number(body.get("hitCount")),
            next=None if is_last else _turned(request, cursor),
        )


def _turned(request: Request, cursor: str) -> Request:
    if request.form is not None:
        return replace(request, form={**request.form, "cursorMark": cursor})
    return request.turned(cursorMark=cursor)


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Make the source from its settings."""
    return open_source(EuropePmc(), config, settings)
