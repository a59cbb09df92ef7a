"""One web service: what it is called, what it bears, and what it is sent."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import urlencode, urlsplit

from paper_search.http.body import HttpAnswer
from paper_search.http.errors import HttpStatusError
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
    """What a refusal means that a service words in its own way.

    Attributes:
        status: what it means.
        text: what the answer holds, in lower case; empty: anything.
        http_status: of the answer; None: any, success as well.
        advice: what a person can do about it.
    """

    status: SourceStatus
    text: str = ""
    http_status: int | None = None
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a service, without its key: that is added when it is sent.

    Attributes:
        url: http or https, without a query.
        params: of the query.
        json: makes it a POST with this body.
        form: makes it a POST with this form; set by `Service.as_sent` where a URL is too short.
        later: ids of records to ask for after those of this request.
    """

    url: str
    params: Mapping[str, Value] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, Value] | None = None
    later: tuple[str, ...] = ()

    def turned(self, **params: Value) -> Self:
        """Return the same request with some parameters set: usually that for the next page."""
        if self.json is not None:
            return replace(self, json={**self.json, **params})
        return replace(self, params={**self.params, **params})


@dataclass(frozen=True, slots=True)
class Paging:
    """How the next page of an answer is asked for.

    Attributes:
        param: that leads to it; without more the number of records before it.
        cursor: where the answer says what to put there; an answer that repeats it was the last.
        size: the parameter with the records of a page.
        more: where the answer says that there is another page, if its total cannot be trusted; an
            answer that says nothing on pages goes by its total, or on until a page is empty.
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
        """Return the request for the page after an answer; None if it was the last one."""
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
    """What one answer holds.

    Attributes:
        papers: in the order of the answer, each with a stable id and a title.
        dropped: entries that could not be used: they have no title, or cannot be read.
        hits: how many records the service says it has; None if it does not say.
        next: what to ask next; None if this was the last page. A page without papers but with
            `next` is a step on the way (PubMed gives ids first, records then).
        notes: what the person should know, such as words that the service did not know.
        is_partial: something is missing that the service has, and may give if it is asked again:
            the answer is not kept, and an empty page is asked for once more.
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
            notes = (*notes, f"{quantity(len(faults), 'record')} could not be read ({faults[0]})")
        return cls(papers, len(entries) - len(papers), hits, next, notes)


class Service(ABC):
    """One web service: what it is called, what it bears and how it takes a key.

    Attributes:
        name: what strategies call it.
        title: what people call it.
        needs_key: whether nothing can be asked without a key.
        key: the key, or empty; it goes into `own_params` or `headers`, never into a `Request`.
        key_header: the header that takes it, and how: `("Authorization", "Bearer {}")`.
        key_param: the parameter that takes it, for services without such a header.
        key_variable: the environment variable that it is read from; None if there are no keys.
        key_page: where to get one.
        record_prefix: what the ids of its records begin with; None means its name.
        caveat: what to know of it as long as there is no key; empty: nothing.
        says_open: whether the texts that it links to are, as it says, open to everybody.
        contact: an e-mail address, or empty; it goes into no `Request` either.
        contact_param: the parameter that takes it; None if the User-Agent is enough.
        interval_s: the least time between two requests.
        interval_with_key: the same with a key, and with a contact below; None means no other.
        concurrency: the most requests at one time.
        timeout_s: for one request with its whole answer.
        accept: the media type of answers.
        endpoint: where the service is.
        longest_line: the most bytes of a request line, `GET /path?query HTTP/1.1`, that it takes.
        form_suffix: what the URL of a longer request ends with, which is posted as a form; None:
            the service takes no forms.
        refusals: its own ways to say no; of several that fit, the first counts.
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
        """Return what an answer holds; one bad entry never loses the others.

        Args:
            answer: of a status from 200 to 299; `answer.json()` and `answer.xml()` read it.
            request: that it answers.

        Raises:
            ServiceError: the answer is an error in disguise.
            HttpBodyError: it cannot be read.
        """

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of every request; a key may be among them."""
        if self.key_header is None or not self.key:
            return {}
        name, form = self.key_header
        return {name: form.format(self.key)}

    def excerpt(self, text: str) -> str:
        """Return the beginning of what the service said, without the key."""
        return (text.replace(self.key, "***") if self.key else text)[:300]

    @property
    def own_params(self) -> Mapping[str, str]:
        """Parameters of every request that no `Request` holds: the key, and a contact."""
        pairs = ((self.key_param, self.key), (self.contact_param, self.contact))
        return {name: value for name, value in pairs if name and value}

    def as_sent(self, request: Request) -> Request:
        """Return a request as it goes out: what is too long for a URL is posted as a form."""
        length = self.line_length(request)
        if length <= self.longest_line:
            return request
        if self.form_suffix is not None:
            url = f"{request.url}{self.form_suffix}"
            return replace(request, url=url, params={}, form=request.params)
        raise ServiceError(
            f"{self.title} takes requests of {self.longest_line:,} bytes, and this query needs"
            f" {length:,}: shorten it, or split it into several queries"
        )

    def line_length(self, request: Request) -> int:
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
        """Return what a refusal means where the service has its own way to say it."""
        sign = self.sign_in(error.body, error.status)
        return sign.status if sign else None

    def advice_on(self, error: HttpStatusError) -> str | None:
        sign = self.sign_in(error.body, error.status)
        return sign.advice if sign else None

    def sign_in(self, text: str, http_status: int | None = None) -> RefusalSign | None:
        fitting = (sign for sign in self.refusals if sign.http_status in {None, http_status})
        return next((sign for sign in fitting if sign.text in text.lower()), None)
