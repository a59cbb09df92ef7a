"""Limits for fetching pages, and a transport that connects only to public IP addresses."""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import httpx

from paper_search.http.errors import HttpError

ACCEPTED_TYPES = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/plain": "text",
}
"""Media types that are read, and the kind of each."""


@dataclass(frozen=True, slots=True)
class PagePolicy:
    """Limits on fetching and reading.

    Attributes:
        ports: allowed ports.
        exempt: networks that are allowed although not public; for tests only, no setting.
        max_bytes: of a document, decompressed.
        total_s: for one document, including redirects and robots.txt.
        redirects: followed at most; each target is checked again.
        interval_s: least time between two requests to a host.
        parse_s: processor time to extract a text; twice that in wall-clock time.
        memory_bytes: for the process that extracts it.
        max_tags: of a page.
        max_pdf_pages: read from a PDF.
        max_chars: of text kept.
    """

    ports: frozenset[int] = frozenset({80, 443})
    exempt: tuple[IPv4Network | IPv6Network, ...] = ()
    max_bytes: int = 15_000_000
    total_s: float = 40.0
    redirects: int = 5
    interval_s: float = 3.0
    parse_s: int = 15
    memory_bytes: int = 1_500_000_000
    max_tags: int = 100_000
    max_pdf_pages: int = 60
    max_chars: int = 200_000


class PageError(HttpError):
    """A page was not read; the message has its host, never the whole URL."""


class PageRefusedError(PageError):
    """The page may not be fetched; nothing was sent to it."""


class PageContentError(PageError):
    """The content is of the wrong kind, or cannot be read."""


Resolves = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host and port."""
Address = IPv4Address | IPv6Address

_LONGEST = 2000
_PORTS = {"http": 80, "https": 443}
_OWN_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "arpa", "onion")
"""Top-level domains that are not public (RFC 6761, 6762, 8375 and common use)."""
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_PUBLIC_V6 = ip_network("2000::/3")
_NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "168.63.129.16/32",  # internal services of a cloud, at an address that looks public
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # Teredo and other special uses
        "2002::/16",  # 6to4: contains an IPv4 address
        "3fff::/20",  # documentation
    )
)


async def system_addresses(host: str, port: int) -> list[str]:
    """Return the addresses of a host as the system resolves it, IPv4 first; OSError if none."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    by_family = sorted(entries, key=lambda address: address[0] != socket.AF_INET)
    return [str(address[4][0]) for address in by_family]


@dataclass(eq=False)
class GuardedNetwork(httpx.AsyncBaseTransport):
    """Sends requests to public addresses only.

    Each request is checked, including those of redirects. The host is resolved once, all its
    addresses must be public, and the connection goes to the first of them, so that a name that
    resolves differently a moment later has no effect. Host header and TLS name are kept.
    """

    policy: PagePolicy
    network: httpx.AsyncBaseTransport
    resolve: Resolves = system_addresses

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request if allowed; close responses of other kinds without reading them.

        Raises:
            PageRefusedError: the target is not public.
            PageContentError: the response is neither a page nor a PDF.
            httpx.ConnectError: the host has no address.
        """
        url = check_url(str(request.url), self.policy)
        address = await self._safe_address(url)
        extensions = dict(request.extensions)
        if url.scheme == "https":
            extensions["sni_hostname"] = url.raw_host.decode("ascii")
        pinned = httpx.Request(
            request.method,
            url.copy_with(host=str(address)),
            headers=request.headers,
            stream=request.stream,
            extensions=extensions,
        )
        response = await self.network.handle_async_request(pinned)
        if response.is_success and (kind := _unread(response)) is not None:
            await response.aclose()
            raise PageContentError(f"{url.host} answered with {kind!r}, which cannot be read")
        return response

    async def aclose(self) -> None:
        await self.network.aclose()

    async def _safe_address(self, url: httpx.URL) -> Address:
        host = url.raw_host.decode("ascii")
        try:
            addresses = [ip_address(address) for address in await self.resolve(host, port_of(url))]
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(f"no IP address: {error}") from None
        except ValueError:
            raise PageRefusedError(f"{host} has an address with a zone") from None
        if not addresses:
            raise httpx.ConnectError("no address")
        for address in addresses:  # all of them, so that the host cannot choose which is used
            check_address(address, self.policy)
        return addresses[0]


def _unread(response: httpx.Response) -> str | None:
    """Return the media type of a response if it is one that is not read."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return None if not kind or kind in ACCEPTED_TYPES else kind[:60]


def check_url(url: str, policy: PagePolicy) -> httpx.URL:
    """Return the URL without its fragment, if it may be fetched as far as its text tells.

    Raises:
        PageRefusedError: not a web URL, no public host, another port, or with a password.
    """
    if len(url) > _LONGEST or _UNSAFE.search(url):
        raise PageRefusedError(f"not a URL that can be fetched: {url[:60]!r}")
    try:
        parsed = httpx.URL(url).copy_with(fragment=None)
    except (httpx.InvalidURL, ValueError, TypeError):
        raise PageRefusedError(f"not a URL that can be fetched: {url[:60]!r}") from None
    host = parsed.raw_host.decode("ascii", "replace")
    if parsed.scheme not in _PORTS or not host:
        raise PageRefusedError(f"only http and https URLs are fetched, not {url[:60]!r}")
    if parsed.userinfo:
        raise PageRefusedError(f"a URL with a user name or password is refused: {host}")
    if (parsed.port or _PORTS[parsed.scheme]) not in policy.ports:
        raise PageRefusedError(f"port {parsed.port} of {host} is refused; allowed: 80 and 443")
    literal = _literal(host)
    if literal is not None:
        check_address(literal, policy)
    else:
        labels = host.lower().rstrip(".").split(".")
        if len(labels) < 2 or labels[-1] in _OWN_NAMES or "" in labels:  # noqa: PLR2004  # a name and its domain
            raise PageRefusedError(f"{host!r} is not the name of a public host")
        if _NUMBER.fullmatch(labels[-1]) or ":" in host or "%" in host:
            raise PageRefusedError(f"{host!r} is an unusual form of a number, not a host name")
    return parsed


def check_address(address: Address, policy: PagePolicy) -> Address:
    """Return the address; PageRefusedError unless it is public."""
    if any(address in network for network in policy.exempt if network.version == address.version):
        return address
    if not _is_public(address):
        raise PageRefusedError(f"{address} is not a public address")
    return address


def port_of(url: httpx.URL) -> int:
    return url.port or _PORTS[url.scheme]


def _is_public(address: Address) -> bool:
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if any(address in network for network in _NOT_PUBLIC if network.version == address.version):
        return False
    # Other IPv6 addresses may contain IPv4 addresses: mapped, compatible, NAT64.
    return address.version == 4 or address in _PUBLIC_V6  # noqa: PLR2004  # the version of IP


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host.strip("[]").rstrip("."))
    except ValueError:
        return None
