"""Importer of CSL-JSON, the format of citation processors and reference managers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.json_arrays import Window, items
from paper_search.library.importers.json_lines import entry_of

_BLANKS = re.compile(r"\s*")


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every item of the list, or for the one item that the file is.

    Field names: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables.
    """
    window = Window(lines)
    if window.skip(_BLANKS) == "[":
        window.position += 1
    else:
        window.append("]")
    for line, value in items(window):
        yield value if isinstance(value, Rejected) else _entry(value, line)


def _entry(item: Any, line: int) -> Entry:
    if isinstance(item, dict) and str(item.get("archive", "")).lower() == "arxiv":
        item = {"arxiv_id": item.get("archive_location"), **item}
    entry = entry_of(item, line)
    if isinstance(entry, Imported) and isinstance(kind := item.get("type"), str):
        entry.record.publication_type = kind.strip().lower() or None
    return entry
