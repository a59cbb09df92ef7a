"""Rows of our own tables (CSV, XLSX): every cell is what the export wrote into it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from paper_search.library.importers.fields import record_of
from paper_search.models import RawPaper

OWN_COLUMNS = frozenset({"id", "title", "authors", "relevance_reason", "is_judged", "source"})
"""Columns that no other table has together."""
_INERT = re.compile(r"(^|;[\s\"]*)'(?=[=+\-@＝＋－＠])")
"""The apostrophe before what a spreadsheet would take for a formula."""
_TRUTH = {"yes": True, "no": False}


def record_of_row(row: Mapping[str, str]) -> RawPaper:
    """Return the record of a row; the verdict of the search and the screening are left out.

    Args:
        row: the cells by their columns.

    Raises:
        ValueError: the title is missing.
    """
    cells = {name: _INERT.sub(r"\1", cell) for name, cell in row.items()}
    listed = {name: _items(cells.pop(name, "")) for name in ("authors", "keywords")}
    record = record_of({**cells, **listed}, is_inverted=True)
    record.id = cells["id"]
    record.is_retracted = _TRUTH.get(cells.get("is_retracted", ""))
    return record


def _items(cell: str) -> list[str]:
    return [item for item in cell.split("; ") if item]
