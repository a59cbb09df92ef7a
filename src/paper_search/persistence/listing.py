"""Which threads a saver has: the latest checkpoint of each."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, runtime_checkable

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.store.base import Item

from paper_search.errors import InputError

UUID_WITH_TIME = 6
_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)
STRATEGIES = ("keep_latest", "delete")


@dataclass(frozen=True)
class LatestCheckpoint:
    """A thread, its latest checkpoint and its first: their ids begin with their time."""

    thread_id: str
    checkpoint_id: str
    first_id: str

    @property
    def changed_at(self) -> datetime | None:
        """When the latest checkpoint was written."""
        return time_of(self.checkpoint_id)

    @property
    def created_at(self) -> datetime | None:
        """When the first checkpoint was written that is still there."""
        return time_of(self.first_id)


def time_of(checkpoint_id: str) -> datetime | None:
    """Return when a checkpoint was written, as its id says: a UUID of version 6 (RFC 9562)."""
    try:
        parsed = uuid.UUID(checkpoint_id)
    except ValueError:
        return None
    if parsed.version != UUID_WITH_TIME:
        return None
    digits = parsed.hex
    ticks = int(digits[:12] + digits[13:16], 16)
    return _GREGORIAN + timedelta(microseconds=ticks // 10)


class ListsThreads(Protocol):
    """A saver that can page through its threads."""

    async def alatest(self, limit: int, offset: int = 0) -> list[LatestCheckpoint]:
        """Return the latest checkpoint id of each thread, the latest first."""
        ...


@runtime_checkable
class ReadsLatest(Protocol):
    """A saver that reads the latest checkpoints of many threads at once."""

    async def alatest_of(self, thread_ids: Sequence[str]) -> dict[str, CheckpointTuple]:
        """Return the latest checkpoints of threads by their ids, without those that are damaged."""
        ...


@runtime_checkable
class ReadsValues(Protocol):
    """A store that reads many values of one namespace at once, without what goes with them."""

    async def avalues(
        self, namespace: tuple[str, ...], keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """Return by key the values of those items that are there."""
        ...


class PagesItems(Protocol):
    """A store that can page through the items of one namespace, sorted."""

    async def akeys(self, namespace: tuple[str, ...]) -> set[str]:
        """Return the keys of all items of exactly this namespace."""
        ...

    async def apage(
        self, namespace: tuple[str, ...], by: str, limit: int, offset: int = 0
    ) -> list[Item]:
        """Return the items of exactly this namespace, the largest `by` first.

        Args:
            namespace: without those below it.
            by: a field of the values that stays readable where they are sealed.
            limit: how many at most.
            offset: how many to leave out.
        """
        ...


def check_prune(thread_ids: Sequence[str], strategy: str) -> list[str]:
    """Return the ids.

    Raises:
        InputError: the ids are one text, or the strategy is unknown.
    """
    if isinstance(thread_ids, str):
        raise InputError(f"thread_ids is a list of ids, not the text {thread_ids!r}")
    if strategy not in STRATEGIES:
        raise InputError(f"unknown way to prune {strategy!r}; known: {', '.join(STRATEGIES)}")
    return [str(thread_id) for thread_id in thread_ids]
