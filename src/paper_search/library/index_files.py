"""The files of a full-text index: checksums, and a readable view of a read-only directory."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

_SUFFIXES = (".term", ".idx", ".pos", ".fast", ".store", ".fieldnorm")
"""The files of every segment."""
_MAGIC = 1337
"""How a footer of tantivy ends, after its length: https://docs.rs/tantivy, `directory::footer`."""
_TAIL = struct.Struct("<II")
_CHUNK = 1 << 20


def is_whole(index: Path) -> bool:
    """Return whether all files that the index names are there, with the checksums in their footers.

    Reads the whole index, about a second for a gigabyte: for when something has gone wrong.
    """
    try:
        segments = json.loads((index / "meta.json").read_bytes())["segments"]
        names = [str(segment["segment_id"]).replace("-", "") for segment in segments]
        return all(
            _has_its_checksum(index / f"{name}{suffix}") for name in names for suffix in _SUFFIXES
        )
    except (OSError, ValueError, KeyError, TypeError, struct.error):
        return False


def mirror(index: Path, place: Path) -> None:
    """Fill a directory with links to the files of an index.

    tantivy wants to lock a file to read; where the index itself cannot be written, it can do so
    beside links to its files.
    """
    for each in index.iterdir():
        if not each.name.endswith(".lock"):
            (place / each.name).symlink_to(each.resolve())


def _has_its_checksum(path: Path) -> bool:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(size - _TAIL.size)
        length, magic = _TAIL.unpack(file.read())
        file.seek(size - _TAIL.size - length)
        expected = json.loads(file.read(length))["crc"]
        file.seek(0)
        left, found = size - _TAIL.size - length, 0
        while left > 0 and (chunk := file.read(min(_CHUNK, left))):
            found = zlib.crc32(chunk, found)
            left -= len(chunk)
    return magic == _MAGIC and bool(found == expected)
