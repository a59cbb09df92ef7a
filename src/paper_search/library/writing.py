"""The right to write to a library, one process at a time, and the batches that are written."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from paper_search.errors import InputError, LibraryError
from paper_search.models import RawPaper

BATCH = 1_000
"""Papers in one transaction."""
_LOOK_S = 0.25
"""How often a process that waits looks whether the one that writes is getting on."""


class WriterBusyError(LibraryError):
    """Another process holds the right to write."""


class WritingRights:
    """The right to write, and the sign that somebody imports, both gone with their process.

    Locks of the operating system on two files in the directory of the library. Nothing depends on
    the clock of the machine.
    """

    def __init__(self, directory: Path, *, is_read_only: bool) -> None:
        self._directory = directory
        self._is_read_only = is_read_only
        self._file = directory / "writer.lock"

    @contextmanager
    def held(self, wait_s: float) -> Iterator[None]:
        """Hold the right to write.

        Args:
            wait_s: seconds to wait while the process that holds it shows no progress.

        Raises:
            LibraryError: it shows none for so long, or nothing can be written.
        """
        from filelock import FileLock, Timeout  # noqa: PLC0415  # only when something is written

        self._check()
        lock = FileLock(self._file)
        deadline, seen = time.monotonic() + wait_s, self._mark()
        while True:
            try:
                lock.acquire(timeout=max(0.0, min(_LOOK_S, deadline - time.monotonic())))
                break
            except Timeout as error:
                if (mark := self._mark()) != seen and wait_s:
                    deadline, seen = time.monotonic() + wait_s, mark
                if time.monotonic() >= deadline:
                    raise WriterBusyError(
                        f"another process is writing to the library {str(self._directory)!r}: "
                        "wait until it has finished and try again"
                    ) from error
            except OSError as error:
                raise self._failure(error) from error
        try:
            self.show_progress()
            yield
        finally:
            lock.release()

    def show_progress(self) -> None:
        """Show waiting processes that this one is still working."""
        with suppress(OSError):
            os.utime(self._file)

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Show as long as the block runs that somebody imports who will see to the index."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  # as above

        self._check()
        lock = FileLock(self._directory / "import.lock")
        # Another process may import: its sign serves as well.
        try:
            with suppress(Timeout):
                lock.acquire(timeout=0)
        except OSError as error:
            raise self._failure(error) from error
        try:
            yield
        finally:
            lock.release()

    def is_importing(self) -> bool:
        """Return whether somebody imports at this moment."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  # as above

        try:
            with FileLock(self._directory / "import.lock", timeout=0):
                return False
        except Timeout:
            return True
        except OSError as error:
            raise self._failure(error) from error

    def _mark(self) -> int | None:
        try:
            return self._file.stat().st_mtime_ns
        except OSError:
            return None

    def _check(self) -> None:
        if not self._directory.exists():
            raise LibraryError(
                f"the library {str(self._directory)!r} was moved or deleted while open"
            )
        if self._is_read_only:
            raise LibraryError(
                f"the library {str(self._directory)!r} cannot be written: "
                "the directory is read-only"
            )

    def _failure(self, error: OSError) -> LibraryError:
        return LibraryError(
            f"the library {str(self._directory)!r} cannot be written: {error.strerror or error}"
        )


def batches(papers: Iterable[RawPaper]) -> Iterator[list[RawPaper]]:
    """Yield the papers in batches; when they break off with an error, first those before it."""
    batch: list[RawPaper] = []
    try:
        for paper in papers:
            batch.append(paper)
            if len(batch) == BATCH:
                full, batch = batch, []
                yield full
    except InputError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
