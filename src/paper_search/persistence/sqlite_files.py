"""The SQLite file of threads: where it may be, what is in it, and how it is opened."""

import contextlib
import errno
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from paper_search.errors import DatabaseError
from paper_search.persistence.encryption import DamagedError
from paper_search.private_files import private_directory

BUSY_TIMEOUT_S = 30.0
PAGE_SIZE = 16_384
"""Bytes. A record with its abstract takes about 2 kB; pages of 4 kB would be half empty."""
IN_MEMORY = Path(":memory:")
_INDEX = 32_768
"""Bytes of SQLite's index of its write-ahead log, at least."""
FORMAT = 1
"""Of the file, as its `user_version` says; a newer program's is refused, never misread."""
_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")
_HAS_EFFECTIVE_IDS = os.access in os.supports_effective_ids
_READABLE_AS_A_COPY = " (SQLite writes beside a file to read it; a copy of the home can be read)"
ELSEWHERE = "choose another place with --home or PAPER_SEARCH_HOME"
OWN_TABLES = frozenset(
    {
        "checkpoints",
        "writes",
        "store",
        "store_migrations",
        "paper_search_leases",
        "paper_search_decisions",
        "paper_search_audit",
        "sqlite_sequence",
    }
)
SIGNATURE = frozenset({"checkpoints", "writes", "store_migrations"})
"""Tables that tell our file, with whatever else is in it, from another program's."""
_DAMAGED = (
    "it is damaged, and is left as it is: move it away and restore a backup "
    f"(`paper-search restore FILE`), or {ELSEWHERE}"
)
_ADVICE = {
    "SQLITE_NOTADB": "it is damaged or another program's, and is left as it is: move it away and "
    f"restore a backup (`paper-search restore FILE`), or {ELSEWHERE}",
    **dict.fromkeys(("SQLITE_CORRUPT", "SQLITE_ERROR"), _DAMAGED),
    "SQLITE_FULL": "make room on the disk, then resume the thread: what was stored is intact",
    "SQLITE_BUSY": "another program has kept it locked for too long; close that one, then look at "
    "the thread again before deciding anew: the last step may have been stored",
    "SQLITE_READONLY": f"make it writable, or {ELSEWHERE}",
    "SQLITE_CANTOPEN": f"check the path and its permissions, or {ELSEWHERE}",
    "SQLITE_IOERR": "the disk reports an error; make room or check it, then resume the thread",
}
"""What to do, by the beginning of SQLite's name for the error."""


def is_there(path: Path) -> bool:
    """Whether our file is there; refuse a path that cannot hold it, make a missing directory.

    The file is never opened but by SQLite: closing any other handle on it would take back the locks
    of all connections of this process (https://sqlite.org/howtocorrupt.html, section 2.2).

    Raises:
        DatabaseError: saying what is wrong with which path; the file is left as it is.
    """
    try:
        private_directory(path.parent)
        size = path.stat().st_size if path.exists() else 0
        for place in (path.parent, path) if path.exists() else (path.parent,):
            if not os.access(place, os.R_OK | os.W_OK, effective_ids=_HAS_EFFECTIVE_IDS):
                hint = _READABLE_AS_A_COPY if path.exists() else ""
                raise PermissionError(errno.EACCES, f"{os.strerror(errno.EACCES)}{hint}")
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        raise unusable(path, error) from error
    if size:
        check_tables(path)
    return path.exists()


def unusable(path: Path, error: OSError) -> DatabaseError:
    reason = error.strerror or error
    return DatabaseError(f"threads cannot be kept in {str(path)!r}: {reason}; {ELSEWHERE}")


def check_tables(path: Path) -> None:
    """Raise DatabaseError for another program's file, or what is no database."""
    with use(path, "ro") as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name for (name,) in rows}
        check_format(connection, path)
    if tables - OWN_TABLES and not tables >= SIGNATURE:
        raise DatabaseError(
            f"{str(path)!r} is another program's database (tables: {', '.join(sorted(tables))}); "
            f"it is left as it is; {ELSEWHERE}"
        )


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DatabaseError for a file of a newer program."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > FORMAT:
        raise DatabaseError(
            f"{str(path)!r} was written by a newer paper-search (format {version}; this one reads "
            f"{FORMAT}); it is left as it is; update paper-search, or {ELSEWHERE}"
        )


@contextlib.contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise database_error(path, error) from error
    except UnicodeDecodeError:  # SQLite's message quotes what is damaged
        place = f"the database of threads {str(path)!r}"
        raise DatabaseError(f"{place} cannot be used: {_DAMAGED}") from None


def database_error(path: Path, error: sqlite3.DatabaseError) -> DatabaseError:
    name = getattr(error, "sqlite_errorname", "") or ""
    advice = next((f"; {_ADVICE[prefix]}" for prefix in _ADVICE if name.startswith(prefix)), "")
    place = f"the database of threads {str(path)!r}"
    return DatabaseError(f"{place} cannot be used: {error}{advice}")


@contextlib.contextmanager
def use(path: Path, mode: str = "rwc") -> Iterator[sqlite3.Connection]:
    """Give a connection for the length of a `with` block; what fails in it names the file."""
    with translated_errors(path), contextlib.closing(plain(path, mode)) as connection:
        yield connection


def plain(path: Path, mode: str = "rwc", *, is_shared: bool = False) -> sqlite3.Connection:
    """Return a connection whose transactions are begun by hand."""
    connection = sqlite3.connect(
        path if path == IN_MEMORY else _uri(path, mode),
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=not is_shared,
    )
    connection.text_factory = as_text
    return connection


def _uri(path: Path, mode: str) -> str:
    """Return what opens the file, also on a full disk.

    SQLite cannot read without an index of its write-ahead log beside the file; where there is no
    room for it, it is kept in memory, and other processes wait until this one is done.
    """
    uri = f"{path.absolute().as_uri()}?mode="
    index_size = 0
    with contextlib.suppress(FileNotFoundError):  # the last of other processes removes it
        index_size = path.with_name(f"{path.name}-shm").stat().st_size
    if path.exists() and index_size < _INDEX:
        with contextlib.closing(sqlite3.connect(f"{uri}ro", uri=True)) as connection:
            try:
                connection.execute("SELECT name FROM sqlite_master")
            except sqlite3.DatabaseError as error:  # any other is met again
                if error.sqlite_errorname.startswith("SQLITE_IOERR_SHM"):
                    return f"{uri}rw&vfs=unix-excl"
    return uri + mode


def remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def as_text(data: bytes) -> str:
    """Return a text in the file, also one that is no UTF-8 since its bytes were changed."""
    return data.decode("utf-8", "backslashreplace")


def as_bytes(text: str) -> bytes:
    """Return the bytes of a text in the file as `as_text` shows it."""
    return _ESCAPED.sub(
        lambda escape: bytes.fromhex(escape[1].decode()), text.encode("utf-8", "surrogatepass")
    )


def parsed(text: Any, what: str) -> Any:
    """Return the JSON object in a row; raise DatabaseError if it is damaged."""
    try:
        value = orjson.loads(text)
    except (ValueError, TypeError) as error:
        raise DamagedError(what, error) from error
    if not isinstance(value, dict):
        raise DamagedError(what)
    return value
