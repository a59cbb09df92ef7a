"""Importers: the supported formats, and how a file is recognised and read."""

from paper_search.library.importers.files import (
    FORMATS,
    Entry,
    Imported,
    Rejected,
    format_of,
    read_file,
)

__all__ = ["FORMATS", "Entry", "Imported", "Rejected", "format_of", "read_file"]
