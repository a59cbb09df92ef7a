"""The progress bar of an import, and of what is made of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from paper_search.cli.console import messages, shows_progress, text


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
