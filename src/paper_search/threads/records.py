"""The rows of one thread in the LangGraph store, in parts with names, and its approvals."""

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
"""Rows that are read or written together."""

MOST_ROWS = 20_000
"""Rows of a part that are cached: about 100 MB of records with abstracts."""

_ALL = 2**31 - 1
_UNSTORABLE = re.compile(r"[\ud800-\udfff\x00]")
_KEY = attrgetter("key")
_NUL = rb"\u0000"
"""NUL in JSON. It also matches after a backslash, which only costs time."""
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
"""The range of integers that a store takes."""


def root_of(thread_id: str) -> tuple[str, ...]:
    """Return the namespace above all rows of a thread; a dot would end a part of it."""
    return (ROOT, thread_id.replace(".", "%2E"))


class RecordStore:
    """Reads and writes the rows of one thread, or of one of its runs (`StepContext.run`).

    Writing twice changes nothing.

    All access goes through `abatch`, which runs in the task that holds the lease. `aput`, `aget`
    and the like use another task, where the fence would not know who writes, and are slower.
    """

    listed_in: ClassVar[tuple[str, ...]]
    """Namespace of the index of all threads of the kind."""
    cached_parts: ClassVar[frozenset[str]] = frozenset()
    """Parts that only the steps write, under the lease, so that their rows can be cached."""

    def __init__(self, store: BaseStore | None, thread_id: str, run: str = "") -> None:
        if store is None:
            why = "this step reads and writes records, and a step that runs alone has no store"
            raise PersistenceError(f"{why}: run its workflow")
        self.store = store
        self.thread_id = thread_id
        self._run = run

    def namespace(self, part: str) -> tuple[str, ...]:
        return (*root_of(self.thread_id), *filter(None, [self._run]), part)

    async def index(self, question: str, begun_by: str | None = None) -> None:
        """Enter the thread in the index of all threads, or move it to the front.

        The entry has its own times: those of stores are rounded, change, or lack the time zone.
        """
        entry = await self._entry()
        now = datetime.now(UTC).isoformat()
        first: dict[str, Any] = {"created_at": now, "begun_by": begun_by, "shared_with": {}}
        origin = {name: entry.get(name, first[name]) for name in first} if entry else first
        value = storable({"question": question, **origin, "updated_at": now})
        await self.store.abatch([_put(self.listed_in, self.thread_id, value)])

    async def share(self, account: str, role: Role | None) -> None:
        """Give an account a role in the thread; None takes it away."""
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
        """Write the rows that differ from `current`: rewriting others would fragment the file."""
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
        """Return all rows of a part, in the order of their keys."""
        return (await self.rows_of_parts(part))[0]

    async def rows_of_parts(self, *parts: str) -> list[dict[str, dict[str, Any]]]:
        from langgraph.store.base import SearchOp  # noqa: PLC0415  # slow import

        # One statement for each part: pages by time overlap if many rows have the same time.
        operations = [SearchOp(self.namespace(part), limit=_ALL) for part in parts]
        results: Any = await self.store.abatch(operations)
        return [{i.key: i.value for i in sorted(items, key=_KEY)} for items in results]

    async def _entry(self) -> dict[str, Any] | None:
        return (await self._load(self.listed_in, [self.thread_id])).get(self.thread_id)

    def in_order(
        self, rows: Mapping[str, RowT], ids: Sequence[str], noun: str = "record"
    ) -> list[RowT]:
        """Return the rows of the ids; raise DamagedError if one is missing."""
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
        """Return the cached rows of a part; None if others may write it."""
        memory = lease_memory(self.thread_id) if part in self.cached_parts else None
        if memory is None:
            return None
        rows: dict[str, dict[str, Any] | None] = memory.setdefault(self._run + part, {})
        if len(rows) > MOST_ROWS:
            rows.clear()
        return rows

    async def _load(
        self, namespace: tuple[str, ...], ids: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        if not ids:
            return {}
        from langgraph.store.base import GetOp, Item  # noqa: PLC0415  # slow import

        if (read := getattr(self.store, "avalues", None)) is not None:
            rows = await read(namespace, list(dict.fromkeys(ids)))
            return {key: rows[key] for key in ids if key in rows}
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
    """Replace what not every store takes: unpaired surrogates, NUL, integers beyond 64 bits."""
    try:  # orjson finds out quickly that most values have none of these
        if isinstance(value, dict) and _NUL not in orjson.dumps(value):
            return value
    except TypeError:
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
"""Stands for the person where no approval is needed."""
_TERMS = "terms"
_PROPOSED = "proposed-"

ProposalT = TypeVar("ProposalT", bound=BaseModel)


class Approvals(Generic[ProposalT]):
    """A person's approvals of proposals: outside the state, which clients can write.

    A subclass defines the proposal, and the key of its approval.
    """

    part: ClassVar[str]
    field: ClassVar[str]
    """The name of the proposal, and of its digest in a row."""
    noun: ClassVar[str]

    def __init__(self, records: RecordStore) -> None:
        self._records = records

    def _key(self, number: int) -> str:
        return str(number)

    def _approved_part(self, proposal: ProposalT) -> Any:
        """Return the part of a proposal that must not change after its approval."""
        return proposal

    async def begin(self, *, is_asking: bool) -> None:
        """Record whether proposals need an approval; approvals of an earlier run are revoked.

        A run that asks keeps asking until it ends, whatever a client writes into its state.
        """
        terms = await self._row(_TERMS) or {}
        keeps_asking = bool(terms.get("is_asking")) and not terms.get("is_ended")
        await self.revoke(0)
        await self._save(_TERMS, {"is_asking": is_asking or keeps_asking})

    async def end(self) -> None:
        """Record the end of the run: the next one on the thread may ask nobody."""
        terms = await self._row(_TERMS)
        if terms is not None:
            await self._save(_TERMS, {**terms, "is_ended": True})

    async def propose(self, proposal: ProposalT, number: int) -> None:
        await self._save(f"{_PROPOSED}{number}", {self.field: self._digest(proposal)})

    async def approve(self, proposal: ProposalT, number: int, by: str | None = None) -> None:
        """Record who approved a proposal, unless it differs from the one that was shown.

        A client can change the state in the same request in which it answers.
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
        """Return who approved a proposal, or `NOBODY`; raise UnapprovedStrategyError otherwise."""
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
        return hashlib.sha256(to_json(self._approved_part(proposal))).hexdigest()
