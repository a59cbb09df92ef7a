"""What a library returns: hits, import summaries, statistics."""

from dataclasses import dataclass, field
from pathlib import Path

from paper_search.library.embedded import EmbeddedInfo
from paper_search.library.importers.files import Rejected
from paper_search.library.records import Changes
from paper_search.models import RawPaper


@dataclass(frozen=True, slots=True)
class Hits:
    """The best papers for a query, and how many there are in all."""

    papers: list[RawPaper]
    total: int
    note: str | None = None
    """What the person should know: why vectors were not used, for example."""
    by_meaning: bool = False
    """Whether vectors had a part in the order."""


@dataclass(frozen=True, slots=True)
class ImportSummary:
    path: Path
    changes: Changes
    rejected: list[Rejected]
    """The first thousand records that could not be used, with line numbers."""
    rejected_count: int

    @property
    def record_count(self) -> int:
        return self.changes.added + self.changes.updated + self.changes.unchanged


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    path: Path
    records: int
    first_year: int | None
    last_year: int | None
    records_bytes: int
    index_bytes: int
    is_index_current: bool
    vectors: EmbeddedInfo = field(default_factory=EmbeddedInfo)
    damage: str = ""
    """Which records cannot be read, and what to do."""
