"""What an importer yields: a record or the reason for its rejection, with the line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from paper_search.bibliography.fields import record_of
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


def entry_of(
    values: Mapping[str, Any], line: int, kind: str | None = None, *, is_inverted: bool = True
) -> Entry:
    """Return the entry for the fields of one record.

    Args:
        values: see `record_of`.
        line: that it begins on.
        kind: its type in CSL's words; None: what `values` say.
        is_inverted: see `record_of`.
    """
    try:
        record = record_of(values, is_inverted=is_inverted)
    except ValueError as error:
        return Rejected(line, str(error))
    record.publication_type = kind or record.publication_type
    return Imported(record, line)
