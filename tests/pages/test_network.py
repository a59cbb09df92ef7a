"""Where a request is really sent: to the address that was checked, at every hop."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from pytest_httpserver import HTTPServer
from tests.pages.site import HOST, address, fetcher_for, page
from werkzeug import Request, Response

from paper_search.http.errors import HttpUnreachableError
from paper_search.pages.fetching import PageFetcher
from paper_search.pages.network import GuardedNetwork
from paper_search.pages.policy import PageContentError, PagePolicy, PageRefusedError


async def test_sec_14_a_host_that_resolves_to_something_else_later_gains_nothing() -> None:
    answers = iter([["93.184.216.34"], ["10.0.0.1"]])
    sent: list[httpx.Request] = []

    async def resolve(_host: str, _port: int) -> list[str]:
        return next(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, text=page(), headers={"content-type": "text/html"})

    network = GuardedNetwork(PagePolicy(), httpx.MockTransport(answer), resolve)
    await network.handle_async_request(httpx.Request("GET", "https://example.org/a"))
    [request] = sent
    assert request.url.host == "93.184.216.34"
    assert request.headers["host"] == "example.org"
    assert request.extensions["sni_hostname"] == "example.org"
    with pytest.raises(PageRefusedError):
        await network.handle_async_request(httpx.Request("GET", "https://example.org/a"))
    assert len(sent) == 1


async def test_sec_14_the_name_goes_with_the_request_and_the_connection_to_the_address(
    httpserver: HTTPServer,
) -> None:
    httpserver.expect_request(
        "/a", headers={"Host": f"{HOST}:{httpserver.port}"}
    ).respond_with_data(page(), content_type="text/html")
    async with fetcher_for(httpserver.port) as fetcher:
        document = await fetcher.fetch(address(httpserver, "/a"))
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
async def test_sec_15_a_redirect_to_what_is_not_public_is_refused(
    httpserver: HTTPServer, target: str
) -> None:
    httpserver.expect_request("/a").respond_with_data("", 302, headers={"Location": target})
    async with fetcher_for(httpserver.port) as fetcher:
        with pytest.raises(PageRefusedError):
            await fetcher.fetch(address(httpserver, "/a"))
    assert _paths(httpserver) == ["/robots.txt", "/a"]


async def test_sec_15_a_redirect_to_a_name_that_resolves_to_a_private_address_is_refused(
    httpserver: HTTPServer,
) -> None:
    async def resolve(host: str, _port: int) -> list[str]:
        return ["127.0.0.1"] if host == HOST else ["192.168.0.1"]

    elsewhere = address(httpserver, "/b", "inside.example.org")
    httpserver.expect_request("/a").respond_with_data("", 301, headers={"Location": elsewhere})
    async with fetcher_for(httpserver.port, resolve=resolve) as fetcher:
        with pytest.raises(PageRefusedError, match=r"192\.168\.0\.1"):
            await fetcher.fetch(address(httpserver, "/a"))


async def test_sec_15_redirects_between_public_hosts_are_followed_five_times(
    httpserver: HTTPServer,
) -> None:
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
    assert len([each for each in _paths(httpserver) if each == "/hop"]) == 12


async def test_a_host_without_an_address_is_unreachable(httpserver: HTTPServer) -> None:
    async def resolve(_host: str, _port: int) -> list[str]:
        raise OSError("no such host")

    async with fetcher_for(httpserver.port, resolve=resolve) as fetcher:
        with pytest.raises(HttpUnreachableError):
            await fetcher.fetch(address(httpserver, "/a"))
    assert _paths(httpserver) == []


async def test_a_proxy_of_the_environment_is_not_used(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    httpserver.expect_request("/a").respond_with_data(page(), content_type="text/html")
    async with fetcher_for(httpserver.port) as fetcher:
        assert (await fetcher.fetch(address(httpserver, "/a"))).kind == "html"


async def test_without_an_exemption_the_loopback_is_never_asked(httpserver: HTTPServer) -> None:
    async with PageFetcher(PagePolicy(ports=frozenset({httpserver.port}))) as fetcher:
        with pytest.raises(PageRefusedError):
            await fetcher.fetch(f"http://127.0.0.1:{httpserver.port}/a")
    assert _paths(httpserver) == []


def _paths(server: HTTPServer) -> list[Any]:
    return [request.path for request, _ in server.log]
