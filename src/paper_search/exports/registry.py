"""Which formats exist: entry points of the group `paper_search.exporters`, ours and others'."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from paper_search.errors import UnknownNameError
from paper_search.models import PaperCollection

GROUP = "paper_search.exporters"

Exporter = Callable[[PaperCollection], str]

_FORMAT_OF_SUFFIX = {
    ".bib": "bibtex",
    ".csl": "csl-json",
    ".csl.json": "csl-json",
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".ris": "ris",
}


def known_exporters() -> dict[str, EntryPoint]:
    """Return the entry points of all installed exporters by format, sorted."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    return dict(sorted(found.items()))


def get_exporter(name: str) -> Exporter:
    """Return the function that writes a format.

    Raises:
        UnknownNameError: nothing is installed under the name.
    """
    known = known_exporters()
    if name not in known:
        raise UnknownNameError("export format", name, list(known))
    exporter: Exporter = known[name].load()
    return exporter


def export(collection: PaperCollection, format: str) -> str:  # noqa: A002  the word of the command line
    """Return the collection in a format.

    Raises:
        UnknownNameError: nothing is installed under the name of the format.
    """
    return get_exporter(format)(collection)


def format_for_suffix(path: str | Path) -> str:
    """Return the format that the end of a file name stands for.

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
