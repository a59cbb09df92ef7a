"""Importers: the supported formats, and how a file is recognised and read."""

from paper_search.library.importers.files import (
    FORMATS,
    Entry,
    Imported,
    Rejected,
    format_of,
    parse_file,
)

__all__ = ["FORMATS", "Entry", "Imported", "Rejected", "format_of", "parse_file"]
