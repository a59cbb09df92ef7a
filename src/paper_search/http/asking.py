"""How one service is talked to, and one request to it with all of its repetitions."""

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
class Asking:
    """One request with its repetitions.

    Attributes:
        budget: counts every attempt.
        requests: gets a record of every attempt, and of a stored answer.
        ends_at: the time of the clock at which it is given up.
        scope: what its limits hold for.
        attempts: requests that were sent.
        is_sent: whether the last attempt came to its turn.
        limit_s: what the last attempt was allowed to take.
        error: what went wrong at last.
        first_sent_at: the time of the clock at which the first attempt came to its turn.
        sent_at: the same of the last attempt.
        is_connected: whether the last attempt reached the host, or the proxy on the way to it.
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
    """How to talk to one service.

    Attributes:
        interval_s: least time between two requests to one host; 0: no limit.
        concurrency: most requests to one host at one time.
        attempt_timeout_s: for one request with its whole body.
        connect_timeout_s: for connecting, repetitions included, as long as no host at all was
            connected to lately: then there is no network, and waiting does not bring it.
        deadline_s: for everything that one call of `get` does, waits included.
        max_bytes: of an unpacked body.
        max_redirects: that are followed, within the origin only; 0: each is an error that says
            where it leads.
        secrets: keys that no error or log may show.
        retry: when to ask again.
        refusal_of: why the server does not want to be asked for a while, by an error; None if it
            said no such thing.
        refused_for_s: how long it is left alone then, if it does not say.
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
    """Return a GET, or with `json` or `form` a POST; its keys go along for the network to add."""
    query, key_query = split_credentials(_encodable(params), settings.secrets)
    headers, key_headers = split_credentials(headers, settings.secrets)
    # `params=` of httpx would throw away the query that the URL already has.
    target = httpx.URL(url).copy_merge_params(query)
    target.copy_merge_params(key_query)  # raises here, not later, if that is too long
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
