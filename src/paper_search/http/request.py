"""Settings for requests to one service, and one request with its retries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import httpx

from paper_search.http.body import ACCEPTED_ENCODINGS
from paper_search.http.cache import cache_key
from paper_search.http.errors import HttpError, HttpStatusError, RetryPolicy, refusal_of, utc_now
from paper_search.http.limits import CallBudget
from paper_search.http.network import CREDENTIALS, Credentials, split_credentials
from paper_search.models.source_report import RequestRecord

Values = Mapping[str, str | int]


@dataclass(slots=True)
class PendingRequest:
    """One request with its retries; times are those of the client's clock.

    Attributes:
        budget: counts every attempt.
        requests: receives a record of every attempt or cached answer.
        ends_at: deadline.
        scope: key of the rate limits that apply.
        attempts: requests sent so far.
        is_sent: whether the current attempt was sent.
        limit_s: timeout of the current attempt.
        error: most recent error.
        first_sent_at: when the first attempt was sent.
        sent_at: when the current attempt was sent.
        is_connected: whether the current attempt reached the host or the proxy.
    """

    budget: CallBudget
    requests: list[RequestRecord]
    ends_at: float
    scope: str = ""
    attempts: int = 0
    is_sent: bool = False
    limit_s: float = 0.0
    error: HttpError | None = None
    first_sent_at: float | None = None
    sent_at: float = 0.0
    is_connected: bool = False

    def note_request(self) -> None:
        self.attempts += 1
        self.is_sent = True
        self.requests.append(RequestRecord(at=utc_now().isoformat()))

    def note_answer(self, sent_at: str | None) -> None:
        if not self.is_sent:
            self.requests.append(RequestRecord(at=sent_at, is_stored=True))
        self.requests[-1].is_answered = True


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """How to send requests to one service.

    Attributes:
        interval_s: minimum time between two requests to one host; 0 for no limit.
        concurrency: maximum number of simultaneous requests to one host.
        attempt_timeout_s: for one request including its whole body.
        connect_timeout_s: for connecting, retries included, while no host was reached recently:
            then there is probably no network, and waiting does not help.
        deadline_s: for one call of `ask`, waits included.
        max_bytes: of a decompressed body.
        max_redirects: redirects to follow, within the origin only; with 0, each redirect is an
            error that names its target.
        secrets: keys that no error or log may show.
        retry: when to retry.
        refusal_of: reads from an error why the server refuses requests; None if it does not.
        refused_for_s: how long to send nothing after a refusal that names no time.
    """

    interval_s: float = 1.0
    concurrency: int = 1
    attempt_timeout_s: float = 20.0
    connect_timeout_s: float = 1.5
    deadline_s: float = 60.0
    max_bytes: int = 20_000_000
    max_redirects: int = 2
    secrets: tuple[str, ...] = field(default=(), repr=False)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    refusal_of: Callable[[HttpStatusError], str | None] = field(default=refusal_of, repr=False)
    refused_for_s: float = 900.0


def build_request(  # noqa: PLR0913  # the parts of a request
    url: str,
    settings: HttpSettings,
    contact: str | None,
    *,
    params: Values,
    headers: Mapping[str, str],
    json: Any,
    form: Values | None,
) -> httpx.Request:
    """Return a GET, or a POST with `json` or `form`; `Network` adds the keys when it sends."""
    query, key_query = split_credentials(_encodable(params), settings.secrets)
    headers, key_headers = split_credentials(headers, settings.secrets)
    # `params=` of httpx would discard the query that the URL already has.
    target = httpx.URL(url).copy_merge_params(query)
    target.copy_merge_params(key_query)  # raises early if the URL is too long
    about = f" (mailto:{contact})" if contact else ""
    return httpx.Request(
        "GET" if json is None and form is None else "POST",
        target,
        headers={
            "Accept": "application/json",
            "Accept-Encoding": ACCEPTED_ENCODINGS,
            "User-Agent": f"paper-search/{version('paper-search')}{about}",
            **headers,
        },
        json=json,
        data=_encodable(form) if form is not None else None,
        extensions={
            "timeout": httpx.Timeout(settings.attempt_timeout_s).as_dict(),
            "caching": {"key": cache_key(target)},
            CREDENTIALS: Credentials(key_query, key_headers),
        },
    )


def _encodable(values: Values) -> dict[str, str]:
    return {
        name: str(value).encode("utf-8", "replace").decode("utf-8")
        for name, value in values.items()
    }
