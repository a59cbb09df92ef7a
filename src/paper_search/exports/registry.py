"""The export formats: ours, and those that other packages register."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from paper_search.errors import UnknownNameError
from paper_search.resources import EntryPoints

if TYPE_CHECKING:
    from paper_search.models import PaperCollection

STYLE_SUFFIX = ".csl"
"""Suffix of reference styles; the path of such a file is the name of a format."""

Exporter: TypeAlias = "Callable[[PaperCollection], str | bytes]"
"""Text is written as UTF-8; a workbook is bytes."""

EXPORTERS: EntryPoints[Any] = EntryPoints("paper_search.exporters", "export format")
"""Formats of other packages."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One of our formats.

    `function`: a module of this package and its function. `suffixes`: of its files, the usual one
    first. `group`: its heading on the page.
    """

    function: str
    suffixes: tuple[str, ...]
    group: str
    title: str


_MANAGERS, _SCREENING, _TABLES = "Reference managers", "Screening tools", "Tables and text"
FORMATS = {
    "ris": ExportFormat("ris:export_ris", (".ris",), _MANAGERS, "RIS (Zotero, EndNote)"),
    "zotero-rdf": ExportFormat("zotero:export_zotero", (".rdf",), _MANAGERS,
                               "Zotero RDF with notes"),
    "bibtex": ExportFormat("bibtex:export_bibtex", (".bib",), _MANAGERS, "BibTeX"),
    "biblatex": ExportFormat("bibtex:export_biblatex", (".bib", ".biblatex"), _MANAGERS,
                             "BibLaTeX"),
    "csl-json": ExportFormat("json_formats:export_csl_json", (".json", ".csl.json", ".csl"),
                             _MANAGERS, "CSL-JSON"),
    "asreview": ExportFormat("csv_table:export_asreview", (".csv",), _SCREENING,
                             "ASReview with labels"),
    "rayyan": ExportFormat("csv_table:export_rayyan", (".csv",), _SCREENING,
                           "Rayyan with decisions"),
    "xlsx": ExportFormat("csv_table:export_xlsx", (".xlsx",), _TABLES, "Excel workbook"),
    "csv": ExportFormat("csv_table:export_csv", (".csv",), _TABLES, "CSV"),
    "markdown": ExportFormat("markdown:export_report", (".md", ".markdown"), _TABLES, "Markdown"),
    "json": ExportFormat("json_formats:export_json", (".json",), _TABLES,
                         "JSON with everything known"),
}  # fmt: skip
_OF_ANOTHER = {
    ("asreview", ".csv"), ("biblatex", ".bib"), ("csl-json", ".json"), ("rayyan", ".csv"),
}  # fmt: skip
"""Suffixes that stand for a more common format."""
_OF_SUFFIX = {
    suffix: name
    for name, form in FORMATS.items()
    for suffix in form.suffixes
    if (name, suffix) not in _OF_ANOTHER
}


def exporter_names() -> list[str]:
    return sorted({*FORMATS, *EXPORTERS.names()})


def get_exporter(name: str) -> Exporter:
    """Return the function that writes a format.

    Raises:
        UnknownNameError: nothing is installed under the name.
    """
    if name.lower().endswith(STYLE_SUFFIX):
        from paper_search.exports.json_formats import export_references  # noqa: PLC0415  # slow import

        return functools.partial(export_references, style=name)
    if name in FORMATS:
        module, _, function = FORMATS[name].function.partition(":")
        exporter: Exporter = getattr(import_module(f"paper_search.exports.{module}"), function)
        return exporter
    if name not in EXPORTERS.names():
        raise UnknownNameError("export format", name, exporter_names())
    EXPORTERS.read(name)  # an error now, and not when there is a result to export
    return functools.partial(EXPORTERS.call, name)


def export(collection: PaperCollection, format: str) -> str | bytes:  # noqa: A002  the word of the command line
    return get_exporter(format)(collection)


def suffix_of_format(name: str) -> str:
    return FORMATS[name].suffixes[0] if name in FORMATS else ""


def format_for_suffix(path: str | Path) -> str:
    """Return the format of a file by its suffix, which may be the name of another package's format.

    Raises:
        UnknownNameError: no format has this suffix.
    """
    name = Path(path).name.lower()
    for suffix in sorted(_OF_SUFFIX, key=len, reverse=True):
        if name.endswith(suffix):
            return _OF_SUFFIX[suffix]
    suffix = Path(name).suffix
    if suffix.removeprefix(".") in exporter_names():
        return suffix.removeprefix(".")
    raise UnknownNameError("file suffix", suffix, sorted(_OF_SUFFIX))
