"""The SQLite file of threads: checks its path and content, and opens it."""

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
"""Minimal size of SQLite's index of the write-ahead log, in bytes."""
FORMAT = 1
"""The `user_version` of the file; that of a newer program is refused."""
_ESCAPED = re.compile(rb"\\x([0-9a-f]{2})")
_HAS_EFFECTIVE_IDS = os.access in os.supports_effective_ids
_READABLE_AS_A_COPY = " (to read a file, SQLite writes beside it; a copy of the home can be read)"
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
"""Tables that distinguish our file from another program's."""
_DAMAGED = (
    "it is damaged, and was not changed: move it away and restore a backup "
    f"(`paper-search restore FILE`), or {ELSEWHERE}"
)
_ADVICE = {
    "SQLITE_NOTADB": "it is damaged or belongs to another program, and was not changed: move it "
    f"away and restore a backup (`paper-search restore FILE`), or {ELSEWHERE}",
    **dict.fromkeys(("SQLITE_CORRUPT", "SQLITE_ERROR"), _DAMAGED),
    "SQLITE_FULL": "free space on the disk, then resume the thread: what was stored is intact",
    "SQLITE_BUSY": "another program has kept it locked for too long; close that program, and check "
    "the thread before you decide again: the last step may have been stored",
    "SQLITE_READONLY": f"make it writable, or {ELSEWHERE}",
    "SQLITE_CANTOPEN": f"check the path and its permissions, or {ELSEWHERE}",
    "SQLITE_IOERR": "the disk reports an error; free space or check it, then resume the thread",
}
"""What to do, by the prefix of SQLite's name for the error."""


def is_there(path: Path) -> bool:
    """Return whether our file exists; create a missing directory.

    Only SQLite opens the file: closing any other handle on it would release the locks of all
    connections of this process (https://sqlite.org/howtocorrupt.html, section 2.2).

    Raises:
        DatabaseError: the path cannot hold the file, or has another one, which is not changed.
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
    return DatabaseError(f"threads cannot be stored in {str(path)!r}: {reason}; {ELSEWHERE}")


def check_tables(path: Path) -> None:
    """Raise DatabaseError for another program's file, or a file that is not a database."""
    with use(path, "ro") as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name for (name,) in rows}
        check_format(connection, path)
    if tables - OWN_TABLES and not tables >= SIGNATURE:
        raise DatabaseError(
            f"{str(path)!r} is another program's database (tables: {', '.join(sorted(tables))}); "
            f"it was not changed; {ELSEWHERE}"
        )


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DatabaseError for a file of a newer program."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > FORMAT:
        raise DatabaseError(
            f"{str(path)!r} was written by a newer paper-search (format {version}; this one reads "
            f"{FORMAT}); it was not changed; update paper-search, or {ELSEWHERE}"
        )


@contextlib.contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise database_error(path, error) from error
    except UnicodeDecodeError:  # SQLite's message quotes the damaged bytes
        place = f"the database of threads {str(path)!r}"
        raise DatabaseError(f"{place} cannot be used: {_DAMAGED}") from None


def database_error(path: Path, error: sqlite3.DatabaseError) -> DatabaseError:
    name = getattr(error, "sqlite_errorname", "") or ""
    advice = next((f"; {_ADVICE[prefix]}" for prefix in _ADVICE if name.startswith(prefix)), "")
    place = f"the database of threads {str(path)!r}"
    return DatabaseError(f"{place} cannot be used: {error}{advice}")


@contextlib.contextmanager
def use(path: Path, mode: str = "rwc") -> Iterator[sqlite3.Connection]:
    """Yield a connection during a `with` block; errors in it name the file."""
    with translated_errors(path), contextlib.closing(plain(path, mode)) as connection:
        yield connection


def plain(path: Path, mode: str = "rwc", *, is_shared: bool = False) -> sqlite3.Connection:
    """Return a connection that begins no transactions by itself."""
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
    """Return a URI that opens the file even on a full disk.

    To read, SQLite needs an index of the write-ahead log beside the file; without space for it,
    the index is kept in memory, and other processes wait until this one is done.
    """
    uri = f"{path.absolute().as_uri()}?mode="
    index_size = 0
    with contextlib.suppress(FileNotFoundError):  # another process may just have removed it
        index_size = path.with_name(f"{path.name}-shm").stat().st_size
    if path.exists() and index_size < _INDEX:
        with contextlib.closing(sqlite3.connect(f"{uri}ro", uri=True)) as connection:
            try:
                connection.execute("SELECT name FROM sqlite_master")
            except sqlite3.DatabaseError as error:  # any other error will occur again
                if error.sqlite_errorname.startswith("SQLITE_IOERR_SHM"):
                    return f"{uri}rw&vfs=unix-excl"
    return uri + mode


def remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def as_text(data: bytes) -> str:
    """Decode a text in the file, even if its bytes were changed and are not valid UTF-8."""
    return data.decode("utf-8", "backslashreplace")


def as_bytes(text: str) -> bytes:
    """Return the bytes of a text that `as_text` decoded."""
    return _ESCAPED.sub(
        lambda escape: bytes.fromhex(escape[1].decode()), text.encode("utf-8", "surrogatepass")
    )


def parse_object(text: Any, what: str) -> Any:
    """Return the JSON object in a row; raise DamagedError if there is none."""
    try:
        value = orjson.loads(text)
    except (ValueError, TypeError) as error:
        raise DamagedError(what, error) from error
    if not isinstance(value, dict):
        raise DamagedError(what)
    return value
