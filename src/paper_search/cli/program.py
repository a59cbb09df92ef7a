"""How this program is called: for commands that a person can copy."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def program_name() -> str:
    """Return what to type to start this program the way that it was started."""
    if Path(sys.argv[0]).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m paper_search"
    return "paper-search"


def command_line(*words: str, home: Path | None = None) -> str:
    """Return a command line, quoted for a POSIX shell, with the home if it was given."""
    chosen = ["--home", str(home)] if home is not None else []
    return f"{program_name()} {shlex.join([*words, *chosen])}"
