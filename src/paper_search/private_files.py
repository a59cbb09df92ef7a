"""Files that nobody but the person who runs the program can read, as all in the home are."""

import contextlib
import os
from pathlib import Path

FILE_MODE = 0o600


def private_directory(path: Path) -> Path:
    """Make a directory, with those above it, where it is missing."""
    if not path.is_dir():
        private_directory(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def private_file(path: Path) -> Path:
    """Make an empty file where it is missing; what SQLite puts beside it is as private.

    One that is there is not opened: closing it would take back the locks that SQLite has on it.
    """
    private_directory(path.parent)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
    return path


def make_private(directory: Path) -> None:
    """Close to others the files in it that a library wrote which takes no mode."""
    for path in directory.iterdir():
        with contextlib.suppress(OSError):  # a file of another account, a disk without modes
            path.chmod(FILE_MODE)
