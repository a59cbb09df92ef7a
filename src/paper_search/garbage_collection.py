"""Python's garbage collector, where much is made and nothing of it is garbage."""

import contextlib
import gc
import threading
from collections.abc import Iterator

ALLOCATIONS = 300_000
"""Objects made, less those freed, before the collector starts; Python's own default is 700."""

_collector_lock = threading.Lock()
_drivers = 0
_before = 0


@contextlib.contextmanager
def fewer_collections() -> Iterator[None]:
    """Let the collector start after `ALLOCATIONS` for the length of a `with` block, of the process.

    A step on 2,000 papers makes 100,000 objects, none of which is garbage: by default the collector
    looks at all of them a hundred times, which is half of what the step costs. A program that has
    set a higher threshold, or switched the collector off, keeps that. A server, which lives long,
    has its own threshold again between runs.
    """
    global _drivers, _before  # noqa: PLW0603  # the collector is one for the process
    with _collector_lock:
        if _drivers == 0:
            _before = gc.get_threshold()[0]
            if 0 < _before < ALLOCATIONS:
                gc.set_threshold(ALLOCATIONS)
        _drivers += 1
    try:
        yield
    finally:
        with _collector_lock:
            _drivers -= 1
            if _drivers == 0 and gc.get_threshold()[0] == ALLOCATIONS:
                gc.set_threshold(_before)
