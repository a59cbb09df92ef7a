"""Files that only the user of the program can read, as all files in the home."""

import contextlib
import os
from pathlib import Path

FILE_MODE = 0o600


def private_directory(path: Path) -> Path:
    """Create a missing directory and its parents."""
    if not path.is_dir():
        private_directory(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def private_file(path: Path) -> Path:
    """Create a missing file, empty; files that SQLite creates beside it are as private.

    An existing file is not opened, because closing it would release SQLite's locks on it.
    """
    private_directory(path.parent)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, FILE_MODE))
    return path


def make_private(directory: Path) -> None:
    """Make the files in a directory private that a library wrote without a mode."""
    for path in directory.iterdir():
        with contextlib.suppress(OSError):  # another user's file, or a disk without modes
            path.chmod(FILE_MODE)
