"""The user's library on disk: records, full-text index, importers, and a sample."""

from paper_search.library.corpus import Hits, ImportSummary, Library, LibraryInfo
from paper_search.library.embedded import EmbeddedInfo, EmbeddingSummary
from paper_search.library.importers.files import Imported, Rejected
from paper_search.library.records import Changes
from paper_search.llm.embeddings import Embedder

__all__ = [
    "Changes", "EmbeddedInfo", "Embedder", "EmbeddingSummary", "Hits", "ImportSummary", "Imported",
    "Library", "LibraryInfo", "Rejected",
]  # fmt: skip
