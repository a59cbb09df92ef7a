"""Tables: one row per paper, as CSV and as an Excel workbook.

Spreadsheets would run a cell as a formula if we let them.
"""

from __future__ import annotations

import csv
import io
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from paper_search.bibliography.names import written
from paper_search.exports.text import identifier, single_line, web_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paper_search.models import Paper, PaperCollection

# A spreadsheet whose list separator is a semicolon splits our cells there, quoted or not.
_FORMULA_START = re.compile(r'(^|;[\s"]*)(?=[=+\-@＝＋－＠])')

Cell = str | int | float


def export_csv(collection: PaperCollection) -> str:
    """Return a header row and one row per paper: RFC 4180, lines end in CR LF, text is quoted.

    Every text cell is one line. Where a spreadsheet would begin a formula there is an apostrophe
    (OWASP, CSV injection): before = + - @ at the start of a cell and after a semicolon.
    Several authors, tags or keywords are in one cell, separated by "; ". The import reads the
    same records again.
    """
    return csv_text(_rows(collection))


def csv_text(rows: Iterable[Iterable[Cell]]) -> str:
    """Return rows as `export_csv` writes them."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue()


def export_xlsx(collection: PaperCollection) -> bytes:
    """Return an Excel workbook of one sheet with the rows of `export_csv`; no cell is a formula.

    openpyxl is there for the import of workbooks already, and writes a row at a time. A cell holds
    32,767 characters at most: what is longer is cut.
    """
    from openpyxl.cell.cell import WriteOnlyCell  # noqa: PLC0415  # only when one is written
    from openpyxl.workbook.workbook import Workbook  # noqa: PLC0415  # as above

    book: Any = Workbook(write_only=True)  # type: ignore[no-untyped-call]  # openpyxl has no types
    book.properties.creator = "paper-search"
    book.properties.created = book.properties.modified = _time_of(collection)
    sheet = book.create_sheet("papers")
    sheet.freeze_panes = "A2"
    for row in _rows(collection):
        cells: list[Any] = [WriteOnlyCell(sheet, value=_inert(cell)) for cell in row]  # type: ignore[no-untyped-call]  # as above
        for cell in cells:
            if isinstance(cell.value, str):
                cell.data_type = "s"
        sheet.append(cells)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _time_of(collection: PaperCollection) -> datetime:
    """Return the time of the search, as Excel has times: without a zone."""
    try:
        found = datetime.fromisoformat(collection.metadata.timestamp)
    except ValueError:
        return datetime(2000, 1, 1)  # noqa: DTZ001  # as Excel has times
    return found.replace(tzinfo=None)


def _rows(collection: PaperCollection) -> Iterator[list[Cell]]:
    yield list(COLUMNS)
    for paper in collection.papers:
        yield _cells(paper)


COLUMNS = (
    "title",
    "authors",
    "year",
    "venue",
    "doi",
    "url",
    "full_text_url",
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
    "issn",
    "arxiv_id",
    "pmid",
    "pmcid",
    "openalex_id",
    "s2_id",
    "is_retracted",
    "abstract",
    "source",
    "id",
    "decision",
    "decided_by",
    "decided_at",
    "reason",
    "note",
    "labels",
    "keywords",
)


def _cells(paper: Paper) -> list[Cell]:
    """Return the values of one paper in the order of the columns."""
    address, count = web_address(paper), paper.known_citation_count
    full_text = web_address(paper.model_copy(update={"url": None}))
    special: dict[str, Cell] = {
        "authors": "; ".join(
            name for author in paper.authors if (name := single_line(written(author)))
        ),
        "doi": identifier(paper.doi),
        "url": address,
        "full_text_url": full_text if full_text != address else "",
        "relevance_score": round(paper.relevance_score, 2),
        "is_judged": "yes" if paper.is_judged else "no",
        "tags": "; ".join(tag.value for tag in paper.tags),
        "labels": "; ".join(paper.labels),
        "keywords": "; ".join(paper.keywords),
        "is_retracted": {None: "", True: "yes", False: "no"}[paper.is_retracted],
        "citation_count": "" if count is None else count,
        **paper.screening_columns,
    }
    return [special[name] if name in special else _plain(paper, name) for name in COLUMNS]


def _plain(paper: Paper, field: str) -> Cell:
    value: Cell | None = getattr(paper, field)
    return "" if value is None else value


def _inert(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    return _FORMULA_START.sub(r"\1'", single_line(cell))
