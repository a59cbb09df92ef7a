"""Which threads a saver has: the latest checkpoint of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from langgraph.store.base import Item

from paper_search.errors import InputError

STRATEGIES = ("keep_latest", "delete")


@dataclass(frozen=True)
class ThreadHead:
    """A thread and its latest checkpoint, whose id begins with its time (UUID version 6)."""

    thread_id: str
    checkpoint_id: str


class ListsHeads(Protocol):
    """A saver that can page through its threads."""

    async def aheads(self, limit: int, offset: int = 0) -> list[ThreadHead]:
        """Return the latest checkpoint id of each thread, the latest first."""
        ...


class PagesItems(Protocol):
    """A store that can page through the items of one namespace, sorted."""

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
    return [str(each) for each in thread_ids]
