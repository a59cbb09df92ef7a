"""Lists of threads from their latest checkpoints."""

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
"""The field in the metadata of a checkpoint that names the channels that a list shows."""
ASKED = "__interrupt__"
"""LangGraph's channel of interrupts."""
NEXT = "branch:to:"
"""The prefix of LangGraph's channels that lead to a step."""
_OF_LANGGRAPH = ("__", NEXT)
"""Prefixes of the channels that say what runs next."""


@dataclass(frozen=True)
class LatestCheckpoint:
    """A thread with the ids of its latest and first checkpoint, which begin with their time."""

    thread_id: str
    checkpoint_id: str
    first_id: str

    @property
    def changed_at(self) -> datetime | None:
        return time_of(self.checkpoint_id)

    @property
    def created_at(self) -> datetime | None:
        """Return the time of the first checkpoint that still exists."""
        return time_of(self.first_id)


def time_of(checkpoint_id: str) -> datetime | None:
    """Return the time of a checkpoint from its id: a UUID of version 6 (RFC 9562)."""
    ticks = _ticks(checkpoint_id)
    return None if ticks is None else _GREGORIAN + timedelta(microseconds=ticks // 10)


def stay_after(checkpoint_id: str | None) -> None:
    """Make all later checkpoints of this process have larger ids, whatever the clock says.

    The latest checkpoint is the one with the largest id. LangGraph makes an id from the time, or
    from its previous one if the clock went back, but it forgets that one with the process.
    """
    from langgraph.checkpoint.base import id as ids  # noqa: PLC0415  # slow import

    ticks = _ticks(checkpoint_id) if checkpoint_id else None
    if ticks is not None:
        last = vars(ids)  # there is no public way to set it
        last["_last_v6_timestamp"] = max(last["_last_v6_timestamp"] or 0, ticks)


def _ticks(checkpoint_id: str) -> int | None:
    """Return the time in an id, in tenths of microseconds; None if it has none."""
    try:
        value = uuid.UUID(checkpoint_id)
    except ValueError:
        return None
    digits = value.hex
    return int(digits[:12] + digits[13:16], 16) if value.version == UUID_WITH_TIME else None


@dataclass(frozen=True)
class Summary:
    """The facts of a thread for a list, from its latest checkpoint."""

    saved_at: str
    """UTC, ISO 8601."""
    channels: Mapping[str, Any]
    """The outlines of listed channels; of those that lead to a next step, only the names."""
    asked: Sequence[tuple[str, Any]]
    """The ids of the open questions, with their outlines."""
    is_in_a_step: bool = False
    """Whether there are writes of an unfinished step."""


def columns(*channels: str) -> dict[str, str]:
    return {LISTED: " ".join(channels)}


def outlines(channels: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the outlines of listed channels; None if the metadata name none."""
    names = str(metadata.get(LISTED, "")).split()
    next_steps = [name for name in channels if name.startswith(_OF_LANGGRAPH)]
    fields = {name: outline(channels[name]) for name in names if name in channels}
    return {**dict.fromkeys(next_steps), **fields} if names else None


def outline(value: Any) -> Any:
    """Return a mapping with its plain values and the lengths of its lists; else the value."""
    if not isinstance(value, Mapping):
        return value
    outlined = {name: [None] * len(v) if isinstance(v, list) else v for name, v in value.items()}
    return {name: entry for name, entry in outlined.items() if not isinstance(entry, Mapping)}


def questions_in_write(value: Any) -> list[tuple[str, Any]] | None:
    """Return the ids of the questions in a write, with their outlines; None if it has others."""
    from langgraph.types import Interrupt  # noqa: PLC0415  # slow import

    if not all(isinstance(entry, Interrupt) for entry in value):
        return None
    return [(interrupt.id, outline(interrupt.value)) for interrupt in value]


@runtime_checkable
class Summarizes(Protocol):
    """A saver that reads the summaries of many threads together."""

    async def asummaries(self, thread_ids: Sequence[str]) -> dict[str, Summary]:
        """Return the summaries of readable threads by their ids."""
        ...


def check_prune(thread_ids: Sequence[str], strategy: str) -> list[str]:
    """Return the ids; raise InputError if they are one string, or the strategy is unknown."""
    if isinstance(thread_ids, str):
        raise InputError(f"thread_ids must be a list of ids, not the string {thread_ids!r}")
    if strategy not in STRATEGIES:
        raise InputError(f"unknown strategy {strategy!r}; known: {', '.join(STRATEGIES)}")
    return [str(thread_id) for thread_id in thread_ids]
