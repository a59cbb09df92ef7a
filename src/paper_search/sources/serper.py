"""Serper (https://serper.dev): Google Scholar for papers, Google's results for reports.

Both need the same key. No answer of Serper's `/scholar` was ever recorded where we looked: what is
read here is what its clients agree on.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

from paper_search.bibliography.identifiers import content_key, parse_arxiv_id, parse_doi
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_named
from paper_search.bibliography.text import clean
from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
from paper_search.models import RawPaper, SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.errors import ServiceError
from paper_search.sources.scholar import KIND_MARK, GoogleScholar, read_summary
from paper_search.sources.values import address, count, items, mapping, number, text, year
from paper_search.sources.web.base import WebAdapter, engine_query, page_record

SCHOLAR = "https://google.serper.dev/scholar"
WEB = "https://google.serper.dev/search"
SCHOLAR_NAME = "serper_scholar"
WEB_NAME = "serper"
_USED_UP = ("not enough credits", "out of credits", "quota")


class _Serper(Adapter):
    """What both searches share: the key, the form of an answer, and its errors."""

    title: ClassVar[str] = "Serper"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "SERPER_API_KEY"
    key_page: ClassVar[str | None] = "https://serper.dev/api-key"

    interval_s = 0.5
    key_header = ("X-API-KEY", "{}")

    @abstractmethod
    def record(self, entry: Any) -> RawPaper | None:
        """Return the record of an entry of `organic`; None: it cannot be used."""

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return the entries of `organic`; without it, there are no results."""
        body = mapping(answer.json())
        if said := text(body.get("message")) or text(body.get("error")):
            status = _status_of(said) or SourceStatus.BAD_RESPONSE
            raise ServiceError(f"Serper could not answer: {self.shown(said)}", status=status)
        if "organic" not in body and "searchParameters" not in body:
            raise ServiceError("Serper answered without a list of results")
        entries = items(body.get("organic"))
        asked = mapping(request.json)
        following = replace(request, json={**asked, "page": (number(asked.get("page")) or 1) + 1})
        return Page.of(entries, self.record, next=following if entries else None)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Return that the credits are used up, which Serper says with HTTP 400."""
        return _status_of(error.body)


class SerperScholar(GoogleScholar, _Serper):
    """Google Scholar's results, twenty a page."""

    name: ClassVar[str] = SCHOLAR_NAME
    title: ClassVar[str] = "Google Scholar by Serper"

    ranks_text: ClassVar[bool] = True
    page_size = 20
    most_results = 1000
    endpoint = SCHOLAR

    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the first results."""
        language = language_code(filters.language)
        optional = {
            "as_ylo": query.year_from,
            "as_yhi": query.year_to,
            "lr": f"lang_{language}" if language else None,
        }
        body: dict[str, Any] = {"q": query.text, "num": min(wanted, self.page_size), "page": 1}
        body |= {name: value for name, value in optional.items() if value is not None}
        return Request(self.endpoint, json=body)

    def record(self, entry: Any) -> RawPaper | None:
        """Return the record of an entry; None: it has no title."""
        entry = mapping(entry)
        title = KIND_MARK.sub("", clean(text(entry.get("title"))))
        if not title:
            return None
        summary = read_summary(text(entry.get("publicationInfo")))
        url = address(entry.get("link"))
        full_text = address(entry.get("pdfUrl")) or address(entry.get("htmlUrl"))
        links = [link for link in (url, full_text) if link]
        paper = RawPaper(
            title=title,
            authors=[author_named(name) for name in summary.authors],
            year=year(entry.get("year")) or summary.year,
            venue=summary.venue,
            doi=next((doi for link in links if "doi" in link and (doi := parse_doi(link))), None),
            arxiv_id=next((parse_arxiv_id(link) for link in links if "arxiv.org/" in link), None),
            snippet=clean(text(entry.get("snippet"))) or None,
            citation_count=count(entry.get("citedBy")),
            url=url,
            full_text_url=full_text,
            source=SCHOLAR_NAME,
            raw_data=dict(entry),
        )
        paper.id = f"{SCHOLAR_NAME}:{text(entry.get('id')) or content_key(paper)}"
        return paper


class SerperWeb(_Serper, WebAdapter):
    """Google's results, ten a page: more cost twice as much."""

    name: ClassVar[str] = WEB_NAME

    page_size = 10
    most_results = 100
    endpoint = WEB

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
        return Request(self.endpoint, json=body)

    def record(self, entry: Any) -> RawPaper | None:
        """Return the record of a page; None: it has no title or no address."""
        entry = mapping(entry)
        return page_record(
            WEB_NAME,
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


create_scholar = SerperScholar.source


create_web = SerperWeb.source
