"""Calls to the thread of a SQLite connection, and the rows that they bring."""

from __future__ import annotations

import contextvars
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import aiosqlite
import orjson

from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.sqlite_files import named

ResultT = TypeVar("ResultT")


def parsed(text: Any, what: str) -> Any:
    """Return the JSON object in a row.

    Raises:
        PersistenceError: it is damaged.
    """
    try:
        value = orjson.loads(text)
    except (ValueError, TypeError) as error:
        raise DamagedError(what, error) from error
    if not isinstance(value, dict):
        raise DamagedError(what)
    return value


class OneCall:
    """Work on the thread of one connection: each call to it costs, so each has all of its work."""

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    async def __call__(
        self, work: Callable[[sqlite3.Connection], ResultT], what: str = ""
    ) -> ResultT:
        """Return what the work returns; cancelled or not, it is done whole.

        Raises:
            PersistenceError: the file cannot be used, or is damaged.
        """
        # aiosqlite has no public way to do more than one statement on its thread.
        connection = self._connection._conn  # noqa: SLF001  # as said
        execute: Any = self._connection._execute  # noqa: SLF001  # as said
        context = contextvars.copy_context()  # says which leases the task holds
        try:
            return cast("ResultT", await execute(context.run, work, connection))
        except sqlite3.DatabaseError as error:
            raise named(self._path, error) from error
        except ValueError as error:
            if isinstance(error.__cause__, sqlite3.DatabaseError):
                raise named(self._path, error.__cause__) from error
            raise DamagedError(what or f"a row of {str(self._path)!r}", error) from error
