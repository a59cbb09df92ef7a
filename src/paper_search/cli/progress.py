"""A line on stderr that says what is going on, while it does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from paper_search.cli.console import messages, shows_progress

if TYPE_CHECKING:
    from rich.status import Status

_WORDS = {
    "intent_parsing": "understanding the question",
    "query_building": "writing the search strategy",
    "searching": "asking the sources",
    "deduplicating": "merging duplicates",
    "scoring": "judging relevance",
    "organizing": "organising the result",
    "iterating": "going round once more",
    "planner": "planning the report",
    "searcher": "collecting sources",
    "analyst": "reading the sources",
    "writer": "writing",
    "reviewer": "checking the draft",
}


class ProgressLine:
    """Shows the phase of a search, if somebody watches stderr; a progress reporter."""

    def __init__(self) -> None:
        self._status: Status | None = None

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Show the line for the length of a `with` block."""
        if not shows_progress():
            yield
            return
        with messages().status("starting") as status:
            self._status = status
            try:
                yield
            finally:
                self._status = None

    def __call__(self, phase: str, _details: dict[str, Any]) -> None:
        """Take a phase of the search."""
        if self._status is not None and phase in _WORDS:
            self._status.update(_WORDS[phase])
