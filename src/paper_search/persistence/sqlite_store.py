"""LangGraph's SQLite store: fenced, sealed, and read page by page."""

import asyncio
import contextlib
import json
import logging
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from langgraph.store.base import BaseStore, PutOp, Result
from langgraph.store.sqlite import SqliteStore as PlainStore

from paper_search.persistence.encryption import DamagedError, Keyring, about
from paper_search.persistence.leases import check_leases
from paper_search.persistence.listing import Entry
from paper_search.persistence.serialization import RecordSeal, described, serializer
from paper_search.persistence.sqlite_files import as_bytes, is_there, parsed, remove, unusable
from paper_search.persistence.sqlite_saver import SqliteSaver
from paper_search.persistence.tables import SqliteDatabase
from paper_search.private_files import private_file

logger = logging.getLogger(__name__)

_VALUES = """SELECT key, value FROM store WHERE prefix = ?
    AND key IN (SELECT value FROM json_each(?))"""
_ENTRY = "DELETE FROM store WHERE prefix = ? AND key = CAST(? AS TEXT)"


_ITEMS = "SELECT key, value FROM store WHERE prefix = ?"
_PAGE = f"""{_ITEMS} ORDER BY
    CASE WHEN json_valid(value) THEN json_extract(value, '$.updated_at') END DESC, key
    LIMIT ? OFFSET ?"""
_ORPHANS = """WITH RECURSIVE places(place) AS (
    SELECT MIN(prefix) FROM store WHERE prefix > 'paper_search.' UNION ALL
    SELECT (SELECT MIN(prefix) FROM store WHERE prefix > CASE WHEN place GLOB '*.*.*'
        THEN substr(place, 1, 12 + instr(substr(place, 14), '.')) || '/' ELSE place END)
    FROM places WHERE place < 'paper_search/')
    SELECT replace(substr(place, 14, instr(substr(place, 14), '.') - 1), '%2E', '.')
    FROM places WHERE place GLOB 'paper_search.*.*'
    UNION SELECT thread_id FROM writes UNION SELECT thread_id FROM paper_search_decisions
    UNION SELECT thread_id FROM paper_search_audit EXCEPT SELECT thread_id FROM checkpoints"""
"""Of the records of a thread, one is looked at: there may be millions."""
_SAME = "substr(CAST(prefix AS BLOB), 14, length(?1) - 12) = CAST(substr(?1, 14) || '.' AS BLOB)"
BELOW = f"""prefix >= CAST(?1 || '.' AS TEXT) AND prefix < CAST(?1 || '/' AS TEXT)
    OR prefix < 'paper_search.' AND {_SAME} OR prefix >= 'paper_search/' AND {_SAME}"""
"""The namespaces below that of a thread, also where their first part was changed."""
_PARTS = f"""SELECT prefix, key, value FROM store WHERE rowid IN (SELECT row FROM
    (SELECT rowid AS row, ROW_NUMBER() OVER (PARTITION BY +prefix) AS number FROM store
    WHERE {BELOW}) WHERE number <= 20)"""  # noqa: S608  # constants; the sign has it scan these rows only
"""Small parts are looked at whole; what is missing in a large one is told when it is read."""


class OpenStores(NamedTuple):
    database: SqliteDatabase
    saver: SqliteSaver
    store: "SqliteStore"


class SqliteStore(BaseStore):
    """Records in one SQLite file or in memory, sealed where there is a key."""

    def __init__(self, database: SqliteDatabase, seal: RecordSeal) -> None:
        self._database = database
        self._seal = seal

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables that are missing; once, before anything else."""
        self._plain = PlainStore(connection)
        self._plain.setup()

    def batch(self, ops: Any) -> list[Result]:
        """Run the operations; none if they write and a lease was lost."""
        return self._seal.open_all(self._database.wait_for(*self._batch(ops)))

    async def abatch(self, ops: Any) -> list[Result]:
        """See `batch`."""
        return self._seal.open_all(await self._database(*self._batch(ops)))

    def _batch(self, ops: Any) -> tuple[Callable[[sqlite3.Connection], list[Result]], str]:
        operations = self._seal.seal_all(ops)

        def run(connection: sqlite3.Connection) -> list[Result]:
            if any(isinstance(op, PutOp) for op in operations):
                check_leases(connection)
            try:
                return self._plain.batch(operations)
            finally:
                # LangGraph's own leaves the transaction open if it cannot be committed: the file
                # would stay locked.
                if connection.in_transaction:
                    connection.rollback()

        return run, described(operations)

    async def avalues(
        self, namespace: tuple[str, ...], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """Return by key the values of those items that are there."""
        place = (".".join(namespace), json.dumps(list(keys)))

        def load(connection: sqlite3.Connection) -> dict[str, Any]:
            rows = connection.execute(_VALUES, place).fetchall()
            return {key: parsed(value, about(namespace, key)) for key, value in rows}

        values = await self._database(load)
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

        await self._database(erase)

    async def akeys(self, namespace: tuple[str, ...]) -> set[str]:
        place = (".".join(namespace),)
        statement = "SELECT key FROM store WHERE prefix = ?"
        rows = await self._database(lambda c: c.execute(statement, place).fetchall())
        return {key for (key,) in rows}

    async def apage(self, namespace: tuple[str, ...], limit: int, offset: int = 0) -> list[Entry]:
        place = (".".join(namespace), limit, offset)
        rows = await self._database(lambda c: c.execute(_PAGE, place).fetchall())
        return [self._entry(namespace, row) for row in rows]

    async def aentry(self, namespace: tuple[str, ...], key: str) -> Entry | None:
        place = (".".join(namespace), as_bytes(key))
        statement = f"{_ITEMS} AND key = CAST(? AS TEXT)"
        row = await self._database(lambda c: c.execute(statement, place).fetchone())
        return self._entry(namespace, row) if row else None

    async def aorphans(self) -> set[str]:
        rows = await self._database(lambda c: c.execute(_ORPHANS).fetchall())
        return {thread_id for (thread_id,) in rows}

    async def acheck_parts(self, namespace: tuple[str, ...]) -> None:
        start = (as_bytes(".".join(namespace)),)
        rows = await self._database(lambda c: c.execute(_PARTS, start).fetchall())
        for prefix, key, text in rows:
            part = prefix.split(".")
            self._seal.value(part, key, parsed(text, about(part, key)))

    def _entry(self, namespace: tuple[str, ...], row: tuple[str, Any]) -> Entry:
        """Return an item of a list; one that cannot be read is empty and hides no other."""
        key, text = row
        try:
            value = parsed(text, about(namespace, key))
        except DamagedError as error:
            logger.warning("%s", error)
            return Entry(key, {})
        return Entry(key, self._seal.value_or_empty(namespace, key, value))


@contextlib.asynccontextmanager
async def open_file(path: Path, keyring: Keyring | None) -> AsyncIterator[OpenStores]:
    """Open the checkpoints and the records in the file, which is made if it is not there."""
    if not await asyncio.to_thread(is_there, path):
        await _create(path)
    with contextlib.closing(SqliteDatabase(path)) as database:
        yield await stores_in(database, keyring)


async def stores_in(database: SqliteDatabase, keyring: Keyring | None = None) -> OpenStores:
    """Return what is in a database, whose tables are made."""
    store = SqliteStore(database, RecordSeal(keyring))
    await database(store.prepare)
    return OpenStores(database, SqliteSaver(database, serde=serializer(keyring)), store)


async def _create(path: Path) -> None:
    """Put a complete file there; of many who do so at once, one succeeds.

    Tables made one by one, in place, would be torn by a crash in between, and LangGraph's
    migrations fail if two processes run them.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        private_file(draft)
        with contextlib.closing(SqliteDatabase(draft)) as database:
            await stores_in(database)
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    except OSError as error:
        raise unusable(path, error) from error
    finally:
        remove(draft)
