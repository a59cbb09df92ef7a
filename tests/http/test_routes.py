"""Which way requests take on a machine of an institution: real proxies on loopback."""

import asyncio
import json
import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import pytest
import trustme
from pytest_httpserver import HTTPServer

from paper_search.errors import ConfigError
from paper_search.http.client import HttpClient, HttpSettings
from paper_search.http.errors import HttpProxyError, HttpUnreachableError
from paper_search.http.limits import HostLimiter
from paper_search.http.network import Routes, trusted_certificates
from paper_search.models import SourceStatus
from paper_search.models.settings import NetworkConfig, Setting
from paper_search.sources.client import explain_failure
from paper_search.sources.crossref import Crossref

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
HOST = "service.invalid"


@dataclass
class Proxy:
    """An HTTP and SOCKS5 proxy that answers itself, whatever host is wanted."""

    port: int = 0
    asked: list[str] = field(default_factory=list)
    answer: bytes = ANSWER

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(1)
        if first == b"\x05":  # RFC 1928
            methods = await reader.readexactly((await reader.readexactly(1))[0])
            writer.write(b"\x05" + methods[:1])
            if methods[:1] == b"\x02":  # RFC 1929
                await reader.readexactly(1)
                for _ in ("name", "password"):
                    word = await reader.readexactly((await reader.readexactly(1))[0])
                    self.asked.append(word.decode())
                writer.write(b"\x01\x00")
            head = await reader.readexactly(4)
            length = (await reader.readexactly(1))[0] if head[3] == 3 else 4
            self.asked.append(f"socks {(await reader.readexactly(length)).decode('ascii')}")
            await reader.readexactly(2)
            writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
            first = b""
        line = (first + await reader.readline()).decode("ascii").strip()
        self.asked.append(line)
        writer.write(self.answer + json.dumps({"line": line}).encode())
        await writer.drain()
        writer.close()


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    running = Proxy()
    server = await asyncio.start_server(running.serve, "127.0.0.1", 0)
    running.port = server.sockets[0].getsockname()[1]
    async with server:
        yield running


@asynccontextmanager
async def opened(**env: str) -> AsyncIterator[HttpClient]:
    settings = HttpSettings(interval_s=0.0)
    ways = NetworkConfig.of(env)
    async with HttpClient(settings, limiter=HostLimiter(), network=ways) as http:
        yield http


async def ask(url: str, **env: str) -> None:
    async with opened(**env) as http:
        await http.ask(url)


async def test_a_request_goes_through_the_proxy_of_its_scheme(proxy):
    await ask(f"http://{HOST}/a", http_proxy=f"http://127.0.0.1:{proxy.port}")
    assert proxy.asked == [f"GET http://{HOST}/a HTTP/1.1"]


async def test_a_secure_request_is_tunnelled(proxy):
    with pytest.raises(Exception, match=HOST):
        await ask(f"https://{HOST}/a", HTTPS_PROXY=f"127.0.0.1:{proxy.port}")
    assert proxy.asked[0] == f"CONNECT {HOST}:443 HTTP/1.1"


async def test_socks_is_spoken_and_the_proxy_resolves_the_name(proxy):
    await ask(f"http://{HOST}/a", ALL_PROXY=f"socks5h://127.0.0.1:{proxy.port}")
    assert proxy.asked == [f"socks {HOST}", "GET /a HTTP/1.1"]


async def test_the_password_of_a_socks_proxy_is_in_no_log_line(proxy, caplog):
    """PER-18"""
    address = f"socks5h://me:CANARY%20p%C3%A4ss@127.0.0.1:{proxy.port}"
    with caplog.at_level(logging.DEBUG):
        await ask(f"http://{HOST}/a", ALL_PROXY=address)
    assert proxy.asked == ["me", "CANARY päss", f"socks {HOST}", "GET /a HTTP/1.1"]
    assert "auth=(b'me', b'[redacted]')" in caplog.text
    assert "CANARY" not in caplog.text


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
async def test_a_proxy_that_is_down_is_named_and_not_the_service(scheme, unused_tcp_port):
    address = f"{scheme}://me:CANARY@127.0.0.1:{unused_tcp_port}"
    with pytest.raises(HttpProxyError) as caught:
        await ask(f"https://{HOST}/a", HTTPS_PROXY=address)
    said = str(caught.value)
    assert f"the proxy 127.0.0.1:{unused_tcp_port} (HTTPS_PROXY) cannot be reached" in said
    assert HOST not in said
    assert "CANARY" not in said
    failure = explain_failure(caught.value, Crossref(), patience_s=1)
    assert "Crossref" not in str(failure)
    assert failure.status is SourceStatus.UNREACHABLE


async def test_a_proxy_that_refuses_to_connect_is_named(proxy):
    proxy.answer = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"
    with pytest.raises(HttpProxyError, match=f"does not connect to {HOST}: .*407"):
        await ask(f"https://{HOST}/a", HTTPS_PROXY=f"127.0.0.1:{proxy.port}")


async def test_a_service_that_fails_behind_a_proxy_is_not_called_the_proxy(proxy):
    with pytest.raises(HttpUnreachableError, match=f"{HOST} cannot be reached") as caught:
        # The proxy connects, and speaks no TLS.
        await ask(f"https://{HOST}/a", HTTPS_PROXY=f"127.0.0.1:{proxy.port}")
    assert not isinstance(caught.value, HttpProxyError)


async def test_a_host_that_no_proxy_is_for_is_asked_straight(proxy):
    other = Proxy()
    server = await asyncio.start_server(other.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    env = {"ALL_PROXY": f"http://127.0.0.1:{proxy.port}", "NO_PROXY": "fd00::/8, 127.0.0.0/8"}
    async with server:
        await ask(f"http://127.0.0.1:{port}/a", **env)
    assert (len(other.asked), proxy.asked) == (1, [])


@pytest.mark.parametrize(
    ("exceptions", "url", "is_straight"),
    [
        ("", "https://a.org", False),
        ("a.org", "https://a.org", True),
        ("a.org", "https://api.a.org", True),
        ("a.org", "https://ba.org", False),
        (".a.org", "https://api.a.org", True),
        ("*.a.org", "https://api.a.org", True),
        ("*", "https://a.org", True),
        ("b.org a.org:8443", "https://a.org:8443", True),
        ("a.org:8443", "https://a.org", False),
        ("10.0.0.0/8", "https://10.1.2.3", True),
        ("10.0.0.0/8", "https://11.1.2.3", False),
        ("fd00::/8", "https://[fd00::1]", True),
        ("10.1.2.3", "https://10.1.2.3", True),
        ("", "https://127.0.0.1", True),
        ("", "https://localhost", True),
    ],
)
def test_no_proxy_names_hosts_domains_addresses_and_networks(exceptions, url, *, is_straight):
    config = NetworkConfig.of({"HTTPS_PROXY": "http://p.org:1", "NO_PROXY": exceptions})
    routes, direct = Routes(config), Routes(NetworkConfig())
    assert direct.transport_to(httpx.URL(url)) is direct._direct
    assert (routes.transport_to(httpx.URL(url)) is routes._direct) == is_straight


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HTTPS_PROXY", "ftp://secret@p:21", "HTTPS_PROXY is not a proxy address: expected http"),
        ("http_proxy", "http://:8080", "http_proxy is not a proxy address"),
        ("ALL_PROXY", "socks5://p:notaport", "ALL_PROXY is not a proxy address"),
        ("NO_PROXY", "10.0.0.0/99", "NO_PROXY: '10.0.0.0/99' is not a network like 10.0.0.0/8"),
        ("NO_PROXY", "X10.0.0.0/8", "NO_PROXY: 'X10.0.0.0/8' is not a network like 10.0.0.0/8"),
        ("SSL_CERT_FILE", "/no/such/file", "SSL_CERT_FILE is '/no/such/file': there is no such"),
        ("REQUESTS_CA_BUNDLE", __file__, "REQUESTS_CA_BUNDLE is .*: no certificates found"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_the_variable(variable, value, said):
    with pytest.raises(ConfigError, match=f"^{said}") as caught:
        Routes(NetworkConfig.of({variable: value}))
    assert "secret" not in str(caught.value)


def test_the_password_of_a_proxy_is_a_secret():
    config = NetworkConfig.of({"HTTPS_PROXY": "http://me:CANARY@p:1", "HTTP_PROXY": "http://p:1"})
    assert config.secrets == ("http://me:CANARY@p:1",)
    assert "CANARY" not in repr(config)


def test_small_letters_win_as_they_do_for_other_programs():
    config = NetworkConfig.of({"HTTPS_PROXY": "http://a:1", "https_proxy": "http://b:1"})
    assert config.https == Setting(variable="https_proxy", value="http://b:1")


def test_an_authority_of_the_institution_is_trusted_beside_the_usual_ones(tmp_path):
    usual = len(trusted_certificates().get_ca_certs())
    bundle = tmp_path / "own.pem"
    trustme.CA().cert_pem.write_to_path(str(bundle))
    setting = Setting(variable="SSL_CERT_FILE", value=str(bundle))
    assert len(trusted_certificates(setting).get_ca_certs()) == usual + 1 > 50


async def test_a_host_is_asked_straight_if_an_authority_of_the_institution_vouches_for_it(tmp_path):
    authority, own = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(own)
    bundle = tmp_path / "own.pem"
    authority.cert_pem.write_to_path(str(bundle))
    with HTTPServer(ssl_context=own) as server:
        server.expect_request("/a").respond_with_json({"is_trusted": True})
        url = f"https://localhost:{server.port}/a"
        async with opened(SSL_CERT_FILE=str(bundle)) as http:
            assert (await http.ask(url)).json() == {"is_trusted": True}
        with pytest.raises(HttpUnreachableError, match=r"(?i)certificate"):
            await ask(url)


async def test_a_client_that_cannot_be_opened_leaves_nothing_behind():
    before = list(logging.getLogger("httpx").filters)
    with pytest.raises(ConfigError):
        async with opened(HTTPS_PROXY="p.org"):
            pass
    assert logging.getLogger("httpx").filters == before
