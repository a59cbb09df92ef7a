"""Finds the records whose vectors are nearest to a question's."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from paper_search.library.vectors import Files, Manifest, VectorFiles, latest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 1_024
"""Vectors that are turned into floats at once: what the processor's cache holds."""
SIEVED_ABOVE = 50_000
"""Of more vectors, only those are compared whose signs agree best with those of the question."""
_PASSED = 8_000
_PASSED_SHARE = 0.02
_SIGN_BLOCK = 16_384


class Nearness:
    """One state of a library's vectors, to be compared with questions."""

    def __init__(self, manifest: Manifest, files: Files) -> None:
        import numpy as np  # noqa: PLC0415  # heavy: only where vectors are used

        self.manifest = manifest
        self._codes, self._signs = files.codes, files.signs
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
        """Return the nearest rows with their cosine, best first, equal ones by row.

        Args:
            question: a vector of length 1.
            limit: how many at most.
            among: the only rows that count; None: all do.
        """
        import numpy as np  # noqa: PLC0415  # as above

        places = self._candidates(question, limit, among)
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
        found, places = self._found(list(rows))
        values = self._cosines(question, places)
        return dict(zip(found.tolist(), values.tolist(), strict=True))

    def digests(self, rows: Sequence[int]) -> dict[int, bytes]:
        """Return the digests of the texts that the vectors of the rows were made of."""
        found, places = self._found(rows)
        made = (digest.tobytes() for digest in self._digests[places])
        return dict(zip(found.tolist(), made, strict=True))

    def vectors(self, rows: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of those of the rows that have one, each once, in order of rows."""
        import numpy as np  # noqa: PLC0415  # as above

        _, places = self._found(rows)
        made: NDArray[np.float32] = self._codes[places].astype(np.float32)
        made *= self._scales[places][:, None]
        return made

    def _candidates(
        self, question: NDArray[np.float32], limit: int, among: Sequence[int] | None
    ) -> NDArray[np.intp] | None:
        places = self._living if among is None else self._found(among)[1]
        count = len(self._rows) if places is None else len(places)
        return self._sieved(question, places, limit) if count > SIEVED_ABOVE else places

    def _found(self, rows: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """Return those of the rows that have a vector, and where it is."""
        import numpy as np  # noqa: PLC0415  # as above

        wanted = np.unique(np.asarray(rows, dtype=np.int64))
        at = np.searchsorted(self._sorted, wanted)
        at[at == len(self._sorted)] = 0
        is_there = (
            self._sorted[at] == wanted if len(self._sorted) else np.zeros(len(wanted), dtype=bool)
        )
        return wanted[is_there], self._places[at[is_there]]

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

    def _sieved(
        self, question: NDArray[np.float32], places: NDArray[np.intp] | None, limit: int
    ) -> NDArray[np.intp]:
        """Return where the vectors are whose signs differ least from the question's."""
        import numpy as np  # noqa: PLC0415  # as above

        bits = np.zeros(self._signs.shape[1] * 64, dtype=bool)
        bits[: len(question)] = question > 0
        asked = np.packbits(bits).view("<u8")
        count = len(self._rows) if places is None else len(places)
        differing = np.zeros(count, dtype=np.uint16)
        for start in range(0, count, _SIGN_BLOCK):
            stop = min(start + _SIGN_BLOCK, count)
            part = self._signs[start:stop] if places is None else self._signs[places[start:stop]]
            for word in range(part.shape[1]):
                differing[start:stop] += np.bitwise_count(part[:, word] ^ asked[word])
        passed = min(count, max(_PASSED, 10 * limit, int(_PASSED_SHARE * count)))
        best = np.argpartition(differing, passed - 1)[:passed]
        best.sort()
        return best if places is None else places[best]
