"""A web service: its names, limits, keys, requests and pages."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import urlencode, urlsplit

from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
from paper_search.http.redaction import redact
from paper_search.models import RawPaper, SourceStatus
from paper_search.models.source_report import quantity
from paper_search.sources.errors import ServiceError
from paper_search.sources.record import first

Value = str | int
EntryT = TypeVar("EntryT")

_AROUND_TARGET = len("GET  HTTP/1.1")
_LONGEST_FAULT = 200


@dataclass(frozen=True, slots=True)
class RefusalSign:
    """How to recognise a refusal in a service's own words.

    Attributes:
        status: meaning of the refusal.
        text: part of the answer, in lower case; empty for any answer.
        http_status: of the answer; None for any, including success.
        advice: for the person.
    """

    status: SourceStatus
    text: str = ""
    http_status: int | None = None
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a service, without its key, which is added when it is sent.

    Attributes:
        url: without a query.
        params: of the query.
        json: body of a POST.
        form: form of a POST; `Service.as_sent` sets it if the URL would be too long.
        later: ids of records to request after those of this request.
    """

    url: str
    params: Mapping[str, Value] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, Value] | None = None
    later: tuple[str, ...] = ()

    def turned(self, **params: Value) -> Self:
        """Return the request with some parameters replaced, usually for the next page."""
        if self.json is not None:
            return replace(self, json={**self.json, **params})
        return replace(self, params={**self.params, **params})


@dataclass(frozen=True, slots=True)
class Paging:
    """How to request the next page.

    Attributes:
        param: parameter of the page; by default the number of records before it.
        cursor: location of the next cursor; an answer that repeats the cursor is the last.
        size: parameter of the page size.
        more: location that tells whether there is another page, if the total is unreliable. Without
            information on pages, the total decides, or an empty page is the last.
        is_numbered: whether pages are numbered, from 1.
    """

    param: str
    cursor: str = ""
    size: str = ""
    more: str = ""
    is_numbered: bool = False

    def after(
        self, request: Request, body: Any, entries: int, hits: int | None, most: int
    ) -> Request | None:
        params = request.params if request.json is None else request.json
        here, end = params.get(self.param), most if hits is None else min(most, hits)
        if self.cursor:
            there = first(body, self.cursor)
            is_whole = here == "*" and hits is not None and entries >= hits
            is_over = not there or there == str(here) or is_whole
        elif self.is_numbered:
            there = int(here or 1) + 1
            is_over = bool(self.size) and int(here or 1) * int(params[self.size]) >= end
        else:
            there = int(here or 0) + int(params[self.size] if self.size else entries)
            is_over = there >= end or (hits is None and not self.size)
            if self.more and self.more.partition(".")[0] in body:
                is_over = there >= most or not first(body, self.more)
        return None if is_over or not entries else request.turned(**{self.param: there})


@dataclass(frozen=True, slots=True)
class Page:
    """The contents of one answer.

    Attributes:
        papers: in the order of the answer, each with a stable id and a title.
        dropped: number of unusable entries, which have no title or cannot be read.
        hits: number of hits according to the service; None if it does not say.
        next: next request; None after the last page. A page with `next` but without papers is an
            intermediate step (PubMed returns ids first, then records).
        notes: for the person, such as words that the service does not know.
        is_partial: whether a retry may return more: the answer is not cached, and an empty page is
            requested once more.
    """

    papers: list[RawPaper] = field(default_factory=list)
    dropped: int = 0
    hits: int | None = None
    next: Request | None = None
    notes: tuple[str, ...] = ()
    is_partial: bool = False

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
        """Read the entries one by one, so that an invalid entry loses no others."""
        papers, faults = list[RawPaper](), list[str]()
        for entry in entries:
            try:
                paper = read(entry)
            except Exception as error:  # noqa: BLE001  # one invalid record must not lose the others
                faults.append(f"{type(error).__name__}: {error}"[:_LONGEST_FAULT])
                continue
            if paper is not None:
                papers.append(paper)
        if faults:
            notes = (*notes, f"{quantity(len(faults), 'record')} could not be read ({faults[0]})")
        return cls(papers, len(entries) - len(papers), hits, next, notes)


class Service(ABC):
    """A web service: its names, limits and keys.

    Attributes:
        name: identifier in strategies.
        title: display name.
        needs_key: whether it refuses all requests without a key.
        key: the key, or empty; part of `own_params` or `headers`, never of a `Request`.
        key_header: header of the key and its format: `("Authorization", "Bearer {}")`.
        key_param: parameter of the key, for services without such a header.
        key_variable: environment variable of the key; None if there are no keys.
        key_page: where to get a key.
        record_prefix: prefix of record ids; by default the name.
        caveat: warning while there is no key; empty for none.
        says_open: whether it states that the texts it links to are open to everybody.
        contact: an e-mail address, or empty; never part of a `Request`.
        contact_param: parameter of the contact; None if the User-Agent is enough.
        interval_s: minimum time between two requests.
        interval_with_key, interval_with_contact: the same with a key or a contact, if different.
        concurrency: maximum number of simultaneous requests.
        timeout_s: for one request including its answer.
        accept: media type of answers.
        endpoint: base URL.
        longest_line: longest request line (`GET /path?query HTTP/1.1`) in bytes.
        form_suffix: suffix of the URL for longer requests, which are posted as a form; None if the
            service accepts no forms.
        refusals: its refusals; the first match counts.
        refuses_in_agent: words in lower case that it refuses in a User-Agent; a contact address
            with such a word is not sent.
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
    refusals: ClassVar[tuple[RefusalSign, ...]] = ()
    refuses_in_agent: ClassVar[tuple[str, ...]] = ()

    timeout_s: ClassVar[float] = 20.0
    interval_with_key: ClassVar[float | None] = None
    interval_with_contact: ClassVar[float | None] = None
    contact_param: ClassVar[str | None] = None
    record_prefix: ClassVar[str | None] = None
    says_open: ClassVar[bool] = False
    caveat: ClassVar[str] = ""

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
        intervals = ((self.key, self.interval_with_key), (contact, self.interval_with_contact))
        faster = (interval for has_it, interval in intervals if has_it and interval is not None)
        self.interval_s = next(faster, self.interval_s)

    @abstractmethod
    def read(self, answer: HttpAnswer, request: Request) -> Page:
        """Read a successful answer; an invalid entry must not lose the others.

        Raises:
            ServiceError: the answer is an error despite its status.
            HttpBodyError: it cannot be read.
        """

    @property
    def key_hint(self) -> str:
        """The variable of the key, and where to get one."""
        return f"{self.key_variable}{f', see {self.key_page}' if self.key_page else ''}"

    @property
    def headers(self) -> Mapping[str, str]:
        if self.key_header is None or not self.key:
            return {}
        name, form = self.key_header
        return {name: form.format(self.key)}

    def excerpt(self, text: str) -> str:
        return redact(text, (self.key,))[:300]

    @property
    def own_params(self) -> Mapping[str, str]:
        """Parameters that are added to every request: key and contact."""
        pairs = ((self.key_param, self.key), (self.contact_param, self.contact))
        return {name: value for name, value in pairs if name and value}

    def as_sent(self, request: Request) -> Request:
        """Return the request to send: one too long for a URL is posted as a form."""
        length = self.line_length(request)
        if length <= self.longest_line:
            return request
        if self.form_suffix is not None:
            url = f"{request.url}{self.form_suffix}"
            return replace(request, url=url, params={}, form=request.params)
        raise ServiceError(
            f"{self.title} accepts requests of {self.longest_line:,} bytes, but this query needs"
            f" {length:,}: shorten it, or split it into several queries"
        )

    def line_length(self, request: Request) -> int:
        query = urlencode({**request.params, **self.own_params}, errors="replace")
        path = urlsplit(request.url).path.encode("utf-8", "replace")
        return _AROUND_TARGET + len(path) + (len(query) + 1 if query else 0)

    def failure(
        self, message: str, status: SourceStatus, *, is_temporary: bool = False
    ) -> ServiceError:
        """Return an error; `is_temporary`: a later retry may help."""
        del is_temporary
        return ServiceError(message, status=status)

    def status_of(self, error: HttpStatusError) -> SourceStatus | None:
        sign = self.sign_in(error.body, error.status)
        return sign.status if sign else None

    def advice_on(self, error: HttpStatusError) -> str | None:
        sign = self.sign_in(error.body, error.status)
        return sign.advice if sign else None

    def sign_in(self, text: str, http_status: int | None = None) -> RefusalSign | None:
        fitting = (sign for sign in self.refusals if sign.http_status in {None, http_status})
        return next((sign for sign in fitting if sign.text in text.lower()), None)
