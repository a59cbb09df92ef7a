"""Google's results, through Serper (https://serper.dev); needs a key."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from paper_search.models import RawPaper, SourceStatus
from paper_search.sources.adapter import Page, Request, Translated
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.values import items, mapping, mappings, number, text
from paper_search.sources.web.base import WebAdapter, engine_query, page_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer
    from paper_search.http.errors import HttpStatusError
    from paper_search.models import SearchConstraints
    from paper_search.query import Node

NAME = "serper"
ENDPOINT = "https://google.serper.dev/search"
_USED_UP = ("not enough credits", "out of credits", "quota")


class SerperWeb(WebAdapter):
    """Google's results, ten a page: more cost twice as much.

    Args:
        key: from https://serper.dev/api-key.
        endpoint: where it is asked.
    """

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Serper"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "SERPER_API_KEY"
    key_page: ClassVar[str | None] = "https://serper.dev/api-key"

    page_size = 10
    most_results = 100
    interval_s = 0.5

    def __init__(self, key: str, *, endpoint: str = ENDPOINT) -> None:
        self.key = key
        self._endpoint = endpoint

    @property
    def headers(self) -> Mapping[str, str]:
        """The key."""
        return {"X-API-KEY": self.key}

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query in Google's language."""
        return engine_query(tree, filters)

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the first results; years are a span of dates."""
        del filters, wanted
        body: dict[str, Any] = {"q": query.text, "num": self.page_size, "page": 1}
        if query.year_from is not None or query.year_to is not None:
            first = f"1/1/{query.year_from}" if query.year_from is not None else ""
            last = f"12/31/{query.year_to}" if query.year_to is not None else ""
            body["tbs"] = f"cdr:1,cd_min:{first},cd_max:{last}"
        if query.language:
            body["hl"] = query.language
        return Request(self._endpoint, json=body)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `organic`; without it, there are no results."""
        given = answer.json()
        if given is None:
            return Page()
        body = mapping(given)
        if said := text(body.get("message")) or text(body.get("error")):
            status = _status_of(said) or SourceStatus.BAD_RESPONSE
            shown = said.replace(self.key, "***")[:300] if self.key else said[:300]
            raise ServiceError(f"Serper could not answer: {shown}", status=status)
        if "organic" not in body and "searchParameters" not in body:
            raise ServiceError("Serper answered without a list of results")
        entries = items(body.get("organic"))
        papers = [each for entry in mappings(entries) if (each := _record(entry)) is not None]
        asked = mapping(request.json)
        following = replace(request, json={**asked, "page": (number(asked.get("page")) or 1) + 1})
        return Page(papers, dropped=len(entries) - len(papers), next=following if entries else None)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Return that the credits are used up, which Serper says with HTTP 400."""
        return _status_of(error.body)


def _record(entry: Mapping[str, Any]) -> RawPaper | None:
    return page_record(
        NAME,
        kind="web",
        url=entry.get("link"),
        title=entry.get("title"),
        snippet=entry.get("snippet"),
        published=_date(text(entry.get("date"))),
        raw={"position": number(entry.get("position"))},
    )


def _date(said: str) -> str:
    """Return the year of a date like "Mar 3, 2021"; empty: it says none ("3 days ago")."""
    last = said.rpartition(" ")[2]
    return last if len(last) == 4 and last.isdigit() else ""  # noqa: PLR2004  # digits of a year


def _status_of(said: str) -> SourceStatus | None:
    if any(sign in said.lower() for sign in _USED_UP):
        return SourceStatus.EXHAUSTED
    return SourceStatus.UNAUTHORISED if "unauthorized" in said.lower() else None


def create_search(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Make the search from its settings.

    Raises:
        ConfigError: there is no key.
    """
    return open_source(SerperWeb(settings.api_key.strip(), endpoint=ENDPOINT), config, settings)
