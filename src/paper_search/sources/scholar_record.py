"""Reads a record from a Google Scholar result, as SerpApi returns it.

Fields: https://serpapi.com/google-scholar-organic-results
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from paper_search.bibliography.identifiers import content_key, parse_arxiv_id, parse_doi
from paper_search.bibliography.text import clean
from paper_search.http.retry import utc_now
from paper_search.models import Author, RawPaper

SOURCE = "serpapi_scholar"

_KIND = re.compile(r"^(?:\[(?:PDF|HTML|BOOK|CITATION|B|C|DOC|PS)\]\s*)+", re.IGNORECASE)
_DASH = re.compile(r"(?<!\s)\s+[-–—]\s+")
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_HOST = re.compile(r"(?:[\w-]+\.)+[a-zA-Z]{2,}(?:/\S*)?")
_ELLIPSIS = re.compile(r"(?:(?<!\s)\s+)?(?:…|\.\.\.)\s*$")
_MOST_CITATIONS = 10_000_000
"""No work has more; what claims so is a fault."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What the line under a title says."""

    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None


def read_summary(text: str) -> Summary:
    """Return what "A Author, B Author… - Venue…, 2011 - host" says.

    Each of the three parts may be missing; an ellipsis at the end of a venue stays, since the
    name is cut off there.
    """
    line = clean(text).strip(" -")
    parts = [part for part in _DASH.split(line) if part]
    if not parts:
        return Summary()
    if (
        len(parts) > 1
        and not _year_at_end(parts[-1])
        and (
            len(parts) > 2 or _HOST.fullmatch(parts[-1])  # noqa: PLR2004  # authors - venue - host
        )
    ):
        parts = parts[:-1]
    is_anonymous = len(parts) == 1 and _year_at_end(parts[0]) is not None
    names, place = ("", parts[0]) if is_anonymous else (parts[0], " - ".join(parts[1:]))
    year = _year_at_end(place)
    venue = place[: place.rindex(str(year))].rstrip(" ,") if year else place
    return Summary(_names(names), venue or None, year)


def read_result(result: Any) -> RawPaper | None:
    """Return the record of one entry of `organic_results`; None: it has no title.

    Its id is that of Scholar (`result_id`, else the cluster, else where it is cited from), else
    one made of its content: the same work found again has the same id.
    """
    entry = _mapping(result)
    title = _KIND.sub("", clean(_text(entry.get("title"))))
    if not title:
        return None
    info = _mapping(entry.get("publication_info"))
    links = _mapping(entry.get("inline_links"))
    summary = read_summary(_text(info.get("summary")))
    url = _address(entry.get("link"))
    full_text = _full_text(entry, url)
    paper = RawPaper(
        title=title,
        authors=_authors(summary, info),
        year=summary.year,
        venue=summary.venue,
        doi=_doi(url) or _doi(full_text),
        arxiv_id=_arxiv_id(url) or _arxiv_id(full_text),
        snippet=clean(_text(entry.get("snippet"))) or None,
        url=url,
        full_text_url=full_text,
        citation_count=_count(_mapping(links.get("cited_by")).get("total")),
        publication_type="book" if _text(entry.get("type")).lower() == "book" else None,
        source=SOURCE,
        raw_data=dict(entry),
    )
    known = (
        entry.get("result_id"),
        _mapping(links.get("versions")).get("cluster_id"),
        _mapping(links.get("cited_by")).get("cites_id"),
    )
    scholar_id = next((given for each in known if (given := _text(each).strip())), None)
    paper.id = f"{SOURCE}:{scholar_id or content_key(paper)}"
    return paper


def _authors(summary: Summary, info: dict[str, Any]) -> list[Author]:
    """Return all names of the summary, with the ids of those who have a profile."""
    listed = info.get("authors")
    profiles = [
        (clean(_text(each.get("name"))), _text(each.get("author_id")) or None)
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict)
    ]
    ids = {name: author_id for name, author_id in profiles if name}
    names = summary.authors or tuple(ids)
    return [Author(name=name, author_id=ids.get(name)) for name in names]


def _names(text: str) -> tuple[str, ...]:
    names = (_ELLIPSIS.sub("", name).strip() for name in text.split(","))
    return tuple(name for name in names if re.search(r"[^\W\d_]", name))


def _year_at_end(text: str) -> int | None:
    found = next(reversed(list(_YEAR.finditer(text))), None)
    if found is None or text[found.end() :].strip(" ,."):
        return None
    year = int(found[1])
    return year if year <= utc_now().year + 1 else None


def _full_text(entry: dict[str, Any], url: str | None) -> str | None:
    listed = entry.get("resources")
    for each in listed if isinstance(listed, list) else []:
        if address := _address(_mapping(each).get("link")):
            return address
    return url if _text(entry.get("type")).lower() in {"pdf", "html"} else None


def _doi(url: str | None) -> str | None:
    """Return the DOI that an address is made of, as publishers do (`/doi/abs/10.1000/1`)."""
    if not url or "doi" not in url.lower():
        return None
    found = parse_doi(url)
    return re.split(r"[?&#]", found)[0].removesuffix(".pdf") if found else None


def _arxiv_id(url: str | None) -> str | None:
    return parse_arxiv_id(url) if url and "arxiv.org" in url else None


def _address(value: Any) -> str | None:
    text = _text(value).strip()
    return text if re.match(r"https?://[^\s/]+", text, re.IGNORECASE) else None


def _count(value: Any) -> int:
    if isinstance(value, str) and value.strip().isascii():
        value = int(value) if value.strip().isdigit() and len(value) < 10 else 0  # noqa: PLR2004  # digits
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value <= _MOST_CITATIONS else 0


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
