"""The records of a library in SQLite, from which the index can be rebuilt."""

import hashlib
import json
import os
import sqlite3
import struct
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import orjson
from rapidfuzz.fuzz import ratio

from paper_search.bibliography.identifiers import stable_id
from paper_search.bibliography.text import normalised_title
from paper_search.errors import LibraryError
from paper_search.models import RawPaper
from paper_search.private_files import private_file

APPLICATION_ID = 0x50534C42
"""`PSLB`, which marks our files (https://www.sqlite.org/fileformat.html)."""
SCHEMA_VERSION = 1
_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_MOST_AT_ONCE = 900
"""Values in one statement: SQLite's limit was 999 until 2020."""
_SAME_TITLE = 80
"""Less similar titles under one identifier are two works: supplements share a DOI."""

_SCHEMA = """
CREATE TABLE records (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  digest BLOB NOT NULL,
  generation INTEGER NOT NULL,
  paper TEXT NOT NULL
);
CREATE INDEX records_generation ON records (generation);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


_SELECT = "SELECT row, id, digest, paper FROM records"
_Row = tuple[int, str, bytes, str]


@dataclass(frozen=True, slots=True)
class Changes:
    added: int = 0
    updated: int = 0
    unchanged: int = 0

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(
            self.added + other.added, self.updated + other.updated, self.unchanged + other.unchanged
        )


class RecordStore:
    """Records by id in one SQLite file, with one writer at a time and many readers.

    A foreign, damaged or newer file is refused and left unchanged.
    """

    def __init__(self, path: Path, *, timeout_s: float = 30.0) -> None:
        self.path = path
        self.damaged: set[str] = set()
        """Ids of the damaged records that were skipped so far."""
        try:
            is_new = _is_new(private_file(path))
        except OSError as error:
            raise LibraryError(
                f"the library {str(path)!r} cannot be used: {error.strerror or error}; "
                "give a writable directory, for example with --home"
            ) from error
        self.is_read_only = not is_new and not (
            os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        )
        with self._library_errors():
            # Several threads use it, one at a time: `Library` holds a lock.
            self._connection = sqlite3.connect(
                _address(path) if self.is_read_only else path,
                timeout=timeout_s,
                isolation_level=None,
                check_same_thread=False,
                uri=self.is_read_only,
            )
            self._connection.text_factory = lambda data: data.decode(errors="replace")
        try:
            with self._library_errors():
                # Checking `is_new` is not enough: SQLite rolls back a killed first commit.
                if not self.is_read_only and self._pragma("application_id") != APPLICATION_ID:
                    self._create()
                self._check_version()
                if not self.is_read_only:
                    self._enable_wal()
                    self._connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    @property
    def key(self) -> str:
        for (key,) in self._rows("SELECT value FROM meta WHERE key = 'key'"):
            return str(key)
        raise LibraryError(f"the library {str(self.path)!r} is damaged: there is no 'key'")

    @property
    def generation(self) -> int:
        return self._rows("SELECT max(generation) FROM records")[0][0] or 0

    def count(self) -> int:
        return int(self._rows("SELECT count(*) FROM records")[0][0])

    def is_empty(self) -> bool:
        return not self._rows("SELECT 1 FROM records LIMIT 1")

    def years(self) -> tuple[int | None, int | None]:
        years = "SELECT min(paper ->> 'year'), max(paper ->> 'year') FROM records"
        first, last = self._rows(f"{years} WHERE json_valid(paper)")[0]
        return first, last

    def size_bytes(self) -> int:
        """Return the size on disk, including the write-ahead log."""
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def upsert(self, papers: Sequence[RawPaper]) -> Changes:
        """Add or update the papers in one transaction.

        The papers' own ids are replaced by `stable_id`. An update replaces fields, but keeps those
        that the newer record lacks.
        """
        with self._library_errors(), self._transaction():
            generation = self.generation + 1
            folded = self._folded(papers)
            total = Changes(unchanged=len(papers) - len(folded))
            rows: list[tuple[str, bytes, int, str]] = []
            for identity, (old_digest, fields) in folded.items():
                text = encoded(fields)
                digest = _digest(text)
                if digest == old_digest:
                    total += Changes(unchanged=1)
                    continue
                total += Changes(added=1) if old_digest is None else Changes(updated=1)
                rows.append((identity, digest, generation, text))
            if rows:
                self._connection.executemany(
                    "INSERT INTO records (id, digest, generation, paper) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT (id) DO UPDATE SET digest = excluded.digest, "
                    "generation = excluded.generation, paper = excluded.paper",
                    rows,
                )
                self.damaged.difference_update(row[0] for row in rows)
        return total

    def get(self, ids: Iterable[str]) -> dict[str, RawPaper]:
        return {i: _paper(i, text) for _, i, _, text in self._select("id", list(ids))}

    def rows_of(self, ids: Iterable[str]) -> list[int]:
        return [row for row, *_ in self._select("id", list(ids))]

    def get_rows(self, rows: Sequence[int]) -> list[RawPaper]:
        """Return the papers of known row numbers, in the given order."""
        papers = {row: _paper(i, text) for row, i, _, text in self._select("row", rows)}
        return [papers[row] for row in rows if row in papers]

    def fields_of(self, rows: Sequence[int]) -> dict[int, dict[str, Any]]:
        return {row: decoded(text) for row, _, _, text in self._select("row", rows)}

    def changed_since(self, generation: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield row number and fields of all records written after a generation (0 for all).

        The fields are those of `RawPaper` in JSON, without defaults.
        """
        for row, _, _, text in self._pages(generation):
            yield row, decoded(text)

    def check(self) -> None:
        for _ in self._pages(0):
            pass

    def __iter__(self) -> Iterator[RawPaper]:
        return (_paper(identity, text) for _, identity, _, text in self._pages(0))

    def _pages(self, generation: int) -> Iterator[_Row]:
        last = 0
        some = f"{_SELECT} WHERE generation > ? AND row > ? ORDER BY row LIMIT 2000"
        while page := self._rows(some, generation, last):
            yield from self._whole(page)
            last = page[-1][0]

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self._library_errors():
            return self._connection.execute(statement, values).fetchall()

    def _folded(self, papers: Sequence[RawPaper]) -> dict[str, tuple[bytes | None, dict[str, Any]]]:
        """Return for every id its digest on disk, if any, and its fields after this write."""
        fresh = [(stable_id(paper), _fields(paper)) for paper in papers]
        stored = self._load([identity for identity, _ in fresh])
        result: dict[str, tuple[bytes | None, dict[str, Any]]] = {}
        for identity, fields in fresh:
            name = identity
            old = result.get(name) or stored.get(name)
            if old is not None and not _is_same_work(old[1], fields):
                title = normalised_title(fields["title"]).encode("utf-8", "replace")
                name = f"{identity}#{hashlib.blake2b(title, digest_size=4).hexdigest()}"
                old = result.get(name) or stored.get(name) or self._load([name]).get(name)
            result[name] = (old[0], old[1] | fields) if old else (None, fields)
        return result

    def _load(self, ids: list[str]) -> dict[str, tuple[bytes, dict[str, Any]]]:
        entries = self._select("id", ids)
        return {identity: (digest, decoded(text)) for _, identity, digest, text in entries}

    def _select(self, by: str, values: Sequence[Any]) -> list[_Row]:
        """Return the undamaged records with one of the values."""
        entries: list[_Row] = []
        for start in range(0, len(values), _MOST_AT_ONCE):
            some = values[start : start + _MOST_AT_ONCE]
            marks = ",".join("?" * len(some))
            entries += self._rows(f"{_SELECT} WHERE {by} IN ({marks})", *some)
        return self._whole(entries)

    def _whole(self, entries: list[_Row]) -> list[_Row]:
        changed = {entry[1] for entry in entries if _digest(entry[3]) != entry[2]}
        self.damaged |= changed
        return [entry for entry in entries if entry[1] not in changed] if changed else entries

    def _create(self) -> None:
        with self._transaction():
            if self._pragma("application_id") == APPLICATION_ID:
                return  # another process was first
            for statement in _SCHEMA.split(";"):
                self._connection.execute(statement)
            self._connection.execute("INSERT INTO meta VALUES ('key', ?)", (uuid.uuid4().hex,))
            self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _enable_wal(self) -> None:
        if self._connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            # If several processes create a library at once, a later opening enables it.
            with suppress(sqlite3.OperationalError):
                self._connection.execute("PRAGMA journal_mode = WAL")

    def _check_version(self) -> None:
        version = self._pragma("user_version")
        if version > SCHEMA_VERSION:
            raise LibraryError(
                f"the library {str(self.path)!r} has format {version}, this version of "
                f"paper-search reads up to {SCHEMA_VERSION}: update paper-search"
            )
        self._connection.execute("SELECT count(*) FROM meta")

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    @contextmanager
    def _library_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise LibraryError(
                f"the library {str(self.path)!r} cannot be read or written: {error}"
            ) from error
        except sqlite3.DatabaseError as error:
            raise LibraryError(
                f"the library {str(self.path)!r} is damaged ({error}); it was not changed: "
                "restore a copy, or move it away and import your files again"
            ) from error


def _is_new(path: Path) -> bool:
    """Return whether the file is absent or empty; refuse one that is not ours, unopened."""
    if not path.exists():
        return True
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header:
        return True
    is_sqlite = len(header) == _HEADER_BYTES and header.startswith(_MAGIC)
    if not is_sqlite or struct.unpack(">I", header[68:72])[0] != APPLICATION_ID:
        what = "another program's SQLite file" if is_sqlite else "not a SQLite file, or damaged"
        raise LibraryError(
            f"{str(path)!r} is not a paper-search library ({what}); it was not changed: "
            "move it away or give another directory"
        )
    return False


def _address(path: Path) -> str:
    """Return how SQLite opens a file where it can write nothing.

    With a log of writes beside it, as a reader of that; else as a file that nobody changes, since
    SQLite would want to make the log: https://www.sqlite.org/wal.html#readonly.
    """
    log = path.with_name(f"{path.name}-wal")
    is_alone = not log.exists() or not log.stat().st_size
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if is_alone else ''}"


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _fields(paper: RawPaper) -> dict[str, Any]:
    values = {name: value for name, value in paper.set_fields().items() if name != "id"}
    return values | {"title": paper.title, "source": paper.source}


def _paper(identity: str, text: str) -> RawPaper:
    return RawPaper.model_validate_json(text).model_copy(update={"id": identity})


def _is_same_work(old: dict[str, Any], new: dict[str, Any]) -> bool:
    if old["title"] == new["title"]:
        return True
    first, second = normalised_title(old["title"]), normalised_title(new["title"])
    if first.startswith(second) or second.startswith(first):
        return True
    return ratio(first, second, score_cutoff=_SAME_TITLE) >= _SAME_TITLE


def decoded(text: str) -> Any:
    """Parse JSON, also with NaN, Infinity and long integers.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        return orjson.loads(text)
    except ValueError:
        return json.loads(text)


def encoded(value: Any) -> str:
    """Return compact JSON with sorted keys, so that equal values have equal texts."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        # Lone surrogates, or integers of more than 64 bits.
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
