"""Importer of RIS files, one reference at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from paper_search.bibliography.publication_types import stated_type
from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of, year_of

_TAG = re.compile(r"^\s{0,2}([A-Z][A-Z0-9])[ \t]{1,3}-[ \t]*(.*)$")
_REPEATED = {"SN", "AN"}
"""Tags whose values are joined: rispy keeps the first alone."""
_OPEN_ENDED = "ER  - \n"
_TYPES = {
    "JOUR": "article-journal", "JFULL": "article-journal", "EJOUR": "article-journal",
    "ABST": "article-journal", "INPR": "article-journal", "CONF": "paper-conference",
    "CPAPER": "paper-conference", "BOOK": "book", "EBOOK": "book", "EDBOOK": "book",
    "CHAP": "chapter", "ECHAP": "chapter", "THES": "thesis", "RPRT": "report", "DATA": "dataset",
    "MGZN": "article-magazine", "NEWS": "article-newspaper", "PAT": "patent", "ELEC": "webpage",
    "UNPB": "manuscript", "COMP": "software",
}  # fmt: skip
_TITLES = ("title", "primary_title", "translated_title", "short_title", "secondary_title")
_VENUES = ("journal_name", "secondary_title", "alternate_title3", "alternate_title1",
           "alternate_title2", "custom3", "tertiary_title")  # fmt: skip
_YEARS = ("year", "publication_year", "date")
_AUTHORS = ("authors", "first_authors", "secondary_authors", "tertiary_authors")


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every reference, from TY to ER, to the next TY, or to the end."""
    from rispy import RisParser  # noqa: PLC0415  # slow to import

    parser = RisParser(skip_unknown_tags=True)
    for start, chunk in _references(lines):
        try:
            found = parser.parse(chunk)
        except (OSError, ValueError, KeyError, TypeError) as error:
            yield Rejected(start, f"not RIS: {error}")
            continue
        yield _entry(found[0], start) if found else Rejected(start, "the reference is empty")


def _references(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the first line's number and the text of every reference, its tags in proper form."""
    start, kept = 0, list[str]()
    for number, line in enumerate(lines, start=1):
        found = _TAG.match(line)
        tag = found.group(1) if found else ""
        if tag == "TY":
            if kept:
                yield start, "".join([*kept, _OPEN_ENDED])
            start, kept = number, []
        elif not kept:
            continue
        elif tag == "ER":
            yield start, "".join([*kept, _OPEN_ENDED])
            kept = []
            continue
        text = found.group(2).strip() if found else line.strip()
        if text and tag in _REPEATED and (place := _place_of(kept, tag)):
            kept[place] = f"{kept[place].rstrip()}; {text}\n"
        elif text:
            kept.append(f"{tag}  - {text}\n" if tag else f"{text}\n")
        elif tag == "TY":
            kept.append("TY  - GEN\n")
    if kept:
        yield start, "".join([*kept, _OPEN_ENDED])


def _place_of(lines: list[str], tag: str) -> int:
    """Return which line has the tag; 0: none."""
    return next((n for n, line in enumerate(lines) if line.startswith(f"{tag}  - ")), 0)


def _entry(given: dict[str, Any], line: int) -> Entry:
    numbers = [number.strip() for number in str(given.get("accession_number") or "").split(";")]
    title = next((given[name] for name in _TITLES if given.get(name)), "")
    first, last = given.get("start_page"), given.get("end_page")
    values: dict[str, Any] = {
        "title": title,
        "authors": next((given[name] for name in _AUTHORS if given.get(name)), []),
        "year": next((year for name in _YEARS if (year := year_of(given.get(name)))), None),
        "venue": next(
            (given[name] for name in _VENUES if given.get(name) and given[name] != title), None
        ),
        "abstract": given.get("abstract") or given.get("notes_abstract"),
        "doi": given.get("doi"),
        "url": next((url for url in _listed(given.get("urls")) if url), None),
        "full_text_url": given.get("file_attachments1"),
        "volume": given.get("volume"),
        "issue": given.get("number"),
        "pages": f"{first}-{last}" if first and last else first,
        "publisher": given.get("publisher"),
        "language": given.get("language"),
        "keywords": given.get("keywords"),
        "isbn": given.get("issn"),
        "issn": given.get("issn"),
        "pmid": _numbered(numbers, "pmid") or (numbers[0] if _is_pubmed(given) else None),
        "arxiv_id": _numbered(numbers, "arxiv"),
        "pmcid": _pmcid(given.get("custom2")),
        "database": given.get("name_of_database") or given.get("database_provider"),
    }
    try:
        record = record_of(values, is_inverted=True)
    except ValueError as error:
        return Rejected(line, str(error))
    kind = str(given.get("type_of_reference", "")).upper()
    record.publication_type = stated_type(given.get("type_of_work")) or _TYPES.get(kind, "document")
    return Imported(record, line)


def _numbered(numbers: list[str], kind: str) -> str | None:
    return next((number for number in numbers if number.lower().startswith(f"{kind}:")), None)


def _pmcid(given: Any) -> str | None:
    text = str(given or "").strip()
    return text if text.upper().startswith("PMC") else None


def _is_pubmed(given: dict[str, Any]) -> bool:
    said = f"{given.get('name_of_database', '')} {given.get('database_provider', '')}".lower()
    return "medline" in said or "pubmed" in said


def _listed(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value or "")]
