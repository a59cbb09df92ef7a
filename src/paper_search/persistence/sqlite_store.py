"""LangGraph's SQLite store: fenced, sealed, and read page by page."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import aiosqlite
import orjson
from langgraph.store.base import Item, PutOp, Result
from langgraph.store.sqlite import SqliteStore as PlainStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from paper_search.errors import PersistenceError
from paper_search.persistence.allocation import making_many
from paper_search.persistence.leases import check_ownership, held_threads
from paper_search.persistence.serialization import RecordSeal
from paper_search.persistence.sqlite_calls import OneCall, parsed
from paper_search.persistence.sqlite_tables import holder_of

logger = logging.getLogger(__name__)

_VALUES = """SELECT key, value FROM store WHERE prefix = ?
    AND key IN (SELECT value FROM json_each(?))"""
_PAGE = """SELECT key, value, created_at, updated_at FROM store WHERE prefix = ?
    ORDER BY json_extract(value, ?) DESC, key LIMIT ? OFFSET ?"""


class SqliteStore(AsyncSqliteStore):
    """Records in one SQLite file, sealed where there is a key.

    Args:
        connection: in autocommit mode.
        path: of the file.
        seal: what values go through.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        connection: aiosqlite.Connection,
        path: Path,
        seal: RecordSeal,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(connection)
        self._seal = seal
        self._clock = clock
        self._in_one_call = OneCall(connection, path)
        self._plain: PlainStore | None = None

    async def setup(self) -> None:
        """Make the tables, where they are missing."""
        await super().setup()
        if self._plain is None:
            self._plain = await self._in_one_call(PlainStore)
            self._plain.is_setup = True

    async def abatch(self, ops: Any) -> list[Result]:
        """Run the operations; none if they write and a lease was lost."""
        await self.setup()
        plain, sealed = self._plain, self._seal.sealed(ops)

        def run(connection: sqlite3.Connection) -> list[Result]:
            if any(isinstance(op, PutOp) for op in sealed):
                for thread_id in held_threads():
                    check_ownership(thread_id, holder_of(connection, thread_id), self._clock())
            try:
                with making_many():
                    return plain.batch(sealed) if plain else []
            finally:
                # LangGraph's own leaves the transaction open if it cannot be committed: the file
                # would stay locked.
                if connection.in_transaction:
                    connection.rollback()

        return self._seal.opened(await self._in_one_call(run))

    async def avalues(
        self, namespace: tuple[str, ...], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """Return by key the values of those items that are there."""
        wanted = (".".join(namespace), json.dumps(list(keys)))

        def read(connection: sqlite3.Connection) -> dict[str, Any]:
            with making_many():
                rows = connection.execute(_VALUES, wanted).fetchall()
                return {key: orjson.loads(value) for key, value in rows}

        await self.setup()
        values = await self._in_one_call(read)
        return {key: self._seal.value(namespace, key, value) for key, value in values.items()}

    async def akeys(self, namespace: tuple[str, ...]) -> set[str]:
        """Return the keys of all items of exactly this namespace."""
        wanted = (".".join(namespace),)
        statement = "SELECT key FROM store WHERE prefix = ?"
        rows = await self._in_one_call(lambda c: c.execute(statement, wanted).fetchall())
        return {key for (key,) in rows}

    async def apage(
        self, namespace: tuple[str, ...], by: str, limit: int, offset: int = 0
    ) -> list[Item]:
        """Return the items of exactly this namespace, the largest `by` first."""
        wanted = (".".join(namespace), f"$.{by}", limit, offset)
        rows = await self._in_one_call(lambda c: c.execute(_PAGE, wanted).fetchall())
        with making_many():
            return [self._item(namespace, row) for row in rows]

    def _item(self, namespace: tuple[str, ...], row: tuple[Any, ...]) -> Item:
        """Return an item of a list; one that cannot be read is empty and hides no other."""
        key, value, *times = row
        try:
            created_at, updated_at = map(datetime.fromisoformat, times)
            item = Item(
                value=parsed(value, f"record {key!r}"),
                key=key,
                namespace=namespace,
                created_at=created_at,
                updated_at=updated_at,
            )
            return cast("Item", self._seal.item(item))
        except (PersistenceError, ValueError, TypeError) as error:
            logger.warning("record %r cannot be read: %s", key, error)
            never = datetime.min.replace(tzinfo=UTC)
            return Item(
                value={}, key=str(key), namespace=namespace, created_at=never, updated_at=never
            )
