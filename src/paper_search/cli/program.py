"""How this program is called: for commands that a person can copy."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

NAME = "paper-search"
"""What the program is called where it is installed."""


def program_name() -> str:
    """Return what to type to start this program the way that it was started."""
    if Path(sys.argv[0]).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m paper_search"
    is_path = Path(sys.argv[0]).stem == NAME and Path(sys.argv[0]).parent != Path()
    if is_path and not _is_on_path(sys.argv[0]):
        return shlex.quote(sys.argv[0])
    return NAME


def _is_on_path(program: str) -> bool:
    """Whether a shell starts this program when its name alone is typed."""
    found = shutil.which(NAME)
    return found is not None and Path(found).absolute() == Path(program).absolute()


def command_line(*words: str, home: Path | None = None) -> str:
    """Return a command line, quoted for a POSIX shell, with the home if it was given."""
    chosen = ["--home", str(home)] if home is not None else []
    return f"{program_name()} {shlex.join([*words, *chosen])}"
