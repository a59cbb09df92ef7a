"""Reads JSON arrays one item at a time; a broken item costs only itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from paper_search.library.importers.entries import Rejected

LONGEST_ITEM = 50_000_000
"""Characters; anything longer is not a record and is skipped."""
_PIECE = 65_536
_OVERLAP = 1_000
"""Characters that are kept where something is looked for that the next piece may complete."""
_GAP = re.compile(r"[\s,]*")
_NEXT_ITEM = re.compile(r"\}\s*,\s*(?=\{\s*\")")
_DECODER = json.JSONDecoder()
_AFTER_ITEM = {",", "]", " ", "\n", "\r", "\t"}
_CUT_SHORT = 16
"""An error this near the end may be a word or number that continues in the next piece."""


class Window:
    """The part of a text that is looked at: it grows at its end, and is dropped at its start."""

    def __init__(self, pieces: Iterable[str]) -> None:
        """Begin before the first piece."""
        self._pieces = iter(pieces)
        self.text = ""
        self.position = 0
        self._line = 1
        self._counted = 0

    @property
    def line(self) -> int:
        """The line, from 1, of the position."""
        self._line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return self._line

    def append(self, last: str) -> None:
        """Let the text end with this."""
        self._pieces = chain(self._pieces, [last])

    def grow(self) -> bool:
        """Read on, at least as much again as is left; return whether there was anything.

        What is before the position is dropped. Doubling keeps the work for a long item linear.
        """
        wanted = max(_PIECE, len(self.text) - self.position)
        found: list[str] = []
        while wanted > 0 and (piece := next(self._pieces, None)) is not None:
            found.append(piece)
            wanted -= len(piece)
        if found:
            _ = self.line
            self.text = self.text[self.position :] + "".join(found)
            self.position = self._counted = 0
        return bool(found)

    def skip(self, pattern: re.Pattern[str]) -> str:
        """Go past what matches here; return the letter that follows, "" at the end."""
        while True:
            if match := pattern.match(self.text, self.position):
                self.position = match.end()
            if self.position < len(self.text):
                return self.text[self.position]
            if not self.grow():
                return ""

    def find(self, pattern: re.Pattern[str]) -> bool:
        """Go to the end of the next match; return whether there is one."""
        while (match := pattern.search(self.text, self.position)) is None:
            self.position = max(self.position, len(self.text) - _OVERLAP)
            if not self.grow():
                return False
        self.position = match.end()
        return True


def items(window: Window) -> Iterator[tuple[int, Any]]:
    """Yield line and value of every item of the array that begins before the window's position.

    The value of an item that cannot be read is a `Rejected`; reading continues at what looks like
    the next object.
    """
    while (first := window.skip(_GAP)) != "]":
        line = window.line
        if not first:
            yield line, Rejected(line, "the file ends in the middle of the list")
            return
        value = _item(window)
        if isinstance(value, _Broken):
            yield line, Rejected(line, value.reason)
            if not window.find(_NEXT_ITEM):
                return
        else:
            yield line, value


class _Broken:
    """Why an item cannot be read."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def _item(window: Window) -> Any:
    """Return the value at the position and move past it, or the reason for its rejection."""
    while True:
        try:
            value, end = _DECODER.raw_decode(window.text, window.position)
        except RecursionError:
            return _Broken("not JSON: too deeply nested")
        except json.JSONDecodeError as error:
            is_cut = error.msg.startswith("Unterminated string")
            if not is_cut and error.pos < len(window.text) - _CUT_SHORT:
                return _Broken(f"not JSON: {error.msg}")
            if len(window.text) - window.position > LONGEST_ITEM:
                return _Broken(f"longer than {LONGEST_ITEM:,} characters")
            if not window.grow():
                return _Broken(f"not JSON: {error.msg}")
        else:
            # A number near the end may go on in the next piece: 0, then 0. and 0.5.
            is_last = end >= len(window.text) - _CUT_SHORT
            is_over = window.text[end : end + 1] in _AFTER_ITEM
            if is_over or not is_last or not window.grow():
                window.position = end
                return value
