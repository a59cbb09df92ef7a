"""Reading of JSON arrays one item at a time, so that a broken item costs only itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from paper_search.library.importers.entries import Rejected

_GAP = re.compile(r"[\s,]*")
_NEXT_ITEM = re.compile(r"\}\s*,\s*(?=\{\s*\")")
_DECODER = json.JSONDecoder()


def items(text: str, start: int) -> Iterator[tuple[int, Any]]:
    """Yield line and value of every item of the array that begins after `start`.

    The value of an item that cannot be read is a `Rejected`; reading goes on at what looks like
    the next object.
    """
    position, line, counted = start, 1, 0
    while True:
        position = _end_of(_GAP, text, position)
        if position < len(text) and text[position] == "]":
            return
        line += text.count("\n", counted, position)
        counted = position
        if position >= len(text):
            yield line, Rejected(line, "the file ends before the list does")
            return
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            what = error.msg if isinstance(error, json.JSONDecodeError) else "too deeply nested"
            yield line, Rejected(line, f"not JSON: {what}")
            found = _NEXT_ITEM.search(text, position)
            if found is None:
                return
            position = found.end()
        else:
            yield line, value


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position
