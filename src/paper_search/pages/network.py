"""The transport of the page fetcher: checks the IP address of a host, then connects to it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address

import httpx

from paper_search.pages.addresses import Address, check_address, check_url, port_of
from paper_search.pages.policy import ACCEPTED_TYPES, PageContentError, PagePolicy, PageRefusedError

Resolves = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port to its addresses."""


async def system_addresses(host: str, port: int) -> list[str]:
    """Return the addresses of a host as the system resolves it, IPv4 first.

    Raises:
        OSError: it has none.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    by_family = sorted(found, key=lambda address: address[0] != socket.AF_INET)
    return [str(address[4][0]) for address in by_family]


class GuardedNetwork(httpx.AsyncBaseTransport):
    """Sends requests to public addresses only.

    Each request is checked, also one that a redirect asked for. The host is resolved once, every
    address that it has must be public, and the connection goes to the first of them: a name that
    resolves to something else a moment later gains nothing. Host header and TLS name stay.

    Args:
        policy: what may be asked for.
        network: connects.
        resolve: gives the addresses of a host.
    """

    def __init__(
        self,
        policy: PagePolicy,
        network: httpx.AsyncBaseTransport,
        resolve: Resolves = system_addresses,
    ) -> None:
        self._policy = policy
        self._network = network
        self._resolve = resolve

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request if it may be sent; an answer of a kind that is not read is cut off.

        Raises:
            PageRefusedError: where it leads is not public.
            PageContentError: the answer is neither a page nor a PDF.
            httpx.ConnectError: the host has no address.
        """
        url = check_url(str(request.url), self._policy)
        address = await self._checked_address(url)
        extensions = dict(request.extensions)
        if url.scheme == "https":
            extensions["sni_hostname"] = url.raw_host.decode("ascii").strip("[]")
        pinned = httpx.Request(
            request.method,
            url.copy_with(host=str(address)),
            headers=request.headers,
            stream=request.stream,
            extensions=extensions,
        )
        response = await self._network.handle_async_request(pinned)
        if response.is_success and (kind := _unread(response)) is not None:
            await response.aclose()
            raise PageContentError(f"{url.host} answered with {kind!r}, which cannot be read")
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._network.aclose()

    async def _checked_address(self, url: httpx.URL) -> Address:
        host = url.raw_host.decode("ascii").strip("[]")
        try:
            found = [ip_address(address) for address in await self._resolve(host, port_of(url))]
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(f"no IP address: {error}") from None
        except ValueError:
            raise PageRefusedError(f"{host} has an address with a zone") from None
        if not found:
            raise httpx.ConnectError("no address")
        for address in found:  # all of them: which one is used must not be up to the host
            check_address(address, self._policy)
        return found[0]


def _unread(response: httpx.Response) -> str | None:
    """Return the media type of an answer that is not read; None if it is read or unknown."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return None if not kind or kind in ACCEPTED_TYPES else kind[:60]
