"""The interface of an enricher: a name, and a method from works to better records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from paper_search.models import RawPaper, SourceReport

GAPS = ("abstract", "doi", "full_text_url")
"""The fields that are looked up where they are missing."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """What an enricher knows.

    Attributes:
        records: id of a work that was asked for, to the records that may be of the same work.
        report: what was done, as sources report it.
    """

    report: SourceReport
    records: dict[str, list[RawPaper]] = field(default_factory=dict)


@runtime_checkable
class Enricher(Protocol):
    """Looks up works. It returns whole records; the caller takes the missing fields."""

    @property
    def enricher_name(self) -> str:
        """The name that settings use."""
        ...

    async def look_up(self, works: Sequence[RawPaper]) -> LookUp:
        """Return what is known of the works; a failure is data, never an exception."""
        ...
