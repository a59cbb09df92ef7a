"""The limits of fetching pages, and the errors for pages that are not read.

PaperSearchError
└── HttpError
    └── PageError
        ├── PageRefusedError    its URL or its robots.txt forbids it
        └── PageContentError    the wrong content, or unreadable
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

from paper_search.http.errors import HttpError

ACCEPTED_TYPES = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/plain": "text",
}
"""Media types that are read, and as what."""


@dataclass(frozen=True, slots=True)
class PagePolicy:
    """The limits on fetching and reading.

    Attributes:
        ports: that may be connected to.
        exempt: networks that are allowed although they are not public; for tests, no setting
            leads here.
        max_bytes: of a document, unpacked.
        total_s: for one document with its redirects and the wishes of its hosts.
        redirects: that are followed, each to an address that is checked again.
        interval_s: the least time between two requests to a host.
        parse_s: of processor time, and twice that in all, for the text of a document.
        memory_bytes: that its reader may use.
        max_tags: of a page.
        max_pdf_pages: that are read of a paper.
        max_chars: of text that are kept.
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
    """A page that was not read; the text names its host, never its whole address."""


class PageRefusedError(PageError):
    """The page may not be asked for; nothing was sent to it."""


class PageContentError(PageError):
    """What came is not what was wanted, or cannot be read."""
