"""Tunes Python's garbage collector for code that makes many objects and no garbage."""

import contextlib
import gc
import threading
from collections.abc import Iterator

ALLOCATIONS = 300_000
"""Allocations minus deallocations that start the collector; Python's default is 700."""

_collector_lock = threading.Lock()
_users = 0
_before = 0


@contextlib.contextmanager
def fewer_collections() -> Iterator[None]:
    """Raise the collector's threshold to `ALLOCATIONS` in this process, during a `with` block.

    A step on 2,000 papers makes 100,000 objects, none of which is garbage: by default the collector
    checks all of them a hundred times, which takes half of the step's time. A higher threshold, or
    a collector that is off, stays so. Between runs, a server has its own threshold again.
    """
    global _users, _before  # noqa: PLW0603  # the process has one collector
    with _collector_lock:
        if _users == 0:
            _before = gc.get_threshold()[0]
            if 0 < _before < ALLOCATIONS:
                gc.set_threshold(ALLOCATIONS)
        _users += 1
    try:
        yield
    finally:
        with _collector_lock:
            _users -= 1
            if _users == 0 and gc.get_threshold()[0] == ALLOCATIONS:
                gc.set_threshold(_before)
