"""Settings of a source, its HTTP client, and explanations of failures."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from paper_search.config import AppConfig
from paper_search.http.errors import (
    HttpBodyError,
    HttpCallLimitError,
    HttpError,
    HttpProxyError,
    HttpRefusedError,
    HttpStatusError,
    HttpTimeoutError,
    HttpUnreachableError,
    RetryPolicy,
    is_retryable,
)
from paper_search.http.errors import refusal_of as usual_refusal_of
from paper_search.http.limits import QUOTA_USED_UP, CallBudget
from paper_search.http.redaction import redact
from paper_search.models import RequestRecord, SourceStatus
from paper_search.models.settings import NetworkConfig
from paper_search.service_settings import variable_of
from paper_search.sources.errors import ServiceError

if TYPE_CHECKING:
    from paper_search.http.body import HttpAnswer
    from paper_search.http.client import HttpClient
    from paper_search.sources.adapter import Request, Service

T = TypeVar("T")
NO_CALLS = "not asked: max_calls is 0"


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """The user's settings of a source.

    Attributes:
        interval_s: minimum time between two requests; by default the service's own.
        max_calls: requests of this source object, retries included; None for no limit.
        timeout_s: for one request; by default the service's own.
        max_retries: attempts after a failed first one.
        deadline_s: for all queries of one strategy; records found by then are kept.
        contact: an e-mail address for the User-Agent.
        cache_path: cache file; None for no cache.
        limits_path: file in which processes share rate limits and refusals; None for no sharing.
        network: proxies and certificates of the machine.
    """

    interval_s: float | None = None
    max_calls: int | None = None
    timeout_s: float | None = None
    max_retries: int = 3
    deadline_s: float = 55.0
    contact: str | None = None
    cache_path: Path | None = None
    limits_path: Path | None = None
    network: NetworkConfig = field(default_factory=NetworkConfig)

    @classmethod
    def of(cls, config: AppConfig, **own: Any) -> Self:
        shared = {
            "deadline_s": config.source_deadline_s,
            "contact": config.contact,
            "cache_path": config.http_cache_path,
            "limits_path": config.http_limits_path,
            "network": config.network,
        }
        return cls(**(shared | own))


class ServiceClient:
    """Sends requests to a service with its key, and explains failures.

    `replaced`: arguments of `HttpClient` that tests replace.

    Raises:
        ConfigError: on entering, if a proxy or certificates cannot be used.
    """

    def __init__(
        self, service: Service, settings: SourceSettings, budget: CallBudget, **replaced: Any
    ) -> None:
        self._service, self._settings, self._budget = service, settings, budget
        self._http = _http(service, settings, replaced)

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.__aexit__(*error)

    async def get(
        self, request: Request, records: list[RequestRecord], ends_at: float
    ) -> HttpAnswer:
        """Return the answer to a request, given up at `ends_at` on the client's clock.

        `records` receives a record of every attempt.

        Raises:
            ServiceError: there is no answer, or the request is too long.
        """
        service, outgoing = self._service, self._service.as_sent(request)
        try:
            return await self._http.ask(
                outgoing.url,
                params=outgoing.params,
                key_params=service.own_params,
                headers={"Accept": service.accept, **service.headers},
                json=outgoing.json,
                form=outgoing.form,
                budget=self._budget,
                requests=records,
                ends_at=ends_at,
            )
        except HttpError as error:
            raise self._explain(error) from None

    async def read(self, answer: HttpAnswer, read: Callable[[HttpAnswer], T]) -> T:
        """Read an answer in a thread, because a large page would block other sources."""
        try:
            return await asyncio.to_thread(read, answer)
        except (ServiceError, HttpError) as error:
            await self.forget(answer)
            failure = self._explain(error) if isinstance(error, HttpError) else error
            if failure.status is SourceStatus.RATE_LIMITED:
                await self._http.refuse(answer.url, "it said so in an answer")
            raise failure from None

    async def forget(self, answer: HttpAnswer) -> None:
        await self._http.forget(answer)

    def _explain(self, error: HttpError) -> ServiceError:
        return explain_failure(error, self._service, patience_s=self._settings.deadline_s)


def _http(service: Service, settings: SourceSettings, replaced: dict[str, Any]) -> HttpClient:
    from paper_search.http.client import HttpClient, HttpSettings  # noqa: PLC0415  # httpx is slow to import

    interval = settings.interval_s if settings.interval_s is not None else service.interval_s
    timeout = settings.timeout_s if settings.timeout_s is not None else service.timeout_s
    contact = settings.contact
    if contact and any(word in contact.lower() for word in service.refuses_in_agent):
        contact = None
    return HttpClient(
        HttpSettings(
            interval_s=interval,
            concurrency=service.concurrency,
            attempt_timeout_s=timeout,
            deadline_s=settings.deadline_s,
            secrets=(service.key,),
            retry=RetryPolicy(max_retries=settings.max_retries),
            refusal_of=lambda error: refusal_of(error, service),
        ),
        contact=contact,
        cache_path=settings.cache_path,
        limits_path=settings.limits_path,
        network=settings.network,
        **replaced,
    )


_LONGEST = 500
_LONG_S = 3600.0
"""A longer refusal means that a quota is used up, not that requests came too fast."""


def explain_missing_key(adapter: Service) -> str:
    return f"{adapter.name} needs a key: set {adapter.key_hint}"


def explain_bug(error: Exception, adapter: Service) -> ServiceError:
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    message = redact(f"{type(error).__name__}: {error}", (adapter.key,))[:_LONGEST]
    return adapter.failure(
        f"a bug in {adapter.title}'s adapter{where}: {message}", SourceStatus.BUG
    )


def explain_failure(error: HttpError, adapter: Service, *, patience_s: float) -> ServiceError:
    """Explain an error of the HTTP client as a failure of the service.

    If a service asks to wait for longer than `patience_s`, its quota is used up.
    """
    title = adapter.title
    match error:
        case HttpStatusError():
            failure = (
                _of_refusal(error, error.until, adapter)
                if error.until is not None
                else _of_status(error, adapter, patience_s)
            )
            if not isinstance(error, HttpRefusedError):
                failure.http_status = error.status
            return failure
        case HttpCallLimitError(setting=setting):
            variable = setting or variable_of(adapter.name, "max_calls")
            message = f"the limit of calls to {title} is reached ({variable})"
            return adapter.failure(message, SourceStatus.EXHAUSTED)
        case HttpTimeoutError():
            message, status = f"{title} took too long: {error}", SourceStatus.TIMEOUT
            return adapter.failure(message, status, is_temporary=True)
        case HttpUnreachableError():
            message = str(error) if isinstance(error, HttpProxyError) else f"{title}: {error}"
            return adapter.failure(message, SourceStatus.UNREACHABLE, is_temporary=True)
        case _:
            is_cut_off = isinstance(error, HttpBodyError) and error.is_cut_off
            message = f"{title}: {error}"
            return adapter.failure(message, SourceStatus.BAD_RESPONSE, is_temporary=is_cut_off)


def refusal_of(error: HttpStatusError, adapter: Service) -> str | None:
    """Return why the service refuses further requests for a while, or None.

    The reason is stored with the refusal, because the remaining time does not tell it: a daily
    quota may end within the hour.
    """
    status = adapter.status_of(error)
    if status is SourceStatus.EXHAUSTED:
        return QUOTA_USED_UP
    if status is SourceStatus.RATE_LIMITED:
        return f"HTTP {error.status}"
    usual = usual_refusal_of(error) if status is None else None
    return QUOTA_USED_UP if usual and (error.retry_after or 0) > _LONG_S else usual


def time_text(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _of_refusal(error: HttpStatusError, until: float, adapter: Service) -> ServiceError:
    why = error.reason if isinstance(error, HttpRefusedError) else refusal_of(error, adapter)
    status = SourceStatus.EXHAUSTED if why == QUOTA_USED_UP else SourceStatus.RATE_LIMITED
    advice = adapter.advice_on(error)
    if advice is None and adapter.key_variable and not adapter.key:
        page = f" to a free key from {adapter.key_page}" if adapter.key_page else ""
        advice = f"set {adapter.key_variable}{page}"
    if isinstance(error, HttpRefusedError):
        reason = "recently refused requests"
    elif error.is_challenge:
        reason = "blocks programs with a page for people"
    else:
        reason = f"refuses requests (HTTP {error.status})"
    parts = [f"{adapter.title} {reason} and is not asked again before {time_text(until)}", advice]
    return adapter.failure("; ".join(filter(None, parts)), status, is_temporary=True)


def _of_status(error: HttpStatusError, adapter: Service, patience_s: float) -> ServiceError:
    body = redact(error.body, (adapter.key,))[:_LONGEST]
    message = f"{adapter.title} answered with HTTP {error.status}" + (f": {body}" if body else "")
    if error.location:  # its query may hold a key
        target = redact(error.location.partition("?")[0], (adapter.key,))[:_LONGEST]
        message = f"{message} and redirected to {target}, which is not followed"
    if advice := adapter.advice_on(error):
        message = f"{message}; {advice}"
    own_status = adapter.status_of(error)
    if own_status is not None:
        status = own_status
    elif error.status in {401, 403}:
        status = SourceStatus.UNAUTHORISED
    elif error.status == HTTPStatus.TOO_MANY_REQUESTS:
        is_long = (error.retry_after or 0) > patience_s
        status = SourceStatus.EXHAUSTED if is_long else SourceStatus.RATE_LIMITED
    else:
        status = SourceStatus.BAD_RESPONSE
    if status is SourceStatus.UNAUTHORISED:
        return adapter.failure(_refused(error, adapter), status)
    return adapter.failure(message, status, is_temporary=is_retryable(error))


def _refused(error: HttpStatusError, adapter: Service) -> str:
    status = f"(HTTP {error.status})"
    if not adapter.key_variable:
        return f"{adapter.title} refused the request {status}: it needs no key, so try again later"
    if not adapter.key:
        return f"{adapter.title} refused the request without a key {status}: set {adapter.key_hint}"
    return f"{adapter.title} refused the key {status}: check {adapter.key_hint}"
