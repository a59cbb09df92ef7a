"""What each web service adds to the shared HTTP source: its dialect and its answers."""

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
from paper_search.sources.ranked_text import all_words, any_word, content_words, telling_words
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
"""Bytes by which the request for a later page may be longer than that for the first."""

SMALLEST_PAGE = 25
"""A page costs the same whatever its size, and some of its records may be removed locally."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A query in the dialect of a service.

    Attributes:
        text: the exact string to send; the report shows it.
        notes: what the person should know, such as what was widened.
        remainder: what the service cannot express: applied to the results locally. What is
            sent together with it must find at least what the whole query finds.
        year_from: the first year of filters and query together, for services with a parameter.
        year_to: the last one.
        language: ISO 639-1, for a service without a filter on languages: records that say that
            they are in another one are removed locally.
        params: what the service is sent instead of the text, where one parameter does not do.
    """

    text: str
    notes: tuple[str, ...] = ()
    remainder: Node | None = None
    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)

    def dates(self, first: str, last: str) -> dict[str, str]:
        """Return parameters of these names for the first and the last day of its years."""
        days = {first: (self.year_from, "01-01"), last: (self.year_to, "12-31")}
        return {name: f"{year}-{day}" for name, (year, day) in days.items() if year is not None}

    def merge(self, other: Translated) -> Translated | None:
        """Return one query for two of the same request, checked for either; None if they differ."""
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
    """Return the translation of what a service can be asked; the rest is checked in the answers.

    `translate` takes a tree of words without inner wildcards, in fields that are known; see
    `expressible_part` for the others.
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

    An adapter holds its settings only, nothing of a search: one serves all searches at once.

    Attributes:
        count_rank: how well it counts phrases, exactly and often, which is done before a strategy
            is approved: the highest wins; 0: it is not asked to.
        first_look: how good its first page for plain text is, which is read before a strategy is
            approved: the highest wins; 0: none is read.
        has_headings: whether it indexes Medical Subject Headings.
        ranks_text: whether the service orders what has any, or most, of the words of a question
            by how well it fits, so that it can be asked plain text.
        most_words: words of a plain question that it is asked, all of which it looks for, the most
            telling ones; None if it is asked for any of them.
        truncates: whether it knows words that begin with a stem, `comput*`.
        most_endings: words that a truncated one is sent as, where it knows none.
        fields_apart: fields that it has parameters of their own for, which no OR can join.
        longest_text: the most characters of a query; None if the length of a request limits it.
        most_parts: queries that one query is split into, unless the service takes none so long.
        page_size: the most records on one page.
        most_results: the most records that the service gives for one query.
        dialect: what writes a boolean query.
        path: what follows `endpoint` where it is searched.
        query_param, size_param: the parameters for the query and for the records of a page; empty:
            there is none.
        usual_params: what every request for a first page has beside them.
        is_posted: whether parameters are sent as JSON.
        works: the query for a work, by the kind of the identifier that it takes.
        entries: where an answer lists records; of several places the first that is there.
        answered: where it says that it is an answer, also without a list.
        hits: where it says how many records there are.
        faults: where it says what is wrong.
        record: reads an entry.
        paging: how the next page is asked for; None if there is none.
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
        """Return the source that asks the service as the settings say.

        Raises:
            ConfigError: a setting is missing that it needs.
        """
        from paper_search.sources.http_source import open_source  # noqa: PLC0415  # it asks adapters

        return open_source(cls(settings.api_key, contact=config.contact), config, settings)

    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query in the service's dialect.

        Args:
            tree: of the boolean query.
            filters: years and language; what the service has no filter for is left out here, or
                put into the remainder (years), with a note.

        Raises:
            InputError: nothing is left to ask, such as for a query that only excludes.
        """
        return self.dialect().translate_within(tree, filters)

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return what to ask for a plain question, in turn until something is found.

        By default the words joined by OR in the service's dialect, with the conditions; where not
        all words are asked, joined by AND, then one fewer. Only what `ranks_text` is asked it.

        Raises:
            InputError: the question has no words, or a condition cannot be read or asked.
        """
        if self.most_words is None:
            return (self.translate(any_word(query, filters), filters),)
        tries = telling_words(content_words(query.text), self.most_words)
        return tuple(self.translate(all_words(words, query, filters), filters) for words in tries)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return what finds the one work with an identifier; None if it cannot be asked for.

        `kind`: `doi`, `arxiv`, `pmid` or `pmcid`; `value`: normalised, without its kind.
        """
        if kind not in self.works:
            return None
        # Brackets of all kinds belong to a DOI; quotation marks are in none.
        return Translated(self.works[kind].format(value if value.isdigit() else f'"{value}"'))

    def translate_native(self, text: str) -> Translated:
        return Translated(text)

    def size(self, query: Translated, limit: int) -> int:
        """Return how many records to ask for at once: a full page where some may be removed."""
        if query.remainder is not None:
            return self.page_size
        return min(self.page_size, max(limit, SMALLEST_PAGE))

    def takes(self, query: Translated, filters: SearchConstraints) -> bool:
        """Whether a query is short enough for the service."""
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

        By default with the query alone, which says the filters.
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
        """Return how the next page after that of a request is asked for; None if there is none."""
        del request
        return self.paging

    def entries_of(self, body: Any) -> list[Any]:
        """Return the entries of an answer.

        Raises:
            ServiceError: it has no list, and may say what is wrong.
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
