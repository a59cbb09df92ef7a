"""What `library add` is given, as files: folders walked, standard input written down."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

STANDARD_INPUT = "-"
_LABEL = "standard input"


@dataclass(frozen=True)
class GivenFile:
    """A file to import, what to call it, and whether it was only found in a folder."""

    path: Path
    label: str
    is_found: bool = False

    def said(self, message: str) -> str:
        """Return a message about the file with its name in it."""
        return message.replace(str(self.path), self.label)


@contextlib.contextmanager
def given_files(paths: list[Path]) -> Iterator[Iterator[GivenFile]]:
    """Give the files of all paths, folders with all that is in them, for a `with` block."""
    with contextlib.ExitStack() as stack:
        yield (file for path in paths for file in _files(path, stack))


def _files(path: Path, stack: contextlib.ExitStack) -> Iterator[GivenFile]:
    if str(path) == STANDARD_INPUT:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="paper-search-"))
        # On disk, as its first lines are looked at before it is read, and it may be large.
        written = Path(directory) / "stdin"
        with written.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield GivenFile(written, _LABEL)
    elif path.is_dir():
        for each in sorted(path.rglob("*")):
            hidden = any(part.startswith(".") for part in each.relative_to(path).parts)
            if each.is_file() and not hidden and each.stat().st_size:
                yield GivenFile(each, str(each), is_found=True)
    else:
        yield GivenFile(path, str(path))
