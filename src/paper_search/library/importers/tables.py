"""Importers of tables (CSV, TSV, Excel) with fields by column name."""

import csv
import re
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, dropwhile, islice
from typing import IO, Any

from paper_search.bibliography.fields import field_named
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.publication_types import document_type
from paper_search.bibliography.text import NOT_A_TO_Z_OR_DIGIT
from paper_search.errors import InputError
from paper_search.exports.csv_table import items_of, without_apostrophe
from paper_search.library.importers.files import Entry, Imported, Rejected, entry_of

_OWN_COLUMNS = frozenset({"id", "title", "authors", "relevance_reason", "is_judged", "source"})
"""Columns that identify our own tables."""
_A_PAIR = 2
_MOST_ABOVE = 20
"""Rows that may come before the header row."""
_TITLE = re.compile(r"\b(?:title|ti)\b", re.IGNORECASE)
_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
_WHOLE_NAMES = (
    re.compile(r" (?:[A-Z]\.?-?){1,3}(?: (?:Jr|Sr)\.?)?\Z").search,  # "Liu R.", "Adler D.G."
    re.compile(r"[A-Z]{1,3}(?: [a-z]+)* [^\W\d_a-z]\w+(?:[-'’]\w+)*").fullmatch,  # "J van der Berg"
)
_AUTHOR_ID = re.compile(r" \(\d{6,}\)")
"""Scopus's, after each full name."""
_SUFFIX_APART = re.compile(r"(?<=[A-Z]\.), ((?:Jr|Sr)\.)(?=,|$)")
_ONLY_INITIALS = re.compile(r"(?:[A-Z]\.?[ -]?){1,4}")
_Rows = Iterator[tuple[int, Sequence[Any] | Rejected]]


def entries(rows: _Rows) -> Iterator[Entry]:
    """Yield one entry for every non-empty row below the header row.

    Other rows may come before the header. In concatenated tables, each header applies to the rows
    below it.
    """
    above = list(islice(rows, _MOST_ABOVE))
    rows = chain(above, rows)
    line, cells = next(
        (row for row in above if _has_titles(row[1])), above[0] if above else (1, ())
    )
    names = [] if isinstance(cells, Rejected) else [str(name or "") for name in cells]
    is_ours = set(names) >= _OWN_COLUMNS
    places = columns_of(names)
    if not is_ours and "title" not in places:
        columns = ", ".join(repr(name) for name in names if name)[:120]
        yield Rejected(line, f"no title column; the columns are {columns or 'unnamed'}")
        return
    firsts = [str(row[0] or "") for _, row in above if not isinstance(row, Rejected) and row]
    if places.get("title") == [0] and len(columns_of(firsts)) > _A_PAIR:
        yield Rejected(line, "each row has one field: export a table with a column for each field")
        return
    for line, row in dropwhile(lambda row: row[1] is not cells, rows):
        if isinstance(row, Rejected):
            yield row
        elif row is cells or (texts := [_text(cell) for cell in row]) == names:
            continue
        elif not is_ours and _are_names(texts):
            places = columns_of(texts)
        elif any(texts):
            yield _own_entry(names, texts, line) if is_ours else _entry(texts, places, line)


def _has_titles(cells: Sequence[Any] | Rejected) -> bool:
    return not isinstance(cells, Rejected) and "title" in columns_of(cells)


def _are_names(texts: Sequence[str]) -> bool:
    """Whether a row is a header: all non-empty cells name distinct fields, one the title."""
    places, count = columns_of(texts), sum(map(bool, texts))
    return "title" in places and len(places) == count >= _A_PAIR


def _own_entry(names: Sequence[str], texts: Sequence[str], line: int) -> Entry:
    """Return the entry for a row of our own table, without judgements."""
    cells = {
        name: without_apostrophe(text) for name, text in zip(names, texts, strict=False) if text
    }
    values = {**cells, **{name: items_of(cells.get(name, "")) for name in ("authors", "keywords")}}
    entry = entry_of(values, line)
    if isinstance(entry, Imported):
        entry.record.id = cells.get("id", "")
    return entry


def columns_of(names: Sequence[Any]) -> dict[str, list[int]]:
    """Return the columns of every field, the most specific names first."""
    plain = [NOT_A_TO_Z_OR_DIGIT.sub("", str(name or "").lower()) for name in names]
    columns: dict[str, list[tuple[int, int]]] = {}
    for place, name in enumerate(plain):
        if name and (field := field_named(name)):
            columns.setdefault(field[0], []).append((field[1], place))
    places = {field: [place for _, place in sorted(ranked)] for field, ranked in columns.items()}
    if "venue" not in places and "source" in plain:  # Embase's venue; in Scopus it is "Scopus"
        places["venue"] = [plain.index("source")]
        places["source"].remove(plain.index("source"))
    return places


def _entry(texts: Sequence[str], places: Mapping[str, list[int]], line: int) -> Entry:
    values: dict[str, Any] = {
        field: next((texts[place] for place in column if place < len(texts) and texts[place]), None)
        for field, column in places.items()
    }
    kind = values.get("publication_type") or ""
    values["publication_type"] = document_type(kind)
    if "retracted" in kind.lower():
        values["is_retracted"] = True
    # Embase has the year only in the source: "Journal (2014) 3:3 (152-160)".
    values["year"] = values.get("year") or values.get("venue")
    values["authors"] = _people(values.get("authors") or "")
    cells = (texts[place] for place in places.get("keywords", ()) if place < len(texts))
    values["keywords"] = [
        word for cell in cells if cell for word in keywords_of(_python_list(cell) or cell)
    ]
    return entry_of(values, line, is_inverted=False)


def _people(text: str) -> Any:
    """Return the authors; commas separate them only if names have no commas."""
    stripped = _AUTHOR_ID.sub("", text.strip()).replace("|", ";")
    stripped = _SUFFIX_APART.sub(r" \1", stripped)
    if quoted := _python_list(stripped):
        return quoted
    if ";" in stripped or " and " in stripped or "," not in stripped:
        return stripped
    parts = [part for piece in stripped.split(",") if (part := piece.strip(" '\""))]
    is_whole = all(" " in part for part in parts) and len(parts) > _A_PAIR
    if is_whole or any(all(map(form, parts)) for form in _WHOLE_NAMES):  # "Jane Doe, Max Roe, ..."
        return parts
    if len(parts) <= _A_PAIR:
        return stripped
    if all(_ONLY_INITIALS.fullmatch(part) for part in parts[1::2]):  # "Doe, J., Roe, M."
        return [", ".join(parts[place : place + 2]) for place in range(0, len(parts), 2)]
    return parts


def _python_list(text: str) -> list[str]:
    """Return the strings of a list in Python syntax, or none for other texts."""
    if not text.startswith("["):
        return []
    return [first or second for first, second in _QUOTED.findall(text)]


_ESCAPED_BREAK = re.compile("_x000[aAdD]_")
"""A line break in a workbook."""


def _text(value: Any) -> str:
    if value is None:
        return ""
    text = _ESCAPED_BREAK.sub(" ", str(value)).strip()
    return "" if text.lower() in {"nan", "none", "null", "n/a", "#n/a"} else text


_DELIMITERS = ",;\t|"
_LONGEST_CELL = 1_000_000
_MOST_LINES = 2_000
"""Of one row; a longer one has an unclosed quote."""


class _Lines:
    """Lines that can be put back.

    `taken`: lines since it was last cleared. `is_over`: whether the reader requested more lines
    than there are, or than a row may have.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._returned: deque[str] = deque()
        self.taken: list[str] = []
        self.is_over = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._returned.popleft() if self._returned else next(self._lines, None)
        self.is_over = line is None or len(self.taken) >= _MOST_LINES
        if line is None:
            raise StopIteration
        if self.is_over:
            self._returned.appendleft(line)
            raise StopIteration
        self.taken.append(line)
        return line.replace("\0", "")

    def give_back(self) -> None:
        """Put all taken lines back except the first."""
        self._returned.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]


def parse_csv(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every row; the delimiter is the most frequent one in the header.

    An unmatched quote costs only its own row.
    """
    return entries(_csv_rows(lines))


def _csv_rows(lines: Iterable[str]) -> _Rows:
    csv.field_size_limit(_LONGEST_CELL)
    rest, number = iter(lines), 1
    above = list(islice(rest, _MOST_ABOVE))
    names = next(filter(_TITLE.search, above), next(filter(str.strip, above), ""))
    delimiter = max(_DELIMITERS, key=names.count)
    columns = len(next(csv.reader([names], delimiter=delimiter), []))
    source = _Lines(chain(above, rest))
    while True:
        source.taken.clear()
        row, problem = _next_row(source, delimiter, columns)
        if not source.taken:
            return
        if problem:
            source.give_back()
            yield number, Rejected(number, problem)
        else:
            yield number, row
        number += len(source.taken)


def _next_row(source: _Lines, delimiter: str, columns: int) -> tuple[list[str], str]:
    options: dict[str, Any] = {"delimiter": delimiter, "skipinitialspace": True}
    try:
        row = next(csv.reader(source, **options), [])
        # Strict mode refuses text after a quote that another cell or row closes.
        if len(source.taken) > 1 or len(row) != columns:
            list(csv.reader(source.taken, **options, strict=True))
        is_two = len(source.taken) > 1 and _is_of_two_rows(source.taken, options, columns)
    except csv.Error as error:
        return [], f"not CSV: {error}"
    if is_two or (source.taken and source.is_over):
        return row, "a quote in this row is not closed"
    is_cut = len(row) != columns and any(c.endswith('"') and c.count('"') % 2 for c in row)
    return row, "a quote in this row is not opened" if is_cut else ""


def _is_of_two_rows(lines: Sequence[str], options: Mapping[str, Any], columns: int) -> bool:
    """Whether the first and last line are complete rows with numbers in the same column.

    Then a quote in the last row has closed the unmatched one in the first.
    """
    first, last = (next(csv.reader([line], **options)) for line in (lines[0], lines[-1]))
    first = [*first[:-1], *first[-1].split(options["delimiter"])]
    if not len(first) == len(last) == columns:
        return False
    cells = zip(first, last, strict=True)
    return any(one.strip().isdigit() and other.strip().isdigit() for one, other in cells)


def _rows_of_a_table(sheet: Any) -> int:
    """Count the rows of a sheet with at least two cells; notes and titles have one."""
    rows = sheet.iter_rows(values_only=True)
    count = sum(sum(cell is not None for cell in row) >= _A_PAIR for row in rows)
    return count if count >= _A_PAIR else 0


_MOST_UNPACKED = 200_000_000
"""Bytes of a workbook; openpyxl needs up to four times as much memory for its texts."""


def _check_archive(file: IO[bytes]) -> None:
    from zipfile import ZipFile  # noqa: PLC0415  # only when a workbook is read

    with ZipFile(file) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if "[Content_Types].xml" not in archive.namelist():
            raise InputError("a zip archive, not a workbook: import the files in it")
    if size > _MOST_UNPACKED:
        raise InputError(
            f"the workbook has {size:,} bytes unpacked, more than {_MOST_UNPACKED:,}; "
            "save it as CSV"
        )


def parse_workbook(file: IO[bytes]) -> Iterator[Entry]:
    """Yield one entry for every row of each sheet with a title column."""
    from xml.etree.ElementTree import ParseError  # noqa: PLC0415  # only when a workbook is read
    from zipfile import BadZipFile  # noqa: PLC0415  # as above

    from openpyxl.reader import excel  # noqa: PLC0415  # as above
    from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415  # as above

    try:
        _check_archive(file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions
            book: Any = excel.load_workbook(file, read_only=True, data_only=True)  # type: ignore[no-untyped-call]  # openpyxl has no types
            sheets = book.worksheets
            for sheet in sheets:
                sheet.reset_dimensions()  # the stated size may be wrong
            with_titles = [
                sheet for sheet in sheets
                if any(map(_has_titles, sheet.iter_rows(max_row=_MOST_ABOVE, values_only=True)))
            ]  # fmt: skip
            for sheet in with_titles or sheets[:1]:
                yield from entries(enumerate(sheet.iter_rows(values_only=True), start=1))
            for sheet in sheets if with_titles else ():
                if sheet not in with_titles and (rows := _rows_of_a_table(sheet)):
                    yield Rejected(1, f"sheet {sheet.title!r} has no title column: {rows} rows")
            book.close()
    except InputError:  # a ValueError, too
        raise
    except (InvalidFileException, BadZipFile, ParseError, LookupError, ValueError) as error:
        raise InputError(f"the workbook cannot be read: {error}") from error
