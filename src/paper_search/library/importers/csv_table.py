"""Importer of CSV and TSV tables, with columns guessed from their names."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain

from paper_search.library.importers.columns import entries
from paper_search.library.importers.entries import Entry, Rejected

_DELIMITERS = ",;\t|"
_LONGEST_CELL = 10_000_000


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every row; the delimiter is that which splits the row of names most."""
    iterator = iter(lines)
    names = next((line for line in iterator if line.strip()), "")
    delimiter = max(_DELIMITERS, key=names.count)
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(chain([names], (line.replace("\0", "") for line in iterator)),
                        delimiter=delimiter)  # fmt: skip

    def rows() -> Iterator[tuple[int, list[str]]]:
        while True:
            # A row is named by the line that it begins on; a quoted cell may go over several.
            line = reader.line_num + 1
            row = next(reader, None)
            if row is None:
                return
            yield line, row

    try:
        yield from entries(rows())
    except csv.Error as error:
        yield Rejected(reader.line_num, f"not CSV: {error}")
