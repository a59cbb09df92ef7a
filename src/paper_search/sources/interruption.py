"""Ending a source early without losing what it has read."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Interruption:
    """Set by who asks a source, before cancelling it: what it has read by then is wanted.

    Attributes:
        reason: why the source is not waited for any longer; empty: it is.
    """

    reason: str = ""

    def end(self, asking: asyncio.Future[Any], reason: str) -> None:
        """Cancel a source that is asked, and have it answer with what it has."""
        self.reason = reason
        asking.cancel()


_CURRENT: ContextVar[Interruption | None] = ContextVar("interruption", default=None)


def interruptible() -> Interruption:
    """Return what can end the sources that are asked from now on in this context."""
    interruption = Interruption()
    _CURRENT.set(interruption)
    return interruption


def reason_to_end() -> str:
    """Return why a source that was just cancelled is to answer with what it has; empty: it is not.

    The cancellation is taken back, so that the source can go on to its end.
    """
    interruption, task = _CURRENT.get(), asyncio.current_task()
    if interruption is None or not interruption.reason or task is None:
        return ""
    task.uncancel()
    return interruption.reason
