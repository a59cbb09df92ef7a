"""Where a request is really sent: to the address that was checked, at every hop."""

import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from tests.examples import examples
from tests.pages.site import HOST, address, fetched, fetcher_for, page
from werkzeug import Request, Response

from paper_search.http.errors import HttpUnreachableError
from paper_search.pages.fetching import PageFetcher
from paper_search.pages.network import (
    GuardedNetwork,
    PageContentError,
    PagePolicy,
    PageRefusedError,
    check_address,
    check_url,
    system_addresses,
)

POLICY = PagePolicy()

NOT_PUBLIC = [
    "0.0.0.0",  # noqa: S104  # refused, not bound
    "127.0.0.1", "127.8.9.10", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255",
    "192.168.1.1", "100.64.0.1", "100.100.100.200", "169.254.169.254", "168.63.129.16",
    "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "192.88.99.1",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1",
    "2002:7f00:1::", "2002:808:808::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1",
    "2001:10::1", "100::1", "3fff::1", "fec0::1",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001::200e"]

REFUSED_URLS = [
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://example.0x7f/",
    "http://example.127/",
    "http://exa%6dple.org/",
    "http://127.0.0.1%2e/",
    "http://127.0.0.1./",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fe80::1%25eth0]/",
    "http://localhost/",
    "http://localhost./",
    "http://printer/",
    "http://intranet.local/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://1.0.0.127.in-addr.arpa/",
    "http://user@example.org/",
    "http://user:secret@example.org/",
    "http://example.org@127.0.0.1/",
    "http://example.org:22/",
    "http://example.org:8080/",
    "https://example.org:6379/",
    "ftp://example.org/a.pdf",
    "file:///etc/passwd",
    "gopher://example.org/",
    "javascript:alert(1)",
    "data:text/html,hello",
    "//example.org/a",
    "example.org/a",
    "",
    "http://",
    "http:///path",
    "http://exa mple.org/",
    "http://example.org/\r\nHost: evil",
    "http://example.org\\@127.0.0.1/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://ex..ample.org/",
    "http://example.org/" + "a" * 3000,
]


def guarded(
    *resolved: list[str], sent: list[httpx.Request] | None = None, **headers: str
) -> Callable[[], Awaitable[httpx.Response]]:
    """Return what asks a host that has these addresses, one list for each time it is asked."""
    addresses = iter(resolved)

    async def resolve(host: str, port: int) -> list[str]:
        assert (host, port) == ("example.org", 443)
        return next(addresses)

    def answer(request: httpx.Request) -> httpx.Response:
        if sent is not None:
            sent.append(request)
        return httpx.Response(200, content=b"text", headers=headers)

    network = GuardedNetwork(POLICY, httpx.MockTransport(answer), resolve)
    asked = httpx.Request("GET", "https://example.org/a")
    return lambda: network.handle_async_request(asked)


async def test_sec_14_a_host_that_resolves_to_something_else_later_gains_nothing():
    sent: list[httpx.Request] = []
    ask = guarded(["93.184.216.34"], ["10.0.0.1"], sent=sent)
    await ask()
    [request] = sent
    assert request.url.host == "93.184.216.34"
    assert request.headers["host"] == "example.org"
    assert request.extensions["sni_hostname"] == "example.org"
    with pytest.raises(PageRefusedError):
        await ask()
    assert len(sent) == 1


async def test_sec_14_the_name_goes_with_the_request_and_the_connection_to_the_address(httpserver):
    httpserver.expect_request(
        "/a", headers={"Host": f"{HOST}:{httpserver.port}"}
    ).respond_with_data(page(), content_type="text/html")
    document = await fetched(httpserver)
    assert document.kind == "html"
    assert document.url == address(httpserver, "/a")


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://localhost/",
        "file:///etc/passwd",
        "http://user:pw@example.org/",
        "http://example.org:25/",
        "//10.0.0.1/",
    ],
)
async def test_sec_15_a_redirect_to_what_is_not_public_is_refused(httpserver, target):
    httpserver.expect_request("/a").respond_with_data("", 302, headers={"Location": target})
    with pytest.raises(PageRefusedError):
        await fetched(httpserver)
    assert _paths(httpserver) == ["/robots.txt", "/a"]


async def test_sec_15_a_redirect_to_a_name_that_resolves_to_a_private_address_is_refused(
    httpserver,
):
    async def resolve(host: str, _port: int) -> list[str]:
        return ["127.0.0.1"] if host == HOST else ["192.168.0.1"]

    elsewhere = address(httpserver, "/b", "inside.example.org")
    httpserver.expect_request("/a").respond_with_data("", 301, headers={"Location": elsewhere})
    with pytest.raises(PageRefusedError, match=r"192\.168\.0\.1"):
        await fetched(httpserver, resolve=resolve)


async def test_sec_15_redirects_between_public_hosts_are_followed_five_times(httpserver):
    def onward(request: Request) -> Response:
        left = int(request.args["left"])
        if left == 0:
            return Response(page(), content_type="text/html")
        target = address(httpserver, f"/hop?left={left - 1}", f"h{left}.example.org")
        return Response(status=302, headers={"Location": target})

    httpserver.expect_request("/hop").respond_with_handler(onward)
    async with fetcher_for(httpserver.port) as fetcher:
        document = await fetcher.fetch(address(httpserver, "/hop?left=5"))
        assert "h1.example.org" in document.url
        with pytest.raises(PageContentError, match="more than 5"):
            await fetcher.fetch(address(httpserver, "/hop?left=20"))
    assert len([path for path in _paths(httpserver) if path == "/hop"]) == 12


async def test_a_host_without_an_address_is_unreachable(httpserver):
    async def resolve(_host: str, _port: int) -> list[str]:
        raise OSError("no such host")

    with pytest.raises(HttpUnreachableError):
        await fetched(httpserver, resolve=resolve)
    assert _paths(httpserver) == []


async def test_a_proxy_of_the_environment_is_not_used(httpserver, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    httpserver.expect_request("/a").respond_with_data(page(), content_type="text/html")
    assert (await fetched(httpserver)).kind == "html"


async def test_without_an_exemption_the_loopback_is_never_asked(httpserver):
    async with PageFetcher(PagePolicy(ports=frozenset({httpserver.port}))) as fetcher:
        with pytest.raises(PageRefusedError):
            await fetcher.fetch(f"http://127.0.0.1:{httpserver.port}/a")
    assert _paths(httpserver) == []


def _paths(server: HTTPServer) -> list[Any]:
    return [request.path for request, _ in server.log]


@pytest.mark.parametrize("text", NOT_PUBLIC)
async def test_sec_13_no_host_with_an_address_that_is_not_public_is_asked(text):
    sent: list[httpx.Request] = []
    with pytest.raises(PageRefusedError, match="not a public address"):
        await guarded([text], sent=sent)()
    with pytest.raises(PageRefusedError):
        check_address(ip_address(text), POLICY)
    assert sent == []


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_sec_13_an_address_in_an_odd_form_is_refused(url):
    with pytest.raises(PageRefusedError):
        check_url(url, POLICY)


@pytest.mark.parametrize("text", PUBLIC)
def test_sec_13_public_addresses_pass(text):
    address = ip_address(text)
    assert check_address(address, POLICY) == address
    host = f"[{text}]" if address.version == 6 else text
    assert check_url(f"https://{host}/a", POLICY).path == "/a"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.org/a?b=c#d", "example.org"),
        ("http://Example.ORG:80/", "example.org"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://example.org./a", "example.org."),
        ("https://163.com/", "163.com"),
    ],
)
def test_sec_13_names_of_public_hosts_pass(url, host):
    checked = check_url(url, POLICY)
    assert checked.raw_host.decode() == host
    assert not checked.fragment


async def test_sec_13_one_private_address_among_public_ones_is_enough_to_refuse():
    with pytest.raises(PageRefusedError):
        await guarded(["8.8.8.8", "10.0.0.1"])()


@given(st.integers(0, 2**32 - 1))
@examples(200)
def test_sec_13_no_ipv4_address_gets_through_in_the_disguise_of_ipv6(number):
    inside = int(IPv4Address(number))
    for disguised in (
        IPv6Address((0xFFFF << 32) | inside),
        IPv6Address(inside),
        IPv6Address((0x64FF9B << 96) | inside),
        IPv6Address((0x2002 << 112) | (inside << 80)),
    ):
        with pytest.raises(PageRefusedError):
            check_address(disguised, POLICY)


async def test_an_answer_that_does_not_say_its_kind_is_read():
    assert (await guarded(["8.8.8.8"])()).status_code == 200
    with pytest.raises(PageContentError) as caught:
        await guarded(["8.8.8.8"], **{"content-type": "image/" + "x" * 100})()
    kind = "image/" + "x" * 54
    assert str(caught.value) == f"example.org answered with {kind!r}, which cannot be read"


async def test_the_system_is_asked_for_addresses_and_those_of_ipv4_come_first(monkeypatch):
    def found(host: str, port: int, **_kind: Any) -> list[Any]:
        assert (host, port) == ("example.org", 443)
        kinds = socket.SOCK_STREAM, socket.IPPROTO_TCP, ""
        return [
            (socket.AF_INET6, *kinds, ("2606:4700:4700::1111", 443, 0, 0)),
            (socket.AF_INET, *kinds, ("1.1.1.1", 443)),
        ]

    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **kind: found(*given[:2], **kind))
    assert await system_addresses("example.org", 443) == ["1.1.1.1", "2606:4700:4700::1111"]
