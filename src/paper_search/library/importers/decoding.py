"""Lines of files in whatever encoding, and with whatever line ends, programs wrote them."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import IO

_BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_PIECE = 65_536
_LINE_END = re.compile(rb"\r*\n|\r")
_ASCII_END = 127
_WESTERN = "cp1252"
"""Its letters beyond ASCII stand alone between others."""
_OF_RUNS = ["gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251"]
"""Encodings in which letters beyond ASCII stand together."""
_LEAST_IN_RUNS, _FEWEST_IN_RUNS = 0.35, 8


def encoding_of(head: bytes) -> str:
    """Return "utf-16" in one of its forms, or "utf-8", by the first bytes of a file."""
    for mark, name in _BOMS.items():
        if head.startswith(mark):
            return name
    even, odd = head[0:400:2].count(0), head[1:400:2].count(0)
    least = max(len(head[:400]) // 8, 1)  # a quarter of the letters are ASCII
    if max(even, odd) > least >= min(even, odd):
        return "utf-16-be" if even > odd else "utf-16-le"
    return "utf-8"


def lines_of(file: IO[bytes]) -> Iterator[str]:
    r"""Yield the lines, each ending in \n, whatever they end in.

    A line that is not UTF-8 is read in the encoding that all lines like it are most likely in.
    """
    encoding = encoding_of(file.read(_PIECE))
    file.seek(0)
    if encoding.startswith("utf-16"):
        reader = io.TextIOWrapper(file, encoding, "replace")
        try:
            yield from reader
        finally:
            reader.detach()  # who opened the file closes it
        return
    fallback = ""
    for number, line in enumerate(_split(file)):
        try:
            yield line.removeprefix(codecs.BOM_UTF8 if number == 0 else b"").decode()
        except UnicodeDecodeError:
            if not fallback:
                place = file.tell()
                file.seek(0)
                fallback = _guess(file)
                file.seek(place)
            yield line.decode(fallback, "replace")


def _split(file: IO[bytes]) -> Iterator[bytes]:
    parts: list[bytes] = []
    while piece := file.read(_PIECE):
        while piece.endswith(b"\r") and (more := file.read(1)):  # the \n may be in the next piece
            piece += more
        first, *lines = _LINE_END.sub(b"\n", piece).split(b"\n")
        parts.append(first)
        if lines:
            yield b"".join(parts) + b"\n"
            yield from (line + b"\n" for line in lines[:-1])
            parts = [lines[-1]]
    if any(parts):
        yield b"".join(parts)


def _guess(file: IO[bytes]) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415  # only for files in old encodings

    sample = b"".join(islice((line for line in _split(file) if _is_not_utf8(line)), 500))[:_PIECE]
    in_runs = sum(map(len, re.findall(rb"[\x80-\xff]{2,}", sample)))
    others = sum(byte > _ASCII_END for byte in sample)
    if in_runs < max(_LEAST_IN_RUNS * others, _FEWEST_IN_RUNS):
        return _WESTERN
    best = from_bytes(sample, cp_isolation=_OF_RUNS).best()
    return best.encoding if best is not None else _WESTERN


def _is_not_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False
