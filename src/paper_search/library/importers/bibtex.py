"""Importer of BibTeX and BibLaTeX files."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from paper_search.bibliography.text import plain
from paper_search.library.importers.entries import Entry, Imported, Rejected
from paper_search.library.importers.fields import record_of

_KEYLESS = re.compile(
    r"(@(?!string|comment|preamble)[A-Za-z]+[ \t]*[{(])[ \t]*(?=,|\n|[A-Za-z]+[ \t]*=)",
    re.IGNORECASE,
)
_AND = re.compile(r"(?<!\s)\s+and\s+", re.IGNORECASE)
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
    "school", "institution", "series",
)  # fmt: skip
_RAW_FIELDS = ("doi", "url", "isbn", "pmid", "pmcid", "eprint", "archiveprefix", "eprinttype")


def read(lines: Iterable[str]) -> Iterator[Entry]:
    """Yield one entry for every @entry, broken ones as `Rejected`; @string is resolved."""
    from bibtexparser import entrypoint, model  # noqa: PLC0415  # slow to import

    with _quiet():
        library = entrypoint.parse_string(_named("".join(lines).replace("\r\n", "\n")))
    for block in library.blocks:
        inner = (
            block.ignore_error_block if isinstance(block, model.DuplicateBlockKeyBlock) else block
        )
        line = (block.start_line or 0) + 1
        if isinstance(inner, model.Entry):
            yield _entry(inner, line)
        elif isinstance(block, model.ParsingFailedBlock) and not isinstance(inner, model.Entry):
            if inner is not None and not isinstance(inner, model.ParsingFailedBlock):
                continue  # a @string given twice
            yield Rejected(line, _reason(block))


def _entry(block: Any, line: int) -> Entry:
    fields = {key.lower(): str(field.value) for key, field in block.fields_dict.items()}
    values: dict[str, Any] = {
        name: plain(fields[name]) for name in _PLAIN_FIELDS if fields.get(name)
    }
    values |= {name: fields[name].strip("{} ") for name in _RAW_FIELDS if fields.get(name)}
    if subtitle := values.get("subtitle"):
        values["title"] = f"{values.get('title', '')}: {subtitle}"
    names = _AND.split(fields.get("author") or fields.get("editor") or "")
    values["authors"] = [plain(name) for name in names if name.strip().lower() != "others"]
    values["language"] = values.get("language") or values.get("langid")
    origin = values.get("archiveprefix", "") + values.get("eprinttype", "")
    if "arxiv" not in origin.lower() and not fields.get("eprint", "").lower().startswith("arxiv"):
        values.pop("eprint", None)
    if preprint := _ARXIV_VENUE.match(values.get("journal", "")):
        values.setdefault("arxiv_id", f"arXiv:{preprint.group(1)}")
    kept = ("school", "institution", "howpublished", "series")
    fallback = next((values[name] for name in kept if values.get(name)), None)
    if not any(values.get(name) for name in ("journal", "journaltitle", "booktitle")):
        values["venue"] = fallback
    try:
        record = record_of(values)
    except ValueError as error:
        return Rejected(line, f"{block.key or '@' + block.entry_type!s}: {error}")
    record.publication_type = _TYPES.get(block.entry_type.lower(), "document")
    record.bibtex = block.raw
    return Imported(record, line)


def _named(text: str) -> str:
    """Return the text with a key for every entry that has none: `@Article{,`."""
    number = iter(range(1, len(text)))

    def key(match: re.Match[str]) -> str:
        rest = match.string[match.end() : match.end() + 1]
        return f"{match.group(1)}unnamed-{next(number)}{'' if rest == ',' else ','}"

    return _KEYLESS.sub(key, text)


def _reason(block: Any) -> str:
    raw = " ".join((block.raw or "").split())[:60]
    # An entry that another one cuts off carries its reason in a field, and an empty message.
    told = getattr(block.error, "abort_reason", None) or str(block.error or "")
    error = " ".join(told.split())[:100] or "cannot be read"
    return f"{error} ({raw!r})"


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the parser from logging what is reported as `Rejected` anyway."""
    logger = logging.getLogger("bibtexparser")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
