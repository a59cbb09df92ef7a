"""Files to import: their format by suffix or content, their encoding, and their entries."""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

from paper_search.errors import InputError, UnknownFormatError, UnknownNameError
from paper_search.library.importers.decoding import encoding_of, lines_of
from paper_search.library.importers.entries import Entry, Rejected


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """One format.

    Attributes:
        reader: module and function, which takes lines and yields entries.
        title: what it is called.
        suffixes: that tell it.
        sign: what tells it in a file of another suffix.
        start: a line on which a record begins, in files that people have edited, too.
        is_binary: the function takes the open file instead of lines.
    """

    reader: str
    title: str
    suffixes: tuple[str, ...] = ()
    sign: str = ""
    start: str = ""
    is_binary: bool = False


FORMATS = {
    "ris": ImportFormat("tagged:RIS.read", "RIS", (".ris",), r"^[ \t]{0,2}TY[ \t]{1,3}-",
                        r"\W*TY\s*-"),
    "bibtex": ImportFormat(
        "bibtex:read", "BibTeX", (".bib", ".bibtex", ".biblatex"), r"^[ \t]*@[A-Za-z]+[ \t]*[{(]",
        r"(?i)\s*@(?!string|comment|preamble)[a-z]+[ \t]*[{(]",
    ),
    "medline": ImportFormat("tagged:MEDLINE.read", "MEDLINE", (".nbib", ".medline"),
                            r"^PMID ?- ?\d", r"\s*PMID ?- ?\d"),
    "web-of-science": ImportFormat("tagged:WEB_OF_SCIENCE.read", "Web of Science",
                                   (".ciw", ".isi"), r"^PT [A-Z]\s*$", r"PT [A-Z]\s*$"),
    "endnote-xml": ImportFormat(
        "xml_records:read_endnote", "EndNote XML", (),
        r"<xml>\s*<records>|<records>\s*<record>", is_binary=True,
    ),
    "pubmed-xml": ImportFormat(
        "xml_records:read_pubmed", "PubMed XML", (),
        r"<(?:PubmedArticleSet|PubmedArticle|PubmedBookArticle)\b", is_binary=True,
    ),
    "refworks": ImportFormat("tagged:REFWORKS.read", "RefWorks", (), r"^RT [A-Z][a-z]",
                             r"RT [A-Z][a-z]"),
    "endnote": ImportFormat("tagged:ENDNOTE.read", "EndNote", (".enw",), r"^%[0AT] \S", r"%0 \S"),
    "csl-json": ImportFormat("json_records:read_csl", "CSL-JSON"),
    "json-lines": ImportFormat("json_records:read_lines",
                               "JSON lines (ours, OpenAlex, arXiv, Semantic Scholar)",
                               (".jsonl", ".ndjson")),
    "json": ImportFormat("json_records:read_own", "our own JSON export"),
    "csv": ImportFormat("tables:read_csv", "CSV", (".csv", ".tsv")),
    "xlsx": ImportFormat("tables:read_workbook", "Excel", (".xlsx",), is_binary=True),
}  # fmt: skip
"""By name, those that are surest to tell by content first."""
ACCEPTED = ", ".join(
    f"{form.title} ({', '.join(form.suffixes)})" if form.suffixes else form.title
    for form in FORMATS.values()
)
_PACKAGE = __name__.rpartition(".")[0]
_OF_SUFFIX = {suffix: name for name, form in FORMATS.items() for suffix in form.suffixes}
_HEAD = 65_536
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_NAMED_COLUMNS = re.compile(r"^(?=[^\n]*[,;\t|])(?=[^\n]*\btitle\b)", re.IGNORECASE)


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

    The file is examined at once and read as entries are taken. Where a record begins and no entry
    does, one is rejected: nothing is left out without a word.

    Args:
        path: the file, or only its name where `data` are given.
        data: its content; None: it is on disk.
        format_name: a name from FORMATS; by default, suffix and content decide.

    Raises:
        InputError: the file cannot be read, is empty, binary, or of no known format; or, while
            entries are taken, its gzip data are damaged.
        UnknownNameError: no format of that name.
    """
    content = _Content(str(path), data)
    head = _head(content)
    name = format_name or format_of(Path(path), head)
    if name not in FORMATS:
        raise UnknownNameError("import format", name, list(FORMATS))
    module, _, function = FORMATS[name].reader.partition(":")
    read: Any = import_module(f"{_PACKAGE}.{module}")
    for part in function.split("."):
        read = getattr(read, part)
    return _entries(content, FORMATS[name], read)


def _entries(
    content: _Content, form: ImportFormat, read: Callable[[Any], Iterator[Entry]]
) -> Iterator[Entry]:
    try:
        with content.open() as file:
            if form.is_binary:
                yield from read(file)
                return
            starts = set[int]()
            pattern = re.compile(form.start) if form.start else None
            lines = _noting_starts(lines_of(file), pattern, starts)
            for entry in read(lines):
                starts.discard(entry.line)
                yield entry
            for line in sorted(starts):
                yield Rejected(line, "a record begins here that cannot be told from others")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{content.name!r} is damaged: {error}; the records before the damage were imported"
        ) from error
    except InputError as error:
        raise InputError(f"{content.name!r}: {error}") from error


def _noting_starts(
    lines: Iterable[str], pattern: re.Pattern[str] | None, starts: set[int]
) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if pattern is not None and pattern.match(line):
            starts.add(number)
        yield line


def format_of(path: Path, head: str | bytes) -> str:
    """Return the name of the format, from the suffix if it tells, else from the first lines.

    Raises:
        InputError: neither tells.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if isinstance(head, bytes) and head.startswith(_ZIP):
        return "xlsx"
    text = head if isinstance(head, str) else head.decode(encoding_of(head), "replace")
    if suffixes and suffixes[-1] in _OF_SUFFIX:
        return _OF_SUFFIX[suffixes[-1]]
    start = text.replace("\r", "\n").lstrip("\ufeff \t\n")
    if start.startswith("["):
        return "csl-json"
    if start.startswith("{"):
        return _json_format(start)
    for name, form in FORMATS.items():
        if form.sign and re.search(form.sign, start, re.MULTILINE):
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
    if not head.strip(codecs.BOM_UTF8 + b" \t\r\n\x00"):
        raise InputError(f"{content.name!r} is empty")
    if b"\x00" in head and not head.startswith(_ZIP) and not encoding_of(head).startswith("utf-16"):
        raise UnknownFormatError(f"{content.name!r} is a binary file; accepted: {ACCEPTED}")
    return head
