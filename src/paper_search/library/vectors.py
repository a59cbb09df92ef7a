"""The vectors of a library on disk: one byte per number, memory-mapped, rebuildable."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.errors import LibraryError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
"""Grows with every change of the files; those of another format are made again."""
LEVELS = 127
"""A number is kept as a whole one from -127 to 127, times the scale of its vector."""
_MANIFEST = "vectors.json"
_LONG = 64
_MOST_SUPERSEDED = 0.25
DIGEST_BYTES = 8


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

    `marks` has the fields row, digest (of the embedded text) and scale; `signs` has a bit for
    every number of a vector, set where it is above zero, in words of 64.
    """

    codes: NDArray[np.int8]
    signs: NDArray[np.uint64]
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
            given = json.loads((self._path / _MANIFEST).read_text("utf-8"))
            found = Manifest(**{name: kind(given[name]) for name, kind in _KINDS.items()})
        except (OSError, ValueError, KeyError, TypeError):
            return None
        is_sound = found.format == FORMAT and 0 <= found.superseded <= found.count
        return found if is_sound and (found.dimension > 0 or not found.count) else None

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
        return self._add(grown, (codes, _signs(codes), marks), superseded)

    def note(self, manifest: Manifest) -> None:
        """Make the manifest count, in one step.

        Raises:
            LibraryError: the disk cannot be written.
        """
        with self._named_errors():
            self._path.mkdir(parents=True, exist_ok=True)
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
        kept = latest(files.marks["row"])
        fresh = replace(manifest, count=0, superseded=0, serial=max(self._serials()) + 1)
        for chunk in np.array_split(kept, len(kept) // 10_000 + 1):
            parts = (files.codes[chunk], files.signs[chunk], files.marks[chunk])
            fresh = self._written(fresh, parts, 0)
        self.note(fresh)
        return fresh

    def _add(self, manifest: Manifest, parts: tuple[Any, ...], superseded: int) -> Manifest:
        grown = self._written(manifest, parts, superseded)
        self.note(grown)
        return grown

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
        words = -(-manifest.dimension // _LONG)
        kinds = {"codes": ("i1", manifest.dimension), "signs": ("<u8", words), "marks": (_MARK, 0)}
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


def _signs(codes: NDArray[np.int8]) -> NDArray[np.uint64]:
    import numpy as np  # noqa: PLC0415  # as above

    width = -(-codes.shape[1] // _LONG) * _LONG
    bits = np.zeros((len(codes), width), dtype=bool)
    bits[:, : codes.shape[1]] = codes > 0
    return np.packbits(bits, axis=1).view("<u8")


def _reach_disk(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
