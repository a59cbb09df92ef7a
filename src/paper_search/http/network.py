"""Proxies, certificates and keys of requests."""

import ipaddress
import ssl
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import certifi
import httpx

from paper_search.errors import ConfigError
from paper_search.models.settings import NetworkConfig, Setting

_PROXY_SCHEMES = {"http", "https", "socks5", "socks5h"}
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Routes(httpx.AsyncBaseTransport):
    """Sends each request directly or through a proxy.

    Attributes:
        passwords: of the proxies; no log may show them.

    Raises:
        ConfigError: a setting cannot be used; the message names the variable.
    """

    def __init__(self, config: NetworkConfig) -> None:
        trusted = trusted_certificates(config.certificates)
        self._exceptions = _Exceptions(config.exceptions)
        self._direct = httpx.AsyncHTTPTransport(verify=trusted, trust_env=False)
        proxies = {
            scheme: _proxy_address(proxy)
            for scheme, proxy in (("http", config.http), ("https", config.https))
            if proxy is not None
        }
        self.passwords = tuple(proxy.auth[1] for proxy in proxies.values() if proxy.auth)
        self._names = {
            scheme: f"the proxy {proxies[scheme].url.netloc.decode()} ({setting.variable})"
            for scheme, setting in (("http", config.http), ("https", config.https))
            if setting is not None
        }
        self._proxies = {
            scheme: httpx.AsyncHTTPTransport(verify=trusted, trust_env=False, proxy=proxy)
            for scheme, proxy in proxies.items()
        }

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self.transport_to(request.url).handle_async_request(request)

    async def aclose(self) -> None:
        for transport in (self._direct, *self._proxies.values()):
            await transport.aclose()

    def transport_to(self, url: httpx.URL) -> httpx.AsyncHTTPTransport:
        return self._proxies[url.scheme] if self.proxy_to(url) else self._direct

    def proxy_to(self, url: httpx.URL) -> str | None:
        return None if self._exceptions.cover(url) else self._names.get(url.scheme)


class _Exceptions:
    """Hosts without a proxy: names and domains (with or without a port), networks, `*`."""

    def __init__(self, setting: Setting | None) -> None:
        self._names: set[tuple[str, int | None]] = set()
        self._networks: list[_Network] = []
        for part in (setting.value if setting else "").replace(",", " ").split():
            try:
                self._networks.append(ipaddress.ip_network(part.strip("[]"), strict=False))
            except ValueError:
                if setting is not None and "/" in part:
                    raise ConfigError(
                        f"{setting.variable}: {part!r} is not a network like 10.0.0.0/8 or fd00::/8"
                    ) from None
                name, _, port = part.lower().removeprefix("*").partition(":")
                self._names.add((name.lstrip("."), int(port) if port.isdecimal() else None))

    def cover(self, url: httpx.URL) -> bool:
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
    value = setting.value if "://" in setting.value else f"http://{setting.value}"
    forms = "expected http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT"
    try:
        parts = urlsplit(value)
        is_usable = parts.scheme in _PROXY_SCHEMES and parts.hostname and parts.port is not None
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ConfigError(f"{setting.variable} is not a proxy address: {forms}")
    return httpx.Proxy(value)


@cache
def trusted_certificates(setting: Setting | None = None) -> ssl.SSLContext:
    """Return the trusted authorities: the machine's, certifi's, and those of a variable.

    The result is cached, because reading them takes longer than a request.
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
        reason = "there is no such file" if not path.exists() else f"no certificates found: {error}"
        raise ConfigError(f"{setting.variable} is {setting.value!r}: {reason}") from None
    return context


CREDENTIALS = "paper_search.credentials"
BEFORE_SENDING = "paper_search.before_sending"
"""Keys of request extensions that `Network` reads."""
Trace = Callable[[str, Any], Awaitable[None]]
"""Receives httpcore's trace events."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The parts of a request that hold keys."""

    params: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Network(httpx.AsyncBaseTransport):
    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Wait for the request's turn, add its keys and send it without following redirects."""
        wait: Callable[[], Awaitable[Trace]] = request.extensions[BEFORE_SENDING]
        credentials: Credentials = request.extensions[CREDENTIALS]
        trace = await wait()
        outgoing = httpx.Request(
            request.method,
            request.url.copy_merge_params(dict(credentials.params)),
            headers=request.headers,
            stream=request.stream,
            extensions={"timeout": request.extensions["timeout"], "trace": trace},
        )
        outgoing.headers.update(credentials.headers)
        response = await self._client.send(outgoing, stream=True, auth=None, follow_redirects=False)
        # The cache stores the header as it is, and many servers repeat the query in it.
        _remove_from_location(credentials.params.values(), response.headers)
        return response


def _remove_from_location(keys: Collection[str], headers: httpx.Headers) -> None:
    try:
        target = httpx.URL(headers.get("location", ""))
    except httpx.InvalidURL:
        return
    rest = [(name, value) for name, value in target.params.multi_items() if value not in keys]
    if len(rest) < len(target.params.multi_items()):
        headers["location"] = str(target.copy_with(params=rest))


def split_credentials(
    values: Mapping[str, str], secrets: Iterable[str]
) -> tuple[dict[str, str], dict[str, str]]:
    keys = [secret for secret in secrets if secret]
    private = {name: value for name, value in values.items() if any(key in value for key in keys)}
    return {name: value for name, value in values.items() if name not in private}, private


def limits_scope(url: httpx.URL, secrets: Iterable[str]) -> str:
    """Return the key of rate limits: the host, and whether requests have a key."""
    host = url.netloc.decode("ascii")
    return f"{host} with a key" if any(secrets) else host


def redirect_target(request: httpx.Request, response: httpx.Response) -> httpx.URL | None:
    """Return the target of a redirect, if it stays within the origin and may be followed."""
    location = response.headers.get("location")
    if request.method != "GET" or not response.is_redirect or not location:
        return None
    try:
        target = request.url.join(location)
    except httpx.InvalidURL:
        return None
    return target if _origin(target) == _origin(request.url) else None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)
