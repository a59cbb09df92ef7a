"""RecordStore: what one thread keeps in the LangGraph store, in parts with names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import orjson

from paper_search.errors import ThreadNotFoundError
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.leases import lease_memory
from paper_search.persistence.listing import ReadsValues
from paper_search.threads.sharing import Role

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore, Op

RowT = TypeVar("RowT")
ROOT = "paper_search"
PAGE = 1000
"""Rows that are read or written at once."""

MOST_ROWS = 20_000
"""Rows of a part that are remembered: about 100 MB of records with abstracts."""

_ALL = 2**31 - 1
_UNSTORABLE = re.compile(r"[\ud800-\udfff\x00]")
_NUL = rb"\u0000"
"""In JSON; also after a backslash, where it is harmless to look closer."""
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
"""Of the integers that a store takes."""


def root_of(thread_id: str) -> tuple[str, ...]:
    """Return the namespace that all rows of a thread are below; a dot would end a part of it."""
    return (ROOT, thread_id.replace(".", "%2E"))


class RecordStore:
    """Reads and writes the rows of one thread. Writing twice changes nothing.

    All goes through `abatch`, which runs in the task that holds the lease: `aput`, `aget` and the
    like leave it to another task, where the fence would not know who writes, and which costs.
    """

    listed_in: ClassVar[tuple[str, ...]]
    """Namespace of the index of all threads of the kind."""
    driven: ClassVar[frozenset[str]] = frozenset()
    """Parts that only the steps write, under the lease: what was read of them is remembered."""

    def __init__(self, store: BaseStore, thread_id: str) -> None:
        self._store = store
        self.thread_id = thread_id

    def namespace(self, part: str) -> tuple[str, ...]:
        return (*root_of(self.thread_id), part)

    async def index(self, question: str, begun_by: str | None = None) -> None:
        """Enter the thread in the index of all threads, or move it to the front.

        The entry says its times itself: stores round them, forget the first, or omit the zone.
        """
        entry = await self._entry()
        now = datetime.now(UTC).isoformat()
        first: dict[str, Any] = {"created_at": now, "begun_by": begun_by, "shared_with": {}}
        origin = {name: entry.value.get(name, first[name]) for name in first} if entry else first
        value = storable({"question": question, **origin, "updated_at": now})
        await self._store.abatch([_put(self.listed_in, self.thread_id, value)])

    async def share(self, account: str, role: Role | None) -> None:
        """Note that an account may see the thread; None means that it no longer may."""
        entry = await self._entry()
        if entry is None:
            raise ThreadNotFoundError(f"there is no thread {self.thread_id!r}")
        shared = dict(entry.value.get("shared_with") or {})
        shared.pop(account, None)
        shared |= {account: role.value} if role else {}
        value = {**entry.value, "shared_with": shared}
        await self._store.abatch([_put(self.listed_in, self.thread_id, value)])

    async def put(
        self,
        part: str,
        values: Mapping[str, dict[str, Any] | None],
        current: Mapping[str, dict[str, Any]] | None = None,
    ) -> None:
        """Write what is not there yet: writing a row again would only tear holes in the file."""
        namespace = self.namespace(part)
        if current is None:
            current = await self.get(part, list(values))
        operations: list[Op] = [
            _put(namespace, key, value)
            for key, value in values.items()
            if current.get(key) != value
        ]
        for start in range(0, len(operations), PAGE):
            await self._store.abatch(operations[start : start + PAGE])
        if (memory := self._memory(part)) is not None:
            memory.update(values)

    async def keys(self, part: str) -> list[str]:
        """Return the keys of a part; at most `PAGE`, for parts that stay small."""
        return [item.key for item in await self._search(part, PAGE)]

    async def rows(self, part: str) -> dict[str, dict[str, Any]]:
        """Return all rows of a part by their keys, which are in order."""
        # One statement: pages by time overlap where many rows have the same.
        items = await self._search(part, _ALL)
        return {item.key: item.value for item in sorted(items, key=lambda item: item.key)}

    async def _search(self, part: str, limit: int) -> Any:
        from langgraph.store.base import SearchOp  # noqa: PLC0415  # slow import

        return (await self._store.abatch([SearchOp(self.namespace(part), limit=limit)]))[0]

    async def _entry(self) -> Any:
        from langgraph.store.base import GetOp  # noqa: PLC0415  # slow import

        return (await self._store.abatch([GetOp(self.listed_in, self.thread_id)]))[0]

    def in_order(self, rows: Mapping[str, RowT], ids: Sequence[str]) -> list[RowT]:
        """Return the rows of the ids."""
        for row_id in ids:
            if row_id not in rows:
                what = f"thread {self.thread_id!r}"
                raise DamagedError(what, f"its record {row_id!r} is missing")
        return [rows[row_id] for row_id in ids]

    async def get(self, part: str, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        memory = self._memory(part)
        if memory is None:
            return await self._load(part, ids)
        missing = [key for key in ids if key not in memory]
        if missing:
            memory.update({**dict.fromkeys(missing), **await self._load(part, missing)})
        rows = {key: memory[key] for key in ids}
        return {key: row for key, row in rows.items() if row is not None}

    def _memory(self, part: str) -> dict[str, dict[str, Any] | None] | None:
        """Return the rows of a part that are known; None if others may write it."""
        memory = lease_memory(self.thread_id) if part in self.driven else None
        if memory is None:
            return None
        rows: dict[str, dict[str, Any] | None] = memory.setdefault(part, {})
        if len(rows) > MOST_ROWS:
            rows.clear()
        return rows

    async def _load(self, part: str, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        if not ids:  # as often, where most records are alike
            return {}
        from langgraph.store.base import GetOp, Item  # noqa: PLC0415  # slow import

        namespace = self.namespace(part)
        if isinstance(self._store, ReadsValues):
            found_values = await self._store.avalues(namespace, list(dict.fromkeys(ids)))
            return {key: found_values[key] for key in ids if key in found_values}
        operations: list[Op] = [GetOp(namespace, key) for key in dict.fromkeys(ids)]
        values: dict[str, dict[str, Any]] = {}
        for start in range(0, len(operations), PAGE):
            for item in await self._store.abatch(operations[start : start + PAGE]):
                if isinstance(item, Item):
                    values[item.key] = item.value
        return values


def _put(namespace: tuple[str, ...], key: str, value: dict[str, Any] | None) -> Op:
    from langgraph.store.base import PutOp  # noqa: PLC0415  # slow import

    return PutOp(namespace, key, value, index=False)


def storable(value: Any) -> Any:
    """Return JSON without what not every store takes.

    That is half characters, NUL, and integers beyond 64 bits.
    """
    try:  # in most values there is none of it, which orjson finds out in a fraction of the time
        if isinstance(value, dict) and _NUL not in orjson.dumps(value):
            return value
    except TypeError:  # there is
        pass
    return _storable(value)


def _storable(value: Any) -> Any:
    match value:
        case str():
            is_plain = value.isascii() and "\x00" not in value
            return value if is_plain else _UNSTORABLE.sub("\ufffd", value)
        case int() if not _SMALLEST <= value <= _LARGEST:
            return str(value)
        case dict():
            return {_storable(name): _storable(item) for name, item in value.items()}
        case list():
            return [_storable(item) for item in value]
        case _:
            return value
