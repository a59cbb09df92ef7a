"""HTTPS to the checked address: the certificate has to be that of the name."""

import ssl

import httpx
import pytest
import trustme
from pytest_httpserver import HTTPServer
from tests.pages.site import HOST, loopback, page, policy_for

from paper_search.http.errors import HttpUnreachableError
from paper_search.http.limits import HostLimiter
from paper_search.pages.fetching import PageFetcher

AUTHORITY = trustme.CA()


@pytest.mark.parametrize(("name", "is_proved"), [(HOST, True), ("other.example.org", False)])
async def test_sec_14_the_certificate_of_the_name_is_asked_for_and_checked(name, *, is_proved):
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(name).configure_cert(own)
    named: list[str | None] = []
    own.sni_callback = lambda _socket, asked, _context: named.append(asked)
    trusting = ssl.create_default_context()
    AUTHORITY.configure_trust(trusting)
    with HTTPServer(ssl_context=own) as server:
        server.no_handler_status_code = 404
        server.expect_request("/a").respond_with_data(page(), content_type="text/html")
        fetcher = PageFetcher(
            policy_for(server.port),
            resolve=loopback,
            network=httpx.AsyncHTTPTransport(verify=trusting, trust_env=False),
            limiter=HostLimiter(),
        )
        async with fetcher as opened:
            url = f"https://{HOST}:{server.port}/a"
            if is_proved:
                assert (await opened.fetch(url)).kind == "html"
            else:
                with pytest.raises(HttpUnreachableError, match=r"(?i)certificate"):
                    await opened.fetch(url)
    assert set(named) == {HOST}
