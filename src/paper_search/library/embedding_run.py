"""One run that creates the missing vectors of a library."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from paper_search.errors import EmbeddingError, LibraryError
from paper_search.library.embedding import Embedder, embedded_text
from paper_search.library.nearness import Nearness
from paper_search.library.records import RecordStore
from paper_search.library.vectors import DIGEST_BYTES, Manifest, VectorFiles

_PAGE = 1_000
Progress = Callable[[int, int | None], None]


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
            data = text.encode("utf-8", "replace")
            digest = hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()
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
