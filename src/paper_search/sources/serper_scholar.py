"""Google Scholar, through Serper (https://serper.dev); needs a key.

No answer of Serper's `/scholar` was ever recorded where we looked: what is read here is what its
clients agree on.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from paper_search.bibliography.identifiers import content_key, parse_arxiv_id, parse_doi
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.text import clean
from paper_search.models import Author, RawPaper, SourceStatus
from paper_search.sources.adapter import Adapter, Page, Request, Translated
from paper_search.sources.dialect import quoted
from paper_search.sources.errors import ServiceError
from paper_search.sources.http_source import HttpSource, open_source
from paper_search.sources.scholar import read_summary, translate, translate_ranked
from paper_search.sources.values import address, count, items, mapping, number, text, year

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.http.body import HttpAnswer
    from paper_search.http.errors import HttpStatusError
    from paper_search.models import RankedQuery, SearchConstraints
    from paper_search.query import Node

ENDPOINT = "https://google.serper.dev/scholar"
NAME = "serper_scholar"

_KIND = re.compile(r"^(?:\[(?:PDF|HTML|BOOK|CITATION|B|C|DOC|PS)\]\s*)+", re.IGNORECASE)
_USED_UP = ("not enough credits", "out of credits", "quota")


class SerperScholar(Adapter):
    """Google Scholar's results, twenty a page.

    Args:
        key: from https://serper.dev/api-key.
        endpoint: where Scholar is asked.
    """

    name: ClassVar[str] = NAME
    title: ClassVar[str] = "Serper"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "SERPER_API_KEY"
    key_page: ClassVar[str | None] = "https://serper.dev/api-key"

    ranks_text: ClassVar[bool] = True
    page_size = 20
    most_results = 1000
    interval_s = 0.5

    def __init__(self, key: str, *, endpoint: str = ENDPOINT) -> None:
        self.key = key
        self._endpoint = endpoint

    @property
    def headers(self) -> Mapping[str, str]:
        """The key."""
        return {"X-API-KEY": self.key}

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query in Scholar's language, with the years beside it."""
        return translate(tree, filters)

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return the most telling words of the question, then one fewer."""
        return translate_ranked(query, filters)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the identifier itself: Scholar looks for it in the texts."""
        del kind
        return Translated(quoted(value))

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
        papers = [paper for entry in entries if (paper := read_result(entry))]
        asked = mapping(request.json)
        following = replace(request, json={**asked, "page": (number(asked.get("page")) or 1) + 1})
        return Page(papers, dropped=len(entries) - len(papers), next=following if entries else None)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Return that the credits are used up, which Serper says with HTTP 400."""
        return _status_of(error.body)


def read_result(entry: Any) -> RawPaper | None:
    """Return the record of an entry of `organic`; None: it has no title."""
    entry = mapping(entry)
    title = _KIND.sub("", clean(text(entry.get("title"))))
    if not title:
        return None
    summary = read_summary(text(entry.get("publicationInfo")))
    url = address(entry.get("link"))
    full_text = address(entry.get("pdfUrl")) or address(entry.get("htmlUrl"))
    links = [each for each in (url, full_text) if each]
    paper = RawPaper(
        title=title,
        authors=[Author(name=name) for name in summary.authors],
        year=year(entry.get("year")) or summary.year,
        venue=summary.venue,
        doi=next((doi for each in links if "doi" in each and (doi := parse_doi(each))), None),
        arxiv_id=next((parse_arxiv_id(each) for each in links if "arxiv.org/" in each), None),
        snippet=clean(text(entry.get("snippet"))) or None,
        citation_count=count(entry.get("citedBy")),
        url=url,
        full_text_url=full_text,
        source=NAME,
        raw_data=dict(entry),
    )
    paper.id = f"{NAME}:{text(entry.get('id')) or content_key(paper)}"
    return paper


def _status_of(said: str) -> SourceStatus | None:
    if any(sign in said.lower() for sign in _USED_UP):
        return SourceStatus.EXHAUSTED
    return SourceStatus.UNAUTHORISED if "unauthorized" in said.lower() else None


def create_source(config: AppConfig, settings: SearchSourceConfig) -> HttpSource:
    """Make the source from its settings.

    Raises:
        ConfigError: there is no key.
    """
    return open_source(SerperScholar(settings.api_key.strip()), config, settings)
