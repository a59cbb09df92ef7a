"""Reads a record from an entry of arXiv's Atom feed.

Fields: https://info.arxiv.org/help/api/user-manual.html#_details_of_atom_results_returned
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paper_search.bibliography.abstracts import plain_abstract
from paper_search.bibliography.arxiv_categories import category_names
from paper_search.bibliography.identifiers import content_key, parse_arxiv_id, parse_doi
from paper_search.bibliography.text import plain
from paper_search.models import Author, RawPaper
from paper_search.sources.markup import inner_text
from paper_search.sources.values import address, year

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # for its type only

NAME = "arxiv"

_WITHDRAWN = re.compile(
    r"^\W{0,5}(?:this (?:paper|article|submission|manuscript|preprint|work) (?:has been|is|was) )?"
    r"(?:temporarily )?withdrawn\b",
    re.IGNORECASE,
)
_JOURNAL = re.compile(r"(?!in\b|proc)[^\d(,;:]{3,}", re.IGNORECASE)


def read_entry(entry: Element) -> RawPaper | None:
    """Return the record of an `entry`; None: it has no title.

    The year is that of the first version. What the authors wrote as their journal reference is
    free text; the venue is what stands before its first number.
    """
    title = plain(inner_text(entry, "title"))
    if not title:
        return None
    where = inner_text(entry, "id")
    reference = plain(inner_text(entry, "journal_ref")) or None
    comment = plain(inner_text(entry, "comment"))
    abstract = plain_abstract(inner_text(entry, "summary"))
    is_withdrawn = _WITHDRAWN.match(comment) or _WITHDRAWN.match(abstract or "")
    links = {each.get("title") or each.get("rel"): each.get("href") for each in _all(entry, "link")}
    pdf = address(links.get("pdf"))
    paper = RawPaper(
        title=title,
        authors=[Author(name=name) for each in _all(entry, "author") if (name := _name(each))],
        abstract=abstract,
        year=year(inner_text(entry, "published")) or year(inner_text(entry, "updated")),
        venue=_venue(reference),
        doi=parse_doi(inner_text(entry, "doi")),
        arxiv_id=parse_arxiv_id(where),
        url=address(links.get("alternate")) or address(where),
        full_text_url=pdf.replace("http://", "https://") if pdf else None,
        publication_type="article-journal" if reference else "article",
        is_retracted=True if is_withdrawn else None,
        keywords=category_names(" ".join(_categories(entry))),
        source=NAME,
        raw_data=_details(entry, where, reference, comment),
    )
    paper.id = f"{NAME}:{paper.arxiv_id or content_key(paper)}"
    return paper


def _all(entry: Element, name: str) -> list[Element]:
    return entry.findall(f"{{*}}{name}")


def _name(author: Element) -> str:
    return plain(inner_text(author, "name"))


def _categories(entry: Element) -> list[str]:
    return [term for each in _all(entry, "category") if (term := each.get("term"))]


def _venue(reference: str | None) -> str:
    if reference is None:
        return "arXiv"
    journal = _JOURNAL.match(reference)
    return journal[0].strip(" .@-(") if journal else reference


def _details(
    entry: Element, where: str, reference: str | None, comment: str
) -> dict[str, str | list[str]]:
    """Return what the record has no field for."""
    details: dict[str, str | list[str] | None] = {
        "id_with_version": parse_arxiv_id(where, keep_version=True),
        "categories": _categories(entry),
        "journal_ref": reference,
        "comment": comment,
        "updated": inner_text(entry, "updated"),
    }
    return {name: value for name, value in details.items() if value}
