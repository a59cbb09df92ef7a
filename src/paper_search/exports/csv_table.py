"""CSV: one row per paper, for spreadsheets that would run a cell as a formula if we let them."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from paper_search.exports.text import identifier, single_line, web_address

if TYPE_CHECKING:
    from paper_search.models import Paper, PaperCollection

# A spreadsheet whose list separator is a semicolon splits our cells there, quoted or not.
_FORMULA_START = re.compile(r'(^|;[\s"]*)(?=[=+\-@＝＋－＠])')

Cell = str | int | float


def export_csv(collection: PaperCollection) -> str:
    """Return a header row and one row per paper: RFC 4180, lines end in CR LF, text is quoted.

    Every text cell is one line. Where a spreadsheet would begin a formula stands an apostrophe
    (OWASP, CSV injection): before = + - @ at the start of a cell and after a semicolon.
    Several authors, tags or keywords stand in one cell, separated by "; ".
    """
    rows = io.StringIO()
    writer = csv.writer(rows, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for paper in collection.papers:
        writer.writerow([_inert(cell) for cell in _cells(paper)])
    return rows.getvalue()


_COLUMNS = (
    "title",
    "authors",
    "year",
    "venue",
    "doi",
    "url",
    "relevance_score",
    "relevance_reason",
    "is_judged",
    "tags",
    "citation_count",
    "publication_type",
    "volume",
    "issue",
    "pages",
    "publisher",
    "language",
    "isbn",
    "arxiv_id",
    "pmid",
    "pmcid",
    "is_retracted",
    "abstract",
    "source",
    "id",
    "note",
    "keywords",
)


def _cells(paper: Paper) -> list[Cell]:
    """Return the values of one paper in the order of the columns."""
    special: dict[str, Cell] = {
        "authors": "; ".join(filter(None, (single_line(author.name) for author in paper.authors))),
        "doi": identifier(paper.doi),
        "url": web_address(paper),
        "is_judged": "yes" if paper.is_judged else "no",
        "tags": "; ".join(tag.value for tag in paper.tags),
        "keywords": "; ".join(paper.keywords),
        "is_retracted": {None: "", True: "yes", False: "no"}[paper.is_retracted],
    }
    return [special[name] if name in special else _plain(paper, name) for name in _COLUMNS]


def _plain(paper: Paper, field: str) -> Cell:
    if field == "citation_count":
        field = "known_citation_count"
    value: Cell | None = getattr(paper, field)
    return "" if value is None else value


def _inert(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    return _FORMULA_START.sub(r"\1'", single_line(cell))
