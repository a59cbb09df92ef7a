"""What a web or news search adds to an adapter, and how its results are read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from paper_search.bibliography.identifiers import parse_arxiv_id, parse_doi
from paper_search.bibliography.text import clean
from paper_search.models import Author, RawPaper
from paper_search.sources.adapter import Adapter
from paper_search.sources.values import address, text, year

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST_SNIPPET = 2000


class WebAdapter(Adapter):
    """A service that finds pages.

    Attributes:
        kind: web or news: which queries of a report it is asked.
    """

    kind: ClassVar[str] = "web"


def page_record(  # noqa: PLR0913  # the parts of a result
    source: str,
    *,
    kind: str,
    url: Any,
    title: Any,
    snippet: Any,
    published: Any = None,
    authors: Sequence[str] = (),
    site: Any = None,
    raw: dict[str, Any] | None = None,
) -> RawPaper | None:
    """Return a page that was found as a record; None: it has no title or no web address.

    The date goes into `raw_data["published"]`, the site into `venue`.
    """
    link, name = address(url), clean(text(title))
    if link is None or not name:
        return None
    host = urlsplit(link).hostname or ""
    return RawPaper(
        id=f"{source}:{hashlib.sha256(link.encode('utf-8', 'replace')).hexdigest()[:16]}",
        title=name,
        authors=[Author(name=each) for each in authors],
        year=year(published),
        venue=clean(text(site)) or host.removeprefix("www.") or None,
        doi=parse_doi(link) if "doi.org/" in link else None,
        arxiv_id=parse_arxiv_id(link) if "arxiv.org/" in link else None,
        snippet=clean(text(snippet))[:_LONGEST_SNIPPET] or None,
        url=link,
        source=source,
        publication_type="article-newspaper" if kind == "news" else "webpage",
        raw_data={**(raw or {}), "published": text(published)},
    )
