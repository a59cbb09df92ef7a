"""Why a page was not read.

PaperSearchError
└── HttpError
    └── PageError
        ├── PageRefusedError    it may not be asked for: its address, or its host's wish
        └── PageContentError    what came is not what was wanted, or cannot be read
"""

from __future__ import annotations

from paper_search.http.errors import HttpError


class PageError(HttpError):
    """A page that was not read; the text names its host, never its whole address."""


class PageRefusedError(PageError):
    """The page may not be asked for; nothing was sent to it."""


class PageContentError(PageError):
    """What came is not what was wanted, or cannot be read."""
