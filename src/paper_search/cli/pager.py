"""What is longer than the window, a windowful at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paper_search.cli.console import is_interactive, messages
from paper_search.cli.terminal import Terminal

if TYPE_CHECKING:
    from rich.console import Console

PROMPT = "[m]ore  [b]ack > "
_KEPT = 2
"""Lines of the window for the prompt and what is typed."""


@contextlib.contextmanager
def paged(terminal: Terminal) -> Iterator[Console]:
    """Print what is written to the console at the end of the block, and wait where it is full.

    Raises:
        QuitError: the person leaves (Ctrl-D).
    """
    console = messages()
    with console.capture() as written:
        yield console
    lines = written.get().splitlines(keepends=True)
    size = max(1, console.size.height - _KEPT) if is_interactive() else len(lines)
    while lines:
        console.file.write("".join(lines[:size]))
        console.file.flush()
        lines = lines[size:]
        if lines and terminal.ask(PROMPT).lower() in {"b", "back"}:
            return
