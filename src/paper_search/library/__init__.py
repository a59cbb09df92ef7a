"""The person's own corpus on disk: records, their full-text index, importers, and a sample."""

from paper_search.library.corpus import Hits, ImportSummary, Library, LibraryInfo
from paper_search.library.importers.entries import Imported, Rejected
from paper_search.library.records import Changes

__all__ = [
    "Changes",
    "Hits",
    "ImportSummary",
    "Imported",
    "Library",
    "LibraryInfo",
    "Rejected",
]
