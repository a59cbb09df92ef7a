"""Which way requests take, straight or through a proxy of an institution, and whom to trust."""

from __future__ import annotations

import ipaddress
import ssl
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import certifi
import httpx

from paper_search.errors import ConfigError
from paper_search.models.network import NetworkConfig, Setting

_PROXY_SCHEMES = {"http", "https", "socks5", "socks5h"}
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Routes(httpx.AsyncBaseTransport):
    """Sends each request straight or through a proxy, as the network of the machine demands.

    Args:
        config: proxies, exceptions and certificates.

    Raises:
        ConfigError: one of them cannot be used; it names the variable.
    """

    def __init__(self, config: NetworkConfig) -> None:
        trusted = trusted_certificates(config.certificates)
        self._exceptions = _Exceptions(config.exceptions)
        self._straight = httpx.AsyncHTTPTransport(verify=trusted, trust_env=False)
        self._proxies = {
            scheme: httpx.AsyncHTTPTransport(
                verify=trusted, trust_env=False, proxy=_proxy_address(proxy)
            )
            for scheme, proxy in (("http", config.http), ("https", config.https))
            if proxy is not None
        }

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request on its way."""
        return await self.way_to(request.url).handle_async_request(request)

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in (self._straight, *self._proxies.values()):
            await transport.aclose()

    def way_to(self, url: httpx.URL) -> httpx.AsyncHTTPTransport:
        """Return what sends requests to a URL."""
        proxy = self._proxies.get(url.scheme)
        return self._straight if proxy is None or self._exceptions.cover(url) else proxy


class _Exceptions:
    """Hosts that are asked straight: names, domains, addresses, networks, `*`; each with a port.

    Raises:
        ConfigError: a network cannot be read.
    """

    def __init__(self, setting: Setting | None) -> None:
        self._names: set[tuple[str, int | None]] = set()
        self._networks: list[_Network] = []
        for part in (setting.value if setting else "").replace(",", " ").split():
            try:
                self._networks.append(ipaddress.ip_network(part.strip("[]"), strict=False))
            except ValueError:
                if setting is not None and "/" in part:
                    raise ConfigError(
                        f"{setting.variable}: {part!r} is no network such as 10.0.0.0/8 or fd00::/8"
                    ) from None
                name, _, port = part.lower().removeprefix("*").partition(":")
                self._names.add((name.lstrip("."), int(port) if port.isdigit() else None))

    def cover(self, url: httpx.URL) -> bool:
        """Whether the host of a URL is one of them, or lies in one of their domains."""
        host = url.host.lower()
        if _is_loopback(host) or self._is_in_network(host):
            return True
        labels = host.split(".")
        names = {"", *(".".join(labels[start:]) for start in range(len(labels)))}
        return any((name, port) in self._names for name in names for port in (None, url.port))

    def _is_in_network(self, host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._networks)


def _is_loopback(host: str) -> bool:
    return host == "localhost" or host.startswith("127.") or host == "::1"


def _proxy_address(setting: Setting) -> httpx.Proxy:
    """Return the address of a proxy.

    Raises:
        ConfigError: it is none; what it holds may be a password, and is not shown.
    """
    value = setting.value if "://" in setting.value else f"http://{setting.value}"
    expected = "expected http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT"
    try:
        parts = urlsplit(value)
        is_usable = parts.scheme in _PROXY_SCHEMES and parts.hostname and parts.port is not None
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ConfigError(f"{setting.variable} is no address of a proxy: {expected}")
    return httpx.Proxy(value)


@cache
def trusted_certificates(setting: Setting | None = None) -> ssl.SSLContext:
    """Return the authorities to trust: the machine's, certifi's, and those of a variable.

    They are read once: that takes longer than a request.

    Raises:
        ConfigError: the variable names no readable file or directory of certificates.
    """
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    if setting is None:
        return context
    path = Path(setting.value)
    try:
        if path.is_dir():
            context.load_verify_locations(capath=path)
        else:
            context.load_verify_locations(cafile=path)
    except (OSError, ssl.SSLError) as error:
        reason = "there is no such file" if not path.exists() else f"no certificates in it: {error}"
        raise ConfigError(f"{setting.variable} is {setting.value!r}: {reason}") from None
    return context
