"""Importer of RefWorks tagged files, as RefWorks, ProQuest and Ovid write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of, year_of
from paper_search.library.importers.tagged import Layout, Reference, references

# The tags are listed: a line that goes on may begin with two capitals, too.
_LAYOUT = Layout(
    re.compile(
        r"(RT|SR|ID|A[1-6BDN]|T[1-3]|J[FO12]|YR|FD|RD|VO|IS|SP|OP|K1|PB|PP|SN|DO|U[L1-9]|LK|LA|L1"
        r"|NO|AV|CN|CA|CL|DB|DS|ED|IP|LL|OL|PM|RP|S[FL]|TA|WP|WT|WV|C[1-5])(?: (.*))?$"
    ),
    first_tags=frozenset({"RT"}),
)
_TYPES = {
    "journal article": "article-journal", "journal": "article-journal", "journal, electronic":
    "article-journal", "abstract": "article-journal", "book, whole": "book", "book, edited": "book",
    "book": "book", "book, section": "chapter", "book chapter": "chapter",
    "conference proceeding": "paper-conference", "conference proceedings": "paper-conference",
    "dissertation/thesis": "thesis", "dissertation/thesis, unpublished": "thesis",
    "thesis": "thesis", "report": "report", "web page": "webpage", "patent": "patent",
    "magazine article": "article-magazine", "newspaper article": "article-newspaper",
    "unpublished material": "manuscript", "computer program": "software",
}  # fmt: skip


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every reference, from RT to the next.

    Tags: https://www.refworks.com/refworks/help/RefWorks_Tagged_Format.htm.
    """
    for reference in references(lines, _LAYOUT):
        yield _entry(reference)


def _entry(given: Reference) -> Entry:
    first, last = given.first("SP"), given.first("OP")
    try:
        record = record_of(
            {
                "title": given.joined("T1"),
                "authors": given.all("A1", "A2"),
                "abstract": given.joined("AB"),
                "venue": given.first("JF", "JO", "T2", "J1", "J2"),
                "year": year_of(given.first("YR")) or year_of(given.first("FD")),
                "doi": given.first("DO"),
                "pmid": given.first("PM") or _pmid(given),
                "url": given.first("UL", "LK"),
                "volume": given.first("VO"),
                "issue": given.first("IS"),
                "pages": f"{first}-{last}" if first and last and first != last else first,
                "publisher": given.first("PB"),
                "language": given.first("LA"),
                "isbn": given.first("SN"),
                "issn": given.first("SN"),
                "keywords": given.all("K1"),
            },
            is_inverted=True,
        )
    except ValueError as error:
        return Rejected(given.line, str(error))
    record.publication_type = _TYPES.get((given.first("RT") or "").strip().lower(), "document")
    return Imported(record, given.line)


def _pmid(given: Reference) -> str | None:
    """Return the accession number where the record is of PubMed or MEDLINE."""
    said = " ".join((*given.all("DB"), *given.all("DS"))).lower()
    return given.first("AN") if "pubmed" in said or "medline" in said else None
