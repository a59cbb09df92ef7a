"""Restricts which cached answers may be used."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MARK: ContextVar[str] = ContextVar("cache_mark", default="")


@contextmanager
def fresh_answers(mark: str) -> Iterator[None]:
    """Use only answers that were cached under the same mark ("" by default).

    A search that looks for new papers must not get the answers of the earlier search.
    """
    token = _MARK.set(mark)
    try:
        yield
    finally:
        _MARK.reset(token)


def current_mark() -> str:
    return _MARK.get()
