"""Importers of XML: EndNote, as Zotero and Mendeley write it too, and PubMed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from paper_search.errors import InputError
from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of
from paper_search.library.importers.tagged import ENDNOTE_TYPES
from paper_search.sources.pubmed_record import read_citation


def records(file: IO[bytes], names: set[str]) -> Iterator[tuple[int, Any]]:
    """Yield every element of these names as it ends, with its number in the file, from 1.

    An element is emptied once the next one is asked for. Entities and external references are
    refused, as nothing that writes references needs them.

    Raises:
        InputError: the XML is broken or unsafe; what came before was yielded.
    """
    from xml.etree.ElementTree import ParseError  # noqa: PLC0415  # only when XML is read

    from defusedxml.common import DefusedXmlException  # noqa: PLC0415  # as above
    from defusedxml.ElementTree import iterparse  # noqa: PLC0415  # as above

    number = 0
    parents: list[Any] = []
    try:
        for event, element in iterparse(file, events=("start", "end")):
            if event == "start":
                parents.append(element)
                continue
            parents.pop()
            if element.tag in names:
                number += 1
                yield number, element
                element.clear()
                if parents:
                    parents[-1].remove(element)
    except ParseError as error:
        raise InputError(
            f"the XML is invalid after record {number}: {error}; earlier records were imported"
        ) from error
    except DefusedXmlException as error:
        raise InputError(f"the XML is not safe to read ({type(error).__name__})") from error


def read_endnote(file: IO[bytes]) -> Iterator[Entry]:
    """Yield one entry for every `record` element as it ends; the line is its number in the file.

    Raises:
        InputError: the XML is broken or unsafe; what came before was yielded.
    """
    for number, element in records(file, {"record"}):
        yield _endnote(element, number)


def _pmid(given: Any) -> str | None:
    """Return the accession number where the record is of PubMed or MEDLINE."""
    names = ("remote-database-name", "remote-database-provider")
    said = " ".join(given.findtext(name) or "" for name in names).lower()
    found = given.find("accession-num") if "pubmed" in said or "medline" in said else None
    return "".join(found.itertext()).strip() if found is not None else None


def _kind(given: Any) -> str:
    element = given.find("ref-type")
    return (element.get("name") or "").lower() if element is not None else ""


def _endnote(given: Any, number: int) -> Entry:
    def text(path: str) -> str | None:
        found = given.find(path)
        # EndNote wraps what is styled: <title><style face="italic">...</style></title>.
        return " ".join("".join(found.itertext()).split()) if found is not None else None

    def texts(path: str) -> list[str]:
        return [" ".join("".join(element.itertext()).split()) for element in given.findall(path)]

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
                "database": text("remote-database-name"),
            },
            is_inverted=True,
        )
    except ValueError as error:
        return Rejected(number, f"record {number}: {error}")
    record.publication_type = ENDNOTE_TYPES.get(_kind(given), "document")
    return Imported(record, number)


_PUBMED_RECORDS = {"PubmedArticle", "PubmedBookArticle"}


def read_pubmed(file: IO[bytes]) -> Iterator[Entry]:
    """Yield one entry for every article and book; the line is its number in the file.

    Raises:
        InputError: the XML is broken or unsafe; what came before was yielded.
    """
    for number, element in records(file, _PUBMED_RECORDS):
        record = read_citation(element)
        if record is None:
            yield Rejected(number, "the title is missing")
        else:
            update = {"id": "", "source": "PubMed", "raw_data": {}}
            yield Imported(record.model_copy(update=update), number)
