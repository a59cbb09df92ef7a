"""The threads of a database by the rows that name them, and deleting rows unread."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paper_search.errors import PersistenceError
from paper_search.persistence.encryption import about
from paper_search.persistence.leases import Leases
from paper_search.persistence.listing import LatestCheckpoint
from paper_search.persistence.serialization import RecordSeal
from paper_search.persistence.sqlite_files import parse_object
from paper_search.persistence.tables import Database

logger = logging.getLogger(__name__)
Namespace = tuple[str, ...]

_LATEST = """SELECT thread_id, MAX(checkpoint_id) AS latest, MIN(checkpoint_id) FROM checkpoints
    WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY latest DESC LIMIT ? OFFSET ?"""
_ITEMS = "SELECT key, value FROM store WHERE prefix = ?"
_ONE = "prefix = ? AND key = CAST(? AS TEXT)"


@dataclass(frozen=True)
class Entry:
    key: str
    value: dict[str, Any]


class ThreadIndex:
    """Lists threads and items of a store by namespace, and deletes items unread."""

    def __init__(self, database: Database, seal: RecordSeal, leases: Leases) -> None:
        self._database, self._leases = database, leases
        self._rows, self._dialect = database.rows, database.dialect
        self._seal = seal

    async def latest(self, limit: int, offset: int = 0) -> list[LatestCheckpoint]:
        """Return the latest checkpoint id of each thread, the latest first."""
        return [LatestCheckpoint(*row) for row in await self._rows(_LATEST, limit, offset)]

    async def keys(self, namespace: Namespace) -> set[str]:
        rows = await self._rows("SELECT key FROM store WHERE prefix = ?", ".".join(namespace))
        return {key for (key,) in rows}

    async def page(self, namespace: Namespace, limit: int, offset: int = 0) -> list[Entry]:
        """Return the items of exactly this namespace, the latest change first."""
        ordered = f"{_ITEMS} ORDER BY {self._dialect.changed_at} DESC, key LIMIT ? OFFSET ?"
        rows = await self._rows(ordered, ".".join(namespace), limit, offset)
        return [self._entry(namespace, *row) for row in rows]

    async def entry(self, namespace: Namespace, key: str) -> Entry | None:
        """Return an item, if there is one; an unreadable one is empty."""
        place = ".".join(namespace), self._database.stored_form(key)
        rows = await self._rows(f"SELECT key, value FROM store WHERE {_ONE}", *place)  # noqa: S608  # a constant
        return self._entry(namespace, *rows[0]) if rows else None

    async def orphans(self) -> set[str]:
        """Return the thread ids of rows without a checkpoint."""
        return {thread_id for (thread_id,) in await self._rows(self._dialect.orphans)}

    async def check_parts(self, namespace: Namespace) -> None:
        """Raise DamagedError if items below a namespace were moved to another part."""
        for prefix, key, value in await self._rows(self._dialect.parts, *self._below(namespace)):
            part = prefix.split(".")
            self._seal.value(part, key, _object(value, about(part, key)))

    async def erase(self, namespace: Namespace, indexes: Sequence[Namespace], key: str) -> None:
        """Delete, unread, all items below a namespace, and the entries of a key in indexes."""
        await self._leases.check_held()
        change = self._database.change
        await change(f"DELETE FROM store WHERE {self._dialect.below}", *self._below(namespace))  # noqa: S608  # a constant
        for index in indexes:
            place = ".".join(index), self._database.stored_form(key)
            await change(f"DELETE FROM store WHERE {_ONE}", *place)  # noqa: S608  # as above

    def _below(self, namespace: Namespace) -> tuple[str | bytes, str | bytes]:
        """Return the two texts between which all namespaces below one are."""
        start = ".".join(namespace)
        return self._database.stored_form(f"{start}."), self._database.stored_form(f"{start}/")

    def _entry(self, namespace: Namespace, key: str, value: Any) -> Entry:
        """Return an item of a list; an unreadable one is empty, so that the others are listed."""
        try:
            read = self._seal.value(namespace, key, _object(value, about(namespace, key)))
        except PersistenceError as error:
            logger.warning("%s cannot be read: %s", about(namespace, key), error)
            return Entry(key, {})
        return Entry(key, read)


def _object(value: Any, what: str) -> Any:
    """Return a JSON object that a column has as an object or as text."""
    return value if isinstance(value, dict) else parse_object(value, what)
