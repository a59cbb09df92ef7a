"""What a URL of a place for threads says, without opening it."""

from __future__ import annotations

from pathlib import Path

from paper_search.errors import InputError


def sqlite_path(rest: str) -> Path:
    """Return the path in what follows `sqlite:`; `///x` is relative, `////x` absolute."""
    return Path(rest.removeprefix("//").removeprefix("/") or "threads.db")


def sqlite_file(url: str) -> Path:
    """Return the file that a URL names.

    Raises:
        InputError: the threads are not in a file.
    """
    scheme, _, rest = url.partition(":")
    if scheme != "sqlite":
        raise InputError(
            f"the threads are in {scheme!r}, not in a file; for PostgreSQL, use pg_dump and "
            "pg_restore"
        )
    return sqlite_path(rest)
