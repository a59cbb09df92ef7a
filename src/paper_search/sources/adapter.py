"""Adapters: how each web service is queried and its answers are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from paper_search.errors import InputError
from paper_search.http.body import HttpAnswer
from paper_search.models import RankedQuery, RawPaper, SearchConstraints, SourceStatus
from paper_search.query import And, Node, Or, normalise
from paper_search.query.widening import expressible_part
from paper_search.sources.errors import ServiceError
from paper_search.sources.ranked_text import all_words, any_word, content_words, rarest_words
from paper_search.sources.record import first
from paper_search.sources.service import Page, Paging, RefusalSign, Request, Service
from paper_search.sources.values import items, mapping, number

if TYPE_CHECKING:
    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.sources.base import SearchSource
    from paper_search.sources.dialect import Dialect

RecordReader = Callable[..., RawPaper | None]

__all__ = [
    "SMALLEST_PAGE", "Adapter", "Page", "Paging", "RefusalSign", "Request", "Service", "Translated",
    "translate_known_part",
]  # fmt: skip
_LONGEST_CURSOR, _LONGEST_NUMBER = 300, 8
"""Bytes by which requests for later pages may be longer than the first request."""

SMALLEST_PAGE = 25
"""Small pages cost as much as larger ones, and records may be removed locally."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A query in the dialect of a service.

    Attributes:
        text: the exact string to send; the report shows it.
        notes: for the person, such as which terms were widened.
        remainder: the part that the service cannot express, applied to the results locally. The
            text must find at least what the whole query finds.
        year_from: first year of filters and query together, for services with a parameter.
        year_to: last year.
        language: ISO 639-1, for services without a language filter: records that state another
            language are removed locally.
        params: parameters to send instead of the text, where one parameter is not enough.
    """

    text: str
    notes: tuple[str, ...] = ()
    remainder: Node | None = None
    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)

    def dates(self, first: str, last: str) -> dict[str, str]:
        """Return parameters named `first` and `last` for the first and last day of the years."""
        days = {first: (self.year_from, "01-01"), last: (self.year_to, "12-31")}
        return {name: f"{year}-{day}" for name, (year, day) in days.items() if year is not None}

    def merge(self, other: Translated) -> Translated | None:
        """Combine two queries with the same request; None if their requests differ."""
        if replace(self, notes=(), remainder=None) != replace(other, notes=(), remainder=None):
            return None
        checks = (self.remainder, other.remainder)
        either = None if None in checks else normalise(Or(tuple(filter(None, checks))))
        notes = tuple(dict.fromkeys((*self.notes, *other.notes)))
        return replace(self, notes=notes, remainder=either)


def translate_known_part(
    tree: Node,
    translate: Callable[[Node], Translated],
    *,
    service: str,
    fields: Collection[str] = (),
    shortest_stem: int | None = 3,
) -> Translated:
    """Translate the part that a service can express; the rest is checked in the results.

    `translate` receives a tree without inner wildcards and unknown fields (`expressible_part`).
    """
    part = expressible_part(tree, fields=fields, shortest_stem=shortest_stem)
    if part.tree is None:
        reasons = "; ".join(part.notes)
        raise InputError(f"{service} supports no part of the query: {reasons}")
    translation = translate(part.tree)
    rest = tuple(part for part in (translation.remainder, part.remainder) if part is not None)
    notes = tuple(dict.fromkeys((*part.notes, *translation.notes)))
    return replace(translation, notes=notes, remainder=normalise(And(rest)) if rest else None)


class Adapter(Service):
    """How one web service is queried, and how its answers are read.

    An adapter holds settings but no state of a search: one object serves concurrent searches.
    Locations in an answer are paths (`paper_search.sources.record`).

    Attributes:
        count_rank: preference for counting hits of phrases before a strategy is approved; the
            highest is used, 0 is never used.
        first_look: the same for reading the first page for plain text before the approval.
        has_headings: whether it indexes Medical Subject Headings.
        ranks_text: whether it ranks records that have any or most words of a plain question.
        most_words: number of words to send of a plain question to a service that requires all of
            them, the rarest ones; None for a service that requires any.
        truncates: whether it supports truncation, `comput*`.
        most_endings: number of words to send for a truncated one where it does not.
        fields_apart: fields with parameters of their own, which OR cannot join.
        longest_text: longest query in characters; None if only the request is limited.
        most_parts: maximum number of queries that one query is split into.
        page_size: maximum number of records on one page.
        most_results: maximum number of records for one query.
        dialect: writes boolean queries.
        path: of the search, after `endpoint`.
        query_param, size_param: names of the parameters for query and page size; empty for none.
        usual_params: other parameters of a request for the first page.
        is_posted: whether parameters are sent as JSON.
        works: query for a work, by kind of identifier.
        entries: locations of the records, the first existing one of which is used.
        answered: locations that mark a valid answer without records.
        hits: location of the number of hits.
        faults: location of an error message.
        record: reads an entry.
        paging: how to request the next page; None if there are no further pages.
    """

    count_rank: ClassVar[int] = 0
    first_look: ClassVar[int] = 0
    has_headings: ClassVar[bool] = False
    ranks_text: ClassVar[bool] = False
    most_words: ClassVar[int | None] = None
    truncates: ClassVar[bool] = True
    most_endings: ClassVar[int] = 12
    fields_apart: ClassVar[frozenset[str]] = frozenset()
    longest_text: ClassVar[int | None] = None
    most_parts: ClassVar[int] = 24
    page_size: int = 100
    most_results: int = 1000
    dialect: ClassVar[type[Dialect]]
    path: ClassVar[str] = ""
    query_param: ClassVar[str] = "q"
    size_param: ClassVar[str] = ""
    usual_params: ClassVar[Mapping[str, Any]] = {}
    is_posted: ClassVar[bool] = False
    works: ClassVar[Mapping[str, str]] = {}
    entries: ClassVar[str] = "results"
    answered: ClassVar[str] = ""
    hits: ClassVar[str] = "total"
    faults: ClassVar[str] = "message|error"
    record: ClassVar[RecordReader]
    paging: ClassVar[Paging | None] = None

    @classmethod
    def source(cls, config: AppConfig, settings: SearchSourceConfig) -> SearchSource:
        """Return the source of the service.

        Raises:
            ConfigError: a required setting is missing.
        """
        from paper_search.sources.http_source import open_source  # noqa: PLC0415  # circular

        return open_source(cls(settings.api_key, contact=config.contact), config, settings)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query in the service's dialect.

        Years and languages that the service cannot filter by are checked in the results.

        Raises:
            InputError: nothing is left to search for, such as in a query that only excludes.
        """
        return self.dialect().translate_within(tree, filters)

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return queries for a plain question, to send in turn until one finds something.

        By default the words are joined by OR; with `most_words`, by AND, then again without the
        rarest. Only services with `ranks_text` get plain questions.

        Raises:
            InputError: the question has no words, or a condition cannot be read or expressed.
        """
        if self.most_words is None:
            return (self.translate(any_word(query, filters), filters),)
        tries = rarest_words(content_words(query.text), self.most_words)
        return tuple(self.translate(all_words(words, query, filters), filters) for words in tries)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return the query for the work with an identifier, or None if it is not supported.

        `kind`: `doi`, `arxiv`, `pmid` or `pmcid`; `value`: normalised, without a prefix.
        """
        if kind not in self.works:
            return None
        # DOIs may have brackets of all kinds, but no quotation marks.
        return Translated(self.works[kind].format(value if value.isdigit() else f'"{value}"'))

    def translate_native(self, text: str) -> Translated:
        return Translated(text)

    def size(self, query: Translated, limit: int) -> int:
        """Return the page size: the largest if records may be removed locally."""
        if query.remainder is not None:
            return self.page_size
        return min(self.page_size, max(limit, SMALLEST_PAGE))

    def takes(self, query: Translated, filters: SearchConstraints) -> bool:
        if self.longest_text is not None and len(query.text) > self.longest_text:
            return False
        if self.form_suffix is not None:
            return True
        request = self.first(query, filters, self.most_results)
        paging = self.paging_of(request)
        spare = _LONGEST_CURSOR if paging and paging.cursor else _LONGEST_NUMBER
        return self.line_length(request) + spare <= self.longest_line

    def first(self, query: Translated, filters: SearchConstraints, limit: int) -> Request:
        """Return the request for the first page; `limit` is from 1 to `most_results`.

        By default it has no filters, because the query has them.
        """
        del filters
        params = {self.query_param: query.text, **self.usual_params}
        if self.size_param:
            params[self.size_param] = self.size(query, limit)
        url = f"{self.endpoint}{self.path}"
        return Request(url, json=params) if self.is_posted else Request(url, params)

    def read(self, answer: HttpAnswer, request: Request) -> Page:
        body = answer.json()
        entries = self.entries_of(body)
        hits = first(body, self.hits, number)
        paging = self.paging_of(request)
        after = (
            paging.after(request, body, len(entries), hits, self.most_results) if paging else None
        )
        return Page.of(entries, type(self).record, hits=hits, next=after)

    def paging_of(self, request: Request) -> Paging | None:
        del request
        return self.paging

    def entries_of(self, body: Any) -> list[Any]:
        """Return the entries of an answer.

        Raises:
            ServiceError: the answer has no list; the message is the service's own if it has one.
        """
        lists = (_at(body, path) for path in self.entries.split("|"))
        entries = next((place for place in lists if place is not None), None)
        places = self.answered.split("|") if self.answered else []
        if entries is None and all(_at(body, path) is None for path in places):
            message = first(mapping(body), self.faults)
            reason = (
                f"could not answer: {self.excerpt(message)}"
                if message
                else "answered without a list"
            )
            sign = self.sign_in(str(body))
            status = sign.status if sign else SourceStatus.BAD_RESPONSE
            raise ServiceError(f"{self.title} {reason}", status=status)
        return items(entries)


def _at(body: Any, path: str) -> Any:
    for name in path.split("."):
        body = mapping(body).get(name)
    return body
