"""Backs up and restores the SQLite file while it is in use."""

import os
import sqlite3
import uuid
from pathlib import Path

from paper_search.errors import InputError, PersistenceError, ThreadBusyError
from paper_search.persistence.leases import LeaseHolder
from paper_search.persistence.sqlite_files import (
    SIGNATURE,
    check_format,
    is_there,
    remove,
    unusable,
    use,
)
from paper_search.persistence.tables import uptime
from paper_search.private_files import private_file

_PAGES = 256
"""Pages to copy at a time; others may write in between."""
_PAUSE_S = 0.005


def back_up(path: Path, target: Path, *, is_overwriting: bool = False) -> int:
    """Copy the threads to another file by SQLite's backup API; return its size in bytes.

    A plain copy of the file would lack the content of its write-ahead log.

    Raises:
        InputError: the target exists, or its directory does not.
        PersistenceError: there is no database, or one of the files cannot be used.
    """
    if not path.exists():
        raise PersistenceError(f"there are no threads in {str(path)!r} to back up")
    if not target.parent.is_dir():
        raise InputError(f"the directory {str(target.parent)!r} does not exist")
    if target.exists() and not is_overwriting:
        raise InputError(f"{str(target)!r} exists; choose another name, or use --force")
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        private_file(draft)
        _copy(path, draft)
        with use(draft) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")  # so that it can be read-only
        _check(draft)
        os.replace(draft, target)  # noqa: PTH105  # this error names both files
    except OSError as error:
        raise unusable(target, error) from error
    finally:
        remove(draft)
    return target.stat().st_size


def restore(backup: Path, path: Path, *, is_overwriting: bool = False) -> None:
    """Replace all threads by those of a backup.

    Raises:
        InputError: there is no such file, it is not a backup, or the database has threads.
        PersistenceError: the backup is damaged.
        ThreadBusyError: a process is running one of the threads.
    """
    if not backup.is_file():
        raise InputError(f"there is no backup {str(backup)!r}")
    with backup.open("rb") as file:
        if not file.read(16).startswith(b"SQLite format"):
            raise InputError(f"{str(backup)!r} is not a backup of threads; nothing was changed")
    _check(backup)
    if is_there(path):
        _check_free(path, is_overwriting=is_overwriting)
    try:
        private_file(path)
        _copy(backup, path)
    except OSError as error:
        raise unusable(path, error) from error
    with use(path) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("DELETE FROM paper_search_leases")


def compact(path: Path) -> None:
    """Return the space of deleted rows to the disk."""
    with use(path) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _copy(source: Path, target: Path) -> None:
    with use(source, _mode(source)) as reading:
        reading.execute("SELECT name FROM sqlite_master")  # else the error names the target
        with use(target) as writing:
            reading.backup(writing, pages=_PAGES, sleep=_PAUSE_S)


def _mode(path: Path) -> str:
    return "rwc" if os.access(path, os.W_OK) else "ro"  # a read-only connection leaves -wal files


def _check(path: Path) -> None:
    with use(path, _mode(path)) as connection:
        tables = {n for (n,) in connection.execute("SELECT name FROM sqlite_master")}
        check_format(connection, path)
        if not tables >= SIGNATURE:
            raise InputError(
                f"{str(path)!r} is not a backup of threads; it may be another program's database"
            )
        (verdict,) = connection.execute("PRAGMA quick_check").fetchone()
    if verdict != "ok":
        raise PersistenceError(f"{str(path)!r} is damaged: {verdict}; use an older backup")


def _check_free(path: Path, *, is_overwriting: bool) -> None:
    count_threads = "SELECT COUNT(DISTINCT thread_id) FROM checkpoints"
    holders = "SELECT thread_id, owner, expires_at FROM paper_search_leases"
    with use(path, "ro") as connection:
        try:
            leases = connection.execute(holders).fetchall()
            (count,) = connection.execute(count_threads).fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return
    busy = [t for t, *holder in leases if LeaseHolder(*holder).is_alive(uptime(), is_local=True)]
    if busy:
        raise ThreadBusyError(f"thread {busy[0]!r} is running; nothing was restored")
    if count and not is_overwriting:
        raise InputError(
            f"{str(path)!r} has {count} threads, which would be replaced; back it up first, then "
            "use --force"
        )
