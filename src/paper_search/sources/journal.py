"""Collects what sources do, also of those whose answer is not waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from paper_search.models import SourceReport

Row = Callable[[], SourceReport]
"""Returns what one query to one source came to so far."""

_CURRENT: ContextVar[list[Row] | None] = ContextVar("journal", default=None)


@contextmanager
def journal() -> Iterator[list[Row]]:
    """Yield a list that gets a row for every query that is sent within this context."""
    rows: list[Row] = []
    token = _CURRENT.set(rows)
    try:
        yield rows
    finally:
        _CURRENT.reset(token)


def open_row(row: Row) -> None:
    """Add a row for a query that is about to be sent, if somebody collects them."""
    rows = _CURRENT.get()
    if rows is not None:
        rows.append(row)
