"""What each web service adds to the shared HTTP source: its dialect and its answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar
from urllib.parse import urlencode, urlsplit

from paper_search.errors import InputError
from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
from paper_search.models import RankedQuery, RawPaper, SearchConstraints, SourceStatus
from paper_search.query import And, Node, normalise
from paper_search.query.widening import askable
from paper_search.sources.errors import ServiceError
from paper_search.sources.ranked_text import any_word

if TYPE_CHECKING:
    from paper_search.config import AppConfig, SearchSourceConfig
    from paper_search.sources.base import SearchSource

Value = str | int
EntryT = TypeVar("EntryT")

_LONGEST_FAULT = 200

SMALLEST_PAGE = 25
"""A page costs the same whatever its size, and some of its records may be removed locally."""
_AROUND_TARGET = len("GET  HTTP/1.1")


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a service, without its key: that is added when it is sent.

    Attributes:
        url: http or https, without a query.
        params: of the query.
        json: makes it a POST with this body.
        form: makes it a POST with this form; set by `Service.as_sent` where a URL is too short.
    """

    url: str
    params: Mapping[str, Value] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, Value] | None = None

    def turned(self, **params: Value) -> Self:
        """Return the same request with some parameters set: usually that for the next page."""
        return replace(self, params={**self.params, **params})


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
    """

    text: str
    notes: tuple[str, ...] = ()
    remainder: Node | None = None
    year_from: int | None = None
    year_to: int | None = None
    language: str | None = None


_Translated = TypeVar("_Translated", bound=Translated)


def translated_as_far_as_known(
    tree: Node,
    translate: Callable[[Node], _Translated],
    *,
    service: str,
    fields: Collection[str] = (),
    shortest_stem: int | None = 3,
) -> _Translated:
    """Return the translation of what a service can be asked; the rest is checked in the answers.

    Args:
        tree: of the query.
        translate: takes a tree of words without inner wildcards, in fields that are known.
        service: its name, for messages.
        fields: beside title, abstract, author and venue, what the service knows.
        shortest_stem: letters that it needs before a `*`; None: it has no `*`.

    Raises:
        InputError: the service can say no part of the query.
    """
    given = askable(tree, fields=fields, shortest_stem=shortest_stem)
    if given.tree is None:
        reasons = "; ".join(given.notes)
        raise InputError(f"{service} supports no part of the query: {reasons}")
    said = translate(given.tree)
    rest = tuple(part for part in (said.remainder, given.remainder) if part is not None)
    notes = tuple(dict.fromkeys((*given.notes, *said.notes)))
    return replace(said, notes=notes, remainder=normalise(And(rest)) if rest else None)


@dataclass(frozen=True, slots=True)
class Page:
    """What one answer holds.

    Attributes:
        papers: in the order of the answer, each with a stable id and a title.
        dropped: entries that could not be used: they have no title, or cannot be read.
        hits: how many records the service says it has; None: it does not say.
        next: what to ask next; None: this was the last page. A page without papers but with
            `next` is a step on the way (PubMed gives ids first, records then).
        notes: what the person should know, such as words that the service did not know.
    """

    papers: list[RawPaper] = field(default_factory=list)
    dropped: int = 0
    hits: int | None = None
    next: Request | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        entries: Sequence[EntryT],
        read: Callable[[EntryT], RawPaper | None],
        *,
        hits: int | None = None,
        next: Request | None = None,  # noqa: A002  # the field of that name
        notes: tuple[str, ...] = (),
    ) -> Self:
        """Return the page with the records of an answer, each read by itself."""
        papers, faults = list[RawPaper](), list[str]()
        for entry in entries:
            try:
                paper = read(entry)
            except Exception as error:  # noqa: BLE001  # one odd record must not lose the others
                faults.append(f"{type(error).__name__}: {error}"[:_LONGEST_FAULT])
                continue
            if paper is not None:
                papers.append(paper)
        if faults:
            counted = "1 record" if len(faults) == 1 else f"{len(faults)} records"
            notes = (*notes, f"{counted} could not be read ({faults[0]})")
        return cls(papers, len(entries) - len(papers), hits, next, notes)


class Service:
    """One web service: what it is called, what it bears and how it takes a key.

    Attributes:
        name: what strategies call it.
        title: what people call it.
        needs_key: whether nothing can be asked without a key.
        key: the key, or empty; it goes into `own_params` or `headers`, never into a `Request`.
        key_header: the header that takes it, and how: `("Authorization", "Bearer {}")`; None: none.
        key_param: the parameter that takes it, for services without such a header; None: none.
        key_variable: the environment variable that it is read from; None: there are no keys.
        key_page: where to get one.
        record_prefix: what the ids of its records begin with; None: its name.
        says_open: whether the texts that it links to are, as it says, open to everybody.
        contact: an e-mail address, or empty; it goes into no `Request` either.
        contact_param: the parameter that takes it; None: the User-Agent is enough.
        interval_s: the least time between two requests.
        concurrency: the most requests at one time.
        accept: the media type of answers.
        endpoint: where the service is.
        longest_line: the most bytes of a request line, `GET /path?query HTTP/1.1`, that it takes.
        form_suffix: what the URL of a longer request ends with, which is posted as a form; None:
            the service takes no forms.
        refuses_in_agent: what it refuses anywhere in the name of a program, in lower case; a
            contact address that holds it is not sent along.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    needs_key: ClassVar[bool] = False
    key_variable: ClassVar[str | None] = None
    key_page: ClassVar[str | None] = None
    key_header: ClassVar[tuple[str, str] | None] = None
    key_param: ClassVar[str | None] = None
    accept: ClassVar[str] = "application/json"
    longest_line: ClassVar[int] = 4094
    form_suffix: ClassVar[str | None] = None
    refuses_in_agent: ClassVar[tuple[str, ...]] = ()

    contact_param: ClassVar[str | None] = None
    record_prefix: ClassVar[str | None] = None
    says_open: ClassVar[bool] = False

    key: str = ""
    contact: str = ""
    endpoint: str = ""
    interval_s: float = 1.0
    concurrency: int = 1

    def __init__(
        self, key: str = "", *, contact: str | None = None, endpoint: str | None = None
    ) -> None:
        self.key = key.strip()
        self.contact = contact or ""
        self.endpoint = self.endpoint if endpoint is None else endpoint

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of every request; a key may be among them."""
        if self.key_header is None or not self.key:
            return {}
        name, form = self.key_header
        return {name: form.format(self.key)}

    def shown(self, said: str) -> str:
        """Return the beginning of what the service said, without the key."""
        return (said.replace(self.key, "***") if self.key else said)[:300]

    @property
    def own_params(self) -> Mapping[str, str]:
        """Parameters of every request that no `Request` holds: the key, and a contact."""
        given = ((self.key_param, self.key), (self.contact_param, self.contact))
        return {name: value for name, value in given if name and value}

    def as_sent(self, request: Request) -> Request:
        """Return a request as it goes out: what is too long for a URL is posted as a form.

        Raises:
            ServiceError: it is too long, and the service takes no forms.
        """
        length = self._line_length(request)
        if length <= self.longest_line:
            return request
        if self.form_suffix is not None:
            url = f"{request.url}{self.form_suffix}"
            return replace(request, url=url, params={}, form=request.params)
        raise ServiceError(
            f"{self.title} takes requests of {self.longest_line:,} bytes, and this query needs"
            f" {length:,}: shorten it, or split it into several queries"
        )

    def _line_length(self, request: Request) -> int:
        """Return how many bytes the first line of a request has, its key included."""
        query = urlencode({**request.params, **self.own_params}, errors="replace")
        path = urlsplit(request.url).path.encode("utf-8", "replace")
        return _AROUND_TARGET + len(path) + (len(query) + 1 if query else 0)

    def failure(
        self, message: str, status: SourceStatus, *, is_passing: bool = False
    ) -> ServiceError:
        """Return the error that says what went wrong; `is_passing`: asking later may help."""
        del is_passing
        return ServiceError(message, status=status)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        """Return what a refusal means where the service has its own way to say it; None: usual."""
        del error
        return None

    def advice_on(self, error: HttpStatusError) -> str | None:
        """Return what a person can do about a refusal that only this service has; None: usual."""
        del error
        return None


class Adapter(Service, ABC):
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
        page_size: the most records on one page.
        most_results: the most records that the service gives for one query.
    """

    count_rank: ClassVar[int] = 0
    first_look: ClassVar[int] = 0
    has_headings: ClassVar[bool] = False
    ranks_text: ClassVar[bool] = False
    page_size: int = 100
    most_results: int = 1000

    @classmethod
    def source(cls, config: AppConfig, settings: SearchSourceConfig) -> SearchSource:
        """Return the source that asks the service as the settings say.

        Raises:
            ConfigError: a setting is missing that it needs.
        """
        from paper_search.sources.http_source import open_source  # noqa: PLC0415  # it asks adapters

        return open_source(cls(settings.api_key, contact=config.contact), config, settings)

    @abstractmethod
    def translate(self, tree: Node, filters: SearchConstraints) -> Translated:
        """Return the query in the service's dialect.

        Args:
            tree: of the boolean query.
            filters: years and language; what the service has no filter for is left out here, or
                put into the remainder (years), with a note.

        Raises:
            InputError: nothing is left to ask, such as for a query that only excludes.
        """

    def translate_ranked(
        self, query: RankedQuery, filters: SearchConstraints
    ) -> tuple[Translated, ...]:
        """Return what to ask for a plain question, in turn until something is found.

        By default one query: the words joined by OR in the service's dialect, with the conditions.
        Only what `ranks_text` is asked it.

        Raises:
            InputError: the question has no words, or a condition cannot be read or asked.
        """
        return (self.translate(any_word(query, filters), filters),)

    def translate_work(self, kind: str, value: str) -> Translated | None:
        """Return what finds the one work with an identifier; None: it cannot be asked for.

        `kind`: `doi`, `arxiv`, `pmid` or `pmcid`; `value`: normalised, without its kind.
        """
        del kind, value
        return None

    @abstractmethod
    def first(self, query: Translated, filters: SearchConstraints, wanted: int) -> Request:
        """Return the request for the first page; `wanted` is from 1 to `most_results`."""

    @abstractmethod
    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Return what an answer holds; one bad entry never loses the others.

        `answer` is of a status from 200 to 299; `answer.json()` and `answer.xml()` read it.

        Raises:
            ServiceError: the answer is an error in disguise.
            HttpBodyError: it cannot be read.
        """
