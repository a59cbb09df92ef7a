"""Tables with one row per paper: CSV, Excel workbooks, and CSV for ASReview and Rayyan.

Cells are written so that spreadsheets do not evaluate them as formulas.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import Enum
from typing import Any

from paper_search.bibliography.fields import COLUMNS
from paper_search.bibliography.names import name_text
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

    Every text cell is one line. An apostrophe stands where a spreadsheet would begin a formula
    (OWASP, CSV injection): before = + - @ at the start of a cell and after a semicolon.
    Authors, tags and keywords share a cell, separated by "; ". The importer reads the same records
    again.
    """
    return csv_text(_rows(collection))


def csv_text(rows: Iterable[Iterable[Cell]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue()


def export_xlsx(collection: PaperCollection) -> bytes:
    """Return an Excel workbook with one sheet, the rows of `export_csv`; no cell is a formula.

    Cells are truncated to 32,767 characters, Excel's limit.
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
    """Return the time of the search without a zone, which Excel does not have."""
    try:
        time = datetime.fromisoformat(collection.metadata.timestamp)
    except ValueError:
        return datetime(2000, 1, 1)  # noqa: DTZ001  # Excel has no zones
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
        yield _cells(paper, COLUMNS, special)


def _cells(paper: Paper, columns: Iterable[str], special: Mapping[str, Any]) -> list[Cell]:
    return [_cell(special[name] if name in special else getattr(paper, name)) for name in columns]


def _cell(value: Any) -> Cell:
    if isinstance(value, list):
        return _BETWEEN.join(filter(None, map(_item, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    cell: Cell = "" if value is None else value
    return cell


def _item(value: Author | Enum | str) -> str:
    text = name_text(value) if isinstance(value, Author) else str(getattr(value, "value", value))
    return single_line(text)


def _inert(cell: Cell) -> Cell:
    return _FORMULA_START.sub(r"\1'", single_line(cell)) if isinstance(cell, str) else cell


_OF_ASREVIEW = (
    *("title", "abstract", "authors", "year", "keywords", "doi", "url", "included", "note"),
)
_OF_RAYYAN = (
    *("key", "title", "year", "journal", "issn", "volume", "issue", "pages", "authors", "url"),
    *("language", "publisher", "abstract", "notes", "doi", "keywords", "pubmed_id", "pmc_id"),
)
_INCLUDED = {"included": 1, "excluded": 0}
_IN_RAYYAN = {"included": "Included", "excluded": "Excluded"}
_REVIEWER = "paper-search"
"""Who decided, if nobody is named."""


def export_asreview(collection: PaperCollection) -> str:
    """Return the papers as a labelled data set of ASReview (CSV).

    `included` is 1 or 0, and empty for a paper without a decision: ASReview offers these for
    screening and learns from the others. Names and keywords are separated by a semicolon without a
    space, which ASReview would keep. Cells are safe as in `export_csv`.
    """
    rows: list[Iterable[Cell]] = [_OF_ASREVIEW]
    for paper in collection.papers:
        special = {
            "authors": _authors(paper, ";"),
            "keywords": ";".join(keywords(paper)),
            "doi": identifier(paper.doi),
            "url": web_address(paper),
            "included": _INCLUDED.get(paper.decision),
        }
        rows.append(_cells(paper, _OF_ASREVIEW, special))
    return csv_text(rows)


def export_rayyan(collection: PaperCollection) -> str:
    """Return the papers in the columns of Rayyan's own CSV.

    Decisions, labels, reasons for exclusion and notes are in `notes`, in Rayyan's format.
    """
    rows: list[Iterable[Cell]] = [_OF_RAYYAN]
    for number, paper in enumerate(collection.papers, start=1):
        special = {
            "key": number,
            "journal": paper.venue,
            "issn": identifier(paper.issn),
            "pages": "-".join(filter(None, page_range(paper.pages))),
            "authors": _authors(paper, " and "),
            "url": web_address(paper),
            "notes": " | ".join(_notes(paper)),
            "doi": identifier(paper.doi),
            "keywords": ", ".join(own_keywords(paper)),
            "pubmed_id": identifier(paper.pmid),
            "pmc_id": identifier(paper.pmcid),
        }
        rows.append(_cells(paper, _OF_RAYYAN, special))
    return csv_text(rows)


def _notes(paper: Paper) -> list[str]:
    """Return decision and notes in Rayyan's format: `RAYYAN-INCLUSION: {...}`."""
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
    return between.join(filter(None, map(_item, paper.authors)))
