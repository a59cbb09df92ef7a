"""Detect format and encoding of files, and read their entries."""

import codecs
import contextlib
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from paper_search.bibliography.fields import NO_TITLE, record_of
from paper_search.errors import InputError, UnknownFormatError, UnknownNameError
from paper_search.models import RawPaper
from paper_search.models.source_report import REASONS


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A format that can be imported.

    Attributes:
        reader: module and function that yields entries from lines.
        sign: pattern that identifies the format, whatever the suffix.
        start: pattern of a record's first line, tolerant of manual edits.
        is_binary: whether the function takes the open file instead of lines.
    """

    reader: str
    title: str
    suffixes: tuple[str, ...] = ()
    sign: str = ""
    start: str = ""
    is_binary: bool = False


FORMATS = {
    "ris": ImportFormat("tagged:RIS.parse", "RIS", (".ris",), r"(?i)^[ \t]{0,2}TY[ \t]{1,3}-",
                        r"(?i)\W*TY\s*[-–—]"),
    "bibtex": ImportFormat(
        "bibtex:parse_bibtex", "BibTeX", (".bib", ".bibtex", ".biblatex"),
        r"^[ \t]*@[A-Za-z]+\s*[{(]",
        r"(?i)\s*@(?!string|comment|preamble)[a-z]+[ \t]*(?:[{(\[]|$)",
    ),
    "medline": ImportFormat("tagged:MEDLINE.parse", "MEDLINE", (".nbib", ".medline"),
                            r"^PMID ?- ?\d", r"(?i)\s*PMID ?- ?\d"),
    "web-of-science": ImportFormat("tagged:WEB_OF_SCIENCE.parse", "Web of Science",
                                   (".ciw", ".isi"), r"^PT [A-Z]\s*$", r"PT [A-Z]\s*$"),
    "endnote-xml": ImportFormat(
        "xml_records:parse_xml", "EndNote XML", (),
        r"<xml>\s*<records>|<records>\s*<record>", is_binary=True,
    ),
    "pubmed-xml": ImportFormat(
        "xml_records:parse_xml", "PubMed XML", (),
        r"<(?:PubmedArticleSet|PubmedArticle|PubmedBookArticle)\b", is_binary=True,
    ),
    "refworks": ImportFormat("tagged:REFWORKS.parse", "RefWorks", (), r"^RT [A-Z][a-z]",
                             r"RT [A-Z][a-z]"),
    "endnote": ImportFormat("tagged:ENDNOTE.parse", "EndNote", (".enw",), r"^%[0AT]\s\S",
                            r"%0\s\S"),
    "csl-json": ImportFormat("json_records:parse_csl", "CSL-JSON"),
    "json-lines": ImportFormat("json_records:parse_lines",
                               "JSON lines (ours, OpenAlex, arXiv, Semantic Scholar)",
                               (".jsonl", ".ndjson")),
    "json": ImportFormat("json_records:parse_own", "our own JSON export"),
    "csv": ImportFormat("tables:parse_csv", "CSV", (".csv", ".tsv"),
                        r"(?i)\A(?=[^\n]*[,;\t|])(?=[^\n]*\b(?:title|ti)\b)"),
    "xlsx": ImportFormat("tables:parse_workbook", "Excel", (".xlsx",), is_binary=True),
}  # fmt: skip
"""By name, those with the most reliable `sign` first."""
ACCEPTED = ", ".join(
    f"{form.title} ({', '.join(form.suffixes)})" if form.suffixes else form.title
    for form in FORMATS.values()
)
_OF_ANOTHER = r"TY  - [A-Z]|@(?i:article|book|in[a-z]+|misc|[a-z]+thesis)\{[^,]*,|%0 [A-Z][a-z]"
"""A record of RIS, BibTeX or EndNote in a file of another format, after concatenation."""
_PACKAGE = __name__.rpartition(".")[0]
_OF_SUFFIX = {suffix: name for name, form in FORMATS.items() for suffix in form.suffixes}
_HEAD = 65_536
_HELD = {"csl-json", "json"}
"""Formats that are read into memory as a whole; the others may be of any size on disk."""
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_WEB_PAGE = re.compile(r"(?i)(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html)\b")
_NOTE_EXPRESS = re.compile(r"\{[A-Z][A-Za-z ]+\}:")
_MOST_UNPACKED, _MOST_TIMES, _ANY_TIMES = 500_000_000, 50, 1_000_000
"""Limits for unpacked gzip: bytes, ratio (exports have 4 to 20), and bytes always allowed."""


@dataclass(frozen=True)
class _Content:
    """A file on disk, or bytes with a name."""

    name: str
    data: bytes | None
    """None to read the file of that name."""

    def open(self) -> IO[bytes]:
        """Open the content, decompressing gzip."""
        if self.data is not None:
            data = BytesIO(self.data)
            is_gzip = self.data.startswith(_GZIP)
            return cast("IO[bytes]", gzip.open(data)) if is_gzip else data
        with Path(self.name).open("rb") as file:
            is_gzip = file.read(2) == _GZIP
        return cast("IO[bytes]", gzip.open(self.name)) if is_gzip else Path(self.name).open("rb")

    def check_size(self, *, is_held: bool) -> None:
        """Refuse oversized content and gzip bombs; damaged gzip is reported later."""
        with contextlib.suppress(OSError, EOFError, zlib.error), self.open() as file:
            size = Path(self.name).stat().st_size if self.data is None else len(self.data)
            most = max(_ANY_TIMES, size * _MOST_TIMES)
            if is_held or self.data is not None:
                most = min(_MOST_UNPACKED, most)
            is_packed = isinstance(cast("object", file), gzip.GzipFile)
            if (file.seek(most + 1) if is_packed else size) > most:
                unpacked = f"unpacks to more than {most:,}, which no export does"
                why = unpacked if is_packed else f"is read as a whole, with at most {most:,}"
                raise InputError(f"{self.name!r} has {size:,} bytes and {why}; add it in parts")


def parse_file(
    path: Path | str, *, format_name: str | None = None, data: bytes | None = None
) -> "Iterator[Entry]":
    """Return the entries of a file, possibly gzipped, including rejected ones.

    The file is checked at once and read lazily. A line that begins a record but no entry yields a
    `Rejected`, so that no record is lost without a message. `data`: the content, for a file not on
    disk. `format_name`: from FORMATS; by default, suffix and content decide.

    Raises:
        InputError: the file cannot be read, is empty, binary, or of unknown format; or, while
            reading, its gzip data are damaged.
        UnknownNameError: no format of that name.
    """
    content = _Content(str(path), data)
    head = _head(content)
    name = format_name or format_of(Path(path), head)
    if name not in FORMATS:
        raise UnknownNameError("import format", name, list(FORMATS))
    content.check_size(is_held=name in _HELD)
    module, _, function = FORMATS[name].reader.partition(":")
    parser = attrgetter(function)(import_module(f"{_PACKAGE}.{module}"))
    return _entries(content, FORMATS[name], parser)


def _entries(
    content: _Content, form: ImportFormat, parse: "Callable[[Any], Iterator[Entry]]"
) -> "Iterator[Entry]":
    try:
        with content.open() as file:
            if form.is_binary:
                yield from parse(file)
                return
            starts = set[int]()
            pattern = re.compile(f"{form.start}|{_OF_ANOTHER}") if form.start else None
            lines = _noting_starts(lines_of(file), pattern, starts)
            for entry in parse(lines):
                starts.discard(entry.line)
                yield entry
            for line in sorted(starts):
                yield Rejected(line, "a record begins here, but cannot be separated from others")
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
    """Return the name of the format, by suffix unless the first lines show another one."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if isinstance(head, bytes) and head.startswith(_ZIP):
        return "xlsx"
    text = head if isinstance(head, str) else head.decode(encoding_of(head), "replace")
    of_suffix = _OF_SUFFIX.get(suffixes[-1]) if suffixes else None
    start = text.replace("\r", "\n").lstrip("\ufeff \t\n")
    is_json = start.startswith(("[", "{")) and not _NOTE_EXPRESS.match(start)
    if is_json and of_suffix in {None, "json-lines"}:
        is_cut = len(head) >= _HEAD and "\n" not in start  # the first line is longer
        return "json-lines" if of_suffix and is_cut and start[0] == "{" else _json_format(start)
    signs = [
        name
        for name, form in FORMATS.items()
        if form.sign and re.search(form.sign, start, re.MULTILINE)
    ]
    if _WEB_PAGE.match(start) and set(signs) <= {"csv"}:
        wanted = f", not {FORMATS[of_suffix].title}" if of_suffix else ""
        raise UnknownFormatError(
            f"{str(path)!r} is a web page{wanted}: export the records of the database to a file"
        )
    if of_suffix and (of_suffix in signs or not signs):
        return of_suffix
    if signs:
        return signs[0]
    raise UnknownFormatError(f"the format of {str(path)!r} is unknown; accepted: {ACCEPTED}")


def _json_format(start: str) -> str:
    first, *rest = start.rstrip().split("\n")
    value = _object(first)
    if "papers" in value or (not value and '"papers"' in start):
        return "json"
    is_lines = any(map(_object, rest)) if rest else value and "type" not in value
    return "json-lines" if is_lines else "csl-json"


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line) if line.startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _head(content: _Content) -> bytes:
    try:
        with content.open() as file:
            head = file.read(_HEAD)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{content.name!r} cannot be read: {reason}") from error
    if not head.strip(codecs.BOM_UTF8 + b" \t\r\n\x00"):
        raise InputError(f"{content.name!r} is empty")
    if b"\x00" in head and not head.startswith(_ZIP) and not encoding_of(head).startswith(_WIDE):
        raise UnknownFormatError(f"{content.name!r} is a binary file; accepted: {ACCEPTED}")
    return head


@dataclass(frozen=True, slots=True)
class Imported:
    """A record and its first line (from 1)."""

    record: RawPaper
    line: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """An unusable record: its first line (from 1) and the reason."""

    line: int
    reason: str

    @property
    def kind(self) -> str:
        """A general reason, for counting."""
        has_no_title = self.reason.endswith(NO_TITLE) or self.reason.startswith("title: ")
        return REASONS["dropped"] if has_no_title else "no readable record"


Entry: TypeAlias = Imported | Rejected


def entry_of(
    values: Mapping[str, Any], line: int, kind: str | None = None, *, is_inverted: bool = True
) -> Entry:
    """Return the entry for the fields of one record (see `record_of`).

    `kind`: its CSL type; by default that in `values`.
    """
    try:
        record = record_of(values, is_inverted=is_inverted)
    except ValueError as error:
        return Rejected(line, str(error))
    record.publication_type = kind or record.publication_type
    return Imported(record, line)


_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
"""Those of UTF-32 come first because they begin with those of UTF-16."""
_WIDE = ("utf-16", "utf-32")
_PIECE = 65_536
_LONGEST_LINE = 100_000_000
_LINE_END = re.compile(rb"\r*\n|\r")
_ASCII_END = 127
_WESTERN = "cp1252"  # has mostly single non-ASCII letters
_OF_RUNS = ["gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251"]  # have runs of them
_LEAST_IN_RUNS, _FEWEST_IN_RUNS = 0.35, 8


def encoding_of(head: bytes) -> str:
    """Return "utf-32", a variant of "utf-16", or "utf-8", by a file's first bytes."""
    for mark, name in _BOMS.items():
        if head.startswith(mark):
            return name
    even, odd = head[0:400:2].count(0), head[1:400:2].count(0)
    least = max(len(head[:400]) // 8, 1)  # a quarter of the letters are ASCII
    if max(even, odd) > least >= min(even, odd):
        return "utf-16-be" if even > odd else "utf-16-le"
    return "utf-8"


def lines_of(file: IO[bytes]) -> Iterator[str]:
    r"""Yield the lines with any line end replaced by \n.

    Lines that are not UTF-8 are read in their most likely common encoding.
    """
    encoding = encoding_of(file.read(_PIECE))
    file.seek(0)
    if encoding.startswith(_WIDE):
        reader = io.TextIOWrapper(file, encoding, "replace")
        try:
            yield from reader
        finally:
            reader.detach()  # the caller closes the file
        return
    fallback = ""
    for line in _split(file):
        try:  # concatenated files have marks inside
            yield line.removeprefix(codecs.BOM_UTF8).decode()
        except UnicodeDecodeError:
            if not fallback:
                place = file.tell()
                file.seek(0)
                fallback = _guess(file)
                file.seek(place)
            yield line.decode(fallback, "replace")


def _split(file: IO[bytes]) -> Iterator[bytes]:
    parts: list[bytes] = []
    while piece := file.read(_PIECE):
        while piece.endswith(b"\r") and (more := file.read(1)):  # the \n may be in the next piece
            piece += more
        first, *lines = _LINE_END.sub(b"\n", piece).split(b"\n")
        parts.append(first)
        if len(parts) > _LONGEST_LINE // _PIECE:
            raise InputError(f"a line has more than {_LONGEST_LINE:,} bytes: not an export")
        if lines:
            yield b"".join(parts) + b"\n"
            yield from (line + b"\n" for line in lines[:-1])
            parts = [lines[-1]]
    if any(parts):
        yield b"".join(parts)


def _guess(file: IO[bytes]) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415  # only for files in old encodings

    others = (line for line in _split(file) if line.decode(errors="ignore").encode() != line)
    sample = b"".join(islice(others, 500))[:_PIECE]
    in_runs = sum(map(len, re.findall(rb"[\x80-\xff]{2,}", sample)))
    beyond = sum(byte > _ASCII_END for byte in sample)
    if in_runs < max(_LEAST_IN_RUNS * beyond, _FEWEST_IN_RUNS):
        return _WESTERN
    best = from_bytes(sample, cp_isolation=_OF_RUNS).best()
    return best.encoding if best is not None else _WESTERN
