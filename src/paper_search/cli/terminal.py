"""The person at the terminal: asked a line or a key at a time, shown long texts by the window."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paper_search.cli.console import is_interactive, messages, say

if TYPE_CHECKING:
    from rich.console import Console


PAGE_PROMPT = "[m]ore  [b]ack > "
_KEPT = 2
"""Lines of the window for the prompt and what is typed."""


class QuitError(Exception):
    """The person leaves the question open."""


class Terminal:
    """Asks for lines."""

    def ask(self, prompt: str) -> str:
        """Return the line that the person types, without blanks around it.

        Raises:
            QuitError: there are no more lines (Ctrl-D).
        """
        while True:
            try:
                return self._line(prompt).strip()
            except EOFError:
                say("")
                raise QuitError from None
            except UnicodeDecodeError:
                say("that is not UTF-8; please type it again")

    def ask_kept(self, name: str, current: str) -> str:
        """Return the person's value for a field; an empty line keeps the current one."""
        return self.ask(f"{name} [{current}]: ") or current

    def _line(self, prompt: str) -> str:
        if sys.stdout.isatty():
            with contextlib.suppress(ImportError):  # not on Windows
                import readline  # noqa: F401  # gives `input` its line editing
            return input(prompt)
        sys.stderr.write(prompt)
        sys.stderr.flush()
        return input()


_SAME_KEY_S = 0.02
"""Within which the bytes of one key arrive."""


_CTRL_D = ("\x04", "\x00")
"""As it is read, and as Linux keeps it where it was typed before a key was waited for."""


def pressed(prompt: str) -> str:
    """Return the next key in lower case; blanks and Enter do not count.

    Raises:
        QuitError: there is no more input (Ctrl-D).
    """
    with _immediate() as is_immediate:
        sys.stderr.write(prompt)
        sys.stderr.flush()
        while True:
            key = _character() if is_immediate else sys.stdin.readline()
            if not key or key in _CTRL_D:
                say("")
                raise QuitError
            if key := key.strip().lower()[:1]:
                say(key)
                return key


def _character() -> str:
    """Return one key past all buffers: what is typed next belongs to the next question.

    A key that sends several bytes is one key: F3 is no "r" for ending in one.
    """
    descriptor = sys.stdin.fileno()
    key = os.read(descriptor, 1)
    if key == b"\x1b" or key > b"\x7f":
        while select.select([descriptor], [], [], _SAME_KEY_S)[0] and (
            more := os.read(descriptor, 1)
        ):
            key += more
    return key.decode("utf-8", "replace")


@contextlib.contextmanager
def _immediate() -> Iterator[bool]:
    """Take keys as they are pressed; false where a line has to end with Enter."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield False
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        yield True
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


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
        if lines and terminal.ask(PAGE_PROMPT).lower() in {"b", "back"}:
            return
