"""Importer of Web of Science files in tagged text (.ciw, .isi)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of
from paper_search.library.importers.tagged import Layout, Reference, references

_LAYOUT = Layout(
    re.compile(r"([A-Z][A-Z0-9])(?:[ \t]+(.*))?$"),
    first_tags=frozenset({"PT"}),
    last_tags=frozenset({"ER", "EF"}),
    listed=frozenset({"AU", "AF", "BA", "BF", "ED"}),
)
_KINDS = {
    "j": "article-journal",
    "b": "book",
    "s": "chapter",
    "p": "patent",
    "c": "paper-conference",
}
_DOCUMENTS = {"proceedings paper": "paper-conference", "book chapter": "chapter", "book": "book",
              "article": "article-journal", "review": "article-journal"}  # fmt: skip


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every record, from PT to ER.

    Tags: https://webofscience.help.clarivate.com/en-us/Content/wos-core-collection/wos-field-tags.htm.
    """
    for reference in references(lines, _LAYOUT):
        yield _entry(reference)


def _entry(given: Reference) -> Entry:
    first, last = given.first("BP"), given.first("EP")
    try:
        record = record_of(
            {
                "title": given.joined("TI"),
                "authors": given.all("AF", "AU", "BF", "BA", "ED"),
                "abstract": given.joined("AB"),
                "venue": given.joined("SO", "SE", "JI", "J9"),
                "year": given.first("PY", "PD", "EA"),
                "doi": given.first("DI", "D2"),
                "pmid": given.first("PM"),
                "volume": given.first("VL"),
                "issue": given.first("IS"),
                "pages": f"{first}-{last}" if first and last else first or given.first("AR"),
                "publisher": given.first("PU"),
                "language": given.first("LA"),
                "isbn": given.first("BN"),
                "issn": given.first("SN", "EI"),
                "keywords": f"{given.joined('DE') or ''}; {given.joined('ID') or ''}",
                "citations": given.first("TC", "Z9"),
            },
            is_inverted=True,
        )
    except ValueError as error:
        return Rejected(given.line, str(error))
    document = (given.first("DT") or "").lower().split(";")[0]
    kind = (given.first("PT") or "").lower()[:1]
    record.publication_type = _DOCUMENTS.get(document) or _KINDS.get(kind, "document")
    return Imported(record, given.line)
