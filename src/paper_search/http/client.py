"""The one HTTP client: polite, patient, bounded, and silent about keys."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Self

import httpx

from paper_search.http.body import ACCEPTED_ENCODINGS, HttpAnswer, read_body
from paper_search.http.errors import (
    HttpBodyError,
    HttpCallLimitError,
    HttpError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
)
from paper_search.http.limits import CallBudget, HostLimiter, process_limiter
from paper_search.http.redaction import RedactingFilter, redact
from paper_search.http.retry import RetryPolicy, parse_retry_after

if TYPE_CHECKING:
    import ssl
    from types import TracebackType

_ERROR_BODY = 2000
"""Characters of an error's body that are kept."""

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """How to talk to one service.

    Attributes:
        interval_s: least time between two requests to one host; 0: no limit.
        concurrency: most requests to one host at one time.
        attempt_timeout_s: for one request with its whole body.
        deadline_s: for everything that one call of `get` does, waits included.
        max_bytes: of an unpacked body.
        secrets: keys that no error or log may show.
        retry: when to ask again.
    """

    interval_s: float = 1.0
    concurrency: int = 1
    attempt_timeout_s: float = 20.0
    deadline_s: float = 60.0
    max_bytes: int = 20_000_000
    secrets: tuple[str, ...] = field(default=(), repr=False)
    retry: RetryPolicy = field(default_factory=RetryPolicy)


def user_agent(contact: str | None = None) -> str:
    """Return the name that we give to servers, with how to reach whoever runs it."""
    about = f" (mailto:{contact})" if contact else ""
    return f"paper-search/{version('paper-search')}{about}"


class HttpClient:
    """Asks servers over HTTP; an async context manager.

    Args:
        settings: how to talk to the service.
        client: an open httpx client to use instead of an own one; it is not closed.
        contact: an e-mail address for the User-Agent.
        limiter: who gives out turns; by default that of the whole process.
        sleep: waits for seconds.
        clock: seconds that never run backwards.
    """

    def __init__(  # noqa: PLR0913  # clock, sleep and limiter are injected by tests
        self,
        settings: HttpSettings,
        *,
        client: httpx.AsyncClient | None = None,
        contact: str | None = None,
        limiter: HostLimiter | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._given_client = client
        self._contact = contact
        self._limiter = limiter or process_limiter()
        self._sleep = sleep
        self._clock = clock
        self._stack = AsyncExitStack()
        self._client: httpx.AsyncClient | None = None

    async def __aenter__(self) -> Self:
        log_filter = RedactingFilter(self._settings.secrets)
        for logger in (logging.getLogger("httpx"), logging.getLogger("httpcore")):
            logger.addFilter(log_filter)
            self._stack.callback(logger.removeFilter, log_filter)
        self._client = self._given_client or await self._stack.enter_async_context(
            httpx.AsyncClient(verify=_tls(), follow_redirects=False)
        )
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._client = None
        await self._stack.aclose()

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        budget: CallBudget | None = None,
    ) -> HttpAnswer:
        """Ask for a resource, as `ask` does, where no parameter holds a key."""
        return await self.ask(url, params=params, headers=headers, budget=budget)

    async def ask(  # noqa: PLR0913  # the parts of a request
        self,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        key_params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        form: Mapping[str, str | int] | None = None,
        budget: CallBudget | None = None,
        ends_at: float | None = None,
    ) -> HttpAnswer:
        """Ask for a resource, or post to it; redirects are not followed to other hosts.

        Args:
            url: http or https.
            params: the query.
            key_params: the part of the query that holds keys.
            headers: beside our own; may hold a key.
            json: the body of a POST.
            form: the fields of a POST.
            budget: counts every attempt.
            ends_at: the time of the clock at which a longer job ends, of which this is a part.

        Raises:
            HttpStatusError, HttpTimeoutError, HttpUnreachableError, HttpBodyError: after the
                retries that the settings and the deadline allow.
            HttpCallLimitError: the budget was spent before the first attempt.
        """
        query = {**(params or {}), **(key_params or {})}
        try:
            request = self._request(url, query, headers or {}, json, form)
        except httpx.InvalidURL:
            raise HttpUnreachableError(
                f"no request can be made of it: longer than a URL may be, or no URL: {url[:80]!r}"
            ) from None
        return await self._send(request, budget or CallBudget(), ends_at)

    def _request(
        self,
        url: str,
        params: Mapping[str, str | int],
        headers: Mapping[str, str],
        json: Any,
        form: Mapping[str, str | int] | None,
    ) -> httpx.Request:
        query = {name: _encodable(str(value)) for name, value in params.items()}
        fields = {name: _encodable(str(value)) for name, value in form.items()} if form else None
        # `params=` of httpx would throw away the query that the URL already has.
        return self._open_client().build_request(
            "GET" if json is None and fields is None else "POST",
            httpx.URL(url).copy_merge_params(query),
            headers={
                "Accept": "application/json",
                "Accept-Encoding": ACCEPTED_ENCODINGS,
                "User-Agent": user_agent(self._contact),
                **headers,
            },
            json=json,
            data=fields,
            timeout=self._settings.attempt_timeout_s,
        )

    def _open_client(self) -> httpx.AsyncClient:
        if self._client is None:
            raise RuntimeError("an HttpClient is used inside `async with`")
        return self._client

    async def _send(
        self, request: httpx.Request, budget: CallBudget, job_ends_at: float | None
    ) -> HttpAnswer:
        ends_at = self._clock() + self._settings.deadline_s
        if job_ends_at is not None:
            ends_at = min(ends_at, job_ends_at)
        attempt = 0
        error: HttpError | None = None
        while True:
            if budget.is_spent:
                error = error or HttpCallLimitError("the calls allowed for this run are used up")
                break
            await self._sleep_unless_zero(self._turn(request))
            budget.spend()
            attempt += 1
            outcome = await self._attempt(request, attempt, ends_at - self._clock())
            if isinstance(outcome, HttpAnswer):
                return outcome
            error = outcome
            wait = self._settings.retry.wait_before(attempt, error)
            if wait is None or self._clock() + wait >= ends_at:
                break
            await self._sleep_unless_zero(wait)
        error.attempts = attempt
        raise error

    def _turn(self, request: httpx.Request) -> float:
        return self._limiter.reserve(request.url.host, self._settings.interval_s)

    async def _sleep_unless_zero(self, seconds: float) -> None:
        if seconds > 0:
            await self._sleep(seconds)

    async def _attempt(
        self, request: httpx.Request, attempt: int, remaining_s: float
    ) -> HttpAnswer | HttpError:
        """Return the answer or what went wrong; raised outside, no cause clings to it."""
        host = request.url.host
        limit = max(min(self._settings.attempt_timeout_s, remaining_s), 0.0)
        is_answering = False
        try:
            # httpx only limits the silence between two bytes: a slow body would go on for ever.
            async with asyncio.timeout(limit):
                response = await self._open_client().send(
                    request, stream=True, auth=None, follow_redirects=False
                )
                try:
                    is_answering = True
                    return await self._read(response, attempt)
                finally:
                    await response.aclose()
        except HttpError as error:
            return error
        except (TimeoutError, httpx.TimeoutException):
            return HttpTimeoutError(f"{host} gave no whole answer within {limit:g} s")
        except httpx.HTTPError as error:
            reason = redact(f"{type(error).__name__}: {error}", self._settings.secrets)
            if is_answering:
                return HttpBodyError(f"the answer of {host} is cut off: {reason}", is_cut_off=True)
            return HttpUnreachableError(f"{host} cannot be reached: {reason}")

    async def _read(self, response: httpx.Response, attempt: int) -> HttpAnswer:
        if not response.is_success:
            raise await self._status_error(response)
        content = await read_body(response, self._settings.max_bytes)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        return HttpAnswer(response.status_code, kind, content, attempt)

    async def _status_error(self, response: httpx.Response) -> HttpStatusError:
        try:
            content = await read_body(response, self._settings.max_bytes)
        except (HttpBodyError, httpx.HTTPError):
            content = b""  # the status says enough
        text = content.decode("utf-8", "replace").strip()
        is_web_page = text.startswith("<")
        body = "" if is_web_page else redact(text, self._settings.secrets)[:_ERROR_BODY]
        status = response.status_code
        return HttpStatusError(
            f"{response.request.url.host} answered with HTTP {status}",
            status=status,
            retry_after=parse_retry_after(response.headers.get("retry-after")),
            body=body,
        )


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


@cache
def _tls() -> ssl.SSLContext:
    """Return the certificates to trust, read once: that takes longer than a request."""
    return httpx.create_ssl_context()
