"""Checks that URLs and IP addresses are public: the guard against server-side request forgery.

A link from a paper, a search engine or a redirect may name anything. What is not plainly a public
host is refused, whatever form it is written in (OWASP SSRF Prevention Cheat Sheet; the registries
of special addresses are RFC 6890 and its successors).
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import httpx

from paper_search.pages.policy import PagePolicy, PageRefusedError

Address = IPv4Address | IPv6Address

_LONGEST = 2000
_PORTS = {"http": 80, "https": 443}
_OWN_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "arpa", "onion")
"""Last labels of names that mean nothing on the public web (RFC 6761, 6762, 8375 and habit)."""
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_PUBLIC_V6 = ip_network("2000::/3")
_NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "168.63.129.16/32",  # a cloud's own services, at an address that looks public
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # Teredo and other special uses
        "2002::/16",  # 6to4: an IPv4 address in disguise
        "3fff::/20",  # documentation
    )
)


def check_url(url: str, policy: PagePolicy) -> httpx.URL:
    """Return the URL, without its fragment, if by what it says it may be asked for.

    Args:
        url: absolute.
        policy: which ports there may be.

    Raises:
        PageRefusedError: it is no web address, names no public host, an odd port or a password.
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
        _check_name(host)
    return parsed


def check_address(address: Address, policy: PagePolicy) -> Address:
    """Return an address that a host has, if it is public.

    Raises:
        PageRefusedError: it is private, of this machine, or of a special use.
    """
    if any(address in network for network in policy.exempt if network.version == address.version):
        return address
    if not _is_public(address):
        raise PageRefusedError(f"{address} is not a public address")
    return address


def port_of(url: httpx.URL) -> int:
    """Return the port that a URL leads to."""
    return url.port or _PORTS[url.scheme]


def _is_public(address: Address) -> bool:
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if any(address in network for network in _NOT_PUBLIC if network.version == address.version):
        return False
    # Outside of it there are addresses of IPv4 in disguise: mapped, compatible, NAT64.
    return address.version == 4 or address in _PUBLIC_V6  # noqa: PLR2004  # the version of IP


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host.strip("[]").rstrip("."))
    except ValueError:
        return None


def _check_name(host: str) -> None:
    labels = host.lower().rstrip(".").split(".")
    if len(labels) < 2 or labels[-1] in _OWN_NAMES or "" in labels:  # noqa: PLR2004  # a name and its domain
        raise PageRefusedError(f"{host!r} is not the name of a public host")
    if _NUMBER.fullmatch(labels[-1]) or ":" in host or "%" in host:
        raise PageRefusedError(f"{host!r} is an unusual form of a number, not a host name")
