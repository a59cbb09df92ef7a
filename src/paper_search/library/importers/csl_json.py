"""Importer of CSL-JSON, the format of citation processors and reference managers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.json_arrays import items
from paper_search.library.importers.json_lines import entry_of


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every item of the list, or for the one item that the file is.

    Field names: https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables.
    """
    text = "".join(lines)
    start = len(text) - len(text.lstrip())
    is_list = text[start : start + 1] == "["
    for line, value in items(text if is_list else f"{text}]", start + is_list):
        yield value if isinstance(value, Rejected) else _entry(value, line)


def _entry(item: Any, line: int) -> Entry:
    entry = entry_of(item, line)
    if isinstance(entry, Imported) and isinstance(kind := item.get("type"), str):
        entry.record.publication_type = kind.strip().lower() or None
    return entry
