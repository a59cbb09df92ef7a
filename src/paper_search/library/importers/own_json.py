"""Importer of this program's own JSON export: a collection with its papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from paper_search.library.importers.entries import Entry, Rejected
from paper_search.library.importers.json_arrays import Window, items
from paper_search.library.importers.json_lines import entry_of

_PAPERS = re.compile(r'(?<!\\)"papers"\s*:\s*\[')


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every paper of the collection; verdicts of the search are left out."""
    window = Window(lines)
    if not window.find(_PAPERS):
        yield Rejected(1, 'expected an object with a list "papers"')
        return
    for line, value in items(window):
        yield value if isinstance(value, Rejected) else entry_of(value, line)
