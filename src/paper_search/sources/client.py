"""How a person wants a service to be asked, and the client that asks it so."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.http.retry import RetryPolicy
from paper_search.models.network import NetworkConfig
from paper_search.sources.explanation import refusal_of

if TYPE_CHECKING:
    import httpx

    from paper_search.http.client import HttpClient
    from paper_search.sources.adapter import Service


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


def client_of(
    service: Service,
    settings: SourceSettings,
    *,
    client: httpx.AsyncClient | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> HttpClient:
    """Return the client that asks a service as it bears and as the settings want it."""
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
