"""DOAJ (https://doaj.org/api/v4/docs): articles of open-access journals."""

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from paper_search.bibliography.languages import language_code
from paper_search.models import SearchConstraints
from paper_search.sources.adapter import Adapter, Paging, Request, Translated
from paper_search.sources.dialect import FieldDialect
from paper_search.sources.record import (
    Entry,
    People,
    Table,
    first_of,
    keywords,
    last_part,
    span,
    texts,
)
from paper_search.sources.values import address


def _language(entry: Entry) -> str | None:
    """Return the journal's language if it has only one; articles do not state their own."""
    languages = texts(entry, "bibjson.journal.language")
    return language_code(languages[0]) if len(languages) == 1 else None


article_of = Table(
    prefix="doaj",
    key="id",
    fields={
        "title": "bibjson.title",
        "doi": "bibjson.identifier[type=doi].id",
        "authors": People("bibjson.author", name="name", id=("orcid_id", last_part)),
        "abstract": "bibjson.abstract",
        "year": "bibjson.year",
        "venue": "bibjson.journal.title",
        "publisher": "bibjson.journal.publisher",
        "issn": "bibjson.identifier[type=pissn].id|bibjson.identifier[type=eissn].id",
        "volume": "bibjson.journal.volume",
        "issue": "bibjson.journal.number",
        "pages": span(
            "bibjson.journal.start_page|bibjson.start_page",
            "bibjson.journal.end_page|bibjson.end_page",
        ),
        "full_text_url": "bibjson.link.url",
        "url": first_of(
            ("id", "https://doaj.org/article/{}".format), "bibjson.link.url", reader=address
        ),
        "language": _language,
        "publication_type": lambda _: "article-journal",
        "keywords": keywords("bibjson.keywords", "bibjson.subject"),
    },
).read
"""Fields: https://doaj.github.io/doaj-docs/master/data_models/OutgoingAPIArticle"""


class DoajDialect(FieldDialect):
    """Lucene without wildcards, which DOAJ refuses."""

    service: ClassVar[str] = "DOAJ"
    fields: ClassVar[Mapping[str | None, str]] = {
        "title": "bibjson.title:",
        "abstract": "bibjson.abstract:",
        "author": "bibjson.author.name:",
        "venue": "bibjson.journal.title:",
    }
    year: ClassVar[str] = "bibjson.year:[{} TO {}]"
    entered: ClassVar[str] = "created_date:[{} TO {}]"
    negation: ClassVar[str] = "AND NOT "
    shortest_stem: ClassVar[int | None] = None
    language: ClassVar[str] = "bibjson.journal.language:{}"
    language_notes: ClassVar[tuple[str, ...]] = (
        "DOAJ knows the language of journals, not of articles",
    )

    def language_name(self, language: str) -> str | None:
        return (language_code(language) or "").upper() or None


class Doaj(Adapter):
    """The articles of DOAJ, at most 1000 for one query."""

    name: ClassVar[str] = "doaj"
    title: ClassVar[str] = "DOAJ"
    refuses_in_agent: ClassVar[tuple[str, ...]] = ("bot", "spider")
    """From its server's settings: https://github.com/DOAJ/doaj, deploy/nginx/production/doaj."""

    ranks_text: ClassVar[bool] = True
    truncates: ClassVar[bool] = False
    most_endings: ClassVar[int] = 200
    interval_s = 0.5
    endpoint = "https://doaj.org/api/search/articles"
    says_open: ClassVar[bool] = True
    count_rank: ClassVar[int] = 1
    dialect = DoajDialect
    works: ClassVar[Mapping[str, str]] = {"doi": "doi:{}"}
    faults: ClassVar[str] = "error|status"
    paging: ClassVar[Paging | None] = Paging("page", size="pageSize", is_numbered=True)
    record = staticmethod(article_of)

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        del filters  # all of them are in the query
        url = f"{self.endpoint}/{quote(query.text, safe='():')}"
        return Request(url, {"page": 1, "pageSize": self.size(query, limit)})
