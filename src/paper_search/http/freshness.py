"""Which stored answers may be used: by default any that is still good."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MARK: ContextVar[str] = ContextVar("mark_of_stored_answers", default="")


@contextmanager
def fresh_answers(mark: str) -> Iterator[None]:
    """Use only answers that were stored under the same mark; "": those stored under none.

    A search that is repeated for what is new must not be told what it was told before.
    """
    token = _MARK.set(mark)
    try:
        yield
    finally:
        _MARK.reset(token)


def current_mark() -> str:
    return _MARK.get()
