"""What one thread keeps in the LangGraph store: rows in parts with names, and approvals."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import orjson
from pydantic import BaseModel
from pydantic_core import to_json

from paper_search.errors import PersistenceError, ThreadNotFoundError, UnapprovedStrategyError
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.leases import lease_memory
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
_KEY = attrgetter("key")
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

    def __init__(self, store: BaseStore | None, thread_id: str) -> None:
        if store is None:
            why = "this step reads and writes records, and a step that runs alone has no store"
            raise PersistenceError(f"{why}: run its workflow")
        self.store = store
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
        origin = {name: entry.get(name, first[name]) for name in first} if entry else first
        value = storable({"question": question, **origin, "updated_at": now})
        await self.store.abatch([_put(self.listed_in, self.thread_id, value)])

    async def share(self, account: str, role: Role | None) -> None:
        """Note that an account may see the thread; None means that it no longer may."""
        entry = await self._entry()
        if entry is None:
            raise ThreadNotFoundError(f"there is no thread {self.thread_id!r}")
        shared = dict(entry.get("shared_with") or {})
        shared.pop(account, None)
        shared |= {account: role.value} if role else {}
        value = {**entry, "shared_with": shared}
        await self.store.abatch([_put(self.listed_in, self.thread_id, value)])

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
            await self.store.abatch(operations[start : start + PAGE])
        if (memory := self._memory(part)) is not None:
            memory.update(values)

    async def rows(self, part: str) -> dict[str, dict[str, Any]]:
        """Return all rows of a part by their keys, which are in order."""
        return (await self.rows_of_parts(part))[0]

    async def rows_of_parts(self, *parts: str) -> list[dict[str, dict[str, Any]]]:
        from langgraph.store.base import SearchOp  # noqa: PLC0415  # slow import

        # One statement for each: pages by time overlap where many rows have the same.
        operations = [SearchOp(self.namespace(part), limit=_ALL) for part in parts]
        results: Any = await self.store.abatch(operations)
        return [{i.key: i.value for i in sorted(items, key=_KEY)} for items in results]

    async def _entry(self) -> dict[str, Any] | None:
        return (await self._load(self.listed_in, [self.thread_id])).get(self.thread_id)

    def in_order(
        self, rows: Mapping[str, RowT], ids: Sequence[str], noun: str = "record"
    ) -> list[RowT]:
        """Return the rows of the ids, all of which the thread has, unless it is damaged."""
        for row_id in ids:
            if row_id not in rows:
                what = f"thread {self.thread_id!r}"
                raise DamagedError(what, f"its {noun} {row_id!r} is missing")
        return [rows[row_id] for row_id in ids]

    async def get(self, part: str, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        memory = self._memory(part)
        if memory is None:
            return await self._load(self.namespace(part), ids)
        missing = [key for key in ids if key not in memory]
        if missing:
            memory |= dict.fromkeys(missing)
            memory |= await self._load(self.namespace(part), missing)
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

    async def _load(
        self, namespace: tuple[str, ...], ids: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        if not ids:  # as often, where most records are alike
            return {}
        from langgraph.store.base import GetOp, Item  # noqa: PLC0415  # slow import

        if (read := getattr(self.store, "avalues", None)) is not None:
            found_values = await read(namespace, list(dict.fromkeys(ids)))
            return {key: found_values[key] for key in ids if key in found_values}
        operations: list[Op] = [GetOp(namespace, key) for key in dict.fromkeys(ids)]
        values: dict[str, dict[str, Any]] = {}
        for start in range(0, len(operations), PAGE):
            for item in await self.store.abatch(operations[start : start + PAGE]):
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


NOBODY = "nobody was asked"
"""Who allowed what needs no approval."""
_TERMS = "terms"
_PROPOSED = "proposed-"

ProposalT = TypeVar("ProposalT", bound=BaseModel)


class Approvals(Generic[ProposalT]):
    """The proposals of a thread that a person approved: not in the state, which clients can write.

    A subclass says what is proposed, and under which key its approval counts.
    """

    part: ClassVar[str]
    field: ClassVar[str]
    """What is proposed: the name of the digest in a row."""
    noun: ClassVar[str]

    def __init__(self, records: RecordStore) -> None:
        self._records = records

    def _key(self, number: int) -> str:
        return str(number)

    def _decided_on(self, proposal: ProposalT) -> Any:
        """Return what of a proposal is as it was decided; the rest may change afterwards."""
        return proposal

    async def begin(self, *, is_asking: bool) -> None:
        """Note whether proposals need an approval; those of an earlier run do not count.

        A run that asks goes on asking until it has ended, whatever a client writes into its state.
        """
        terms = await self._row(_TERMS) or {}
        goes_on = bool(terms.get("is_asking")) and not terms.get("is_ended")
        await self.revoke(0)
        await self._save(_TERMS, {"is_asking": is_asking or goes_on})

    async def end(self) -> None:
        """Note that the run has ended: the next one on the thread may ask nobody."""
        terms = await self._row(_TERMS)
        if terms is not None:
            await self._save(_TERMS, {**terms, "is_ended": True})

    async def propose(self, proposal: ProposalT, number: int) -> None:
        await self._save(f"{_PROPOSED}{number}", {self.field: self._digest(proposal)})

    async def approve(self, proposal: ProposalT, number: int, by: str | None = None) -> None:
        """Note that a person approved what a question showed, and who.

        It does not count if it is not what was shown: a client can change the state in the same
        breath in which it answers.
        """
        proposed = await self._row(f"{_PROPOSED}{number}")
        if proposed is None or proposed[self.field] == self._digest(proposal):
            await self.write(proposal, number, by)

    async def write(self, proposal: ProposalT, number: int, by: str | None = None) -> None:
        await self._save(self._key(number), {self.field: self._digest(proposal), "by": by})

    async def revoke(self, number: int) -> None:
        earlier = {self._key(earlier_number) for earlier_number in range(number)}
        revoked = [
            key
            for key in await self._records.rows(self.part)
            if key not in earlier and key != _TERMS and not key.startswith(_PROPOSED)
        ]
        await self._records.put(self.part, dict.fromkeys(revoked))

    async def require(self, proposal: ProposalT, number: int) -> str:
        """Return who approved a proposal, or that it needs no approval."""
        terms = await self._row(_TERMS)
        if terms is not None and not terms["is_asking"]:
            return NOBODY
        approval = await self._row(self._key(number))
        if approval is None or approval[self.field] != self._digest(proposal):
            raise UnapprovedStrategyError(
                f"{self.noun} {self._records.thread_id!r} would continue with a {self.field} that "
                f"no person approved: answer the question about the {self.field}; steps cannot be "
                f"skipped. `paper-search fork {self._records.thread_id} --to {self.field}` goes "
                "back to the question"
            )
        return approval.get("by") or "a person"

    async def _row(self, key: str) -> dict[str, Any] | None:
        return (await self._records.get(self.part, [key])).get(key)

    async def _save(self, key: str, row: dict[str, Any]) -> None:
        await self._records.put(self.part, {key: row}, current={})  # nearly all are new

    def _digest(self, proposal: ProposalT) -> str:
        return hashlib.sha256(to_json(self._decided_on(proposal))).hexdigest()
