"""The formats in which a person takes the papers home."""

from paper_search.exports.files import write_export
from paper_search.exports.registry import (
    Exporter,
    export,
    format_for_suffix,
    get_exporter,
    known_exporters,
    suffix_of_format,
)

__all__ = [
    "Exporter",
    "export",
    "format_for_suffix",
    "get_exporter",
    "known_exporters",
    "suffix_of_format",
    "write_export",
]
