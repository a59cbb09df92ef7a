"""LangGraph's SQLite store: fenced, sealed, and read page by page."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.store.base import Item, PutOp, Result
from langgraph.store.sqlite import SqliteStore as PlainStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.leases import check_lease, held_threads
from paper_search.persistence.serialization import RecordSeal, about, described
from paper_search.persistence.sqlite_files import OneCall, as_bytes, parsed
from paper_search.persistence.tables import uptime

logger = logging.getLogger(__name__)

_VALUES = """SELECT key, value FROM store WHERE prefix = ?
    AND key IN (SELECT value FROM json_each(?))"""
_ITEMS = "SELECT key, value, created_at, updated_at FROM store WHERE prefix = ?"
_PAGE = f"""{_ITEMS} ORDER BY CASE WHEN json_valid(value) THEN json_extract(value, ?) END DESC, key
    LIMIT ? OFFSET ?"""
_BELOW = "DELETE FROM store WHERE prefix >= CAST(? AS TEXT) AND prefix < CAST(? AS TEXT)"
_ENTRY = "DELETE FROM store WHERE prefix = ? AND key = CAST(? AS TEXT)"


class SqliteStore(AsyncSqliteStore):
    """Records in one SQLite file, sealed where there is a key."""

    def __init__(
        self,
        connection: aiosqlite.Connection,
        path: Path,
        seal: RecordSeal,
        clock: Callable[[], float] = uptime,
    ) -> None:
        super().__init__(connection)
        self._seal = seal
        self._clock = clock
        self._in_one_call = OneCall(connection, path)
        self._plain: PlainStore | None = None

    async def setup(self) -> None:
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
                self._check_leases(connection)
            try:
                return plain.batch(sealed) if plain else []
            finally:
                # LangGraph's own leaves the transaction open if it cannot be committed: the file
                # would stay locked.
                if connection.in_transaction:
                    connection.rollback()

        return self._seal.opened(await self._in_one_call(run, described(sealed)))

    def _check_leases(self, connection: sqlite3.Connection) -> None:
        for thread_id in held_threads():
            check_lease(connection, thread_id, self._clock())

    async def avalues(
        self, namespace: tuple[str, ...], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """Return by key the values of those items that are there."""
        wanted = (".".join(namespace), json.dumps(list(keys)))

        def read(connection: sqlite3.Connection) -> dict[str, Any]:
            rows = connection.execute(_VALUES, wanted).fetchall()
            return {key: parsed(value, about(namespace, key)) for key, value in rows}

        await self.setup()
        values = await self._in_one_call(read)
        return {key: self._seal.value(namespace, key, value) for key, value in values.items()}

    async def akeys(self, namespace: tuple[str, ...]) -> set[str]:
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
        return [self._item(namespace, row) for row in rows]

    async def aentry(self, namespace: tuple[str, ...], key: str) -> Item | None:
        """Return an item; one that cannot be read is empty; None: it is not there."""
        wanted = (".".join(namespace), as_bytes(key))
        statement = f"{_ITEMS} AND key = CAST(? AS TEXT)"
        row = await self._in_one_call(lambda c: c.execute(statement, wanted).fetchone())
        return self._item(namespace, row) if row else None

    async def aerase(
        self, namespace: tuple[str, ...], indexes: Sequence[tuple[str, ...]], key: str
    ) -> None:
        """Delete, unread, all items below a namespace and the entries of a key in indexes."""
        start = as_bytes(".".join(namespace))
        entries = [(".".join(index), as_bytes(key)) for index in indexes]

        def erase(connection: sqlite3.Connection) -> None:
            self._check_leases(connection)
            connection.execute(_BELOW, (start + b".", start + b"/"))
            connection.executemany(_ENTRY, entries)

        await self._in_one_call(erase)

    def _item(self, namespace: tuple[str, ...], row: tuple[Any, ...]) -> Item:
        """Return an item of a list; one that cannot be read is empty and hides no other."""
        key, text, *times = row
        never = datetime.min.replace(tzinfo=UTC)
        created_at = updated_at = never
        value: Any = {}
        with suppress(ValueError, TypeError):
            created_at, updated_at = map(datetime.fromisoformat, times)
        try:
            value = parsed(text, about(namespace, key))
        except DamagedError as error:
            logger.warning("%s", error)
        item = Item(
            value=value, key=key, namespace=namespace, created_at=created_at, updated_at=updated_at
        )
        return self._seal.listed(item) if value else item
