"""Whether there is a network: when anything of it was last connected to, by all of this process."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

Trace = Callable[[str, Any], Awaitable[None]]
"""Takes the steps of a connection, as httpcore names them."""

LATELY_S = 10.0
"""For how long a connection proves that there is a network, and a failure speaks against it."""

HOSTS_THAT_TELL = 3
"""So many hosts that cannot be reached, and none that can: the network is gone, not the hosts."""


class Reachability:
    """Remembers which hosts could be connected to, and which could not.

    Args:
        clock: seconds that never run backwards.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_contact = -math.inf
        self._failures: dict[str, float] = {}

    def note_contact(self) -> None:
        """Note that a host has been connected to just now."""
        self._last_contact = self._clock()

    def note_failure(self, host: str) -> None:
        """Note that a host cannot be connected to."""
        recent = {name: at for name, at in self._failures.items() if self._is_recent(at)}
        self._failures = {**recent, host: self._clock()}

    @property
    def is_proven(self) -> bool:
        """Whether any host was connected to lately, so that a failure is that host's own."""
        return self._is_recent(self._last_contact)

    @property
    def is_refuted(self) -> bool:
        """Whether several hosts could not be connected to lately."""
        return sum(map(self._is_recent, self._failures.values())) >= HOSTS_THAT_TELL

    def _is_recent(self, moment: float) -> bool:
        return self._clock() - moment < LATELY_S


class Contact:
    """One attempt to connect; given up early while nothing else can be connected to either.

    Args:
        reachability: what other attempts have seen.
        patience_s: how long a connection may take as long as there is no other.
        give_up: ends the attempt.
    """

    def __init__(
        self, reachability: Reachability, patience_s: float, give_up: Callable[[], None]
    ) -> None:
        self.is_given_up = False
        self._is_made = False
        self._reachability = reachability
        self._give_up = give_up
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(patience_s, self._end)

    def make(self) -> None:
        """Note that the host has been connected to."""
        self._is_made = True
        self._timer.cancel()
        self._reachability.note_contact()

    def cancel(self) -> None:
        """Stop watching."""
        self._timer.cancel()

    async def trace(self, step: str, _details: Any) -> None:
        """Take a step of the connection; the first that is complete is that of being connected."""
        if step.endswith(".complete") and not self._is_made:
            self.make()

    def _end(self) -> None:
        if not self._reachability.is_proven:
            self.is_given_up = True
            self._give_up()


@cache
def process_reachability() -> Reachability:
    """Return what all clients of this process have seen."""
    return Reachability()
