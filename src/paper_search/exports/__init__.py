"""Export formats."""

from paper_search.exports.files import write_export
from paper_search.exports.registry import (
    FORMATS,
    Exporter,
    export,
    exporter_names,
    format_for_suffix,
    get_exporter,
    suffix_of_format,
)

__all__ = [
    "FORMATS", "Exporter", "export", "exporter_names", "format_for_suffix", "get_exporter",
    "suffix_of_format", "write_export",
]  # fmt: skip
