"""The person at the terminal: asked a line at a time, on stderr."""

from __future__ import annotations

import contextlib
import sys

from paper_search.cli.console import say


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
