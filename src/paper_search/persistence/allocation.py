"""The garbage collector while a thread is driven: it looks for garbage less often."""

import contextlib
import gc
import threading
from collections.abc import Iterator

ALLOCATIONS = 150_000
"""Objects made, less those freed, before the collector starts; Python's own default is 700."""

_lock = threading.Lock()
_users = 0
_before = 0


@contextlib.contextmanager
def fewer_collections() -> Iterator[None]:
    """Let the collector start after `ALLOCATIONS` for the length of a `with` block, of the process.

    A step on 2,000 papers makes 100,000 objects, none of which is garbage: by default the collector
    looks at all of them a hundred times, which is half of what the step costs. A program that has
    set a higher threshold, or switched the collector off, keeps that. A server, which lives long,
    has its own threshold again between runs.
    """
    global _users, _before  # noqa: PLW0603  # the collector is one for the process
    with _lock:
        if _users == 0:
            _before = gc.get_threshold()[0]
            if 0 < _before < ALLOCATIONS:
                gc.set_threshold(ALLOCATIONS)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and gc.get_threshold()[0] == ALLOCATIONS:
                gc.set_threshold(_before)
