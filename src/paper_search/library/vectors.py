"""The vectors of a library: a matrix on disk of one byte per number, and one exact search."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.errors import LibraryError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 2
"""Grows with every change of the files; those of another format are made again."""
LEVELS = 127
"""A number is kept as a whole one from -127 to 127, times the scale of its vector."""
_MANIFEST = "vectors.json"
_MOST_SUPERSEDED = 0.25
DIGEST_BYTES = 8
_BLOCK = 1_024
"""Vectors that are turned into floats at once: what the processor's cache holds."""


def digest_of(text: str) -> bytes:
    """Return what tells whether a vector was made of this text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).digest()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the files hold; what is not counted here is not there, so a crash leaves no trace."""

    key: str
    """Of the library whose rows these are."""
    model: str
    dimension: int
    """0: not known yet, there is no vector."""
    count: int = 0
    superseded: int = 0
    """Of these, how many were replaced by a later one."""
    generation: int = 0
    """The last write of the library up to which every record has its vector."""
    serial: int = 0
    """Part of the names of the files; another one with every set of files that starts anew."""
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a manifest, mapped into memory; entries in the order of writing.

    `marks` has the fields row, digest (of the embedded text) and scale.
    """

    codes: NDArray[np.int8]
    marks: NDArray[Any]


class VectorFiles:
    """The vectors of one library, in a directory of their own; one writer, any readers.

    Entries are only ever added. The manifest is replaced after the data has reached the disk,
    so a process that is killed, or a full disk, leaves what was there before.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        """The directory."""
        return self._path

    def manifest(self) -> Manifest | None:
        """Return what there is; None: nothing, or nothing that can be trusted."""
        try:
            document = json.loads((self._path / _MANIFEST).read_text("utf-8"))
            manifest = Manifest(**{name: kind(document[name]) for name, kind in _KINDS.items()})
        except (OSError, ValueError, KeyError, TypeError):
            return None
        is_sound = manifest.format == FORMAT and 0 <= manifest.superseded <= manifest.count
        return manifest if is_sound and (manifest.dimension > 0 or not manifest.count) else None

    def size_bytes(self) -> int:
        """Return how much the vectors take on disk."""
        return sum(file.stat().st_size for file in self._path.glob("*") if file.is_file())

    def opened(self, manifest: Manifest) -> Files:
        """Return the files that the manifest names.

        Raises:
            LibraryError: they are missing or shorter than it says, or their scales are no numbers.
        """
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        made = []
        try:
            for path, (kind, width) in self._layout(manifest).items():
                shape = (manifest.count, width) if width else (manifest.count,)
                made.append(
                    np.asarray(np.memmap(path, dtype=kind, mode="r", shape=shape))
                    if manifest.count
                    else np.empty(shape, dtype=kind)
                )
        except (OSError, ValueError) as error:
            raise self._damaged() from error
        files = Files(*made)
        scales = files.marks["scale"]
        if not (np.isfinite(scales).all() and (scales > 0).all()):
            raise self._damaged()
        return files

    def begin(self, key: str, model: str) -> Manifest:
        """Start anew, for another model or after damage; return the empty manifest."""
        old = self.manifest()
        serial = max(self._serials(), default=old.serial if old else 0) + 1
        made = Manifest(key=key, model=model, dimension=0, serial=serial)
        self.note(made)
        return made

    def append(
        self,
        manifest: Manifest,
        rows: list[int],
        digests: list[bytes],
        vectors: NDArray[np.float32],
        superseded: int,
    ) -> Manifest:
        """Add vectors of length 1, or 0, to the files; return the manifest that counts them.

        Raises:
            LibraryError: the disk cannot be written; what was there before still counts.
        """
        import numpy as np  # noqa: PLC0415  # as above

        scales = np.abs(vectors).max(axis=1) / LEVELS
        scales[scales == 0] = 1.0
        codes = np.rint(vectors / scales[:, None]).astype(np.int8)
        grown = replace(manifest, dimension=vectors.shape[1])
        marks = np.empty(len(rows), dtype=_MARK)
        marks["row"], marks["scale"] = rows, scales
        marks["digest"] = np.frombuffer(b"".join(digests), dtype=f"V{DIGEST_BYTES}")
        grown = self._written(grown, (codes, marks), superseded)
        self.note(grown)
        return grown

    def note(self, manifest: Manifest) -> None:
        """Make the manifest count, in one step.

        Raises:
            LibraryError: the disk cannot be written.
        """
        with self._named_errors():
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = self._path / f"{_MANIFEST}.new"
            with draft.open("w", encoding="utf-8") as file:
                json.dump(asdict(manifest), file)
                _reach_disk(file)
            draft.replace(self._path / _MANIFEST)
        self._remove_others(manifest.serial)

    def compacted(self, manifest: Manifest) -> Manifest:
        """Return the manifest after leaving out replaced entries, if they are many."""
        import numpy as np  # noqa: PLC0415  # as above

        if manifest.superseded <= _MOST_SUPERSEDED * manifest.count:
            return manifest
        files = self.opened(manifest)
        places = latest(files.marks["row"])
        fresh = replace(manifest, count=0, superseded=0, serial=max(self._serials()) + 1)
        for chunk in np.array_split(places, len(places) // 10_000 + 1):
            parts = (files.codes[chunk], files.marks[chunk])
            fresh = self._written(fresh, parts, 0)
        self.note(fresh)
        return fresh

    def _written(self, manifest: Manifest, parts: tuple[Any, ...], superseded: int) -> Manifest:
        with self._named_errors():
            for part, path in zip(parts, self._layout(manifest), strict=True):
                with path.open("r+b" if path.exists() else "w+b") as file:
                    # What a killed process wrote after the last entry that counts is cut off.
                    file.truncate(manifest.count * part.itemsize * (part[0].size or 1))
                    file.seek(0, os.SEEK_END)
                    part.tofile(file)
                    _reach_disk(file)
        return replace(
            manifest,
            count=manifest.count + len(parts[0]),
            superseded=manifest.superseded + superseded,
        )

    def _layout(self, manifest: Manifest) -> dict[Path, tuple[Any, int]]:
        """Return the files with the kind and the width of an entry of theirs."""
        kinds = {"codes": ("i1", manifest.dimension), "marks": (_MARK, 0)}
        return {
            self._path / f"{name}-{manifest.serial}.bin": content for name, content in kinds.items()
        }

    def _serials(self) -> list[int]:
        names = [file.stem.partition("-")[2] for file in self._path.glob("*-*.bin")]
        return [int(name) for name in names if name.isdigit()]

    def _remove_others(self, serial: int) -> None:
        for file in self._path.glob("*-*.bin"):
            if file.stem.partition("-")[2] != str(serial):
                # Some systems keep a file that a reader has open: it goes the next time.
                with suppress(OSError):
                    file.unlink()

    def _damaged(self) -> LibraryError:
        return LibraryError(
            f"the vectors in {str(self._path)!r} are damaged: `paper-search library embed` "
            "rebuilds them"
        )

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LibraryError(
                f"the vectors in {str(self._path)!r} cannot be written: {error.strerror or error}"
            ) from error


_KINDS = {
    "key": str,
    "model": str,
    "dimension": int,
    "count": int,
    "superseded": int,
    "generation": int,
    "serial": int,
    "format": int,
}
_MARK = [("row", "<i8"), ("digest", f"V{DIGEST_BYTES}"), ("scale", "<f4")]


def latest(rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the positions of the last entry of every row, in the order of writing."""
    import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

    _, places = np.unique(rows[::-1], return_index=True)
    return np.sort(len(rows) - 1 - places)


def _reach_disk(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


class Nearness:
    """One state of a library's vectors, to be compared with questions."""

    def __init__(self, manifest: Manifest, files: Files) -> None:
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        self.manifest = manifest
        self._codes = files.codes
        self._scales = np.ascontiguousarray(files.marks["scale"])
        rows = np.ascontiguousarray(files.marks["row"])
        self._living = latest(rows) if manifest.superseded else None
        self._rows: NDArray[np.int64] = rows
        places = np.arange(len(rows)) if self._living is None else self._living
        is_sorted = bool((np.diff(rows[places]) > 0).all())
        self._places = places if is_sorted else places[np.argsort(rows[places])]
        self._sorted = rows[self._places]
        self._digests = files.marks["digest"]

    @classmethod
    def opened(cls, files: VectorFiles, manifest: Manifest) -> Nearness:
        """Return the vectors that the manifest counts.

        Raises:
            LibraryError: the files are damaged.
        """
        return cls(manifest, files.opened(manifest))

    def __len__(self) -> int:
        return len(self._sorted)

    def nearest(
        self, question: NDArray[np.float32], limit: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Return the nearest rows with their cosines, best first, equal ones by row.

        Args:
            question: a vector of length 1.
            limit: how many at most.
            among: the only rows that count; None: all do.
        """
        import numpy as np  # noqa: PLC0415  # as above

        places = self._living if among is None else self._places_of(among)[1]
        cosines = self._cosines(question, places)
        if len(cosines) > limit:
            chosen = np.argpartition(-cosines, limit - 1)[:limit] if limit else np.empty(0, int)
        else:
            chosen = np.arange(len(cosines))
        rows = self._rows[chosen if places is None else places[chosen]]
        order = np.lexsort((rows, -cosines[chosen]))
        return dict(zip(rows[order].tolist(), cosines[chosen][order].tolist(), strict=True))

    def cosines(self, question: NDArray[np.float32], rows: Collection[int]) -> dict[int, float]:
        """Return the cosines of those of the rows that have a vector."""
        known, places = self._places_of(list(rows))
        values = self._cosines(question, places)
        return dict(zip(known.tolist(), values.tolist(), strict=True))

    def digests(self, rows: Sequence[int]) -> dict[int, bytes]:
        """Return the digests of the texts that the vectors of the rows were made of."""
        known, places = self._places_of(rows)
        made = (digest.tobytes() for digest in self._digests[places])
        return dict(zip(known.tolist(), made, strict=True))

    def vectors(self, rows: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of those of the rows that have one, each once, in order of rows."""
        import numpy as np  # noqa: PLC0415  # as above

        _, places = self._places_of(rows)
        made: NDArray[np.float32] = self._codes[places].astype(np.float32)
        made *= self._scales[places][:, None]
        return made

    def _places_of(self, rows: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """Return those of the rows that have a vector, and where it is."""
        import numpy as np  # noqa: PLC0415  # as above

        known = np.unique(np.asarray(rows, dtype=np.int64))
        at = np.searchsorted(self._sorted, known)
        at[at == len(self._sorted)] = 0
        is_there = (
            self._sorted[at] == known if len(self._sorted) else np.zeros(len(known), dtype=bool)
        )
        return known[is_there], self._places[at[is_there]]

    def _cosines(
        self, question: NDArray[np.float32], places: NDArray[np.intp] | None
    ) -> NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415  # as above

        count = len(self._rows) if places is None else len(places)
        made = np.empty(count, dtype=np.float32)
        room = np.empty((_BLOCK, self._codes.shape[1]), dtype=np.float32)
        for start in range(0, count, _BLOCK):
            stop = min(start + _BLOCK, count)
            part = room[: stop - start]
            part[...] = (
                self._codes[start:stop] if places is None else self._codes[places[start:stop]]
            )
            np.matmul(part, question, out=made[start:stop])
        made *= self._scales if places is None else self._scales[places]
        return made
