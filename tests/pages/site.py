"""A site on the loopback interface, a fetcher that may ask it, and PDFs made by hand."""

from collections.abc import Awaitable, Callable
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer

from paper_search.http.limits import HostLimiter
from paper_search.pages.fetching import Document, PageFetcher
from paper_search.pages.network import PagePolicy

HOST = "trees.example.org"
TREES = (
    "Shade trees lower the temperature of city streets by 2.5 degrees on summer days.",
    "We measured the air under shade trees in 40 city streets over three summers.",
    "At night the effect of shade trees on the temperature of streets is small.",
    "Streets that are wide and dry need more water for shade trees than narrow ones do.",
)


def page(*paragraphs: str, title: str = "Shade trees and streets", head: str = "") -> str:
    """Return a page as sites make them, with a menu and a footer around the text."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs or TREES)
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body>"
        "<nav><ul><li><a href='/'>Home</a></li><li><a href='/about'>About us</a></li></ul></nav>"
        f"<main><article><h1>{title}</h1>{text}</article></main>"
        "<footer>All rights reserved. Imprint.</footer></body></html>"
    )


def pdf(*pages: list[str]) -> bytes:
    """Return a PDF with one line of text for each string."""
    objects: list[bytes] = [b"", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for lines in pages:
        shown = "".join(
            f"({line.replace('(', '').replace(')', '')}) Tj 0 -14 Td " for line in lines
        )
        stream = f"BT /F1 11 Tf 50 780 Td {shown}ET".encode("latin-1")
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
        kids.append(len(objects) + 1)
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>" % len(objects)
        )
    objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (listed, len(kids))
    body, places = bytearray(b"%PDF-1.4\n"), []
    for number, item in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % place for place in places)
    body += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(body)


def locked_pdf() -> bytes:
    """Return a PDF that opens with a password only."""
    lock = b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>" % (b"31" * 32, b"32" * 32)
    return pdf(["Nobody reads this."]).replace(b"/Root 1 0 R", b"/Root 1 0 R/ID[<01><01>]" + lock)


def policy_for(port: int, **changes: Any) -> PagePolicy:
    """Return a policy under which this port of the loopback may be asked, and nothing waits."""
    allowed = {"ports": frozenset({80, 443, port}), "exempt": (ip_network("127.0.0.1/32"),)}
    return PagePolicy(**{**allowed, "interval_s": 0.0, **changes})


async def loopback(_host: str, _port: int) -> list[str]:
    """Resolve every name to this machine."""
    return ["127.0.0.1"]


def fetcher_for(
    port: int,
    *,
    resolve: Callable[[str, int], Awaitable[list[str]]] = loopback,
    cache_path: Path | None = None,
    **changes: Any,
) -> PageFetcher:
    """Return a fetcher that may ask this port of the loopback, under any name."""
    return PageFetcher(
        policy_for(port, **changes),
        resolve=resolve,
        limiter=HostLimiter(),
        cache_path=cache_path,
        sleep=_no_sleep,
    )


async def fetched(server: HTTPServer, path: str = "/a", **changes: Any) -> Document:
    """Fetch one page of the site."""
    async with fetcher_for(server.port, **changes) as fetcher:
        return await fetcher.fetch(address(server, path))


async def _no_sleep(_seconds: float) -> None:
    return None


def address(server: HTTPServer, path: str, host: str = HOST) -> str:
    """Return an address at the site under a public name."""
    return f"http://{host}:{server.port}{path}"
