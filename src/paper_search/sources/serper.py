"""Serper (https://serper.dev): Google Scholar for papers, Google's results for reports.

Both need the same key. No recorded answer of `/scholar` was found: the fields are those that its
clients agree on.
"""

from collections.abc import Mapping
from typing import ClassVar

from paper_search.models import SearchConstraints, SourceStatus
from paper_search.query import Node
from paper_search.sources.adapter import Adapter, Paging, RefusalSign, Request, Translated
from paper_search.sources.scholar import GoogleDialect, GoogleScholar, result_table
from paper_search.sources.web import WebAdapter, as_ranked, page_table

SCHOLAR_NAME = "serper_scholar"
WEB_NAME = "serper"


RESULT = result_table(
    SCHOLAR_NAME,
    "id",
    summary="publicationInfo",
    links="link|pdfUrl|htmlUrl",
    full_text_url="pdfUrl|htmlUrl",
    citation_count="citedBy",
)


def _date(date: str) -> str:
    """Return the year of a date like "Mar 3, 2021"; empty for others ("3 days ago")."""
    last = date.rpartition(" ")[2]
    return last if len(last) == 4 and last.isdigit() else ""  # noqa: PLR2004  # digits of a year


PAGE = page_table(
    WEB_NAME,
    url="link",
    snippet="snippet",
    published=("date", _date),
)


class _Serper(Adapter):
    title: ClassVar[str] = "Serper"
    needs_key: ClassVar[bool] = True
    key_variable: ClassVar[str | None] = "SERPER_API_KEY"
    key_page: ClassVar[str | None] = "https://serper.dev/api-key"

    interval_s = 0.5
    key_header = ("X-API-KEY", "{}")
    entries: ClassVar[str] = "organic"
    answered: ClassVar[str] = "organic|searchParameters"
    paging: ClassVar[Paging | None] = Paging("page", size="num", is_numbered=True)
    size_param = "num"
    usual_params: ClassVar[Mapping[str, int]] = {"page": 1}
    is_posted = True
    refusals = (
        RefusalSign(SourceStatus.EXHAUSTED, "not enough credits"),
        RefusalSign(SourceStatus.EXHAUSTED, "out of credits"),
        RefusalSign(SourceStatus.EXHAUSTED, "quota"),
        RefusalSign(SourceStatus.UNAUTHORISED, "unauthorized"),
    )


class SerperScholar(GoogleScholar, _Serper):
    name: ClassVar[str] = SCHOLAR_NAME
    title: ClassVar[str] = "Google Scholar by Serper"
    endpoint = "https://google.serper.dev/scholar"
    record = staticmethod(RESULT.read)


class SerperWeb(_Serper, WebAdapter):
    """Google's results, ten a page: larger pages cost twice as much."""

    name: ClassVar[str] = WEB_NAME

    page_size = 10
    most_results = 100
    endpoint = "https://google.serper.dev/search"
    record = staticmethod(PAGE.read)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        return as_ranked(GoogleDialect().translate_within(tree, filters))

    def size(self, query: Translated, limit: int) -> int:
        del query, limit
        return self.page_size

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        more = {"hl": query.language} if query.language else {}
        if query.year_from is not None or query.year_to is not None:
            first = f"1/1/{query.year_from}" if query.year_from is not None else ""
            last = f"12/31/{query.year_to}" if query.year_to is not None else ""
            more["tbs"] = f"cdr:1,cd_min:{first},cd_max:{last}"
        return super().first(query, filters, limit).turned(**more)
