"""Which threads a saver has: the latest checkpoint of each."""

from __future__ import annotations

import json
import logging
import sqlite3
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from zlib import crc32

from paper_search.errors import InputError, PersistenceError
from paper_search.persistence.encryption import DamagedError, ValueSeal, about
from paper_search.persistence.sqlite_files import as_bytes, parsed

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple

logger = logging.getLogger(__name__)

UUID_WITH_TIME = 6
_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)
STRATEGIES = ("keep_latest", "delete")
LISTED = "listed"
"""In the metadata of a checkpoint: the channels that a list of threads shows."""
ASKED = "__interrupt__"
"""LangGraph's channel of what a step asks."""
NEXT = "branch:to:"
"""The beginning of LangGraph's channels that lead to a step."""
CRC = 4
"""Bytes of the checksum that a summary begins with."""
_OF_LANGGRAPH = ("__", NEXT)
"""How the names of channels begin that say what runs next."""


@dataclass(frozen=True)
class LatestCheckpoint:
    """A thread, its latest checkpoint and its first: their ids begin with their time."""

    thread_id: str
    checkpoint_id: str
    first_id: str

    @property
    def changed_at(self) -> datetime | None:
        return time_of(self.checkpoint_id)

    @property
    def created_at(self) -> datetime | None:
        """When the first checkpoint was written that is still there."""
        return time_of(self.first_id)


def time_of(checkpoint_id: str) -> datetime | None:
    """Return when a checkpoint was written, as its id says: a UUID of version 6 (RFC 9562)."""
    ticks = _ticks(checkpoint_id)
    return None if ticks is None else _GREGORIAN + timedelta(microseconds=ticks // 10)


def stay_after(checkpoint_id: str | None) -> None:
    """Make sure that what this process writes from now on has a later id, whatever the clock says.

    The latest checkpoint is the one with the largest id. LangGraph makes ids of the time, and of
    the one before plus one where the clock went back, but it forgets that one with the process.
    """
    from langgraph.checkpoint.base import id as ids  # noqa: PLC0415  # slow import

    ticks = _ticks(checkpoint_id) if checkpoint_id else None
    if ticks is not None:
        last = vars(ids)  # it has no other door
        last["_last_v6_timestamp"] = max(last["_last_v6_timestamp"] or 0, ticks)


def _ticks(checkpoint_id: str) -> int | None:
    """Return the time in an id, in tenths of microseconds; None if there is none in it."""
    try:
        parsed = uuid.UUID(checkpoint_id)
    except ValueError:
        return None
    digits = parsed.hex
    return int(digits[:12] + digits[13:16], 16) if parsed.version == UUID_WITH_TIME else None


@dataclass(frozen=True)
class Summary:
    """What a list says of a thread, by its latest checkpoint."""

    saved_at: str
    """UTC, ISO 8601."""
    channels: Mapping[str, Any]
    """The listed ones, as `outline` leaves them; of those that say what runs next, the names."""
    asked: Sequence[tuple[str, Any]]
    """The ids of the questions that wait, with their outlines."""
    is_in_a_step: bool = False
    """Whether there are writes of a step that is not done."""

    @classmethod
    def of(cls, saved: CheckpointTuple) -> Summary:
        """Return the summary of a checkpoint that was read whole."""
        writes = saved.pending_writes or []
        return cls(
            saved.checkpoint["ts"],
            saved.checkpoint["channel_values"],
            [
                q
                for _, name, value in writes
                if name == ASKED
                for q in questions_in_write(value) or ()
            ],
            any(name != ASKED for _, name, _ in writes),
        )


def columns(*channels: str) -> dict[str, str]:
    return {LISTED: " ".join(channels)}


def outlines(channels: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the outlines of the channels that are listed; None if the graph does not say which."""
    names = str(metadata.get(LISTED, "")).split()
    next_steps = [name for name in channels if name.startswith(_OF_LANGGRAPH)]
    fields = {name: outline(channels[name]) for name in names if name in channels}
    return {**dict.fromkeys(next_steps), **fields} if names else None


def outline(value: Any) -> Any:
    """Return of a mapping the plain values and the lengths of the lists; all else as it is."""
    if not isinstance(value, Mapping):
        return value
    outlined = {name: [None] * len(v) if isinstance(v, list) else v for name, v in value.items()}
    return {name: entry for name, entry in outlined.items() if not isinstance(entry, Mapping)}


def questions_in_write(value: Any) -> list[tuple[str, Any]] | None:
    """Return the ids of questions that a step asks, with their outlines; None if it is not that."""
    from langgraph.types import Interrupt  # noqa: PLC0415  # slow import

    if not all(isinstance(entry, Interrupt) for entry in value):
        return None
    return [(interrupt.id, outline(interrupt.value)) for interrupt in value]


@runtime_checkable
class Summarizes(Protocol):
    """A saver that reads what a list says of many threads at once."""

    async def asummaries(self, thread_ids: Sequence[str]) -> dict[str, Summary]:
        """Return the summaries of threads by their ids, without those that cannot be read."""
        ...


@dataclass(frozen=True)
class Entry:
    """An item of a store, in a list."""

    key: str
    value: dict[str, Any]


class PagesItems(Protocol):
    """A store that can page through the items of one namespace, sorted, and delete them unread."""

    async def aentry(self, namespace: tuple[str, ...], key: str) -> Entry | None:
        """Return an item; one that cannot be read is empty; None if it is not there."""
        ...

    async def aerase(
        self, namespace: tuple[str, ...], indexes: Sequence[tuple[str, ...]], key: str
    ) -> None:
        """Delete, unread, all items below a namespace and the entries of a key in indexes."""
        ...

    async def akeys(self, namespace: tuple[str, ...]) -> set[str]: ...

    async def apage(self, namespace: tuple[str, ...], limit: int, offset: int = 0) -> list[Entry]:
        """Return the items of exactly this namespace, the one that changed last first."""
        ...


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


class SqliteIndex:
    """Pages through the items of a store in a SQLite file."""

    _seal: ValueSeal
    _in_one_call: Callable[..., Any]

    async def akeys(self, namespace: tuple[str, ...]) -> set[str]:
        place = (".".join(namespace),)
        statement = "SELECT key FROM store WHERE prefix = ?"
        rows = await self._in_one_call(lambda c: c.execute(statement, place).fetchall())
        return {key for (key,) in rows}

    async def apage(self, namespace: tuple[str, ...], limit: int, offset: int = 0) -> list[Entry]:
        place = (".".join(namespace), limit, offset)
        rows = await self._in_one_call(lambda c: c.execute(_PAGE, place).fetchall())
        return [self._entry(namespace, row) for row in rows]

    async def aentry(self, namespace: tuple[str, ...], key: str) -> Entry | None:
        place = (".".join(namespace), as_bytes(key))
        statement = f"{_ITEMS} AND key = CAST(? AS TEXT)"
        row = await self._in_one_call(lambda c: c.execute(statement, place).fetchone())
        return self._entry(namespace, row) if row else None

    async def aorphans(self) -> set[str]:
        """Return the ids that rows name and no checkpoint."""
        rows = await self._in_one_call(lambda c: c.execute(_ORPHANS).fetchall())
        return {thread_id for (thread_id,) in rows}

    async def acheck_parts(self, namespace: tuple[str, ...]) -> None:
        """Raise DamagedError if items below a namespace are in another part than they were put."""
        start = (as_bytes(".".join(namespace)),)
        rows = await self._in_one_call(lambda c: c.execute(_PARTS, start).fetchall())
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


def checksum_of(value: bytes, thread_id: str) -> int:
    """Return the checksum of a value of a thread: it is damaged in another one."""
    return crc32(value) ^ crc32(thread_id.encode("utf-8", "replace"))


def is_unchanged(value: bytes, thread_id: str, checksum: int | None) -> bool:
    """Whether a value has its checksum; what LangGraph's own saver wrote has none.

    That of earlier versions is of the value alone.
    """
    return checksum in {None, checksum_of(value, thread_id), crc32(value)}


_NEWEST = """SELECT thread_id, MAX(checkpoint_id) AS latest, MIN(checkpoint_id) FROM checkpoints
    WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY latest DESC LIMIT ? OFFSET ?"""
LATEST_OF = """JOIN (SELECT value AS wanted FROM json_each(?)) ON thread_id = wanted
    AND checkpoint_ns = '' AND checkpoint_id = (SELECT MAX(checkpoint_id) FROM checkpoints AS newer
    WHERE newer.thread_id = wanted AND newer.checkpoint_ns = '')"""
_SUMMARIES = f"""SELECT thread_id, CAST(summary AS BLOB), CASE WHEN
    is_unchanged(CAST(checkpoint AS BLOB), thread_id, checksum) THEN length(checkpoint) END
    FROM checkpoints {LATEST_OF}"""  # noqa: S608  # a constant
_QUESTIONS = f"""SELECT writes.thread_id, channel, CAST(writes.summary AS BLOB)
    FROM checkpoints {LATEST_OF} JOIN writes USING (thread_id, checkpoint_ns, checkpoint_id)"""  # noqa: S608  # as above


class SqliteSummaries:
    """Reads what a list says of the threads in a SQLite file."""

    _in_one_call: Callable[..., Any]
    _load_summary: Callable[[tuple[str, bytes]], Any]

    async def alatest(self, limit: int, offset: int = 0) -> list[LatestCheckpoint]:
        """Return the latest checkpoint id of each thread, the latest first."""
        rows = await self._in_one_call(lambda c: c.execute(_NEWEST, (limit, offset)).fetchall())
        return [LatestCheckpoint(*row) for row in rows]

    async def asummaries(self, thread_ids: Sequence[str]) -> dict[str, Summary]:
        ids = (json.dumps(list(thread_ids)),)

        def load(connection: sqlite3.Connection) -> tuple[list[Any], list[Any]]:
            connection.create_function("is_unchanged", 3, is_unchanged)
            states = connection.execute(_SUMMARIES, ids).fetchall()
            return states, connection.execute(_QUESTIONS, ids).fetchall()

        states, writes = await self._in_one_call(load)
        return self._summaries(states, writes)

    def _summaries(self, states: list[Any], writes: list[Any]) -> dict[str, Summary]:
        questions_of: dict[str, list[Any]] = {}
        in_a_step, unread = set[str](), set[str]()
        for thread_id, channel, summary in writes:
            if channel != ASKED:
                in_a_step.add(thread_id)
            elif (questions := self._unpacked(summary)) is None:
                unread.add(thread_id)
            else:
                questions_of.setdefault(thread_id, []).extend(questions)
        summaries = {}
        for thread_id, summary, size in states:
            known_size, saved_at, channels = self._unpacked(summary) or (-1, "", {})
            if known_size == size and thread_id not in unread:  # else it may be cut off
                questions = questions_of.get(thread_id, ())
                summaries[thread_id] = Summary(
                    saved_at, channels, questions, thread_id in in_a_step
                )
        return summaries

    def _unpacked(self, summary: bytes | None) -> Any:
        """Return the summary of a value; None if there is none, or it cannot be read."""
        if summary is None or int.from_bytes(summary[:CRC], "big") != crc32(summary[CRC:]):
            return None
        kind, _, value = summary[CRC:].partition(b" ")
        try:
            return self._load_summary((kind.decode(), value))
        except PersistenceError:  # written with another key, or without: it hides no other
            return None


def check_prune(thread_ids: Sequence[str], strategy: str) -> list[str]:
    """Return the ids; raise InputError if they are one text, or the strategy is unknown."""
    if isinstance(thread_ids, str):
        raise InputError(f"thread_ids is a list of ids, not the text {thread_ids!r}")
    if strategy not in STRATEGIES:
        raise InputError(f"unknown way to prune {strategy!r}; known: {', '.join(STRATEGIES)}")
    return [str(thread_id) for thread_id in thread_ids]
