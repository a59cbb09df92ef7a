"""Progress on stderr: the phase of a workflow, and the records of an import."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from paper_search.cli.console import messages, shows_progress, text

if TYPE_CHECKING:
    from rich.status import Status

_WORDS = {
    "intent_parsing": "understanding the question",
    "query_building": "writing the search strategy",
    "searching": "searching the sources",
    "deduplicating": "merging duplicates",
    "scoring": "judging relevance",
    "organizing": "organising the result",
    "iterating": "starting another round",
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


@contextlib.contextmanager
def import_progress(
    label: str, *, verb: str = "importing"
) -> Iterator[Callable[[int, int | None], None] | None]:
    """Show a bar on stderr for the length of a `with` block, if somebody watches; give its hook."""
    if not shows_progress():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=messages(), transient=True) as progress:
        progress.console.print(text(f"{verb} {label}"))
        task = progress.add_task("", total=None)

        def on_progress(done: int, total: int | None) -> None:
            progress.update(task, completed=done, total=total)

        yield on_progress
