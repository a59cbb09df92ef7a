"""The last step of a request: its turn comes, its keys are added, it is sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field

import httpx

from paper_search.http.reachability import Trace

CREDENTIALS = "paper_search.credentials"
BEFORE_SENDING = "paper_search.before_sending"
"""Names of what a request carries to `Network` beside HTTP."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The parts of a request that hold keys."""

    params: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Network(httpx.AsyncBaseTransport):
    """Sends requests through an httpx client.

    Args:
        client: an open client.
    """

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Wait for the turn of the request, add its keys and send it; no redirect is followed."""
        wait: Callable[[], Awaitable[Trace]] = request.extensions[BEFORE_SENDING]
        credentials: Credentials = request.extensions[CREDENTIALS]
        trace = await wait()
        sent = httpx.Request(
            request.method,
            request.url.copy_merge_params(dict(credentials.params)),
            headers=request.headers,
            stream=request.stream,
            extensions={"timeout": request.extensions["timeout"], "trace": trace},
        )
        sent.headers.update(credentials.headers)
        return await self._client.send(sent, stream=True, auth=None, follow_redirects=False)


def split_credentials(
    values: Mapping[str, str], secrets: Iterable[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what holds no key, and what does."""
    keys = [secret for secret in secrets if secret]
    private = {name: value for name, value in values.items() if any(key in value for key in keys)}
    return {name: value for name, value in values.items() if name not in private}, private


def limits_scope(url: httpx.URL, secrets: Iterable[str]) -> str:
    """Return what limits hold for: the host, apart for those who have a key."""
    host = url.netloc.decode("ascii")
    return f"{host} with a key" if any(secrets) else host


def is_same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    """Return whether two URLs have the same scheme, host and port (RFC 6454)."""
    return _origin(one) == _origin(other)


def redirect_target(request: httpx.Request, response: httpx.Response) -> httpx.URL | None:
    """Return where a redirect leads, if it stays within the origin and may be followed."""
    location = response.headers.get("location")
    if request.method != "GET" or not response.is_redirect or not location:
        return None
    try:
        target = request.url.join(location)
    except httpx.InvalidURL:
        return None
    return target if is_same_origin(target, request.url) else None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)
