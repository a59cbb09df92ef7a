"""Files to import: their format by suffix or content, their encoding, and their entries."""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, cast

from paper_search.errors import InputError, UnknownFormatError, UnknownNameError
from paper_search.library.importers.entries import Entry

FORMATS = {
    "bibtex": "bibtex:read",
    "ris": "ris:read",
    "csl-json": "json_records:read_csl",
    "json-lines": "json_records:read_lines",
    "json": "json_records:read_own",
    "medline": "tagged:read_medline",
    "web-of-science": "tagged:read_web_of_science",
    "endnote": "tagged:read_endnote",
    "endnote-xml": "xml_records:read_endnote",
    "pubmed-xml": "xml_records:read_pubmed",
    "refworks": "tagged:read_refworks",
    "csv": "tables:read_csv",
    "xlsx": "tables:read_workbook",
}
"""Module and function of every format; the function takes lines and yields entries."""
_PACKAGE = __name__.rpartition(".")[0]
_OF_BYTES = {"endnote-xml", "pubmed-xml", "xlsx"}
"""Formats whose function takes the open file instead."""
_OF_PIECES = {"csl-json", "json"}
"""Formats whose function takes text in pieces: all of it may be on one line."""

ACCEPTED = (
    "BibTeX (.bib), RIS (.ris), MEDLINE (.nbib), PubMed (.xml), Web of Science (.ciw), "
    "EndNote (.enw, .xml), RefWorks (.txt), "
    "CSL-JSON (.json), JSON lines (.jsonl) of ours, OpenAlex or arXiv, tables (.csv, .tsv, .xlsx), "
    "our own JSON export"
)
_SUFFIXES = {
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".biblatex": "bibtex",
    ".ris": "ris",
    ".jsonl": "json-lines",
    ".ndjson": "json-lines",
    ".nbib": "medline",
    ".medline": "medline",
    ".ciw": "web-of-science",
    ".isi": "web-of-science",
    ".enw": "endnote",
    ".csv": "csv",
    ".tsv": "csv",
    ".xlsx": "xlsx",
}
_HEAD = 65_536
_GZIP = b"\x1f\x8b"
_ENTRY = re.compile(r"^[ \t]*@[A-Za-z]+[ \t]*[{(]", re.MULTILINE)
_REFERENCE = re.compile(r"^[ \t]{0,2}TY[ \t]{1,3}-", re.MULTILINE)
_CITATION = re.compile(r"^PMID ?- ?\d", re.MULTILINE)
_WEB_OF_SCIENCE = re.compile(r"^PT [A-Z]\s*$", re.MULTILINE)
_ENDNOTE = re.compile(r"^%[0AT] \S", re.MULTILINE)
_ENDNOTE_XML = re.compile(r"<xml>\s*<records>|<records>\s*<record>")
_PUBMED_XML = re.compile(r"<(?:PubmedArticleSet|PubmedArticle|PubmedBookArticle)\b")
_REFWORKS = re.compile(r"^RT [A-Z][a-z]", re.MULTILINE)
_NAMED_COLUMNS = re.compile(r"^(?=[^\n]*[,;\t|])(?=[^\n]*\btitle\b)", re.IGNORECASE)
_ZIP = b"PK\x03\x04"
_CONTENTS = (
    (_REFERENCE, "ris"),
    (_ENTRY, "bibtex"),
    (_CITATION, "medline"),
    (_WEB_OF_SCIENCE, "web-of-science"),
    (_ENDNOTE_XML, "endnote-xml"),
    (_PUBMED_XML, "pubmed-xml"),
    (_REFWORKS, "refworks"),
    (_ENDNOTE, "endnote"),
)
"""What tells a format, the surest first."""
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class _Content:
    """What is read: a file on disk, or bytes that came under a name."""

    name: str
    data: bytes | None = None
    """None: the file of that name has them."""

    def open(self) -> IO[bytes]:
        """Return what reads it; gzip is taken apart."""
        if self.data is not None:
            data = BytesIO(self.data)
            is_gzip = self.data.startswith(_GZIP)
            return cast("IO[bytes]", gzip.open(data)) if is_gzip else data
        with Path(self.name).open("rb") as file:
            is_gzip = file.read(2) == _GZIP
        return cast("IO[bytes]", gzip.open(self.name)) if is_gzip else Path(self.name).open("rb")


def read_file(
    path: Path | str, *, format_name: str | None = None, data: bytes | None = None
) -> Iterator[Entry]:
    """Return the entries of a file, good and bad, in its order; gzip of any format will do.

    The file is examined at once and read as entries are taken.

    Args:
        path: the file, or only its name where `data` are given.
        data: its content; None: it is on disk.
        format_name: a name from FORMATS; by default, suffix and content decide.

    Raises:
        InputError: the file cannot be read, is empty, binary, or of no known format; or, while
            entries are taken, its gzip data are damaged.
        UnknownNameError: no format of that name.
    """
    file = _Content(str(path), data)
    head = _head(file)
    name = format_name or format_of(Path(path), head)
    if name not in FORMATS:
        raise UnknownNameError("import format", name, list(FORMATS))
    module, _, function = FORMATS[name].partition(":")
    read = getattr(import_module(f"{_PACKAGE}.{module}"), function)
    if name in _OF_BYTES:
        return _entries_of_bytes(file, read)
    longest = _HEAD if name in _OF_PIECES else -1
    entries: Iterator[Entry] = read(_lines(file, _encoding(head), longest))
    return entries


def _entries_of_bytes(
    content: _Content, read: Callable[[IO[bytes]], Iterator[Entry]]
) -> Iterator[Entry]:
    try:
        with content.open() as file:
            yield from read(file)
    except (OSError, EOFError, zlib.error) as error:
        raise _damage(content, error) from error
    except InputError as error:
        raise InputError(f"{content.name!r}: {error}") from error


def format_of(path: Path, head: str | bytes) -> str:
    """Return the name of the format, from the suffix if it tells, else from the first lines.

    Raises:
        InputError: neither tells.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if isinstance(head, bytes) and head.startswith(_ZIP):
        return "xlsx"
    text = head if isinstance(head, str) else head.decode(_encoding(head), "replace")
    if suffixes and suffixes[-1] in _SUFFIXES:
        return _SUFFIXES[suffixes[-1]]
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("["):
        return "csl-json"
    if start.startswith("{"):
        return _json_format(start)
    for pattern, name in _CONTENTS:
        if pattern.search(text):
            return name
    if _NAMED_COLUMNS.match(start):
        return "csv"
    raise UnknownFormatError(f"the format of {str(path)!r} is unknown; accepted: {ACCEPTED}")


def _json_format(start: str) -> str:
    first, _, rest = start.partition("\n")
    try:
        value = json.loads(first)
    except ValueError:
        return "json" if '"papers"' in start else "csl-json"
    if "papers" in value:
        return "json"
    return "json-lines" if rest.strip() or "type" not in value else "csl-json"


def _head(content: _Content) -> bytes:
    try:
        with content.open() as file:
            head = file.read(_HEAD)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{content.name!r} cannot be read: {reason}") from error
    if not head.strip(b"\xef\xbb\xbf \t\r\n\x00"):
        raise InputError(f"{content.name!r} is empty")
    if head.startswith(_ZIP):
        return head
    if b"\x00" in head and not _encoding(head).startswith("utf-16"):
        raise UnknownFormatError(f"{content.name!r} is a binary file; accepted: {ACCEPTED}")
    return head


def _encoding(head: bytes) -> str:
    for mark, name in _BOMS.items():
        if head.startswith(mark):
            return name
    if head[:2] in {b"\x00@", b"\x00{", b"\x00T", b"\x00%", b"\x00["}:
        return "utf-16-be"
    if head[1:2] == b"\x00" and head[:1] in b"@{T%[":
        return "utf-16-le"
    return "utf-8"


def _lines(content: _Content, encoding: str, longest: int) -> Iterator[str]:
    """Yield the lines, in pieces of so many bytes at most where that is not negative."""
    try:
        with content.open() as file:
            if encoding.startswith("utf-16"):
                reader = codecs.getreader(encoding)(file, "replace")
                yield from reader if longest < 0 else iter(lambda: reader.read(longest), "")
                return
            rest = b""
            for number, line in enumerate(iter(lambda: file.readline(longest), b"")):
                given = rest + (line.removeprefix(codecs.BOM_UTF8) if number == 0 else line)
                cut = len(given) if line.endswith(b"\n") else _last_letter(given)
                rest = given[cut:]
                yield _decoded(given[:cut])
            if rest:
                yield _decoded(rest)
    except (OSError, EOFError, zlib.error) as error:
        raise _damage(content, error) from error


def _last_letter(piece: bytes) -> int:
    """Return where the last letter begins that is cut off by the end of the piece, else its end."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte < 0x80:  # noqa: PLR2004  # ASCII
            break
        if byte >= 0xC0:  # noqa: PLR2004  # the first byte of a letter in UTF-8
            length = 2 + (byte >= 0xE0) + (byte >= 0xF0)  # noqa: PLR2004  # its bytes
            return len(piece) - back if length > back else len(piece)
    return len(piece)


def _damage(content: _Content, error: Exception) -> InputError:
    return InputError(
        f"{content.name!r} is damaged: {error}; the records before the damage were imported"
    )


def _decoded(line: bytes) -> str:
    """Return the line in UTF-8, or else as Western European Windows programs wrote it."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")
