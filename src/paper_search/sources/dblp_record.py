"""Reads a record from a DBLP hit.

Fields: https://dblp.org/faq/How+to+use+the+dblp+search+API.html
"""

from __future__ import annotations

import re
from typing import Any

from paper_search.bibliography.identifiers import content_key, parse_arxiv_id, parse_doi
from paper_search.bibliography.text import plain
from paper_search.models import Author, RawPaper
from paper_search.sources.values import address, first_text, items, mapping, text, words, year

NAME = "dblp"

_NAMESAKE = re.compile(r"(?<!\s)\s+\d{4}$")
"""The number that tells people of one name apart: "Xiaopeng Zhang 0009"."""
_TYPES = {
    "journal articles": "article-journal",
    "conference and workshop papers": "paper-conference",
    "informal and other publications": "article",
    "informal publications": "article",
    "books and theses": "book",
    "parts in books or collections": "chapter",
    "editorship": "book",
    "reference works": "entry",
    "data and artifacts": "dataset",
}
_COPIED = ("key", "type", "access")


def read_hit(hit: Any) -> RawPaper | None:
    """Return the record of an entry of `hits.hit`; None: it has no title.

    What DBLP files as CoRR is a preprint on arXiv.
    """
    info = mapping(mapping(hit).get("info"))
    title = plain(first_text(info.get("title")))
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1].rstrip()
    if not title:
        return None
    kind = text(info.get("type")).lower()
    doi = parse_doi(text(info.get("doi")))
    links = [where for each in items(info.get("ee")) if (where := address(each))]
    arxiv_id = _arxiv_id(info, doi, links)
    paper = RawPaper(
        title=title,
        authors=_authors(info),
        year=year(info.get("year")),
        venue=words(first_text(info.get("venue"))),
        doi=doi or next((found for each in links if (found := parse_doi(each))), None),
        arxiv_id=arxiv_id,
        volume=words(info.get("volume")),
        issue=words(info.get("number")),
        pages=words(info.get("pages")),
        publisher=words(info.get("publisher")),
        publication_type="thesis" if _is_thesis(info) else _TYPES.get(kind),
        is_retracted=True if "withdrawn" in kind else None,
        url=next(iter(links), None) or address(info.get("url")),
        full_text_url=_full_text(links, arxiv_id),
        source=NAME,
        raw_data={name: said for name in (*_COPIED, "url") if (said := text(info.get(name)))},
    )
    paper.id = f"{NAME}:{text(info.get('key')) or content_key(paper)}"
    return paper


def _is_thesis(info: dict[str, Any]) -> bool:
    """Whether it is the one or the other of DBLP's "Books and Theses"."""
    return text(info.get("key")).startswith(("phd/", "ms/"))


def _authors(info: dict[str, Any]) -> list[Author]:
    """Return the authors, of whom one alone is no list; without the numbers of namesakes."""
    authors = []
    for each in items(mapping(info.get("authors")).get("author")):
        entry = each if isinstance(each, dict) else {"text": each}
        name = _NAMESAKE.sub("", plain(text(entry.get("text"))))
        if name:
            authors.append(Author(name=name, author_id=text(entry.get("@pid")) or None))
    return authors


def _arxiv_id(info: dict[str, Any], doi: str | None, links: list[str]) -> str | None:
    if doi and doi.startswith("10.48550/"):
        return parse_arxiv_id(doi)
    if first_text(info.get("venue")) == "CoRR":
        return parse_arxiv_id(text(info.get("volume")).removeprefix("abs/"))
    return next((parse_arxiv_id(each) for each in links if "arxiv.org/" in each), None)


def _full_text(links: list[str], arxiv_id: str | None) -> str | None:
    """Return where the text is; other links only lead to a page about it."""
    if arxiv_id:
        return f"https://arxiv.org/pdf/{arxiv_id}"
    return next((each for each in links if each.lower().endswith(".pdf")), None)
