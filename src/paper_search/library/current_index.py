"""Locks for writing to a library, and updates and repairs of its full-text index."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from paper_search.errors import InputError, LibraryError, PaperSearchError
from paper_search.library.index import IndexState, TextIndex
from paper_search.library.records import RecordStore
from paper_search.models import RawPaper
from paper_search.private_files import FILE_MODE

if TYPE_CHECKING:
    import tantivy

_Row: TypeAlias = tuple[int, dict[str, Any]]
T = TypeVar("T")
_log = logging.getLogger(__name__)


BATCH = 1_000
"""Papers in one transaction."""
_POLL_S = 0.25
"""Interval at which a waiting process checks the writer's progress."""


class WriterBusyError(LibraryError):
    """Another process holds the write lock."""


class LibraryLocks:
    """The write lock and the import lock: locks of the operating system on two files.

    They end with their process and do not depend on the machine's clock.
    """

    def __init__(self, directory: Path, *, is_read_only: bool) -> None:
        self._directory = directory
        self._is_read_only = is_read_only
        self._file = directory / "writer.lock"

    @contextmanager
    def lock(self, wait_s: float) -> Iterator[None]:
        """Hold the write lock; give up after `wait_s` without progress of its holder."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  # only when something is written

        self._check()
        lock = FileLock(self._file, mode=FILE_MODE)
        deadline, last_mark = time.monotonic() + wait_s, self._mark()
        while True:
            try:
                lock.acquire(timeout=max(0.0, min(_POLL_S, deadline - time.monotonic())))
                break
            except Timeout as error:
                if (mark := self._mark()) != last_mark and wait_s:
                    deadline, last_mark = time.monotonic() + wait_s, mark
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
        """Tell waiting processes that this one is still working."""
        with suppress(OSError):
            os.utime(self._file)

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Tell other processes that this one is importing and will update the index."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  # as above

        self._check()
        lock = FileLock(self._directory / "import.lock", mode=FILE_MODE)
        # If another process is importing, its lock serves as well.
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
        from filelock import FileLock, Timeout  # noqa: PLC0415  # as above

        try:
            with FileLock(self._directory / "import.lock", mode=FILE_MODE, timeout=0):
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
    """Yield the papers in batches, including those before an `InputError`."""
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


@dataclass(eq=False)
class CurrentIndex:
    """Keeps the index of one library up to date; not thread-safe.

    `wait_s`: how long to wait for another process that writes. `path`: for messages.
    """

    path: Path
    records: RecordStore
    index: TextIndex
    locks: LibraryLocks
    wait_s: float

    def ask(self, question: Callable[[], T]) -> T:
        """Search an up-to-date index; a damaged one is rebuilt."""
        self._refresh()
        try:
            return question()
        except PaperSearchError:
            raise
        except BaseException as error:
            # Damage may raise any exception, including Rust's panics (`BaseException`s).
            if not isinstance(error, Exception) and "Panic" not in type(error).__name__:
                raise
            self._repair(error)
            return question()

    def searcher(self) -> tantivy.Searcher:
        """Return a searcher of the last commit, rebuilding an index that cannot be opened."""
        try:
            return self.index.searcher()
        except LibraryError as error:
            self._repair(error)
            return self.index.searcher()

    def lag(self) -> int | None:
        """Return how many writes the index is behind the records; None if it is unusable."""
        state = self.index.state()
        if state is None or state.key != self.records.key:
            return None
        lag = self.records.generation - state.generation
        return lag if lag >= 0 else None

    def catch_up(self) -> None:
        """Index missing records; the caller must hold the write lock."""
        lag = self.lag()
        if lag == 0:
            return
        if lag is None:
            self.index.clear()
        generation = self.records.generation
        since = 0 if lag is None else generation - lag
        state = IndexState(self.records.key, generation)
        self.index.write(self._with_progress(self.records.changed_since(since)), state)

    def _refresh(self) -> None:
        """Update the index, unless an importing process will do so."""
        lag = self.lag()
        if lag == 0:
            return
        if lag is not None and (self.records.is_read_only or self.locks.is_importing()):
            return
        try:
            with self.locks.lock(self.wait_s if lag is None else 0.0):
                self.catch_up()
        except WriterBusyError:
            if lag is None and self.lag() is None:
                raise

    def _repair(self, error: BaseException) -> None:
        if not self.index.is_damaged():
            if isinstance(error, LibraryError):
                raise error
            raise LibraryError(
                f"the library {str(self.path)!r} could not be searched: {error}"
            ) from error
        _log.warning("the index of %s was damaged and is being rebuilt from the records", self.path)
        with self.locks.lock(self.wait_s):
            self.index.clear()
            self.catch_up()

    def _with_progress(self, records: Iterable[_Row]) -> Iterator[_Row]:
        for number, record in enumerate(records):
            if number % BATCH == 0:
                self.locks.show_progress()
            yield record
