"""Read the records of a service by a table of fields and paths.

Paths work for JSON and XML: `journal.title`, `identifier[type=doi].id`, `link.@href`. They follow
all entries of a list on the way. Of alternatives separated by `|`, the first readable one counts.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

from paper_search.bibliography.identifiers import (
    content_key,
    parse_arxiv_id,
    parse_doi,
    parse_isbn,
    parse_issn,
    parse_pmcid,
    parse_pmid,
)
from paper_search.bibliography.keywords import keywords_of
from paper_search.bibliography.languages import language_code
from paper_search.bibliography.names import author_named, author_of
from paper_search.bibliography.text import clean, plain, plain_abstract
from paper_search.models import Author, RawPaper
from paper_search.sources.values import address, count, flag, items, mapping, text, year

OTHER_TEXTS = "other_texts"
"""Key of the raw data with further URLs of an open full text."""
Entry = Any
Reader = Callable[[Entry], Any]
Field = str | Reader | tuple[str, Reader]
"""Paths; paths with a reader of the text found there; or a reader of the whole entry."""
_STEP = re.compile(r"(?P<name>[^.\[\]]+)(?:\[(?P<key>[^=\[\]]+)=(?P<value>[^\[\]]*)\])?")

_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")


@cache
def _steps(path: str) -> tuple[tuple[str, str, str], ...]:
    steps = (step.groupdict("") for step in _STEP.finditer(path))
    return tuple((step["name"], step["key"], step["value"].casefold()) for step in steps)


def values_at(entry: Entry, path: str) -> list[Any]:
    values = items(entry)
    for name, key, value in _steps(path):
        values = [
            child
            for parent in values
            for child in _children(parent, name)
            if not key or any(_plain(own) == value for own in _children(child, key))
        ]
    return values


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else text(value).casefold()


def _children(parent: Entry, name: str) -> list[Any]:
    if not isinstance(parent, Element):
        return items(mapping(parent).get(name))
    if name.startswith("@"):
        return items(parent.get(name[1:]))
    return parent.findall(f"{{*}}{name}")


def first(entry: Entry, paths: str, reader: Reader = text) -> Any:
    """Return the first readable value at one of the paths, or None."""
    values = (value for path in paths.split("|") for value in values_at(entry, path))
    return next((result for value in values if (result := reader(value)) not in {None, ""}), None)


def words(value: Any) -> str | None:
    """Return plain text without markup and LaTeX, or None."""
    return plain(text(value)) or None


def cleaned(value: Any) -> str | None:
    """Return plain text without markup, for fields that never have LaTeX, or None."""
    return clean(text(value)) or None


def _of_text(reader: Callable[[str], Any]) -> Reader:
    return lambda value: reader(line) if (line := text(value)) else None


_READERS: dict[str, Reader] = {
    **dict.fromkeys(("title", "snippet", "venue", "publisher", "volume", "issue", "pages"), words),
    **dict.fromkeys(("url", "full_text_url"), address),
    "abstract": _of_text(plain_abstract),
    "year": year,
    "doi": _of_text(parse_doi),
    "arxiv_id": _of_text(parse_arxiv_id),
    "pmid": _of_text(parse_pmid),
    "pmcid": _of_text(parse_pmcid),
    "isbn": _of_text(parse_isbn),
    "issn": _of_text(parse_issn),
    "language": _of_text(language_code),
    "citation_count": count,
    "is_retracted": flag,
}


def value_of(entry: Entry, field: Field, reader: Reader = text) -> Any:
    if callable(field):
        return field(entry)
    paths, own = field if isinstance(field, tuple) else (field, None)
    return first(entry, paths, _of_text(own) if own else reader)


@dataclass(frozen=True, slots=True)
class Table:
    """Where a service's records hold each field.

    Attributes:
        prefix: of the ids of the records.
        key: unique key of a record; without one, the DOI or a hash of the content is used.
        fields: of `RawPaper`; entries without a title are skipped.
        details: reads the raw data.
        source: of the records; by default the prefix.
    """

    prefix: str
    key: Field
    fields: Mapping[str, Field]
    details: Callable[[Entry], dict[str, Any]] | None = None
    source: str = ""

    def read(self, entry: Entry) -> RawPaper | None:
        """Return the record of an entry with values of any types, or None without a title."""
        if not value_of(entry, self.fields["title"], words):
            return None
        values = {
            name: value
            for name, field in self.fields.items()
            if (value := value_of(entry, field, _READERS.get(name, text))) is not None
        }
        details = self.details(entry) if self.details else {}
        paper = RawPaper(**values, source=self.source or self.prefix, raw_data=details)
        key = value_of(entry, self.key) if self.key else None
        paper.id = f"{self.prefix}:{key or paper.doi or content_key(paper)}"
        return paper


@dataclass(frozen=True, slots=True)
class People:
    """Where an entry lists its authors, and the parts of their names.

    Attributes:
        at: paths of the lists; the first non-empty one counts.
        name: the whole name, which is split into its parts.
        literal: the name of an organisation.
        is_inverted: whether the family name comes first in `name`.
        read: reader of names.
        leave_out: `attribute=value` of people to skip.
    """

    at: str
    name: Field = ""
    family: Field = ""
    given: Field = ""
    suffix: Field = ""
    literal: Field = ""
    id: Field = ""
    is_inverted: bool = False
    read: Reader = words
    leave_out: str = ""

    def __call__(self, entry: Entry) -> list[Author]:
        lists = ([*map(self._author, values_at(entry, path))] for path in self.at.split("|"))
        people = ([author for author in authors if author] for authors in lists)
        return next((authors for authors in people if authors), [])

    def _author(self, person: Entry) -> Author | None:
        name, _, value = self.leave_out.partition("=")
        if name and first(person, name) == value:
            return None
        author_id = value_of(person, self.id) if self.id else None
        family = self._part(person, self.family)
        if (whole := self._part(person, self.name)) and not family:
            return author_named(whole, author_id, is_inverted=self.is_inverted)
        return author_of(
            family=family,
            given=self._part(person, self.given),
            suffix=self._part(person, self.suffix),
            literal=self._part(person, self.literal),
            author_id=author_id,
        )

    def _part(self, person: Entry, field: Field) -> str | None:
        return value_of(person, field, self.read) or None if field else None


def keywords(*paths: str) -> Reader:
    return lambda entry: keywords_of([word for path in paths for word in _worded(entry, path)])


def _worded(entry: Entry, path: str) -> Iterator[Any]:
    for value in values_at(entry, path):
        yield text(value) if isinstance(value, Element) else value


def texts(entry: Entry, path: str) -> list[str]:
    return [line for value in values_at(entry, path) if (line := text(value))]


def span(start: str, end: str) -> Reader:
    def parse(entry: Entry) -> str | None:
        one, other = first(entry, start), first(entry, end)
        return f"{one}-{other}" if one and other and one != other else one or other

    return parse


def first_of(*fields: Field, reader: Reader = text) -> Reader:
    def value(entry: Entry) -> Any:
        values = (value_of(entry, field, reader) for field in fields)
        return next(filter(None, values), None)

    return value


def orcid(address: str) -> str | None:
    match = _ORCID.search(address)
    return match[0] if match else None


def last_part(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]
