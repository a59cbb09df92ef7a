"""RIS: one tagged record per paper, read by every reference manager."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_search.bibliography.names import split_name
from paper_search.exports.publication_kinds import publication_kind
from paper_search.exports.text import (
    identifier,
    keywords,
    name_of,
    page_range,
    single_line,
    web_address,
)

if TYPE_CHECKING:
    from paper_search.models import Author, Paper, PaperCollection


def export_ris(collection: PaperCollection) -> str:
    """Return the papers as RIS, each value on one line; no papers give "".

    Tags as in the RIS specification of 2011: T2 is the venue, AN an arXiv or PubMed number,
    L1 the full text where it is not the landing page.
    """
    return "\n".join(_record(paper) for paper in collection.papers)


def _record(paper: Paper) -> str:
    lines = [f"{tag}  - {value}" for tag, value in _tagged(paper) if value]
    return "\n".join([f"TY  - {publication_kind(paper).ris}", *lines, "ER  - "]) + "\n"


def _tagged(paper: Paper) -> list[tuple[str, str]]:
    first_page, last_page = page_range(paper.pages)
    address = web_address(paper)
    full_text = web_address(paper.model_copy(update={"url": None}))
    return [
        ("TI", single_line(paper.title)),
        *(("AU", _author(author)) for author in paper.authors),
        ("PY", "" if paper.year is None else str(paper.year)),
        ("T2", single_line(paper.venue)),
        ("VL", single_line(paper.volume)),
        ("IS", single_line(paper.issue)),
        ("SP", first_page),
        ("EP", last_page),
        ("PB", single_line(paper.publisher)),
        ("SN", identifier(paper.isbn)),
        ("DO", identifier(paper.doi)),
        ("AN", _accession_number(paper)),
        ("UR", address),
        ("L1", full_text if full_text != address else ""),
        ("LA", single_line(paper.language)),
        *(("KW", word) for word in keywords(paper)),
        ("AB", single_line(paper.abstract)),
        ("N1", single_line(paper.note)),
    ]


def _author(author: Author) -> str:
    """Return "Family, Given, Suffix"; a comma closes what a reader would take apart wrongly."""
    name = name_of(author)
    is_whole = name.is_literal or not name.given
    if is_whole and name.family and split_name(name.inverted, is_inverted=True) != name:
        return f"{name.inverted},"
    return name.inverted


def _accession_number(paper: Paper) -> str:
    arxiv_id, pmid = identifier(paper.arxiv_id), identifier(paper.pmid)
    if arxiv_id:
        return f"arXiv:{arxiv_id}"
    return f"PMID:{pmid}" if pmid else ""
