"""Importer of MEDLINE files, which PubMed exports as .nbib."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from paper_search.bibliography.keywords import heading
from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of
from paper_search.library.importers.tagged import Layout, Reference, references

_LAYOUT = Layout(re.compile(r"([A-Z]{2,4}) *- ?(.*)$"), frozenset({"PMID"}), is_ended_by_blank=True)
_MARKED = re.compile(r"^(\S+)\s*\[(doi|pii)\]$", re.IGNORECASE)
_ARTICLE_NUMBER = re.compile(r"(e?\d{1,7})(?:\s*\[pii\])?$", re.IGNORECASE)
_TYPES = {
    "journal article": "article-journal", "review": "article-journal", "preprint": "article",
    "book": "book", "clinical trial": "article-journal", "dataset": "dataset",
    "meta-analysis": "article-journal", "letter": "article-journal",
    "systematic review": "article-journal", "editorial": "article-journal",
}  # fmt: skip


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every citation.

    Tags: https://www.nlm.nih.gov/bsd/mms/medlineelements.html.
    """
    for reference in references(lines, _LAYOUT):
        yield _entry(reference)


def _article_numbers(given: Reference) -> Iterator[str]:
    """Yield what stands in the place of pages in a journal without: "e025031", "559 [pii]"."""
    for value in given.all("LID"):
        if found := _ARTICLE_NUMBER.match(value):
            yield found[1]


def _entry(given: Reference) -> Entry:
    marked = [_MARKED.match(value) for value in given.all("LID") + given.all("AID")]
    dois = [found[1] for found in marked if found and found[2].lower() == "doi"]
    try:
        record = record_of(
            {
                "title": given.joined("TI", "BTI", "TT", "CTI"),
                "authors": given.all("FAU", "AU", "CN", "FED"),
                "abstract": given.joined("AB", "OAB"),
                "venue": given.first("JT", "TA", "BTI"),
                "year": given.first("DP", "DEP", "EDAT"),
                "doi": next(iter(dois), None),
                "pmid": given.first("PMID"),
                "pmcid": given.first("PMC"),
                "volume": given.first("VI"),
                "issue": given.first("IP"),
                "pages": given.first("PG") or next(_article_numbers(given), None),
                "issn": given.first("IS"),
                "language": given.first("LA"),
                "publisher": given.first("PB"),
                "isbn": given.first("ISBN"),
                "keywords": [*map(heading, given.all("MH")), *given.all("OT")],
            },
            is_inverted=True,
        )
    except ValueError as error:
        return Rejected(given.line, str(error))
    kinds = [_TYPES.get(kind.lower()) for kind in given.all("PT")]
    record.publication_type = next((kind for kind in kinds if kind), "document")
    return Imported(record, given.line)
