"""HTTP client with rate limits, retries, deadlines and a cache; it never shows keys."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import KW_ONLY, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Self

import httpx

from paper_search.http.body import HttpAnswer, body_of, error_text, is_challenge
from paper_search.http.cache import SENT_AT, AnswerCache, cache_key
from paper_search.http.errors import (
    HttpBodyError,
    HttpCallLimitError,
    HttpError,
    HttpNoTimeError,
    HttpProxyError,
    HttpRefusedError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
    parse_retry_after,
)
from paper_search.http.limits import (
    CallBudget,
    HostLimiter,
    Refusal,
    parse_announcement,
    process_limiter,
)
from paper_search.http.network import (
    BEFORE_SENDING,
    Network,
    Routes,
    Trace,
    limits_scope,
    redirect_target,
)
from paper_search.http.redaction import LOGGERS, RedactingFilter, redact
from paper_search.http.request import HttpSettings, PendingRequest, build_request
from paper_search.models.settings import NetworkConfig
from paper_search.models.source_report import RequestRecord

_log = logging.getLogger(__name__)

_COUNTED = ("send_request_headers.complete", "receive_response_headers.complete")
"""Steps after which the interval starts anew: the server counts from when it reads the request."""
_ERROR_BODY = 2000
"""Characters kept of an error's body."""
_NO_TIME = "no time left for {}: other requests came first"

__all__ = ["HttpClient", "HttpSettings"]

Sleep = Callable[[float], Awaitable[None]]


@dataclass(eq=False, repr=False)
class HttpClient:
    """Sends requests to one service.

    Attributes:
        client: an open httpx client to use; it is not closed. By default one is made.
        contact: an e-mail address for the User-Agent.
        limiter: by default the process's own.
        cache_path: cache file; None for no cache.
        limits_path: file in which processes share rate limits and refusals; None for no sharing.
        network: proxies and certificates of the machine.
        clock: monotonic, in seconds.
    """

    settings: HttpSettings
    _: KW_ONLY
    client: httpx.AsyncClient | None = None
    contact: str | None = None
    limiter: HostLimiter | None = None
    cache_path: Path | None = None
    limits_path: Path | None = None
    network: NetworkConfig | None = None
    sleep: Sleep = asyncio.sleep
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._limiter = self.limiter or process_limiter(self.limits_path)
        self._stack = AsyncExitStack()
        self._cache: AnswerCache | None = None
        self._network: httpx.AsyncBaseTransport | None = None
        self._routes: Routes | None = None
        self._transport: httpx.AsyncBaseTransport | None = None

    async def __aenter__(self) -> Self:
        routes = self._routes = (
            Routes(self.network or NetworkConfig()) if self.client is None else None
        )
        passwords = routes.passwords if routes is not None else ()
        log_filter = RedactingFilter((*self.settings.secrets, *passwords))
        for logger in map(logging.getLogger, LOGGERS):
            logger.addFilter(log_filter)
            self._stack.callback(logger.removeFilter, log_filter)
        client = self.client
        if client is None:
            own = httpx.AsyncClient(transport=routes, trust_env=False, follow_redirects=False)
            client = await self._stack.enter_async_context(own)
        network = Network(client)
        self._transport = network
        if self.cache_path is not None:
            self._cache = await self._stack.enter_async_context(AnswerCache(self.cache_path))
            self._transport = self._cache.around(network)
        self._network = network
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._transport = self._network = self._cache = None
        await self._stack.aclose()

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
        requests: list[RequestRecord] | None = None,
        ends_at: float | None = None,
    ) -> HttpAnswer:
        """Send a GET, or a POST with `json` or `form`.

        Redirects are followed within the origin only, so that no key goes to another host. Answers
        to GET are cached without keys unless the server forbids it. `key_params` and `headers` may
        hold keys. `budget` counts every attempt; `requests` receives a record of each attempt or
        cached answer. `ends_at` is a deadline of the caller, on the client's clock.

        Raises:
            HttpStatusError, HttpTimeoutError, HttpUnreachableError, HttpBodyError: after the
                retries that the settings and the deadline allow.
            HttpCallLimitError: the budget was spent before the first attempt.
        """
        records = [] if requests is None else requests
        pending = PendingRequest(
            budget or CallBudget(), records, self.clock() + self.settings.deadline_s
        )
        if ends_at is not None:
            pending.ends_at = min(pending.ends_at, ends_at)
        try:
            query = {**(params or {}), **(key_params or {})}
            pending.scope = limits_scope(httpx.URL(url), self.settings.secrets)
            request = build_request(
                url,
                self.settings,
                self.contact,
                params=query,
                headers=headers or {},
                json=json,
                form=form,
            )
            return await self._send(request, pending)
        except httpx.InvalidURL:
            raise HttpUnreachableError(
                f"not a valid URL, or too long a request: {url[:80]!r}"
            ) from None

    async def forget(self, answer: HttpAnswer) -> None:
        if self._cache is not None:
            await self._cache.forget(answer.url)

    async def _send(self, request: httpx.Request, pending: PendingRequest) -> HttpAnswer:
        for tries in count(1):
            outcome = await self._attempt(request, pending)
            if isinstance(outcome, HttpAnswer):
                return outcome
            # An earlier error of the request says more than that no retry is allowed.
            is_secondary = isinstance(outcome, HttpCallLimitError | HttpNoTimeError)
            error = pending.error if is_secondary and pending.error else outcome
            pending.error = error
            wait = self.settings.retry.wait_before(tries, error)
            if is_secondary or wait is None or self._is_over(pending, error, wait):
                error.attempts = pending.attempts
                await self._remember(pending.scope, error)
                raise error
            await self._sleep_unless_zero(wait)
        raise AssertionError("there is no last try")

    async def refuse(self, url: str, reason: str) -> None:
        refusal = Refusal(time.time() + self.settings.refused_for_s, reason)
        scope = limits_scope(httpx.URL(url), self.settings.secrets)
        await self._limiter.aside(self._limiter.refuse, scope, refusal)

    async def _remember(self, scope: str, error: HttpError) -> None:
        if not isinstance(error, HttpStatusError) or isinstance(error, HttpRefusedError):
            return
        if (reason := self.settings.refusal_of(error)) is not None:
            lasts = error.retry_after or self.settings.refused_for_s
            error.until = time.time() + lasts
            refusal = Refusal(error.until, reason)
            await self._limiter.aside(self._limiter.refuse, scope, refusal)

    def _is_over(self, pending: PendingRequest, error: HttpError, wait: float) -> bool:
        """Whether a retry after that wait is too late; without a network, it soon is."""
        now, first = self.clock(), pending.first_sent_at
        if not isinstance(error, HttpUnreachableError) or self._limiter.is_online or first is None:
            return now + wait >= pending.ends_at
        next_turn = now + max(wait, self.settings.interval_s)
        return next_turn >= first + self.settings.connect_timeout_s

    async def _attempt(  # noqa: PLR0911  # one for each way to fail
        self, request: httpx.Request, pending: PendingRequest
    ) -> HttpAnswer | HttpError:
        """Return the answer or the error; the caller raises it, to drop the exception chain."""
        host = request.url.host
        is_answering = False
        pending.is_sent = pending.is_connected = False
        try:
            # httpx limits only the silence between two bytes: a slow body would never end.
            time_left = max(pending.ends_at - self.clock(), 0.0)
            if not self._limiter.is_online:
                request.extensions["timeout"]["connect"] = self.settings.connect_timeout_s
            async with asyncio.timeout(time_left) as timer, AsyncExitStack() as stack:
                request.extensions[BEFORE_SENDING] = lambda: self._wait_for_turn(
                    host, pending, timer, stack
                )
                response = await self._follow(request, stack)
                is_answering = True
                return await self._read(response, request, pending)
        except HttpError as error:
            return error
        except (TimeoutError, httpx.TimeoutException):
            if not pending.is_sent:
                return HttpNoTimeError(_NO_TIME.format(host))
            limit_s = self.settings.connect_timeout_s
            is_given_up = self.clock() - pending.sent_at >= limit_s / 2 and not pending.is_connected
            if is_given_up and not self._limiter.is_online:
                return self._unreachable(request, pending, f" within {limit_s:g} s")
            return HttpTimeoutError(
                f"{host} did not answer completely within {pending.limit_s:.3g} s"
            )
        except (sqlite3.Error, RuntimeError) as error:
            if self._cache is None:
                raise
            _log.warning("answers are no longer cached: %s", error)
            self._transport = self._network
            return HttpBodyError(f"the cached answer of {host} cannot be read", is_cut_off=True)
        except httpx.HTTPError as error:
            reason = redact(f"{type(error).__name__}: {error}", self.settings.secrets)
            if is_answering:
                return HttpBodyError(f"the answer of {host} is cut off: {reason}", is_cut_off=True)
            return self._unreachable(request, pending, f": {reason}", error)

    def _unreachable(
        self,
        request: httpx.Request,
        pending: PendingRequest,
        reason: str,
        error: Exception | None = None,
    ) -> HttpUnreachableError:
        host, proxy = request.url.host, self._routes and self._routes.proxy_to(request.url)
        if proxy and isinstance(error, httpx.ProxyError):
            return HttpProxyError(f"{proxy} does not connect to {host}{reason}")
        if proxy and not pending.is_connected:
            return HttpProxyError(f"{proxy} cannot be reached{reason}")
        return HttpUnreachableError(f"{host} cannot be reached{reason}")

    async def _wait_for_turn(
        self, host: str, pending: PendingRequest, timer: asyncio.Timeout, stack: AsyncExitStack
    ) -> Trace:
        """Wait for the request's turn, then start the timeout of the attempt."""
        if pending.budget.is_spent:
            raise HttpCallLimitError(pending.budget.setting)
        scope, limiter = pending.scope, self._limiter
        if (refusal := await limiter.aside(limiter.refusal, scope)) is not None:
            message = f"{host} recently refused requests ({refusal.reason})"
            raise HttpRefusedError(message, until=refusal.until, reason=refusal.reason)
        holds_s = self.settings.deadline_s
        slot = limiter.slot(scope, self.settings.concurrency, holds_s)
        await stack.enter_async_context(slot)
        time_left, interval_s = pending.ends_at - self.clock(), self.settings.interval_s
        wait = await limiter.aside(limiter.reserve_within, scope, interval_s, time_left)
        if wait is None:
            raise HttpNoTimeError(_NO_TIME.format(host))
        await self._sleep_unless_zero(wait)
        pending.budget.spend()
        pending.note_request()
        pending.limit_s = min(self.settings.attempt_timeout_s, time_left - wait)
        timer.reschedule(asyncio.get_running_loop().time() + pending.limit_s)
        pending.sent_at = self.clock()
        if pending.first_sent_at is None:
            pending.first_sent_at = pending.sent_at

        async def trace(step: str, _details: Any) -> None:
            if step.endswith(".complete") and not pending.is_connected:
                pending.is_connected = True
                limiter.note_contact()
            if step.endswith(_COUNTED):
                await limiter.aside(limiter.note_sent, scope, interval_s)

        return trace

    async def _follow(self, request: httpx.Request, stack: AsyncExitStack) -> httpx.Response:
        for redirects_left in range(self.settings.max_redirects, -1, -1):
            response = await self._transport_for(request).handle_async_request(request)
            stack.push_async_callback(response.aclose)
            target = redirect_target(request, response)
            if target is None or self.settings.max_redirects == 0:
                return response
            if redirects_left == 0:
                break
            await stack.aclose()  # frees the slot, which the next request needs
            request = httpx.Request(
                "GET",
                target,
                headers=request.headers,
                extensions={**request.extensions, "caching": {"key": cache_key(target)}},
            )
        raise HttpBodyError(f"{request.url.host} redirects too often")

    def _transport_for(self, request: httpx.Request) -> httpx.AsyncBaseTransport:
        transport = self._transport if request.method == "GET" else self._network
        if transport is None:
            raise RuntimeError("HttpClient must be opened with `async with`")
        return transport

    async def _sleep_unless_zero(self, seconds: float) -> None:
        if seconds > 0:
            await self.sleep(seconds)

    async def _read(
        self, response: httpx.Response, request: httpx.Request, pending: PendingRequest
    ) -> HttpAnswer:
        quota = None
        if pending.is_sent:
            announced = parse_announcement(response.headers)
            await self._limiter.aside(self._limiter.note, pending.scope, announced)
            quota = announced.quota
        if not response.is_success:
            raise await self._status_error(response, request.url.host)
        content = await body_of(response, self.settings.max_bytes)
        if is_challenge(content, is_success=True):
            if self._cache is not None:
                await self._cache.forget(request.url)
            message = f"{request.url.host} answered with a page that blocks programs"
            raise HttpStatusError(message, status=response.status_code, is_challenge=True)
        pending.note_answer(response.headers.get(SENT_AT))
        return HttpAnswer(
            response.status_code,
            response.headers.get("content-type", "").partition(";")[0].strip().lower(),
            content,
            pending.attempts,
            from_cache=not pending.is_sent,
            url=str(request.url),
            charset=response.charset_encoding or "",
            quota=quota,
            headers=response.headers,
        )

    async def _status_error(self, response: httpx.Response, host: str) -> HttpStatusError:
        try:
            content = await body_of(response, self.settings.max_bytes)
        except (HttpBodyError, httpx.HTTPError):
            content = b""  # the status says enough
        body = redact(error_text(content), self.settings.secrets)[:_ERROR_BODY]
        status = response.status_code
        return HttpStatusError(
            f"{host} answered with HTTP {status}",
            status=status,
            retry_after=parse_retry_after(response.headers.get("retry-after")),
            body=body,
            location=response.headers.get("location") if response.is_redirect else None,
            is_challenge=is_challenge(content, is_success=False),
        )
