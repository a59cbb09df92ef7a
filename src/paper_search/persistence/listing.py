"""Which threads a saver has: the latest checkpoint of each."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, runtime_checkable

from paper_search.errors import InputError

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


def check_prune(thread_ids: Sequence[str], strategy: str) -> list[str]:
    """Return the ids; raise InputError if they are one text, or the strategy is unknown."""
    if isinstance(thread_ids, str):
        raise InputError(f"thread_ids is a list of ids, not the text {thread_ids!r}")
    if strategy not in STRATEGIES:
        raise InputError(f"unknown way to prune {strategy!r}; known: {', '.join(STRATEGIES)}")
    return [str(thread_id) for thread_id in thread_ids]
