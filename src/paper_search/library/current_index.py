"""Keeps a library's full-text index up to date, and rebuilds it after damage."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from paper_search.errors import LibraryError, PaperSearchError
from paper_search.library.index import IndexState, TextIndex
from paper_search.library.records import RecordStore
from paper_search.library.writing import BATCH, WriterBusyError, WritingRights

if TYPE_CHECKING:
    import tantivy

_Row: TypeAlias = tuple[int, dict[str, Any]]
T = TypeVar("T")
_log = logging.getLogger(__name__)


class CurrentIndex:
    """The index of one library, as current as it can be; its user sees to threads.

    Args:
        path: the directory of the library, for messages.
        records: the truth.
        index: what is made from it.
        rights: who may write.
        wait_s: seconds to wait for another process that writes.
    """

    def __init__(
        self,
        path: Path,
        records: RecordStore,
        index: TextIndex,
        rights: WritingRights,
        wait_s: float,
    ) -> None:
        self._path = path
        self._records = records
        self._index = index
        self._rights = rights
        self._wait_s = wait_s

    def ask(self, question: Callable[[], T]) -> T:
        """Search an up-to-date index; a damaged one is rebuilt first.

        Raises:
            LibraryError: the index cannot be read, and is not damaged.
        """
        self._refresh()
        try:
            return question()
        except PaperSearchError:
            raise
        except BaseException as error:
            # Whatever tantivy makes of damage, Rust's panics (no `Exception`s) included.
            if not isinstance(error, Exception) and "Panic" not in type(error).__name__:
                raise
            self._repair(error)
            return question()

    def searcher(self) -> tantivy.Searcher:
        """Return a view of the last commit, of a rebuilt index if it cannot be opened.

        Raises:
            LibraryError: the index cannot be read, and is not damaged.
        """
        try:
            return self._index.searcher()
        except LibraryError as error:
            self._repair(error)
            return self._index.searcher()

    def lag(self) -> int | None:
        """Return how many writes the index is behind the records; None: it is of no use."""
        state = self._index.state()
        if state is None or state.key != self._records.key:
            return None
        lag = self._records.generation - state.generation
        return lag if lag >= 0 else None

    def catch_up(self) -> None:
        """Write what the index lacks; the caller holds the write lock.

        Raises:
            LibraryError: the index cannot be written.
        """
        lag = self.lag()
        if lag == 0:
            return
        if lag is None:
            self._index.clear()
        generation = self._records.generation
        since = 0 if lag is None else generation - lag
        state = IndexState(self._records.key, generation)
        self._index.write(self._with_progress(self._records.changed_since(since)), state)

    def _refresh(self) -> None:
        """Bring the index up to date, unless another process is about to do that anyway."""
        lag = self.lag()
        if lag == 0:
            return
        if lag is not None and (self._records.is_read_only or self._rights.is_importing()):
            return
        try:
            with self._rights.held(self._wait_s if lag is None else 0.0):
                self.catch_up()
        except WriterBusyError:
            if lag is None and self.lag() is None:
                raise

    def _repair(self, error: BaseException) -> None:
        """Make a damaged index again; the records are not concerned."""
        if not self._index.is_damaged():
            if isinstance(error, LibraryError):
                raise error
            raise LibraryError(
                f"the library {str(self._path)!r} could not be searched: {error}"
            ) from error
        _log.warning(
            "the index of %s was damaged and is being rebuilt from the records", self._path
        )
        with self._rights.held(self._wait_s):
            self._index.clear()
            self.catch_up()

    def _with_progress(self, records: Iterable[_Row]) -> Iterator[_Row]:
        for number, record in enumerate(records):
            if number % BATCH == 0:
                self._rights.show_progress()
            yield record
