"""How pages are fetched: within limits, politely, without telling who asks."""

import gzip
from contextlib import nullcontext

import pytest
from tests.fault_server import FaultServer
from tests.pages.site import TREES, address, fetched, fetcher_for, page, pdf
from werkzeug import Request, Response

from paper_search.http.errors import HttpBodyError, HttpError, HttpStatusError, HttpTimeoutError
from paper_search.pages.fetching import may_read, parse_robots
from paper_search.pages.network import PageContentError, PageRefusedError


async def test_a_page_a_pdf_and_a_text_are_fetched_as_what_they_are(httpserver):
    httpserver.expect_request("/a").respond_with_data(
        page(), content_type="text/html; charset=utf-8"
    )
    httpserver.expect_request("/b").respond_with_data(pdf([*TREES]), content_type="application/pdf")
    httpserver.expect_request("/c").respond_with_data(pdf([*TREES]), content_type="text/html")
    httpserver.expect_request("/d").respond_with_data("words", content_type="text/plain")
    kinds = [await fetched(httpserver, f"/{item}") for item in "abcd"]
    assert [kind.kind for kind in kinds] == ["html", "pdf", "pdf", "text"]
    assert kinds[0].charset == "utf-8"


@pytest.mark.parametrize("kind", ["image/png", "video/mp4", "application/zip", "application/json"])
async def test_sec_16_other_kinds_are_cut_off_before_they_are_read(httpserver, kind):
    httpserver.expect_request("/a").respond_with_data(b"x" * 5_000_000, content_type=kind)
    with pytest.raises(PageContentError, match="cannot be read"):
        await fetched(httpserver, max_bytes=1000)


async def test_sec_16_what_is_called_a_pdf_and_is_none_is_refused(httpserver):
    httpserver.expect_request("/a").respond_with_data(page(), content_type="application/pdf")
    with pytest.raises(PageContentError, match="neither"):
        await fetched(httpserver)


async def test_sec_16_a_page_of_50_mb_is_cut_off(httpserver):
    sent = 0

    def endless(_: Request) -> Response:
        def parts():
            nonlocal sent
            for _ in range(50):
                sent += 1
                yield b"<p>" + b"x" * 1_000_000

        return Response(parts(), content_type="text/html")

    httpserver.expect_request("/a").respond_with_handler(endless)
    with pytest.raises(HttpBodyError, match="larger than"):
        await fetched(httpserver, max_bytes=2_000_000)
    assert sent < 50


async def test_sec_16_a_packed_page_counts_by_what_is_inside(httpserver):
    bomb = gzip.compress(b"x" * 50_000_000)
    httpserver.expect_request("/a").respond_with_data(
        bomb, headers={"Content-Encoding": "gzip", "Content-Type": "text/html"}
    )
    httpserver.expect_request("/b").respond_with_data(
        gzip.compress(gzip.compress(page().encode())),
        headers={"Content-Encoding": "gzip, gzip", "Content-Type": "text/html"},
    )
    for path in ("/a", "/b"):
        with pytest.raises(HttpBodyError):
            await fetched(httpserver, path, max_bytes=1_000_000)


async def test_a_page_that_trickles_is_given_up():
    async with FaultServer() as server, fetcher_for(server.port, total_s=2.0) as fetcher:
        with pytest.raises(HttpTimeoutError, match=r"within (2|[01]\.\d+) s"):
            await fetcher.fetch(f"http://slow.example.org:{server.port}/slow-headers")


@pytest.mark.parametrize("fault", ["/reset", "/garbage", "/cut-gzip", "/status?code=500"])
async def test_a_host_that_fails_is_an_error_of_ours(fault):
    async with FaultServer() as server, fetcher_for(server.port) as fetcher:
        with pytest.raises(HttpError):
            await fetcher.fetch(f"http://bad.example.org:{server.port}{fault}")


async def test_nothing_that_tells_who_asks_is_sent(httpserver):
    httpserver.expect_request("/a").respond_with_data(
        page(), headers={"Content-Type": "text/html", "Set-Cookie": "id=1; Path=/"}
    )
    async with fetcher_for(httpserver.port) as fetcher:
        for _ in range(2):
            await fetcher.fetch(address(httpserver, "/a"))
    for request, _ in httpserver.log:
        names = {name.lower() for name, _ in request.headers.items()}
        assert names <= {"host", "accept", "accept-encoding", "user-agent", "connection"}
        assert request.headers["User-Agent"].startswith("paper-search/")


async def test_robots_txt_is_asked_once_and_heeded(httpserver):
    httpserver.expect_request("/robots.txt").respond_with_data(
        "User-agent: *\nDisallow: /private\nAllow: /private/open", content_type="text/plain"
    )
    httpserver.expect_request("/private/open").respond_with_data(page(), content_type="text/html")
    async with fetcher_for(httpserver.port) as fetcher:
        assert (await fetcher.fetch(address(httpserver, "/private/open"))).kind == "html"
        with pytest.raises(PageRefusedError, match=r"robots\.txt of .* disallows"):
            await fetcher.fetch(address(httpserver, "/private/a"))
    assert [request.path for request, _ in httpserver.log] == ["/robots.txt", "/private/open"]


@pytest.mark.parametrize(("status", "is_read"), [(404, True), (403, True), (500, False)])
async def test_a_host_without_robots_txt_is_read_and_one_that_fails_is_not(
    httpserver, status, *, is_read
):
    httpserver.expect_request("/robots.txt").respond_with_data("", status)
    httpserver.expect_request("/a").respond_with_data(page(), content_type="text/html")
    with nullcontext() if is_read else pytest.raises(PageRefusedError):
        assert (await fetched(httpserver)).kind == "html"


@pytest.mark.parametrize(
    ("rules", "path", "is_allowed"),
    [
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Paper-Search\nAllow: /", "/a", True),
        ("User-agent: *\nUser-agent: x\nDisallow: /a", "/a", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?a=1", True),
        ("User-agent: *\nDisallow: /a*b*c", "/a-b-c-d", False),
        ("User-agent: *\nDisallow: /*a*ab$", "/aab", False),
        ("User-agent: *\nDisallow: /*ab*b$", "/ab", True),
        ("User-agent: *\nDisallow: /%7Ejoe", "/~joe/a", False),
        ("<html>no rules</html>", "/a", True),
        ("User-agent: *\nDisallow: /a # not here\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow: /" + "*a" * 5000, "/" + "a" * 3000 + "b", True),
    ],
)
def test_the_longest_rule_decides(rules, path, *, is_allowed):
    assert may_read(parse_robots(rules.encode(), "paper-search"), path) is is_allowed


async def test_a_page_with_a_tag_is_asked_for_again_only_if_it_changed(httpserver, tmp_path):
    given = []

    def tagged(request: Request) -> Response:
        given.append(request.headers.get("If-None-Match"))
        headers = {"ETag": '"one"', "Cache-Control": "no-cache"}
        if given[-1] == '"one"':
            return Response(status=304, headers=headers)
        return Response(page(), content_type="text/html", headers=headers)

    httpserver.expect_request("/a").respond_with_handler(tagged)
    for _ in range(2):
        document = await fetched(httpserver, cache_path=tmp_path / "cache" / "http.db")
        assert b"Shade trees" in document.content
    assert given == [None, '"one"']


async def test_an_error_is_not_a_page(httpserver):
    httpserver.expect_request("/a").respond_with_data(page(), 404, content_type="text/html")
    with pytest.raises(HttpStatusError):
        await fetched(httpserver)
