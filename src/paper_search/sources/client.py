"""How a person wants a service to be asked, and the client that asks it so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from paper_search.http.errors import HttpError
from paper_search.http.retry import RetryPolicy
from paper_search.models import RequestRecord, SourceStatus
from paper_search.models.settings import NetworkConfig
from paper_search.sources.errors import ServiceError
from paper_search.sources.explanation import explained, refusal_of

if TYPE_CHECKING:
    import httpx

    from paper_search.http.body import HttpAnswer
    from paper_search.http.client import HttpClient
    from paper_search.http.limits import CallBudget
    from paper_search.sources.adapter import Request, Service

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """How a person wants a service to be asked.

    Attributes:
        interval_s: the least time between two requests; None: what the service bears.
        max_calls: requests of this source object, retries included; None: no limit, 0: none.
        timeout_s: for one request.
        max_retries: attempts after a failed first one.
        deadline_s: for all queries of one strategy together; what was found by then is kept.
        contact: an e-mail address for the User-Agent.
        cache_path: the file that answers are kept in; None: none are kept.
        limits_path: the file in which processes share turns and refusals; None: they share none.
        network: proxies and certificates of the machine.
    """

    interval_s: float | None = None
    max_calls: int | None = None
    timeout_s: float = 20.0
    max_retries: int = 3
    deadline_s: float = 55.0
    contact: str | None = None
    cache_path: Path | None = None
    limits_path: Path | None = None
    network: NetworkConfig = field(default_factory=NetworkConfig)


class ServiceClient:
    """Asks a service in the form that it takes, with its key, and says what went wrong.

    It is an async context manager; the arguments are those of `HttpClient`.

    Raises:
        ConfigError: on entering: a proxy or certificates cannot be used.
    """

    def __init__(  # noqa: PLR0913  # what tests replace
        self,
        service: Service,
        settings: SourceSettings,
        budget: CallBudget,
        *,
        client: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service, self._settings, self._budget = service, settings, budget
        self._http = _http(service, settings, client=client, sleep=sleep, clock=clock)

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.__aexit__(*error)

    async def get(
        self, request: Request, records: list[RequestRecord], ends_at: float
    ) -> HttpAnswer:
        """Return the answer to a request.

        Args:
            request: what to ask.
            records: gets a record of every attempt.
            ends_at: the time of the clock at which it is given up.

        Raises:
            ServiceError: there is none, or the request is too long.
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
            raise self._explained(error) from None

    async def read(self, answer: HttpAnswer, read: Callable[[HttpAnswer], T]) -> T:
        """Return what an answer holds, read in a thread: a large page holds others up.

        Raises:
            ServiceError: it is an error with the status of success, and is not kept.
        """
        try:
            return await asyncio.to_thread(read, answer)
        except (ServiceError, HttpError) as error:
            await self._http.forget(answer)
            failure = self._explained(error) if isinstance(error, HttpError) else error
            if failure.status is SourceStatus.RATE_LIMITED:
                self._http.refuse(answer.url, "it said so in an answer")
            raise failure from None

    def _explained(self, error: HttpError) -> ServiceError:
        return explained(error, self._service, patience_s=self._settings.deadline_s)


def _http(
    service: Service,
    settings: SourceSettings,
    *,
    client: httpx.AsyncClient | None,
    sleep: Callable[[float], Awaitable[None]],
    clock: Callable[[], float],
) -> HttpClient:
    """Return what asks a service as it bears and as the settings want it."""
    from paper_search.http.client import HttpClient, HttpSettings  # noqa: PLC0415  # httpx is slow to import

    interval = settings.interval_s if settings.interval_s is not None else service.interval_s
    contact = settings.contact
    if contact and any(word in contact.lower() for word in service.refuses_in_agent):
        contact = None
    return HttpClient(
        HttpSettings(
            interval_s=interval,
            concurrency=service.concurrency,
            attempt_timeout_s=settings.timeout_s,
            deadline_s=settings.deadline_s,
            secrets=(service.key,),
            retry=RetryPolicy(max_retries=settings.max_retries),
            refusal_of=lambda error: refusal_of(error, service),
        ),
        client=client,
        contact=contact,
        cache_path=settings.cache_path,
        limits_path=settings.limits_path,
        ways=settings.network,
        sleep=sleep,
        clock=clock,
    )
