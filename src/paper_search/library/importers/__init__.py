"""Importers of files in the supported formats."""

from paper_search.library.importers.files import (
    FORMATS,
    Entry,
    Imported,
    Rejected,
    format_of,
    parse_file,
)

__all__ = ["FORMATS", "Entry", "Imported", "Rejected", "format_of", "parse_file"]
