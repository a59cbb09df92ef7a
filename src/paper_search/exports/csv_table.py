"""Tables: one row per paper, as CSV, as an Excel workbook, and for ASReview and Rayyan.

Spreadsheets would run a cell as a formula if we let them.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import Enum
from typing import Any

from paper_search.bibliography.fields import COLUMNS
from paper_search.bibliography.names import written
from paper_search.exports.text import (
    identifier,
    keywords,
    own_keywords,
    page_range,
    safe_address,
    single_line,
    web_address,
)
from paper_search.models import Author, Paper, PaperCollection

# A spreadsheet whose list separator is a semicolon splits our cells there, quoted or not.
_FORMULA_START = re.compile(r"(^|;[\s\"]*)(?='*[=+\-@＝＋－＠])")
_INERT_START = re.compile(r"(^|;[\s\"]*)'(?='*[=+\-@＝＋－＠])")
_BETWEEN = "; "

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


def without_apostrophe(cell: str) -> str:
    return _INERT_START.sub(r"\1", cell)


def items_of(cell: str) -> list[str]:
    return [item for item in cell.split(_BETWEEN) if item]


def _time_of(collection: PaperCollection) -> datetime:
    """Return the time of the search, as Excel has times: without a zone."""
    try:
        time = datetime.fromisoformat(collection.metadata.timestamp)
    except ValueError:
        return datetime(2000, 1, 1)  # noqa: DTZ001  # as Excel has times
    return time.replace(tzinfo=None)


def _rows(collection: PaperCollection) -> Iterator[list[Cell]]:
    yield list(COLUMNS)
    for paper in collection.papers:
        special = {
            "url": safe_address(paper.url),
            "full_text_url": safe_address(paper.full_text_url),
            "citation_count": paper.known_citation_count,
            "relevance_score": round(paper.relevance_score, 2),
            **paper.screening_columns,
        }
        yield [
            _cell(special[name] if name in special else getattr(paper, name)) for name in COLUMNS
        ]


def _cell(value: Any) -> Cell:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return _BETWEEN.join(filter(None, map(_item, value)))
        case _:
            number_or_text: Cell = value
            return number_or_text


def _item(value: Any) -> str:
    """Return one of several in a cell; a separator of its own would make it two."""
    match value:
        case Author():
            text = written(value)
        case Enum():
            text = str(value.value)
        case _:
            text = str(value)
    return single_line(text)


def _inert(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    return _FORMULA_START.sub(r"\1'", single_line(cell))


_INCLUDED = {"included": 1, "excluded": 0}
_IN_RAYYAN = {"included": "Included", "excluded": "Excluded"}
_REVIEWER = "paper-search"
"""Who decided, where nobody is named."""


def export_asreview(collection: PaperCollection) -> str:
    """Return the papers as a labelled data set of ASReview (CSV).

    `included` is 1 or 0, and empty for a paper that nobody decided on: ASReview puts these up for
    screening and learns from the others. Names and keywords have a semicolon between them and no
    space, which ASReview would keep. Cells are made safe as in `export_csv`.
    """
    columns = ("title", "abstract", "authors", "year", "keywords", "doi", "url", "included", "note")
    return csv_text([columns, *(_asreview(paper) for paper in collection.papers)])


def export_rayyan(collection: PaperCollection) -> str:
    """Return the papers in the columns of Rayyan's own CSV.

    Decisions, labels, reasons of exclusion and notes are in `notes`, as Rayyan writes them.
    """
    columns = (
        *("key", "title", "year", "journal", "issn", "volume", "issue", "pages", "authors"),
        *("url", "language", "publisher", "abstract", "notes", "doi", "keywords"),
        *("pubmed_id", "pmc_id"),
    )
    rows = [_rayyan(number, paper) for number, paper in enumerate(collection.papers, start=1)]
    return csv_text([columns, *rows])


def _asreview(paper: Paper) -> list[Cell]:
    return [
        paper.title,
        paper.abstract or "",
        _authors(paper, ";"),
        paper.year or "",
        ";".join(keywords(paper)),
        identifier(paper.doi),
        web_address(paper),
        _INCLUDED.get(paper.decision, ""),
        paper.note or "",
    ]


def _rayyan(number: int, paper: Paper) -> list[Cell]:
    return [
        number,
        paper.title,
        paper.year or "",
        paper.venue or "",
        identifier(paper.issn),
        paper.volume or "",
        paper.issue or "",
        "-".join(page for page in page_range(paper.pages) if page),
        _authors(paper, " and "),
        web_address(paper),
        paper.language or "",
        paper.publisher or "",
        paper.abstract or "",
        " | ".join(_notes(paper)),
        identifier(paper.doi),
        ", ".join(own_keywords(paper)),
        identifier(paper.pmid),
        identifier(paper.pmcid),
    ]


def _notes(paper: Paper) -> list[str]:
    """Return what was decided and noted, in Rayyan's words: `RAYYAN-INCLUSION: {...}`."""
    word, screening = _IN_RAYYAN.get(paper.decision), paper.screening
    notes = [single_line(paper.note)] if paper.note else []
    if labels := ",".join(filter(None, map(single_line, paper.labels))):
        notes = [f"RAYYAN-LABELS: {labels}", *notes]
    if word is None or screening is None:
        return notes
    by = json.dumps(single_line(screening.decided_by) or _REVIEWER, ensure_ascii=False)
    inclusion = f'RAYYAN-INCLUSION: {{{by}=>"{word}"}}'
    reason = single_line(screening.reason)
    is_excluded = word == "Excluded" and reason
    return [inclusion, *([f"RAYYAN-EXCLUSION-REASONS: {reason}"] if is_excluded else []), *notes]


def _authors(paper: Paper, between: str) -> str:
    names = (single_line(written(author)) for author in paper.authors)
    return between.join(name for name in names if name)
