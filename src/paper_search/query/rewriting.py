"""A query brought into our language, with the way back to the text that it was made from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

Refuse: TypeAlias = Callable[[int, str], NoReturn]
"""Raises for an offset in the query as given, and a reason."""

_INITIALS = re.compile(r"[^\W\d_]{1,3}|(?:[^\W\d_]\.-?)+")


@dataclass(slots=True)
class Rewriting:
    """A query in our language, with the way back to the text that it was made from.

    Attributes:
        dialect: what was recognised; None: it is our own language, nothing was rewritten.
        notes: offset in the original, and what the rewriting could not carry over.
    """

    dialect: str | None = None
    notes: list[tuple[int, str]] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _origins: list[tuple[int, bool]] = field(default_factory=list)
    _length: int = 0

    @property
    def text(self) -> str:
        """The query in our language."""
        return "".join(self._pieces)

    def copy(self, piece: str, origin: int) -> None:
        """Append what stands in the original at that offset."""
        self._append(piece, origin, is_copy=True)

    def write(self, piece: str, origin: int) -> None:
        """Append what stands for something else in the original, found at that offset."""
        self._append(piece, origin, is_copy=False)

    def origin(self, offset: int) -> int:
        """Return where in the original that is which stands at an offset of `text`."""
        if not self._starts:
            return offset
        which = max(bisect_right(self._starts, offset) - 1, 0)
        start, is_copy = self._origins[which]
        return start + (offset - self._starts[which] if is_copy else 0)

    def _append(self, piece: str, origin: int, *, is_copy: bool) -> None:
        if piece:
            self._starts.append(self._length)
            self._origins.append((origin, is_copy))
            self._pieces.append(piece)
            self._length += len(piece)


def with_initials(words: list[str]) -> str:
    """Return an author's name in our language: `smith ja` finds John A. Smith too."""
    names = [bare for word in words if (bare := word.strip(",;"))]
    if len(names) > 1 and _INITIALS.fullmatch(names[-1]):
        return " ".join(f'"{name}"' for name in names[:-1]) + f" {names[-1][0]}*"
    return " ".join(f'"{name}"' for name in names)
