"""Importers of tables: CSV, TSV and Excel workbooks, with fields guessed from column names."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import IO, Any

from paper_search.bibliography.text import NOT_A_TO_Z_OR_DIGIT
from paper_search.errors import InputError
from paper_search.library.importers.entries import Entry, Imported, Rejected
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


_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "articletitle", "papertitle", "documenttitle", "primarytitle",
              "originaltitle"),
    "authors": ("authors", "author", "authornames", "authorfullnames", "firstauthors", "creators",
                "creator", "authorsfullname", "authorlist", "af", "au"),
    "year": ("year", "publicationyear", "pubyear", "py", "date", "publicationdate", "published",
             "yearpublished", "coverdate", "issued"),
    "venue": ("venue", "journal", "publicationtitle", "journaltitle", "sourcetitle",
              "publicationname", "journalbook",
              "secondarytitle", "containertitle", "alternatetitle3", "source", "conference",
              "booktitle", "publication", "so"),
    "abstract": ("abstract", "abstracts", "abstractnote", "summary", "notesabstract", "ab"),
    "doi": ("doi", "digitalobjectidentifier", "di", "doilink", "doiurl"),
    "url": ("url", "link", "links", "weblink", "urls", "fulltextlink", "articleurl"),
    "full_text_url": ("pdf", "pdfurl", "fulltexturl", "openaccessurl"),
    "pmid": ("pmid", "pubmedid", "medlinepmid"),
    "pmcid": ("pmcid",),
    "arxiv_id": ("arxivid", "arxiv", "eprint"),
    "citations": ("citations", "citedby", "citationcount", "timescited", "citedbycount", "cites"),
    "database": ("database", "databasename", "sourcedatabase"),
    "volume": ("volume", "vol"),
    "issue": ("issue", "number", "artno"),
    "pages": ("pages", "page", "pagerange"),
    "publisher": ("publisher",),
    "language": ("language", "languageoforiginaldocument", "lang", "articlelanguage"),
    "isbn": ("isbn",),
    "issn": ("issn",),
    "keywords": ("keywords", "keyword", "authorkeywords", "manualtags", "automatictags",
                 "indexkeywords", "meshterms", "subjects", "subject", "topics", "kw"),
}  # fmt: skip
_A_PAIR = 2
_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
_INITIALS = re.compile(r" (?:[A-Z]\.?-?){1,3}$")
"""At the end of a name: "Liu R.", "Adler D.G."."""
_ONLY_INITIALS = re.compile(r"(?:[A-Z]\.?[ -]?){1,4}")


def entries(rows: Iterable[tuple[int, Sequence[Any]]]) -> Iterator[Entry]:
    """Yield one entry for every row after that of the names; empty rows are left out.

    Args:
        rows: line number and cells, the names of the columns first.
    """
    numbered = iter(rows)
    first = next(numbered, None)
    if first is None:
        return
    names = [str(name or "") for name in first[1]]
    if set(names) >= OWN_COLUMNS:
        yield from _own_entries(names, numbered)
        return
    places = guessed(first[1])
    if "title" not in places:
        found = ", ".join(repr(str(name)) for name in first[1] if name)[:120]
        yield Rejected(first[0], f"no title column; the columns are {found or 'unnamed'}")
        return
    for line, cells in numbered:
        if any(_text(cell) for cell in cells):
            yield _entry(cells, places, line)


def _own_entries(
    names: Sequence[str], rows: Iterable[tuple[int, Sequence[Any]]]
) -> Iterator[Entry]:
    for line, cells in rows:
        row = dict(zip(names, map(_text, cells), strict=False))
        if any(row.values()):
            try:
                yield Imported(record_of_row(row), line)
            except ValueError as error:
                yield Rejected(line, str(error))


def guessed(names: Sequence[Any]) -> dict[str, list[int]]:
    """Return the columns of every field, the most telling first."""
    plain = [NOT_A_TO_Z_OR_DIGIT.sub("", str(name or "").lower()) for name in names]
    found: dict[str, list[int]] = {}
    for field, known in _NAMES.items():
        places = [plain.index(name) for name in known if name in plain]
        if places:
            found[field] = places
    if {"source", "sourcetitle"} <= set(plain):  # Scopus names itself
        found["database"] = [plain.index("source")]
        found["venue"].remove(plain.index("source"))
    first, last = plain.index("startpage") if "startpage" in plain else -1, -1
    if "endpage" in plain:
        last = plain.index("endpage")
    if first >= 0 and "pages" not in found:
        found["pages"] = [first]
        if last >= 0:
            found["last_page"] = [last]
    return found


def _entry(cells: Sequence[Any], places: Mapping[str, list[int]], line: int) -> Entry:
    values: dict[str, Any] = {
        field: next((text for place in column if (text := _cell(cells, place))), None)
        for field, column in places.items()
    }
    last = values.pop("last_page", None)
    if last and values.get("pages"):
        values["pages"] = f"{values['pages']}-{last}"
    # Embase has the year in the source alone: "Journal (2014) 3:3 (152-160)".
    values["year"] = values.get("year") or values.get("venue")
    values["authors"] = _people(values.get("authors") or "")
    if keywords := values.get("keywords"):
        values["keywords"] = _python_list(keywords) or keywords
    try:
        return Imported(record_of(values), line)
    except ValueError as error:
        return Rejected(line, str(error))


def _people(text: str) -> Any:
    """Return the authors; commas separate them only where a name has no comma of its own."""
    stripped = text.strip()
    if quoted := _python_list(stripped):
        return quoted
    if ";" in stripped or " and " in stripped or "," not in stripped:
        return stripped
    parts = [part for piece in stripped.split(",") if (part := piece.strip(" '\""))]
    is_whole = all(" " in part for part in parts) and len(parts) > _A_PAIR
    if is_whole or all(_INITIALS.search(part) for part in parts):  # "Jane Doe, Max Roe, ..."
        return parts
    if len(parts) <= _A_PAIR:
        return stripped
    if all(_ONLY_INITIALS.fullmatch(part) for part in parts[1::2]):  # "Doe, J., Roe, M."
        return [", ".join(parts[place : place + 2]) for place in range(0, len(parts), 2)]
    return parts


def _python_list(text: str) -> list[str]:
    """Return the texts of a list as Python writes it; none: it is no list."""
    if not text.startswith("["):
        return []
    return [first or second for first, second in _QUOTED.findall(text)]


def _cell(cells: Sequence[Any], place: int) -> str:
    return _text(cells[place]) if place < len(cells) else ""


def _text(value: Any) -> str:
    if value is None:
        return ""
    text = str(value).strip()
    return "" if text.lower() in {"nan", "none", "null", "n/a", "#n/a"} else text


_DELIMITERS = ",;\t|"
_LONGEST_CELL = 10_000_000


def read_csv(lines: Iterable[str]) -> Iterator[Entry]:
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


def read_workbook(file: IO[bytes]) -> Iterator[Entry]:
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
