"""Importer of Excel workbooks (.xlsx): the first sheet with a title column."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import IO, Any

from paper_search.errors import InputError
from paper_search.library.importers.columns import entries, guessed
from paper_search.library.importers.entries import Entry


def read(file: IO[bytes]) -> Iterator[Entry]:
    """Yield one entry for every row of the sheet, read a row at a time.

    Raises:
        InputError: it is no workbook.
    """
    import zipfile  # noqa: PLC0415  # only when a workbook is read
    from xml.etree.ElementTree import ParseError  # noqa: PLC0415  # as above

    from openpyxl.reader import excel  # noqa: PLC0415  # as above
    from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415  # as above

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that do not concern us
            book: Any = excel.load_workbook(file, read_only=True, data_only=True)  # type: ignore[no-untyped-call]  # openpyxl has no types
            sheets = book.worksheets
            named = (
                sheet for sheet in sheets
                if "title" in guessed(next(sheet.iter_rows(max_row=1, values_only=True), ()))
            )  # fmt: skip
            sheet = next(named, None) or sheets[0]
            yield from entries(enumerate(sheet.iter_rows(values_only=True), start=1))
            book.close()
    except (InvalidFileException, zipfile.BadZipFile, ParseError, KeyError, IndexError) as error:
        raise InputError(f"the workbook cannot be read: {error}") from error
