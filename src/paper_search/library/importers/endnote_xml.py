"""Importer of EndNote's XML, which Zotero and Mendeley write as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of
from paper_search.library.importers.xml_records import records

_TYPES = {
    "journal article": "article-journal", "electronic article": "article-journal", "book": "book",
    "book section": "chapter", "conference proceedings": "paper-conference",
    "conference paper": "paper-conference", "thesis": "thesis", "report": "report",
    "dataset": "dataset", "web page": "webpage", "patent": "patent",
    "unpublished work": "manuscript",
    "newspaper article": "article-newspaper", "magazine article": "article-magazine",
}  # fmt: skip


def read(file: IO[bytes]) -> Iterator[Entry]:
    """Yield one entry for every `record` element as it ends; the line is its number in the file.

    Raises:
        InputError: the XML is broken or unsafe; what came before was yielded.
    """
    for number, element in records(file, {"record"}):
        yield _entry(element, number)


def _pmid(given: Any) -> str | None:
    """Return the accession number where the record is of PubMed or MEDLINE."""
    names = ("remote-database-name", "remote-database-provider")
    said = " ".join(given.findtext(name) or "" for name in names).lower()
    found = given.find("accession-num") if "pubmed" in said or "medline" in said else None
    return "".join(found.itertext()).strip() if found is not None else None


def _entry(given: Any, number: int) -> Entry:
    def text(path: str) -> str | None:
        found = given.find(path)
        # EndNote wraps what is styled: <title><style face="italic">...</style></title>.
        return " ".join("".join(found.itertext()).split()) if found is not None else None

    def texts(path: str) -> list[str]:
        return [" ".join("".join(element.itertext()).split()) for element in given.findall(path)]

    kind = given.find("ref-type")
    authors = texts("contributors/authors/author") or texts("contributors/secondary-authors/author")
    try:
        record = record_of(
            {
                "title": text("titles/title"),
                "authors": authors,
                "abstract": text("abstract"),
                "venue": text("periodical/full-title")
                or text("titles/secondary-title")
                or text("periodical/abbr-1"),
                "year": text("dates/year") or text("dates/pub-dates/date"),
                "doi": text("electronic-resource-num"),
                "url": text("urls/web-urls/url") or text("urls/related-urls/url"),
                "full_text_url": text("urls/pdf-urls/url"),
                "volume": text("volume"),
                "issue": text("number"),
                "pages": text("pages"),
                "publisher": text("publisher"),
                "language": text("language"),
                "isbn": text("isbn"),
                "issn": text("isbn"),
                "pmid": _pmid(given),
                "keywords": texts("keywords/keyword"),
            },
            is_inverted=True,
        )
    except ValueError as error:
        return Rejected(number, f"record {number}: {error}")
    name = (kind.get("name") or "") if kind is not None else ""
    record.publication_type = _TYPES.get(name.lower(), "document")
    return Imported(record, number)
