"""Importers of EndNote XML, which Zotero and Mendeley also write, and PubMed XML."""

import re
from collections.abc import Iterator
from typing import IO, Any

from paper_search.bibliography.fields import NO_TITLE
from paper_search.errors import InputError
from paper_search.library.importers.files import Entry, Imported, Rejected, entry_of
from paper_search.library.importers.tagged import ENDNOTE
from paper_search.sources.pubmed_record import citation_of

_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r")
_LONE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")
_LONGEST_ENTITY = 10


class _Repaired:
    """A file with common XML errors repaired: control characters, bare `&`, leading blanks."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._is_begun = False

    def read(self, size: int = -1, /) -> bytes:
        piece = self._file.read(size)
        if b"\0" in piece:  # UTF-16
            return piece
        while b"&" in piece[-_LONGEST_ENTITY:] and (more := self._file.read(_LONGEST_ENTITY)):
            piece += more
        piece = (piece if self._is_begun else piece.lstrip()).translate(None, _CONTROLS)
        self._is_begun = True
        return piece if b"<![CDATA[" in piece else _LONE_AMPERSAND.sub(b"&amp;", piece)


def parse_xml(file: IO[bytes]) -> Iterator[Entry]:
    """Yield one entry for every record of either format; its "line" is its number in the file.

    Raises:
        InputError: the XML is invalid or unsafe; earlier records were yielded.
    """
    for number, element in _records(file):
        yield (_endnote if element.tag == "record" else _pubmed)(element, number)


_RECORDS = {"record", "PubmedArticle", "PubmedBookArticle"}


def _records(file: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """Yield every record without namespaces, with its number in the file, from 1.

    An element is cleared before the next one is read. Entities and external references are
    refused: no export needs them.
    """
    from xml.etree.ElementTree import ParseError  # noqa: PLC0415  # only when XML is read

    from defusedxml.common import DefusedXmlException  # noqa: PLC0415  # as above
    from defusedxml.ElementTree import iterparse  # noqa: PLC0415  # as above

    number = 0
    parents: list[Any] = []
    try:
        for event, element in iterparse(_Repaired(file), events=("start", "end")):
            if event == "start":
                element.tag = element.tag.rpartition("}")[2]
                parents.append(element)
                continue
            parents.pop()
            if element.tag in _RECORDS:
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


_PATHS = {
    "title": "titles/title", "abstract": "abstract", "doi": "electronic-resource-num",
    "authors": "contributors/authors/author contributors/secondary-authors/author",
    "venue": "periodical/full-title titles/secondary-title periodical/abbr-1",
    "year": "dates/year dates/pub-dates/date", "url": "urls/web-urls/url urls/related-urls/url",
    "full_text_url": "urls/pdf-urls/url", "volume": "volume", "issue": "number", "pages": "pages",
    "publisher": "publisher", "language": "language", "isbn": "isbn", "issn": "isbn",
    "keywords": "keywords/keyword", "source": "remote-database-name",
}  # fmt: skip
"""Paths of EndNote's fields, the best first."""


def _endnote(element: Any, number: int) -> Entry:
    def texts(paths: str) -> list[str]:
        # EndNote wraps styled text: <title><style face="italic">...</style></title>.
        parts = (element.findall(path) for path in paths.split())
        words = (
            [" ".join("".join(part.itertext()).split()) for part in elements] for elements in parts
        )
        return next((values for values in words if any(values)), [])

    values: dict[str, Any] = {name: texts(paths) for name, paths in _PATHS.items()}
    providers = "remote-database-name", "remote-database-provider"
    provider = " ".join(text for name in providers for text in texts(name)).lower()
    if "pubmed" in provider or "medline" in provider:
        values["pmid"] = texts("accession-num")
    kind = element.find("ref-type")
    word = (kind.get("name") or "").lower() if kind is not None else ""
    return entry_of(values, number, ENDNOTE.types.get(word, "document"))


def _pubmed(element: Any, number: int) -> Entry:
    record = citation_of(element)
    if record is None:
        return Rejected(number, NO_TITLE)
    return Imported(
        record.model_copy(update={"id": "", "source": "PubMed", "raw_data": {}}), number
    )
