"""Importer of EndNote's tagged text (.enw), also called Refer, as Google Scholar exports it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of
from paper_search.library.importers.tagged import Layout, Reference, references

_LAYOUT = Layout(re.compile(r"(%[0-9A-Z@!#$&()*+><^?~=\[\]])(?: +(.*))?$"), frozenset({"%0"}),
                 listed=frozenset({"%K"}), is_ended_by_blank=True)  # fmt: skip
_TYPES = {
    "journal article": "article-journal", "electronic article": "article-journal", "book": "book",
    "book section": "chapter", "conference proceedings": "paper-conference",
    "conference paper": "paper-conference", "thesis": "thesis", "report": "report",
    "dataset": "dataset", "web page": "webpage", "patent": "patent",
    "unpublished work": "manuscript",
}  # fmt: skip


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every reference, from %0 or a blank line on."""
    for reference in references(lines, _LAYOUT):
        yield _entry(reference)


def _entry(given: Reference) -> Entry:
    try:
        record = record_of(
            {
                "title": given.joined("%T", "%!", "%B"),
                "authors": given.all("%A", "%E"),
                "abstract": given.joined("%X"),
                "venue": given.first("%J", "%B", "%S"),
                "year": given.first("%D", "%8"),
                "doi": given.first("%R"),
                "url": given.first("%U"),
                "full_text_url": given.first("%>"),
                "volume": given.first("%V"),
                "issue": given.first("%N"),
                "pages": given.first("%P"),
                "publisher": given.first("%I"),
                "language": given.first("%G"),
                "isbn": given.first("%@"),
                "issn": given.first("%@"),
                "keywords": given.all("%K"),
            },
            is_inverted=True,
        )
    except ValueError as error:
        return Rejected(given.line, str(error))
    record.publication_type = _TYPES.get((given.first("%0") or "").lower(), "document")
    return Imported(record, given.line)
