"""The packaged sample as a library, imported into the home directory on first use."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from paper_search.errors import LibraryError
from paper_search.library.corpus import Library
from paper_search.library.embedded import DIGEST_BYTES, digest_of
from paper_search.llm.embeddings import MINILM, Embedder, as_embedder
from paper_search.private_files import FILE_MODE, private_directory
from paper_search.resources import PackageFiles

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

DIRECTORY = "sample"
_WAIT_S = 60.0


def shipped_sample() -> Traversable:
    return PackageFiles("paper_search.library.sample").entry("records.jsonl.gz")


VECTOR = [("digest", f"V{DIGEST_BYTES}"), ("scale", "<f4"), ("codes", "i1", (384,))]
"""An entry of the packaged vector file; benchmarks/sample_vectors.py writes it."""


class SampleVectors:
    """The packaged `minilm` vectors of the sample, as LangChain `Embeddings`."""

    def __init__(self) -> None:
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        data = PackageFiles("paper_search.library.sample").entry("vectors.bin").read_bytes()
        entries = np.frombuffer(data, dtype=VECTOR)
        self._vectors = entries["codes"].astype(np.float32) * entries["scale"][:, None]
        self._place = {digest.tobytes(): n for n, digest in enumerate(entries["digest"])}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of the sample's texts; zeros for other texts."""
        blank = [0.0] * self._vectors.shape[1]
        places = [self._place.get(digest_of(text)) for text in texts]
        return [blank if at is None else self._vectors[at].tolist() for at in places]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def open_sample(
    home: Path,
    embedder: Embedder | Embeddings | None = None,
    *,
    shipped: Traversable | None = None,
) -> Library:
    """Open the sample's library, importing it first if necessary.

    The library's directory is named by the file's digest and created atomically, so that several
    processes can do this at once.

    Raises:
        LibraryError: the home cannot be written, or another process imports for too long.
    """
    file = shipped or shipped_sample()
    data = file.read_bytes()
    name = hashlib.blake2b(data, digest_size=6).hexdigest()
    parent = home / DIRECTORY
    if not Library.exists(parent / name):
        try:
            _import(file, private_directory(parent), name)
        except OSError as error:
            raise LibraryError(
                f"the sample cannot be unpacked into {str(parent)!r}: "
                f"{error.strerror or error}; give a writable directory with --home"
            ) from error
    library = Library.open(parent / name, wait_s=_WAIT_S, embedder=embedder)
    is_minilm = embedder is not None and as_embedder(embedder).model == MINILM
    if is_minilm and not library.has_all_vectors:
        vectors = Embedder(cast("Embeddings", SampleVectors()), model=MINILM)
        with Library.open(parent / name, wait_s=_WAIT_S, embedder=vectors) as sample:
            sample.embed()
    return library


def _import(file: Traversable, parent: Path, name: str) -> None:
    from filelock import FileLock, Timeout  # noqa: PLC0415  # only on first use

    try:
        with FileLock(parent / "import.lock", mode=FILE_MODE, timeout=_WAIT_S):
            if Library.exists(parent / name):
                return
            draft = Path(tempfile.mkdtemp(prefix="draft-", dir=parent))
            try:
                with as_file(file) as path, Library.open(draft) as library:
                    library.import_file(path, format_name="json-lines")
                os.rename(draft, parent / name)  # noqa: PTH104  # must fail if the target exists
            finally:
                shutil.rmtree(draft, ignore_errors=True)
            for place in parent.iterdir():  # earlier versions, drafts of dead processes
                if place.is_dir() and place.name != name:
                    shutil.rmtree(place, ignore_errors=True)
    except Timeout as error:
        raise LibraryError(
            f"another process has been unpacking the sample into {str(parent)!r} for "
            f"{_WAIT_S:g} s: wait until it has finished and try again"
        ) from error
