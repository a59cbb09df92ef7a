"""What an importer yields: a record or the reason for its rejection, with the line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from paper_search.models import RawPaper


@dataclass(frozen=True, slots=True)
class Imported:
    """A record that was read, and the line (from 1) that it begins on."""

    record: RawPaper
    line: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that cannot be used, the line (from 1) that it begins on, and why."""

    line: int
    reason: str


Entry: TypeAlias = Imported | Rejected
