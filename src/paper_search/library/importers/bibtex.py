"""Importer of BibTeX and BibLaTeX files."""

import calendar
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from paper_search.bibliography.names import SUFFIX
from paper_search.bibliography.publication_types import stated_type
from paper_search.bibliography.text import plain
from paper_search.errors import InputError
from paper_search.library.importers.files import Entry, Imported, Rejected, entry_of

_VOLUMES = {
    "book", "mvbook", "proceedings", "mvproceedings", "collection", "mvcollection", "periodical",
    "reference", "mvreference",
}  # fmt: skip
_NEVER = {"crossref", "xref", "xdata", "title", "subtitle", "author", "bibtex", "ids", "keywords",
          "abstract", "doi", "url", "eprint", "pages", "key"}  # fmt: skip
"""Fields that an entry does not inherit from its volume."""


_MOST_EXPANDED = 2_000
"""Letters that macros may add to a value: more is an attempt to fill the memory."""
MONTHS = {name.lower(): name for name in calendar.month_abbr[1:]}
"""Macros that every style defines (btxdoc, 1988)."""


def _value(raw: str, macros: Mapping[str, str]) -> str:
    """Resolve a raw value; an unknown macro is replaced by its name.

    Raises:
        InputError: macros within macros multiply the text.
    """
    parts = [_part(part, macros) for part in (_parts(raw) if "#" in raw else (raw,))]
    if sum(map(len, parts)) > len(raw) + _MOST_EXPANDED:
        raise InputError(f"its @string definitions expand to more than {_MOST_EXPANDED:,} letters")
    return "".join(parts)


def _closes_at(text: str) -> int:
    """Return the position of the brace that closes the first one, or -1."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return place
    return -1


def _part(text: str, macros: Mapping[str, str]) -> str:
    part = text.strip()
    if len(part) > 1 and (part[0], part[-1]) in {("{", "}"), ('"', '"')}:
        return part[1:-1]
    return macros.get(part.lower()) or MONTHS.get(part.lower(), part)


def _parts(text: str) -> Iterator[str]:
    """Yield the parts separated by `#` outside braces and quotes."""
    depth, start, is_quoted, before = 0, 0, False, ""
    for place, letter in enumerate(text):
        if before == "\\":
            before = ""
            continue
        depth += (letter == "{") - (letter == "}")
        if letter == '"' and depth == 0:
            is_quoted = not is_quoted
        elif letter == "#" and depth == 0 and not is_quoted:
            yield text[start:place]
            start = place + 1
        before = letter
    yield text[start:]


_KEYLESS = re.compile(
    r"(@(?!string|comment|preamble)[A-Za-z]+[ \t]*[{(])[ \t]*(?=,|\n|[A-Za-z]+[ \t]*=)",
    re.IGNORECASE,
)
_BRACE_BELOW = re.compile(r"(?im)^([ \t]*@[a-z]+)([ \t]*\n\s*)([{(].*)$")
_NO_COMMA = re.compile(r"\}\s+[A-Za-z]+\s*=\s*[{\"\d]")
_NO_COMMA_BEHIND = re.compile(r"\s*(?:\"[^\"{}]*\"|\w+)\s+[A-Za-z]+\s*=\s*[{\"\d]")
"""The same after a quoted value, a number or a macro."""
_FIELD = re.compile(r"[\s,]*[A-Za-z]+\s*=\s*[{\"]")
_START = re.compile(r"[ \t]*@[A-Za-z]+[ \t]*[{(]")
_AT_ONCE = 200
"""Entries that are parsed together."""
_PARTS_WITH_SUFFIX = 3
_NAME_PART = re.compile(r"(?:family|given|prefix|suffix|useprefix|[a-z]+-i)=.*")
_ADDRESS = re.compile(r"https?://[^\s{}]+")
_ARXIV_VENUE = re.compile(r"arxiv(?:\s+preprint)?\s*:?\s*(?:arxiv:)?\s*(\S+)", re.IGNORECASE)
_TYPES = {
    "article": "article-journal", "inproceedings": "paper-conference", "proceedings": "book",
    "conference": "paper-conference", "book": "book", "inbook": "chapter", "mvbook": "book",
    "incollection": "chapter", "phdthesis": "thesis", "mastersthesis": "thesis",
    "thesis": "thesis", "techreport": "report", "report": "report", "unpublished": "manuscript",
    "online": "webpage", "dataset": "dataset", "software": "software", "patent": "patent",
}  # fmt: skip
_PLAIN_FIELDS = (
    "title", "subtitle", "abstract", "journal", "journaltitle", "booktitle", "publisher", "volume",
    "number", "issue", "pages", "year", "date", "language", "langid", "note", "howpublished",
    "school", "institution", "series", "keywords", "type", "author_keywords", "keywords-plus",
    "articleno", "art_number", "article-number", "eid",
)  # fmt: skip
_RAW_FIELDS = (
    "doi", "url", "isbn", "issn", "eissn", "pmid", "pmcid", "eprint", "archiveprefix", "eprinttype",
)  # fmt: skip


def parse_bibtex(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every @entry, invalid ones as `Rejected`.

    `@string`, `#` and `crossref` are resolved. Entries are yielded in order, except that those
    whose volume comes later are kept in memory until the end.
    """
    macros: dict[str, str] = {}
    volumes: dict[str, dict[str, str]] = {}
    waiting: list[_RawEntry] = []
    for entry in _raw_entries(lines, macros):
        if isinstance(entry, Rejected):
            yield entry
            continue
        if entry.kind in _VOLUMES and entry.key:
            volumes[entry.key.lower()] = entry.fields
        if entry.volume and entry.volume not in volumes:
            waiting.append(entry)
        else:
            yield _entry(entry, volumes.get(entry.volume))
    for entry in waiting:
        yield _entry(entry, volumes.get(entry.volume))


@dataclass(frozen=True, slots=True)
class _RawEntry:
    kind: str
    key: str
    fields: dict[str, str]
    line: int
    raw: str

    @property
    def volume(self) -> str:
        return self.fields.get("crossref", "").lower()


def _with_inherited(fields: dict[str, str], volume: Mapping[str, str] | None) -> dict[str, str]:
    """Add missing fields from the volume, whose title is the entry's `booktitle`.

    See the BibLaTeX manual 3.22, appendix B.
    """
    if volume is None:
        return fields
    inherited = {name: value for name, value in volume.items() if name not in _NEVER}
    if "title" in volume:
        inherited["booktitle"] = volume.get("booktitle") or volume["title"]
    return inherited | {name: value for name, value in fields.items() if value}


def _raw_entries(lines: Iterable[str], macros: dict[str, str]) -> Iterator[_RawEntry | Rejected]:
    from bibtexparser import entrypoint, model  # noqa: PLC0415  # slow to import

    for first, text in _chunks(lines):
        with _quiet():
            blocks = entrypoint.parse_string(_with_keys(text), parse_stack=[]).blocks
        for block, following in zip_longest(blocks, blocks[1:]):
            inner = getattr(block, "ignore_error_block", None) or block
            line = (block.start_line or 0) + first
            if isinstance(inner, model.String):
                macros[inner.key.lower()] = _value(str(inner.value), macros)
            elif isinstance(inner, model.Entry):
                # The first of repeated fields counts, as in BibTeX.
                fields = {
                    field.key.lower(): _value(str(field.value), macros)
                    for field in reversed(inner.fields)
                }
                if any(map(_lacks_comma, fields.values())) or any(
                    _NO_COMMA_BEHIND.match(str(field.value)) for field in inner.fields
                ):
                    yield Rejected(line, f"{inner.key}: a comma is missing between two fields")
                elif isinstance(following, model.ImplicitComment) and _is_rest(following.raw or ""):
                    yield Rejected(line, f"{inner.key}: a brace closes it before its last field")
                else:
                    yield _RawEntry(
                        inner.entry_type.lower(), inner.key, fields, line, inner.raw or ""
                    )
            elif isinstance(block, model.ParsingFailedBlock):
                yield Rejected(line, _reason(block))


def _chunks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    chunk: list[str] = []
    entries, start = 0, 1
    for number, line in enumerate(lines, start=1):
        if _START.match(line):
            entries += 1
            if entries > _AT_ONCE:
                yield start, "".join(chunk).replace("\r\n", "\n")
                chunk, entries, start = [], 1, number
        chunk.append(line)
    yield start, "".join(chunk).replace("\r\n", "\n")


def _entry(raw: _RawEntry, volume: Mapping[str, str] | None) -> Entry:
    fields = _with_inherited(raw.fields, volume)
    values: dict[str, Any] = {
        name: plain(fields[name]) for name in _PLAIN_FIELDS if fields.get(name)
    }
    values |= {name: fields[name].strip("{} ") for name in _RAW_FIELDS if fields.get(name)}
    if subtitle := values.get("subtitle"):
        values["title"] = f"{values.get('title', '')}: {subtitle}"
    values["authors"] = list(_people(fields.get("author") or fields.get("editor") or ""))
    values["language"] = values.get("language") or values.get("langid")
    origin = values.get("archiveprefix", "") + values.get("eprinttype", "")
    if {"pubmed", "pmid"} & {origin.lower()}:
        values.setdefault("pmid", values.pop("eprint", ""))
    if "arxiv" not in origin.lower() and not fields.get("eprint", "").lower().startswith("arxiv"):
        values.pop("eprint", None)
    if preprint := _ARXIV_VENUE.match(values.get("journal", "")):
        values.setdefault("arxiv_id", f"arXiv:{preprint.group(1)}")
    issuer = values.get("school") or values.get("institution")  # RIS and EndNote: the publisher
    if address := _ADDRESS.search(fields.get("howpublished", "")):
        values.setdefault("url", address.group())
        del values["howpublished"]
    if not any(values.get(name) for name in ("journal", "journaltitle", "booktitle")):
        own = values.get("howpublished") or values.get("series")
        values["venue"] = own or (issuer if values.get("publisher") else None)
    values["publisher"] = values.get("publisher") or issuer
    kind = stated_type(values.get("type")) or _TYPES.get(raw.kind, "document")
    entry = entry_of(values, raw.line, kind)
    if isinstance(entry, Imported):
        entry.record.bibtex = raw.raw
        return entry
    return Rejected(raw.line, f"{raw.key or '@' + raw.kind}: {entry.reason}")


def _people(text: str) -> Iterator[str | dict[str, str]]:
    """Yield the names; one in braces is not split."""
    from bibtexparser.middlewares.names import (  # noqa: PLC0415  # slow to import
        split_multiple_persons_names,
    )

    names = " ".join(text.split())
    parts = split_multiple_persons_names(names)
    if _is_braced(names):  # the whole field, as some programs write it
        inside = split_multiple_persons_names(names[1:-1])
        parts = inside if len(inside) > 1 and all("," in name for name in inside) else parts
    for name in parts:
        if _is_braced(name):
            yield {"literal": plain(name)}
        elif name.lower() != "others":
            yield _person(plain(name))


def _person(name: str) -> str | dict[str, str]:
    """Return the name; BibTeX writes a suffix between family and given name."""
    parts = [part.strip() for part in name.split(",")]
    if all(map(_NAME_PART.fullmatch, parts)):  # BibLaTeX 3.5: "family=Beethoven, prefix=van"
        names = {key: value.strip('"') for key, _, value in (part.partition("=") for part in parts)}
        return {"non-dropping-particle": names.pop("prefix", ""), **names}
    if len(parts) == _PARTS_WITH_SUFFIX and SUFFIX.fullmatch(parts[1]):
        return {"name": name, "family": parts[0], "suffix": parts[1], "given": parts[2]}
    return name


def _is_braced(text: str) -> bool:
    return text.startswith("{") and not text.startswith("{\\") and _closes_at(text) == len(text) - 1


def _is_rest(text: str) -> bool:
    """Whether a text between entries belongs to one: fields with an unmatched closing brace."""
    return bool(_FIELD.match(text)) and text.count("}") > text.count("{")


def _lacks_comma(value: str) -> bool:
    """Whether the parser read two values as one, which then has an unmatched closing brace."""
    place = _NO_COMMA.search(value)
    return place is not None and _closes_at("{" + value) <= place.start() + 1


def _with_keys(text: str) -> str:
    """Join types and their braces, and insert missing keys (`@Article{,`)."""
    number = iter(range(1, len(text)))

    def key(match: re.Match[str]) -> str:
        rest = match.string[match.end() : match.end() + 1]
        return f"{match.group(1)}unnamed-{next(number)}{'' if rest == ',' else ','}"

    return _KEYLESS.sub(key, _BRACE_BELOW.sub(r"\1\3\2", text))


def _reason(block: Any) -> str:
    raw = " ".join((block.raw or "").split())[:60]
    # An entry cut off by the next one has an empty message and its reason in a field.
    message = getattr(block.error, "abort_reason", None) or str(block.error or "")
    error = " ".join(message.split())[:100] or "cannot be read"
    return f"{error} ({raw!r})"


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the parser's log: errors are reported as `Rejected`."""
    logger = logging.getLogger("bibtexparser")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
