"""LangGraph's SQLite store, with a fence, encryption and a fast look-up by keys."""

import asyncio
import contextlib
import json
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore, PutOp, Result
from langgraph.store.sqlite import SqliteStore as PlainStore

from paper_search.persistence.encryption import DamagedError, Keyring, about
from paper_search.persistence.leases import check_leases
from paper_search.persistence.serialization import RecordSeal, records_name, serializer
from paper_search.persistence.sqlite_files import is_there, parse_object, remove, unusable
from paper_search.persistence.sqlite_saver import SqliteSaver
from paper_search.persistence.tables import READER, WRITER, SqliteDatabase, Work
from paper_search.private_files import private_file

_VALUES = """SELECT key, value FROM store WHERE prefix = ?
    AND key IN (SELECT value FROM json_each(?))"""


class SqliteStore(BaseStore):
    """Records in one SQLite file or in memory, encrypted if there is a key."""

    def __init__(self, database: SqliteDatabase, seal: RecordSeal) -> None:
        self._database = database
        self.seal = seal

    def batch(self, ops: Any) -> list[Result]:
        """Run the operations, or none of them if they write and a lease was lost."""
        return self.seal.open_all(self._database.wait_for(*self._batch(ops)))

    async def abatch(self, ops: Any) -> list[Result]:
        return self.seal.open_all(await self._database(*self._batch(ops)))

    def _batch(self, ops: Any) -> tuple[Work[list[Result]], int, str]:
        operations = self.seal.seal_all(ops)

        def run(connection: sqlite3.Connection) -> list[Result]:
            if on == WRITER:
                check_leases(connection)
            store = PlainStore(connection)
            store.is_setup = True  # see `_prepare`
            return store.batch(operations)

        on = WRITER if any(isinstance(op, PutOp) for op in operations) else READER
        return run, on, records_name(operations)

    async def avalues(
        self, namespace: tuple[str, ...], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """Return the values of existing items by their keys."""
        place = (".".join(namespace), json.dumps(list(keys)))

        def load(connection: sqlite3.Connection) -> dict[str, Any]:
            rows = connection.execute(_VALUES, place).fetchall()
            return {key: parse_object(value, about(namespace, key)) for key, value in rows}

        values = await self._database(load, READER)
        return {key: self.seal.value(namespace, key, value) for key, value in values.items()}


@contextlib.asynccontextmanager
async def open_file(path: Path) -> AsyncIterator[SqliteDatabase]:
    """Open the file, and create it if there is none."""
    if not await asyncio.to_thread(is_there, path):
        await _create(path)
    async with contextlib.aclosing(SqliteDatabase(path)) as database:
        yield database


async def stores_in(
    database: SqliteDatabase, keyring: Keyring | None = None
) -> tuple[SqliteSaver, SqliteStore]:
    """Return the saver and the store in a database, after creating missing tables."""
    await database(_prepare)
    seal = RecordSeal(keyring)
    return SqliteSaver(database, serde=serializer(keyring)), SqliteStore(database, seal)


def _prepare(connection: sqlite3.Connection) -> None:
    try:
        PlainStore(connection).setup()
    except TypeError as error:  # the number of a migration is damaged
        raise DamagedError("the table store_migrations", error) from error


async def _create(path: Path) -> None:
    """Create the file with all tables; of several processes that do so at once, one succeeds.

    If the tables were made in place, a crash could leave some of them out, and LangGraph's
    migrations fail if two processes run them.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        private_file(draft)
        async with contextlib.aclosing(SqliteDatabase(draft)) as database:
            await stores_in(database)
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    except OSError as error:
        raise unusable(path, error) from error
    finally:
        remove(draft)
