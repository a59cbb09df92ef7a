"""LangGraph's SQLite store: fenced, sealed, and read page by page."""

import asyncio
import contextlib
import json
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.store.base import PutOp, Result
from langgraph.store.base.batch import AsyncBatchedBaseStore
from langgraph.store.sqlite import SqliteStore as PlainStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from paper_search.persistence.encryption import Keyring, about
from paper_search.persistence.leases import check_leases
from paper_search.persistence.listing import BELOW, SqliteIndex
from paper_search.persistence.serialization import RecordSeal, described, serializer
from paper_search.persistence.sqlite_files import (
    OneCall,
    as_bytes,
    connection_to,
    is_there,
    parsed,
    remove,
    unusable,
)
from paper_search.persistence.sqlite_saver import SqliteSaver
from paper_search.persistence.tables import SqliteDatabase
from paper_search.private_files import private_file

_VALUES = """SELECT key, value FROM store WHERE prefix = ?
    AND key IN (SELECT value FROM json_each(?))"""
_ENTRY = "DELETE FROM store WHERE prefix = ? AND key = CAST(? AS TEXT)"


class SqliteStore(SqliteIndex, AsyncSqliteStore):
    """Records in one SQLite file, sealed where there is a key."""

    def __init__(self, connection: aiosqlite.Connection, path: Path, seal: RecordSeal) -> None:
        super().__init__(connection)
        self._seal: RecordSeal = seal
        self._in_one_call: OneCall = OneCall(connection, path)
        self._plain: PlainStore | None = None

    async def setup(self) -> None:
        await super().setup()
        if self._plain is None:
            self._plain = await self._in_one_call(PlainStore)
            self._plain.is_setup = True

    async def abatch(self, ops: Any) -> list[Result]:
        """Run the operations; none if they write and a lease was lost."""
        await self.setup()
        plain, operations = self._plain, self._seal.seal_all(ops)

        def run(connection: sqlite3.Connection) -> list[Result]:
            if any(isinstance(op, PutOp) for op in operations):
                check_leases(connection)
            try:
                return plain.batch(operations) if plain else []
            finally:
                # LangGraph's own leaves the transaction open if it cannot be committed: the file
                # would stay locked.
                if connection.in_transaction:
                    connection.rollback()

        return self._seal.open_all(await self._in_one_call(run, described(operations)))

    async def avalues(
        self, namespace: tuple[str, ...], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """Return by key the values of those items that are there."""
        place = (".".join(namespace), json.dumps(list(keys)))

        def load(connection: sqlite3.Connection) -> dict[str, Any]:
            rows = connection.execute(_VALUES, place).fetchall()
            return {key: parsed(value, about(namespace, key)) for key, value in rows}

        await self.setup()
        values = await self._in_one_call(load)
        return {key: self._seal.value(namespace, key, value) for key, value in values.items()}

    async def aerase(
        self, namespace: tuple[str, ...], indexes: Sequence[tuple[str, ...]], key: str
    ) -> None:
        start = as_bytes(".".join(namespace))
        entries = [(".".join(index), as_bytes(key)) for index in indexes]

        def erase(connection: sqlite3.Connection) -> None:
            check_leases(connection)
            connection.execute(f"DELETE FROM store WHERE {BELOW}", (start,))  # noqa: S608  # a constant
            connection.executemany(_ENTRY, entries)

        await self._in_one_call(erase)


OpenStores = tuple[SqliteSaver, SqliteStore]


@contextlib.asynccontextmanager
async def open_file(path: Path, keyring: Keyring | None) -> AsyncIterator[OpenStores]:
    """Open the checkpoints and the records in the file, which is made if it is not there."""
    if not await asyncio.to_thread(is_there, path):
        await _create(path)
    async with _setup(path, keyring) as pair:
        yield pair


@contextlib.asynccontextmanager
async def _setup(path: Path, keyring: Keyring | None = None) -> AsyncIterator[OpenStores]:
    async with connection_to(path) as connection, connection_to(path, autocommit=True) as second:
        saver = SqliteSaver(connection, path, serde=serializer(keyring))
        await saver.prepare()
        with contextlib.closing(SqliteDatabase(path)) as own:
            await own.rows("SELECT 1")
        store = SqliteStore(second, path, RecordSeal(keyring))
        try:
            await store.setup()
            yield saver, store
        finally:
            await finish(store)


async def finish(store: AsyncBatchedBaseStore) -> None:
    """Stop the store's batching task, which its own context manager leaves running."""
    task = store._task  # noqa: SLF001  # langgraph offers no public way
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _create(path: Path) -> None:
    """Put a complete file there; of many who do so at once, one succeeds.

    Tables made one by one, in place, would be torn by a crash in between, and LangGraph's
    migrations fail if two processes run them.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        private_file(draft)
        async with _setup(draft):
            pass
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    except OSError as error:
        raise unusable(path, error) from error
    finally:
        remove(draft)
