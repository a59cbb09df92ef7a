"""Which formats exist: entry points of the group `paper_search.exporters`, ours and others'."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from paper_search.errors import UnknownNameError
from paper_search.models import PaperCollection
from paper_search.resources import EntryPoints

STYLE_SUFFIX = ".csl"
"""Of a file with a style of references, whose path is the name of a format."""

Exporter = Callable[[PaperCollection], str | bytes]
"""Text is written as UTF-8; a workbook is bytes."""

EXPORTERS: EntryPoints[Exporter] = EntryPoints("paper_search.exporters", "export format")

_FORMAT_OF_SUFFIX = {
    ".bib": "bibtex",
    ".biblatex": "biblatex",
    ".csl": "csl-json",
    ".csl.json": "csl-json",
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".rdf": "zotero-rdf",
    ".ris": "ris",
    ".xlsx": "xlsx",
}


def known_exporters() -> list[str]:
    """Return the formats of all installed exporters, sorted."""
    return EXPORTERS.names()


def get_exporter(name: str) -> Exporter:
    """Return the function that writes a format.

    Args:
        name: of the format; or the path of a .csl file, for references in that style.

    Raises:
        UnknownNameError: nothing is installed under the name.
    """
    if name.lower().endswith(STYLE_SUFFIX):
        from paper_search.exports.references import export_references  # noqa: PLC0415  # slow import

        return functools.partial(export_references, style=name)
    return EXPORTERS.read(name)


def export(collection: PaperCollection, format: str) -> str | bytes:  # noqa: A002  the word of the command line
    """Return the collection in a format.

    Raises:
        UnknownNameError: nothing is installed under the name of the format.
    """
    return get_exporter(format)(collection)


def suffix_of_format(name: str) -> str:
    """Return how the names of files of a format end, with the dot."""
    own = {"csl-json": ".json", "markdown": ".md", "asreview": ".csv", "rayyan": ".csv"}
    return own.get(name) or {form: end for end, form in _FORMAT_OF_SUFFIX.items()}.get(name, "")


def format_for_suffix(path: str | Path) -> str:
    """Return the format of a file name, by its end.

    A suffix that is none of ours may be the name of a format that someone else installed.

    Raises:
        UnknownNameError: no format ends its files like that.
    """
    name = Path(path).name.lower()
    for suffix in sorted(_FORMAT_OF_SUFFIX, key=len, reverse=True):
        if name.endswith(suffix):
            return _FORMAT_OF_SUFFIX[suffix]
    suffix = Path(name).suffix
    if suffix.removeprefix(".") in known_exporters():
        return suffix.removeprefix(".")
    raise UnknownNameError("file suffix", suffix, list(_FORMAT_OF_SUFFIX))
