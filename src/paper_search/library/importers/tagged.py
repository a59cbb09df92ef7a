"""Importers of tagged text: MEDLINE, Web of Science, EndNote and RefWorks.

A reference is a run of `TAG value` lines; indented lines continue a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from paper_search.bibliography.keywords import heading
from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of, year_of


@dataclass(slots=True)
class Reference:
    """One reference: where it begins, and its values by tag, in order."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def all(self, *tags: str) -> list[str]:
        """Return the values of the first of these tags that has any."""
        return next((self.values[tag] for tag in tags if self.values.get(tag)), [])

    def first(self, *tags: str) -> str | None:
        """Return the first value of the first of these tags that has one."""
        return next(iter(self.all(*tags)), None)

    def joined(self, *tags: str) -> str | None:
        """Return all values of the first of these tags that has any, as one text."""
        return " ".join(self.all(*tags)) or None


@dataclass(frozen=True, slots=True)
class Layout:
    """How a format writes its references."""

    tagged: re.Pattern[str]
    """A line with a tag (group 1) and a value (group 2)."""
    first_tags: frozenset[str]
    """Tags that begin a reference."""
    last_tags: frozenset[str] = frozenset()
    """Tags that end one."""
    listed: frozenset[str] = frozenset()
    """Tags whose continued lines are values of their own: one author a line."""
    is_ended_by_blank: bool = False

    def begins(self, tag: str) -> bool:
        """Return whether a reference may begin with the tag."""
        return tag in self.first_tags or (self.is_ended_by_blank and tag not in self.last_tags)


def references(lines: Iterable[str], layout: Layout) -> Iterator[Reference]:
    """Yield the references one at a time; lines before the first one are left out."""
    current: Reference | None = None
    tag = ""
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        found = layout.tagged.match(text)
        tag = found.group(1) if found else tag
        is_blank = not text.strip()
        if current is not None and (
            tag in layout.first_tags | layout.last_tags
            if found
            else is_blank and layout.is_ended_by_blank
        ):
            yield current
            current = None
        if found and current is None and layout.begins(tag):
            current = Reference(number)
        if current is None or is_blank:
            continue
        if found:
            current.values.setdefault(tag, []).append((found.group(2) or "").strip())
        else:
            _go_on(current.values[tag], text.strip(), is_listed=tag in layout.listed)
    if current is not None:
        yield current


def _go_on(values: list[str], text: str, *, is_listed: bool) -> None:
    if is_listed:
        values.append(text)
    else:
        values[-1] = f"{values[-1]} {text}".strip()


def _entry(given: Reference, values: Mapping[str, Any], publication_type: str | None) -> Entry:
    try:
        record = record_of(values, is_inverted=True)
    except ValueError as error:
        return Rejected(given.line, str(error))
    record.publication_type = publication_type or "document"
    return Imported(record, given.line)


_MEDLINE = Layout(
    re.compile(r"([A-Z]{2,4}) *- ?(.*)$"), frozenset({"PMID"}), is_ended_by_blank=True
)
_MARKED = re.compile(r"^(\S+)\s*\[(doi|pii)\]$", re.IGNORECASE)
_ARTICLE_NUMBER = re.compile(r"(e?\d{1,7})(?:\s*\[pii\])?$", re.IGNORECASE)
_MEDLINE_TYPES = {
    "journal article": "article-journal", "review": "article-journal", "preprint": "article",
    "book": "book", "clinical trial": "article-journal", "dataset": "dataset",
    "meta-analysis": "article-journal", "letter": "article-journal",
    "systematic review": "article-journal", "editorial": "article-journal",
}  # fmt: skip


def read_medline(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every citation.

    Tags: https://www.nlm.nih.gov/bsd/mms/medlineelements.html.
    """
    for reference in references(lines, _MEDLINE):
        yield _medline(reference)


def _article_numbers(given: Reference) -> Iterator[str]:
    """Yield the article numbers of a journal without pages: "e025031", "559 [pii]"."""
    for value in given.all("LID"):
        if found := _ARTICLE_NUMBER.match(value):
            yield found[1]


def _medline(given: Reference) -> Entry:
    marked = [_MARKED.match(value) for value in given.all("LID") + given.all("AID")]
    dois = [found[1] for found in marked if found and found[2].lower() == "doi"]
    kinds = [_MEDLINE_TYPES.get(kind.lower()) for kind in given.all("PT")]
    values = {
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
        "database": "PubMed",
    }
    return _entry(given, values, next(filter(None, kinds), None))


_WEB_OF_SCIENCE = Layout(
    re.compile(r"([A-Z][A-Z0-9])(?:[ \t]+(.*))?$"),
    first_tags=frozenset({"PT"}),
    last_tags=frozenset({"ER", "EF"}),
    listed=frozenset({"AU", "AF", "BA", "BF", "ED"}),
)
_WEB_OF_SCIENCE_TYPES = {
    "j": "article-journal", "b": "book", "s": "chapter", "p": "patent", "c": "paper-conference",
}  # fmt: skip
_WEB_OF_SCIENCE_DOCUMENTS = {
    "proceedings paper": "paper-conference", "book chapter": "chapter", "book": "book",
    "article": "article-journal", "review": "article-journal",
}  # fmt: skip


def read_web_of_science(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every record, from PT to ER.

    Tags: https://webofscience.help.clarivate.com/en-us/Content/wos-core-collection/wos-field-tags.htm.
    """
    for reference in references(lines, _WEB_OF_SCIENCE):
        yield _web_of_science(reference)


def _web_of_science(given: Reference) -> Entry:
    first, last = given.first("BP"), given.first("EP")
    document = (given.first("DT") or "").lower().split(";")[0]
    kind = (given.first("PT") or "").lower()[:1]
    values = {
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
        "database": "Web of Science",
    }
    publication_type = _WEB_OF_SCIENCE_DOCUMENTS.get(document) or _WEB_OF_SCIENCE_TYPES.get(kind)
    return _entry(given, values, publication_type)


_ENDNOTE = Layout(re.compile(r"(%[0-9A-Z@!#$&()*+><^?~=\[\]])(?: +(.*))?$"), frozenset({"%0"}),
                 listed=frozenset({"%K"}), is_ended_by_blank=True)  # fmt: skip
ENDNOTE_TYPES = {
    "journal article": "article-journal", "electronic article": "article-journal", "book": "book",
    "book section": "chapter", "conference proceedings": "paper-conference",
    "conference paper": "paper-conference", "thesis": "thesis", "report": "report",
    "dataset": "dataset", "web page": "webpage", "patent": "patent",
    "unpublished work": "manuscript", "newspaper article": "article-newspaper",
    "magazine article": "article-magazine",
}  # fmt: skip


def read_endnote(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every reference, from %0 or a blank line on."""
    for reference in references(lines, _ENDNOTE):
        yield _endnote(reference)


def _endnote(given: Reference) -> Entry:
    values = {
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
        "database": given.first("%W", "%~"),
    }
    return _entry(given, values, ENDNOTE_TYPES.get((given.first("%0") or "").lower()))


# The tags are listed: a line that goes on may begin with two capitals, too.
_REFWORKS = Layout(
    re.compile(
        r"(RT|SR|ID|A[1-6BDN]|T[1-3]|J[FO12]|YR|FD|RD|VO|IS|SP|OP|K1|PB|PP|SN|DO|U[L1-9]|LK|LA|L1"
        r"|NO|AV|CN|CA|CL|DB|DS|ED|IP|LL|OL|PM|RP|S[FL]|TA|WP|WT|WV|C[1-5])(?: (.*))?$"
    ),
    first_tags=frozenset({"RT"}),
)
_REFWORKS_TYPES = {
    "journal article": "article-journal", "journal": "article-journal", "journal, electronic":
    "article-journal", "abstract": "article-journal", "book, whole": "book", "book, edited": "book",
    "book": "book", "book, section": "chapter", "book chapter": "chapter",
    "conference proceeding": "paper-conference", "conference proceedings": "paper-conference",
    "dissertation/thesis": "thesis", "dissertation/thesis, unpublished": "thesis",
    "thesis": "thesis", "report": "report", "web page": "webpage", "patent": "patent",
    "magazine article": "article-magazine", "newspaper article": "article-newspaper",
    "unpublished material": "manuscript", "computer program": "software",
}  # fmt: skip


def read_refworks(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every reference, from RT to the next.

    Tags: https://www.refworks.com/refworks/help/RefWorks_Tagged_Format.htm.
    """
    for reference in references(lines, _REFWORKS):
        yield _refworks(reference)


def _refworks(given: Reference) -> Entry:
    first, last = given.first("SP"), given.first("OP")
    values = {
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
        "database": given.first("DB", "DS"),
    }
    return _entry(given, values, _REFWORKS_TYPES.get((given.first("RT") or "").strip().lower()))


def _pmid(given: Reference) -> str | None:
    """Return the accession number where the record is of PubMed or MEDLINE."""
    said = " ".join((*given.all("DB"), *given.all("DS"))).lower()
    return given.first("AN") if "pubmed" in said or "medline" in said else None
